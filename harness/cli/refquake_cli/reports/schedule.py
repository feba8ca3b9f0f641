"""What a run says of its stepped lanes: the switches that were made, how many steps, and the trace hash.

Example:

    schedule_line(text)         # "replay(12>1) steps 80 hash 00ff..."; "": lanes ran free, or it said nothing
    recorded_schedule(text)     # "replay(12>1)", as a program's `schedule:` has it
    switches_in(text)           # where each of the first switches is
    order_in(text)              # how far each lane had come whenever another took over
"""

import re
from dataclasses import dataclass

_LINE = re.compile(r"^==refquake== SCHEDULE: ((.*) steps \d+ hash [0-9a-f]+)$", re.MULTILINE)
_SWITCH = re.compile(
    r"^==refquake== SWITCH: (?P<step>\d+)>(?P<to>\d+) from (?P<from>-|\d+) (?P<kind>\w+)"
    r"(?: (?P<file>.+)\+0x(?P<offset>[0-9a-f]+))?$",
    re.MULTILINE,
)
_ORDER = re.compile(r"^==refquake== ORDER:((?: \S+>\d+@\d+)*)$", re.MULTILINE)
_HANDOVER = re.compile(r"(?:-|(?P<lane>\d+)\.(?P<begun>\d+)\+(?P<into>\d+))>(?P<to>\d+)@(?P<step>\d+)")


@dataclass(frozen=True)
class HandOver:
    """At `step`, lane `to` took over from `lane`, which had come to its op boundary number `begun` (from 1; its end is
    one more) and `into` steps further."""

    step: int
    to: int
    lane: int | None  # none at a phase's start
    begun: int = 0
    into: int = 0


@dataclass(frozen=True)
class Switch:
    step: int
    to: int  # lanes
    stopped: int | None  # none at a phase's start
    kind: str  # what it was about to do, or why it stopped: "store"
    file: str = ""  # of the code that it stopped in; "" between ops and in the interpreter
    offset: int = 0


def schedule_line(text: str) -> str:
    match = _LINE.search(text)
    return match[1] if match else ""


def recorded_schedule(text: str) -> str:
    """Nothing where there were more switches than a program can hold."""
    match = _LINE.search(text)
    return match[2] if match and "..." not in match[2] else ""


def switches_in(text: str) -> list[Switch]:
    return [
        Switch(
            int(match["step"]), int(match["to"]), None if match["from"] == "-" else int(match["from"]), match["kind"],
            match["file"] or "", int(match["offset"] or "0", 16),
        )
        for match in _SWITCH.finditer(text)
    ]  # fmt: skip


def order_in(text: str) -> list[HandOver]:
    """Nothing where lanes ran free, or the token went round too often to be told."""
    match = _ORDER.search(text)
    return [
        HandOver(int(one["step"]), int(one["to"]), None if one["lane"] is None else int(one["lane"]),
                 int(one["begun"] or "0"), int(one["into"] or "0"))
        for one in _HANDOVER.finditer(match[1] if match else "")
    ]  # fmt: skip
