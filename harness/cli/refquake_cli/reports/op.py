"""Which op ran when a process died, from what its report says.

    op_of(body, stacks)        # "node.Node.first", "method list_extend", "drop", "collect"; "" where nothing tells

A call that was tried in discovery, or a step of loading, is named in the report; a function that broke the calling
convention CPython names. Else the stack tells: what the executor called, and the first function below it that has a
name of its own.
"""

import re

from refquake_cli.reports.frames import Frame
from refquake_cli.reports.layers import Layer, layer_of
from refquake_cli.reports.trial import step_of, trial_of

_BROKE_CONVENTION = re.compile(
    r"^SystemError: <(?:(?:method|slot wrapper) '(?P<name>\w+)' of '(?P<type>[\w.]+)' objects"
    r"|built-in method (?P<bound>\w+) of (?P<owner>[\w.]+) object at \S+"
    r"|(?:built-in function|built-in method|class) '?(?P<plain>[\w.]+)'?)> returned ",
    re.MULTILINE,
)
# What the executor calls for an op of each form, by the start of the function's name.
_FORMS = (
    ("gc_collect", "collect"),
    ("PyGC_Collect", "collect"),
    ("PyObject_VectorcallMethod", "method"),
    ("PyObject_SetAttr", "set"),
    ("PyObject_DelAttr", "delete"),
    ("PyObject_GetAttr", "get"),
    ("PyObject_GetOptionalAttr", "get"),
    ("PyObject_Vectorcall", "call"),
    ("_PyObject_Vectorcall", "call"),
    ("_PyObject_MakeTpCall", "call"),
    ("PyObject_Call", "call"),
)
_DROPS = re.compile(r"^(?:_?Py_X?DECREF|_Py_Dealloc|_Py_MergeZeroLocalRefcount|_Py_DecRef|Py_CLEAR)")
_RUNS = re.compile(r"^refquake::(?:Executor|Trial)::")
_JUDGES = re.compile(r"^refquake::(?:ObjectGraph|Executor::Judge|\w*Oracle)")


def op_of(body: str, stacks: list[list[Frame]]) -> str:
    if broke := _BROKE_CONVENTION.search(body):
        owner, name = broke["type"] or broke["owner"], broke["name"] or broke["bound"] or broke["plain"]
        return f"{owner}.{name}" if owner else name
    if tried := trial_of(body):
        return tried.name
    if step := step_of(body):
        return step
    return next((op for stack in stacks if (op := _op_of_stack(stack))), "")


def _op_of_stack(stack: list[Frame]) -> str:
    at = next((at for at, frame in enumerate(stack) if _RUNS.match(frame.function)), None)
    if at is None:
        return ""
    if any(_JUDGES.match(frame.function) for frame in stack[: at + 1]):
        return "judging"
    called = stack[:at]
    for start, form in _FORMS:
        if any(frame.function.startswith(start) for frame in called):
            return " ".join(filter(None, [form, _entry(called) if form != "collect" else ""]))
    return "drop" if any(_DROPS.match(frame.function) for frame in called) else ""


def _entry(called: list[Frame]) -> str:
    """The outermost function that is not CPython's way of calling any."""
    names = [frame.function for frame in called if not frame.plumbing and layer_of(frame) is not Layer.HARNESS]
    told = [name for name in names if not name.startswith(tuple(start for start, _ in _FORMS))]
    return told[-1] if told else ""
