"""What had ended before the lanes got in each other's way, run one after another before them.

    for simpler in serialised(program, order_in(report.text)):        # the most serial first
        ...

A stepped run that shows a finding is mostly a long history, and at its end a few ops that meet. Ops cannot be dropped
from that history one by one, for each moves the steps at which the lanes meet. But what ended before a hand-over has
happened in some order: in that order it goes into a phase of one lane, where no step counts, and the rest meets as
before. Lanes share no slots while they run, ops of one lane do: a slot that two lanes used gets another name in one of
them. Only a run tells whether the finding still shows: where a lane had waited for a lock, nobody holds it any more.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from refquake_cli.program_model import SLOTS, Lane, Op, Phase, Program, with_slots
from refquake_cli.reports.schedule import HandOver

MAX_WINDOWS = 24  # that are tried: each costs a process
MAX_SWITCHES = 512  # of a program, as harness/core/program.h has it


@dataclass
class _Place:
    """How far a lane has come."""

    begun: int = 0
    into: int = 0

    @property
    def ended(self) -> int:
        return max(self.begun - 1, 0)

    @property
    def cut(self) -> bool:
        return self.begun > 0 and self.into > 0

    @property
    def repeated(self) -> int:
        """Steps that a lane makes again which starts anew with the op it was in."""
        return 1 + self.into if self.begun > 0 else 0


def serialised(program: Program, order: list[HandOver]) -> Iterator[Program]:
    runs = _runs(order)
    stepped = [at for at, phase in enumerate(program.phases) if len(phase) > 1]
    if not runs or len(runs) > len(stepped):
        return
    at = stepped[len(runs) - 1]
    before: list[Op] = []
    for number, phase in enumerate(program.phases[:at]):
        before += _history(phase, runs[stepped.index(number)]) if number in stepped else phase[0]
    phase, hand_overs = _apart(program, at), runs[-1]
    for window in windows(phase, hand_overs):
        happened = _happened(phase, hand_overs[: window + 1])
        if at == 0 and not happened:
            return
        rest, switches = _meeting(phase, hand_overs, window)
        if len(switches) > MAX_SWITCHES:
            continue
        phases = [((*before, *happened),), rest, *program.phases[at + 1 :]]
        yield replace(program.with_phases(phases), schedule=f"replay({', '.join(switches)})")


def _apart(program: Program, at: int) -> Phase:
    """That phase, with no slot that one lane writes and another uses, as far as there are unused ones."""
    unused = [slot for slot in SLOTS if all(slot not in op.slots for op in program.ops)]
    lanes: list[Lane] = []
    for number, lane in enumerate(program.phases[at]):
        others = [op for one, ops in enumerate(program.phases[at]) if one != number for op in ops]
        used_by_others = set().union(*(op.slots for op in others))
        names: dict[str, str] = {}
        renamed: list[Op] = []
        for op in lane:
            read = with_slots(op, names)  # its result is a new value, but for what it reads
            if op.result in used_by_others and op.result not in names and unused:
                names[op.result] = unused.pop(0)
            renamed.append(replace(read, result=names.get(op.result, op.result)))
        lanes.append(tuple(renamed))
    return tuple(lanes)


def windows(phase: Phase, hand_overs: list[HandOver]) -> list[int]:
    """The hand-overs that may be where the lanes begin to meet, those with most behind them first. Of those between
    which no op ended only the last and the first: the last has the fewest switches, the first is the safest."""
    found: list[int] = []
    group: list[int] = []
    before = None
    for window in range(len(hand_overs) - 1, -1, -1):
        happened = _happened(phase, hand_overs[: window + 1])
        if happened != before:
            found += (*group[:1], *group[-1:])
            group = []
        if not happened:
            break
        before = happened
        group.append(window)
    found += (*group[:1], *group[-1:])
    return [*dict.fromkeys(found)][:MAX_WINDOWS] + [0]  # at last, only the phases before this one


def _runs(order: list[HandOver]) -> list[list[HandOver]]:
    """The hand-overs of each phase, its start first."""
    runs: list[list[HandOver]] = []
    for one in order:
        if one.lane is None:
            runs.append([])
        if runs:
            runs[-1].append(one)
    return runs


def _happened(phase: Phase, hand_overs: list[HandOver]) -> list[Op]:
    """The ops that had ended by the last of these, in the order in which they ended."""
    ended = [0] * len(phase)
    ops: list[Op] = []
    for one in hand_overs:
        if one.lane is not None:
            now = _Place(one.begun).ended
            ops += phase[one.lane][ended[one.lane] : now]
            ended[one.lane] = max(now, ended[one.lane])
    return ops


def _history(phase: Phase, hand_overs: list[HandOver]) -> list[Op]:
    """All ops of a phase that came to its end: one lane was the last."""
    happened = _happened(phase, hand_overs)
    last = phase[hand_overs[-1].to]
    missing = sum(len(lane) for lane in phase) - len(happened)
    return [*happened, *last[len(last) - missing :]]


def _meeting(phase: Phase, hand_overs: list[HandOver], window: int) -> tuple[Phase, list[str]]:
    """What is left of each lane at that hand-over, and the switches that bring them there and go on from there."""
    places = [_Place() for _ in phase]
    for one in hand_overs[: window + 1]:
        if one.lane is not None:
            places[one.lane] = _Place(one.begun, one.into)
    goes_on = hand_overs[window]
    last_ran = {one.lane: number for number, one in enumerate(hand_overs[: window + 1])}
    cut = [lane for lane, place in enumerate(places) if place.cut and lane != goes_on.to]
    chain = [*sorted(cut, key=lambda lane: last_ran[lane]), goes_on.to]
    left = [lane for lane, ops in enumerate(phase) if len(ops) > places[lane].ended]
    numbers = {lane: number for number, lane in enumerate(left)}  # lanes that have ended go

    switches: list[tuple[int, int]] = []
    step = 0
    for lane in chain:
        switches.append((step, lane))
        if lane != goes_on.to:
            step += places[lane].repeated
    shift = step - goes_on.step
    waiting = set(left) - set(cut)  # lanes that have not started anew
    running = goes_on.to
    for one in hand_overs[window + 1 :]:
        if running not in numbers:
            shift -= 1  # a lane without ops makes one step, its end
        if running in waiting:
            waiting.discard(running)
            shift += places[running].repeated
        switches.append((one.step + shift, one.to))
        running = one.to
    return tuple(phase[lane][places[lane].ended :] for lane in left), [
        f"{step}>{numbers[lane]}" for step, lane in switches if lane in numbers
    ]
