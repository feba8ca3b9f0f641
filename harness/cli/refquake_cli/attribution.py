"""Whose bug it is, from the frames of a report: the module's, CPython's, another library's, or the harness's.

    owner_of(report_text, kind="use-after-free", signature="...", module="multidict")    # "multidict"
    owner_of(report_text, kind="missed-visit", signature="missed-visit node.Node next", module="node")

A sanitizer's report belongs to who owns the first frame that tells something: a shared object of the module, a file of
CPython's sources (Objects/, Python/, Modules/), or another library. CPython's frames at the top of a stack may be
called by the module with a dead object: then the module's frame below decides, if the object was dropped too early by
the module is not to be seen from here. An oracle's finding belongs to who owns the type it names.
"""

import re

from refquake_cli.added import is_standard
from refquake_cli.reports.frames import Frame, all_stacks

CPYTHON = "CPython"
HARNESS = "harness"
UNKNOWN = "unknown"
_CPYTHON_PATH = re.compile(r"/(?:Objects|Python|Modules|Parser|Include)/|/lib-dynload/")
_HARNESS_PATH = re.compile(r"/harness/(?:core|driver|python|sched)/|crtstuff|fuzzer")
_TYPE = re.compile(r"^==refquake==\s+type:\s+(\S+)", re.MULTILINE)


def owner_of(text: str, kind: str, signature: str, module: str) -> str:
    root = module.split("==")[0].split(".")[0]
    if match := _TYPE.search(text):
        return _owner_of_type(match[1], root)
    stacks = all_stacks(text)
    if not stacks:
        return UNKNOWN
    owners = [owner for frame in stacks[0] if (owner := _owner_of_frame(frame, root))]
    if not owners:
        return UNKNOWN
    if owners[0] == CPYTHON and root in owners and not is_standard(root):
        return root  # CPython does what the module asked of it
    return owners[0]


def _owner_of_type(name: str, root: str) -> str:
    if name.startswith("refquake."):
        return HARNESS
    return CPYTHON if is_standard(root) else root


def _owner_of_frame(frame: Frame, root: str) -> str:
    if frame.plumbing:
        return ""
    if _HARNESS_PATH.search(frame.file):
        return ""
    if _CPYTHON_PATH.search(frame.file):
        return CPYTHON
    place = frame.file or frame.module
    if not place:
        return ""
    if f"/{root}" in place.lower() or place.endswith((".pyx", ".so")):
        return root
    return place.rsplit("/", 1)[-1] if frame.module and not frame.file else root
