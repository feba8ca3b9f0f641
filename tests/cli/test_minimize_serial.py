"""What came before goes before: from there on, the lanes of a made-up stepped run meet as they did."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from refquake_cli.minimize_serial import MAX_WINDOWS, serialised, windows
from refquake_cli.program_model import Lane, Op, Program, parse_program
from refquake_cli.reports.schedule import order_in

STEPS = 5  # of each op, behind its boundary
BOUNDARY, STEP, EXIT = range(3)


@dataclass
class Ran:
    did: list[tuple[str, int]] = field(default_factory=list)  # op and step, in the order in which they happened
    order: str = ""
    done_by: list[int] = field(default_factory=list)  # of `did`, at each hand-over


class Scheduler:
    """The token scheduler over ops that all have as many steps."""

    def __init__(self, program: Program, dice: random.Random | None) -> None:
        self.ran = Ran()
        self._dice = dice  # with them, switches anywhere
        self._wanted = {int(at): int(lane) for at, lane in re.findall(r"(\d+)>(\d+)", program.schedule)}
        self._step = 0
        for phase in program.phases:
            if len(phase) == 1:
                list(self._lane(phase[0]))
            else:
                self._stepped({number: self._lane(lane) for number, lane in enumerate(phase)})

    def _lane(self, ops: Lane) -> Iterator[int]:
        for op in ops:
            for at in range(STEPS + 1):
                yield STEP if at else BOUNDARY
                self.ran.did.append((op.name, at))
        yield EXIT

    def _stepped(self, lanes: dict[int, Iterator[int]]) -> None:
        come = dict.fromkeys(lanes, (0, 0))
        current = self._choose(None, lanes, (0, 0))
        while lanes:
            kind = next(lanes[current])
            self._step += 1
            begun, into = come[current]
            come[current] = (begun, into + 1) if kind == STEP else (begun + 1, 0)
            if kind == EXIT:
                del lanes[current]
            if lanes:
                current = self._choose(current, lanes, come[current])

    def _choose(self, current: int | None, lanes: dict[int, Iterator[int]], come: tuple[int, int]) -> int:
        default = current if current in lanes else min(lanes)
        to = self._wanted.get(self._step, default)
        if self._dice and self._dice.random() < 0.3:
            to = self._dice.choice(sorted(lanes))
        to = to if to in lanes else default
        if to != current:
            where = "-" if current is None else f"{current}.{come[0]}+{come[1]}"
            self.ran.order += f" {where}>{to}@{self._step}"
            self.ran.done_by.append(len(self.ran.did))
        return to


def run(program: Program, dice: random.Random | None = None) -> Ran:
    return Scheduler(program, dice).ran


def program_of(*phases: tuple[int, ...]) -> Program:
    """Phases as the number of ops of each lane; ops have names of their own."""
    names = iter(range(100))
    made = [tuple(tuple(Op("call", f"op{next(names)}", ()) for _ in range(ops)) for ops in phase) for phase in phases]
    return Program("node", "threads", tuple(made))


def told(ran: Ran) -> str:
    return f"==refquake== ORDER:{ran.order}\n"


@pytest.mark.parametrize("seed", range(40))
def test_behind_the_hand_over_the_same_happens_in_the_same_order(seed: int) -> None:
    original = program_of((3,), (4, 3), (2, 4, 3))
    ran = run(original, random.Random(seed))
    order = order_in(told(ran))
    last_phase = max(number for number, one in enumerate(order) if one.lane is None)
    found = list(serialised(original, order))
    tried = windows(original.phases[-1], order[last_phase:])
    assert found
    assert len(found) == len(tried)
    for window, simpler in zip(tried, found, strict=True):
        happened = ran.did[ran.done_by[last_phase + window] :]
        assert run(simpler).did[len(run(simpler).did) - len(happened) :] == happened, str(simpler)
        assert {op.name for op in simpler.ops} == {op.name for op in original.ops}
        assert len(simpler.phases[0]) == 1


@pytest.mark.parametrize("seed", range(40))
def test_lanes_without_ops_only_end(seed: int) -> None:
    original = program_of((4, 0, 3))
    ran = run(original, random.Random(seed))
    order = order_in(told(ran))
    found = list(serialised(original, order))
    for window, simpler in zip(windows(original.phases[0], order), found, strict=False):
        happened = ran.did[ran.done_by[window] :]
        assert run(simpler).did[len(run(simpler).did) - len(happened) :] == happened, str(simpler)


def test_what_a_lane_made_stays_its_own_in_the_history() -> None:
    lanes = parse_program(
        "target: node\nprofile: threads\nphase:\n    lane:\n        a = Node()\n        b = a\n        a.push(b)\n"
        "    lane:\n        a = Node()\n        a.push(a)\n        a.pop()\n"
    )
    order = order_in("==refquake== ORDER: ->0@0 0.2+1>1@9 1.3+2>0@30\n")
    history, meeting = list(serialised(lanes, order))[0].phases
    assert [str(op) for op in history[0]] == ["c = Node()", "d = Node()", "d.push(d)"]
    assert [[str(op) for op in lane] for lane in meeting] == [["b = c", "c.push(b)"], ["d.pop()"]]


def test_the_most_serial_comes_first() -> None:
    original = program_of((4, 4))
    found = list(serialised(original, order_in(told(run(original, random.Random(3))))))
    history = [len(simpler.phases[0][0]) for simpler in found if len(simpler.phases) > 1]
    assert history == sorted(history, reverse=True)
    assert history[0] > 3


def test_lanes_that_only_wait_do_not_use_up_the_places() -> None:
    phase = program_of((3, 3)).phases[0]
    turns = [f"{one % 2}.3+{3 + one}>{1 - one % 2}@{20 + one}" for one in range(60)]
    order = order_in(f"==refquake== ORDER: ->0@0 0.2+1>1@4 1.3+0>0@12 {' '.join(turns)}\n")
    assert windows(phase, order) == [62, 3, 2, 1, 0]


def test_no_more_than_so_many_places_are_tried() -> None:
    original = program_of((30, 30))
    ran = run(original, random.Random(1))
    assert ran.order.count("@") > MAX_WINDOWS
    assert len(list(serialised(original, order_in(told(ran))))) <= MAX_WINDOWS + 1


@pytest.mark.parametrize("text", ["", "==refquake== ORDER:\n", "==refquake== ORDER: ->0@0 nonsense\n"])
def test_a_run_that_tells_no_order_leaves_the_program_as_it_is(text: str) -> None:
    assert list(serialised(program_of((2, 2)), order_in(text))) == []
