"""Whose bug it is, from the frames of a report: the module's, CPython's, another library's, or the harness's.

    owner_of(report_text, kind="use-after-free", signature="...", module="multidict")    # "multidict"
    owner_of(report_text, kind="missed-visit", signature="missed-visit node.Node next", module="node")

A sanitizer's report belongs to who owns the first frame that tells something: a shared object of the module, a file of
CPython's sources (Objects/, Python/, Modules/), or another library. CPython's frames at the top of a stack may be
called by the module with a dead object: then the module's frame below decides. When CPython dies because a function broke
the calling convention, the function's own frame is gone already: it belongs to the module that was called. An oracle's
finding belongs to who owns the type it names; a refquake.Value is the argument that the module lost.
"""

import re

from refquake_cli.added import is_standard
from refquake_cli.reports.frames import Frame, all_stacks
from refquake_cli.reports.layers import CPYTHON_PATH, HARNESS_PATH
from refquake_cli.reports.trial import trial_of

CPYTHON = "CPython"
HARNESS = "harness"
UNKNOWN = "unknown"
_BROKEN_RESULT = re.compile(
    r"_Py_CheckFunctionResult|returned a result with an exception set|NULL without setting an exception"
)
_TYPE = re.compile(r"^==refquake==\s+type:\s+(\S+)", re.MULTILINE)


def owner_of(text: str, kind: str, signature: str, module: str) -> str:
    root = module.split("==")[0].split(".")[0]
    if _TYPE.search(text) or _BROKEN_RESULT.search(text):
        return CPYTHON if is_standard(root) else root
    stacks = all_stacks(text)
    if not stacks:
        tried = trial_of(text)  # a call of the module's that did not end
        return UNKNOWN if not tried else CPYTHON if is_standard(root) else root
    owners = [owner for frame in stacks[0] if (owner := _owner_of_frame(frame, root))]
    if not owners:
        return HARNESS if any(HARNESS_PATH.search(frame.file) for frame in stacks[0]) else UNKNOWN
    if owners[0] == CPYTHON and root in owners and not is_standard(root):
        return root  # CPython does what the module asked of it
    return owners[0]


def _owner_of_frame(frame: Frame, root: str) -> str:
    if frame.plumbing:
        return ""
    if HARNESS_PATH.search(frame.file):
        return ""
    if CPYTHON_PATH.search(frame.file):
        return CPYTHON
    place = frame.file or frame.module
    if not place:
        return ""
    if f"/{root}" in place.lower() or place.endswith((".pyx", ".so")):
        return root
    return place.rsplit("/", 1)[-1] if frame.module and not frame.file else root
