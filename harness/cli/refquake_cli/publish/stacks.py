"""The stacks of a report with their source lines, and which ops may be the two accesses of a race.

for stack in stacks_of(report_text): stack.title, stack.frames
accesses = racing_ops(program, report_text)      # {(phase, lane, op): 1 or 2}
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from refquake_cli.program_model import Op, Program
from refquake_cli.reports.frames import Frame, parse_stack

CONTEXT = 2
_PROCESS = re.compile(r"^\s*==\d+==\s*")
MAX_STACKS = 6
# What of CPython stands in a stack when an op of that form runs.
_FORMS = {
    "set": {"PyObject_SetAttr"},
    "delete": {"PyObject_DelAttr"},
    "get": {"PyObject_GetAttr"},
    "method": {"PyObject_VectorcallMethod"},
    "call": {"PyObject_Vectorcall", "_PyObject_MakeTpCall"},
}


@dataclass(frozen=True)
class SourceLine:
    number: int
    text: str
    hit: bool


@dataclass(frozen=True)
class StackFrame:
    frame: Frame
    source: tuple[SourceLine, ...]  # empty for plumbing, and where the file is not here

    @property
    def place(self) -> str:
        return f"{self.frame.file}:{self.frame.line}" if self.frame.line else self.frame.file or self.frame.module


@dataclass(frozen=True)
class Stack:
    title: str
    frames: tuple[StackFrame, ...]


def stacks_of(report: str) -> list[Stack]:
    found: list[Stack] = []
    lines, at = report.splitlines(), 0
    while at < len(lines) and len(found) < MAX_STACKS:
        frames = parse_stack(lines[at:])
        if frames:
            title = _PROCESS.sub("", lines[at - 1]).strip() if at else ""
            found.append(Stack(title, tuple(StackFrame(frame, _source_of(frame)) for frame in frames)))
        at += len(frames) or 1
    return found


def first_place(report: str) -> tuple[str, int] | None:
    """File and line of the first frame of the code under test, the file relative to here where it is below."""
    for stack in stacks_of(report):
        for one in stack.frames:
            if not one.frame.plumbing and one.frame.line:
                below = os.path.relpath(one.frame.file)
                return (one.frame.file if below.startswith("..") else below), one.frame.line
    return None


def _source_of(frame: Frame) -> tuple[SourceLine, ...]:
    if frame.plumbing or not frame.line or not frame.file.startswith("/"):
        return ()
    try:
        lines = Path(frame.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    if frame.line > len(lines):
        return ()
    first = max(1, frame.line - CONTEXT)
    shown = lines[first - 1 : frame.line + CONTEXT]
    return tuple(SourceLine(number, text, number == frame.line) for number, text in enumerate(shown, start=first))


def racing_ops(program: Program, report: str) -> dict[tuple[int, int, int], int]:
    """Ops in a phase of several lanes whose form, or name, the stack of access 1 or 2 tells. Told, not measured."""
    marked: dict[tuple[int, int, int], int] = {}
    for number, stack in enumerate(stacks_of(report)[:2], start=1):
        functions = {one.frame.function for one in stack.frames}
        for place, op in _concurrent(program):
            if place not in marked and _may_be(op, functions):
                marked[place] = number
                break
    return marked


def _concurrent(program: Program) -> list[tuple[tuple[int, int, int], Op]]:
    """The last phase with several lanes, lane by lane."""
    phases = [at for at, phase in enumerate(program.phases) if len(phase) > 1]
    if not phases:
        return []
    at = phases[-1]
    return [((at, lane, n), op) for lane, ops in enumerate(program.phases[at]) for n, op in enumerate(ops)]


def _may_be(op: Op, functions: set[str]) -> bool:
    if op.form == "set" and "PyObject_DelAttr" in functions:
        return False
    by_form = bool(_FORMS.get(op.form, set()) & functions)
    by_name = bool(op.name) and any(op.name.lower() in function.lower() for function in functions)
    return by_name or (by_form and op.form in ("set", "delete", "get"))
