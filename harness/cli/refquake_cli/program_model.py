"""A program's text as a value: what `minimize`, `export` and `show --graph` work on.

Example:

    program = parse_program(text)          # text as a fuzz binary prints it
    program.phases[0][1]                   # the ops of phase 0, lane 1
    str(program)                           # canonical text again: equal programs, equal text

The binary is the judge of what is valid (`require_text` in program_text.py); this reads what it prints and refuses
the rest with the line's number. Everything is immutable, so that programs can be compared, hashed and kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from refquake_cli.errors import WrongUse

SLOTS = "abcdefghijklmnop"
FREE = "free"
_HEADER = re.compile(r"^(target|profile|schedule):\s*(.*?)\s*$")
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_STATEMENT = re.compile(
    rf"^(?:(?P<drop>del)\s+(?P<dropped>{_NAME})"
    rf"|(?:(?P<result>[a-p])\s*=\s*)?(?P<called>{_NAME})\((?P<args>.*)\)"
    rf"|(?P<set>[a-p]\.{_NAME})\s*=\s*(?P<value>.+)"
    rf"|(?:(?P<to>[a-p])\s*=\s*)?(?P<read>{_NAME}))$"
)


def is_slot(word: str) -> bool:
    return len(word) == 1 and word in SLOTS


@dataclass(frozen=True)
class Op:
    form: str  # call, method, get, set, delete, copy, drop
    name: str  # "" for copy and drop
    args: tuple[str, ...]  # `self` first where the form has one
    result: str = ""  # a slot, or ""

    def __str__(self) -> str:
        own, rest = (self.args[0], self.args[1:]) if self.form != "call" else ("", self.args)
        start = f"{self.result} = " if self.result else ""
        match self.form:
            case "call":
                return f"{start}{self.name}({', '.join(rest)})"
            case "method":
                return f"{start}{own}.{self.name}({', '.join(rest)})"
            case "get":
                return f"{start}{own}.{self.name}"
            case "set":
                return f"{own}.{self.name} = {rest[0]}"
            case "delete":
                return f"del {own}.{self.name}"
            case "copy":
                return f"{start}{own}"
        return f"del {own}"

    @property
    def reads(self) -> set[str]:
        return {arg for arg in self.args if is_slot(arg)}

    @property
    def slots(self) -> set[str]:
        return self.reads | ({self.result} if self.result else set())


def with_slots(op: Op, names: dict[str, str]) -> Op:
    return replace(op, args=tuple(names.get(arg, arg) for arg in op.args), result=names.get(op.result, op.result))


Lane = tuple[Op, ...]
Phase = tuple[Lane, ...]


@dataclass(frozen=True)
class Program:
    target: str
    profile: str
    phases: tuple[Phase, ...]
    schedule: str = FREE

    def __str__(self) -> str:
        head = [f"target: {self.target}", f"profile: {self.profile}"]
        if self.schedule != FREE:
            head.append(f"schedule: {self.schedule}")
        return "\n".join(head + [line for phase in self.phases for line in _phase_lines(phase)]) + "\n"

    @property
    def ops(self) -> list[Op]:
        return [op for _, _, op in self.places()]

    @property
    def max_lanes(self) -> int:
        return max((len(phase) for phase in self.phases), default=0)

    def places(self) -> Iterator[tuple[int, int, Op]]:
        """Each op with its phase and lane, in text order."""
        for at, phase in enumerate(self.phases):
            for number, lane in enumerate(phase):
                for op in lane:
                    yield at, number, op

    def with_phases(self, phases: list[list[list[Op]]] | list[Phase]) -> "Program":
        """The same program with other phases; empty lanes and phases go."""
        filled = [tuple(tuple(lane) for lane in phase if lane) for phase in phases]
        return replace(self, phases=tuple(phase for phase in filled if phase))


def _phase_lines(phase: Phase) -> list[str]:
    lines = ["phase:"]
    for lane in phase:
        lines += ["    lane:", *(f"        {op}" for op in lane or ("pass",))]
    return lines


def split_arguments(text: str) -> list[str]:
    """Splits at the commas that stand outside brackets and quotes."""
    found, depth, quote, start, at = [], 0, "", 0, 0
    while at < len(text):
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
        at += 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def parse_op(text: str) -> Op | None:
    match = _STATEMENT.match(text)
    if not match:
        return None
    if match["drop"]:
        own, _, name = match["dropped"].partition(".")
        return Op("delete", name, (own,)) if name else Op("drop", "", (own,))
    if match["set"]:
        own, _, name = match["set"].partition(".")
        return Op("set", name, (own, match["value"].strip()))
    result = match["result"] or match["to"] or ""
    word = match["called"] or match["read"]
    own, _, name = word.partition(".")
    has_self = is_slot(own) and name
    if match["called"]:
        args = tuple(split_arguments(match["args"]))
        return Op("method", name, (own, *args), result) if has_self else Op("call", word, args, result)
    if has_self:
        return Op("get", name, (own,), result)
    return Op("copy", "", (own,), result) if is_slot(word) and result else None


def parse_program(text: str) -> Program:
    """WrongUse names the first line that is none a fuzz binary prints."""
    head: dict[str, str] = {}
    phases: list[list[list[Op]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if words == "phase:":
            phases.append([])
        elif words == "lane:" and phases:
            phases[-1].append([])
        elif not phases and (match := _HEADER.match(words)):
            head[match[1]] = match[2]
        elif phases and phases[-1] and words == "pass":
            continue
        elif phases and phases[-1] and (op := parse_op(words)):
            phases[-1][-1].append(op)
        else:
            raise WrongUse(f"line {number} of the program is no line of a program: {words[:80]}")
    whole = tuple(tuple(tuple(lane) for lane in phase) for phase in phases)
    return Program(head.get("target", ""), head.get("profile", ""), whole, head.get("schedule", FREE))
