"""The ways to make a program smaller, each as a list of edits.

    for edit_pass in passes(table):
        for smaller in reversed(edit_pass.edits(program)): ...      # from the end of the program to its front

Every edit makes the program simpler by one measure and no worse by those before it, so that a search that takes
whatever still shows the finding ends: fewer ops, then fewer phases and lanes, then fewer slots and simpler arguments.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from refquake_cli.op_list import OpList
from refquake_cli.program_model import FREE, SLOTS, Lane, Op, Phase, Program, is_slot, with_slots

MAX_OPS_FOR_PAIRS = 10
MAX_SINGLE_SWITCHES = 300
# An argument is replaced by one that stands earlier here; what is not named ranks before a slot.
SIMPLE_VALUES = ("None", "Value()")
_SWITCHES = re.compile(r"^replay\((.*)\)$")
_PCT = re.compile(r"^pct\(depth=(\d+), seed=(\d+)\)$")


@dataclass(frozen=True)
class EditPass:
    name: str
    edits: Callable[[Program], list[Program]]  # all of them, from the front of the program to its end


def passes(table: OpList) -> Iterator[EditPass]:
    """One round, coarse to fine."""
    yield EditPass("keep what one op needs", _slices)
    yield EditPass("drop phases", lambda program: _without_chunks(program, _phase_of))
    yield EditPass("drop op kinds", lambda program: _without_groups(program, lambda op: {f"{op.form} {op.name}"}))
    yield EditPass("drop slots", lambda program: _without_groups(program, lambda op: op.slots))
    yield EditPass("drop lanes", lambda program: _without_chunks(program, _lane_of))
    yield from (EditPass("drop ops", _dropping(size)) for size in (32, 16, 8, 4, 2, 1))
    yield EditPass("drop an op and what needs it", _without_op_and_readers)
    yield EditPass("merge phases", _merged_phases)
    yield EditPass("fold lanes", _folded_lanes)
    yield EditPass("move ops to setup", _moved_to_setup)
    yield EditPass("fewer arguments", lambda program: _replacing(program, table.fewer_arguments))
    yield EditPass("simpler arguments", lambda program: _replacing(program, _simpler_arguments))
    yield EditPass("one slot for two", _joined_slots)
    yield EditPass("drop results", lambda program: _replacing(program, _without_result))
    yield EditPass("simpler schedule", _simpler_schedules)
    yield EditPass("drop pairs of ops", _without_pairs)


def renamed(program: Program) -> Program:
    """Slots as a, b, c, ... in the order in which they appear."""
    order: dict[str, str] = {}
    for op in program.ops:
        for word in (*op.args, op.result):
            if is_slot(word) and word not in order:
                order[word] = SLOTS[len(order)]
    return _mapped(program, lambda op: with_slots(op, order))


def _mapped(program: Program, change: Callable[[Op], Op]) -> Program:
    return program.with_phases([[[change(op) for op in lane] for lane in phase] for phase in program.phases])


def _keeping(program: Program, keep: Callable[[int], bool]) -> Program:
    """The ops whose number in text order is kept."""
    numbers = iter(range(len(program.ops)))
    return program.with_phases(
        [[[op for op in lane if keep(next(numbers))] for lane in phase] for phase in program.phases]
    )


def _slices(program: Program) -> list[Program]:
    """One op and those that made what it works on: often all there is to a bug that needs no second thread."""
    if program.max_lanes > 1:
        return []
    ops = program.ops
    kept = {frozenset(_needed(ops, number)) for number in range(len(ops))}
    smallest_last = sorted(kept, key=lambda numbers: (-len(numbers), sorted(numbers)))
    return [_keeping(program, lambda at, numbers=numbers: at in numbers) for numbers in smallest_last]


def _needed(ops: list[Op], number: int) -> set[int]:
    found, wanted = {number}, set(ops[number].reads)
    for before in range(number - 1, -1, -1):
        if ops[before].result in wanted:
            found.add(before)
            wanted = (wanted - {ops[before].result}) | ops[before].reads
    return found


def _phase_of(at: int, lane: int) -> tuple[int, ...]:
    return (at,)


def _lane_of(at: int, lane: int) -> tuple[int, ...]:
    return (at, lane)


def _without_chunks(program: Program, key: Callable[[int, int], tuple[int, ...]]) -> list[Program]:
    keys = [key(at, lane) for at, lane, _ in program.places()]
    return [_keeping(program, lambda number, gone=gone: keys[number] != gone) for gone in dict.fromkeys(keys)]


def _without_groups(program: Program, groups_of: Callable[[Op], set[str]]) -> list[Program]:
    ops = program.ops
    groups = sorted({group for op in ops for group in groups_of(op)})
    return [_keeping(program, lambda number, gone=gone: gone not in groups_of(ops[number])) for gone in groups]


def _dropping(size: int) -> Callable[[Program], list[Program]]:
    def edits(program: Program) -> list[Program]:
        count = len(program.ops)
        if size > 1 and size >= count:
            return []
        starts = range(0, count, size)
        return [_keeping(program, lambda number, at=at: not at <= number < at + size) for at in starts]

    return edits


def _without_op_and_readers(program: Program) -> list[Program]:
    """An op that makes an object is not missed alone: what uses its slot goes with it, up to the slot's next value."""
    ops = program.ops
    edits = []
    for number, op in enumerate(ops):
        if not op.result:
            continue
        gone = {number}
        for later in range(number + 1, len(ops)):
            if op.result in ops[later].reads:
                gone.add(later)
            if ops[later].result == op.result:
                break
        edits.append(_keeping(program, lambda at, gone=gone: at not in gone))
    return edits


def _with_phase(program: Program, at: int, phases: list[Phase], count: int = 1) -> Program:
    """`count` phases from `at` on replaced by others."""
    return program.with_phases([*program.phases[:at], *phases, *program.phases[at + count :]])


def _merged_phases(program: Program) -> list[Program]:
    edits = []
    for at in range(len(program.phases) - 1):
        first, second = program.phases[at : at + 2]
        lanes = max(len(first), len(second))
        padded = [phase + ((),) * (lanes - len(phase)) for phase in (first, second)]
        merged = tuple(one + other for one, other in zip(*padded, strict=True))
        edits.append(_with_phase(program, at, [merged], 2))
    return edits


def _folded_lanes(program: Program) -> list[Program]:
    """A lane's ops run behind those of the lane before it."""
    edits = []
    for at, phase in enumerate(program.phases):
        for lane in range(1, len(phase)):
            folded: list[Lane] = [*phase[: lane - 1], phase[lane - 1] + phase[lane], *phase[lane + 1 :]]
            edits.append(_with_phase(program, at, [tuple(folded)]))
    return edits


def _moved_to_setup(program: Program) -> list[Program]:
    """The first op of a lane among several runs before all of them."""
    edits = []
    for at, phase in enumerate(program.phases):
        if len(phase) < 2:
            continue
        for lane, ops in enumerate(phase):
            rest = (*phase[:lane], ops[1:], *phase[lane + 1 :])
            alone = at > 0 and len(program.phases[at - 1]) == 1
            setup = program.phases[at - 1][0] if alone else ()
            start = at - 1 if alone else at
            edits.append(_with_phase(program, start, [((*setup, ops[0]),), rest], 2 if alone else 1))
    return edits


def _replacing(program: Program, simpler: Callable[[Op], list[Op]]) -> list[Program]:
    edits = []
    for number, op in enumerate(program.ops):
        for other in reversed(simpler(op)):  # the search starts at the end: the simplest is tried first
            counter = iter(range(len(program.ops)))
            edits.append(_mapped(program, lambda one, n=number, o=other, c=counter: o if next(c) == n else one))
    return edits


def _rank(argument: str) -> int:
    if argument in SIMPLE_VALUES:
        return SIMPLE_VALUES.index(argument)
    return len(SIMPLE_VALUES) + is_slot(argument)


def _simpler_arguments(op: Op) -> list[Op]:
    first = 0 if op.form == "call" else 1  # `self` is always a slot
    found = []
    for place in range(first, len(op.args)):
        for value in SIMPLE_VALUES:
            if _rank(value) < _rank(op.args[place]):
                found.append(replace(op, args=(*op.args[:place], value, *op.args[place + 1 :])))
    return found


def _joined_slots(program: Program) -> list[Program]:
    used = sorted({slot for op in program.ops for slot in op.slots})
    pairs = [(one, other) for number, other in enumerate(used) for one in used[:number]]
    return [_mapped(program, lambda op, one=one, other=other: with_slots(op, {other: one})) for one, other in pairs]


def _without_result(op: Op) -> list[Op]:
    return [replace(op, result="")] if op.result and op.form != "copy" else []


def switches_of(program: Program) -> list[str] | None:
    """ "12>1" and so on; none where a policy chooses, or lanes run free."""
    match = _SWITCHES.match(program.schedule)
    return [word.strip() for word in match[1].split(",") if word.strip()] if match else None


def _simpler_schedules(program: Program) -> list[Program]:
    """Free only where nothing is left to interleave: lanes that run free need not show again what they showed."""
    if program.schedule == FREE:
        return []
    edits = [replace(program, schedule=FREE)] if program.max_lanes < 2 else []
    if match := _PCT.match(program.schedule):
        depths = reversed(range(1, int(match[1])))
        return [replace(program, schedule=f"pct(depth={depth}, seed={match[2]})") for depth in depths] + edits
    switches = switches_of(program) or []
    kept = [switches[:at] + switches[at + size :] for size in (1, 2, 4, 8, 16) for at in range(0, len(switches), size)]
    return [_switching(program, some) for some in kept] + edits


def one_switch(program: Program) -> list[Program]:
    """Any one in place of several: dropping one by one ends where each needs the others. Where there are many places,
    evenly spread ones."""
    switches = switches_of(program) or []
    if len(switches) < 2:
        return []
    last = max(int(switch.split(">")[0]) for switch in switches)
    single = [f"{step}>{lane}" for step in range(last + 1) for lane in range(program.max_lanes)]
    stride = -(-len(single) // MAX_SINGLE_SWITCHES)
    return [_switching(program, [switch]) for switch in single[::stride]]


def _switching(program: Program, switches: list[str]) -> Program:
    return replace(program, schedule=f"replay({', '.join(switches)})")


def _without_pairs(program: Program) -> list[Program]:
    """Two ops that only matter together; quadratic, so for what is small already."""
    count = len(program.ops)
    if count > MAX_OPS_FOR_PAIRS:
        return []
    pairs = [(one, other) for one in range(count) for other in range(one + 2, count)]
    return [_keeping(program, lambda number, pair=pair: number not in pair) for pair in pairs]
