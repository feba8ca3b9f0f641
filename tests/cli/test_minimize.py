"""`refquake minimize`: the passes and the search on made-up findings, the command on fake binaries."""

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from refquake_cli import minimize
from refquake_cli.artefact import Artefact
from refquake_cli.console import Task
from refquake_cli.job import Job
from refquake_cli.minimize import _Minimizer
from refquake_cli.minimize_passes import passes, renamed
from refquake_cli.minimize_search import Search
from refquake_cli.minimize_trial import HANG_DEADLINE, HANG_SECONDS, Goal, Measured, Trial
from refquake_cli.op_list import OpList, parse_op_list
from refquake_cli.program_model import FREE, Program, parse_program
from refquake_cli.reports import Report

OPS = """call\tcreate\tValue\t0\t
call\tcreate\tNode\t0\t
call\tcreate\tNode\t1\t
method\tcall\tpush\t2\tNode
method\tcall\tpop\t1\tNode
set\tlink\tleft\t2\tNode
get\tread\tleft\t1\tNode
call\tcollect\tgc.collect\t0\t
copy\tcopy\t\t1\t
drop\tdrop\t\t1\t
"""
BIG = """target: node
profile: threads
schedule: pct(depth=3, seed=7)
phase:
    lane:
        f = Node()
        g = Value()
        h = Node(g)
        f.left = h
phase:
    lane:
        f.push(h)
        i = f.left
        i.pop()
    lane:
        h.push(g)
        gc.collect()
        k = f.left
    lane:
        del g
phase:
    lane:
        f.push(f)
        del f
"""
SIGNATURE = "missed-visit node.Node children"
RECORDED = "replay(1>1, 3>1, 5>0, 8>2)"


@pytest.fixture
def table() -> OpList:
    return parse_op_list("node", OPS)


class FakeRun:
    def __init__(self, found: bool) -> None:
        self._found = found
        self.ended = os.eventfd(1)  # readable: it is over at once

    def poll(self) -> tuple[bool, Report | None]:
        self.stop()
        return True, Report("missed-visit", "", SIGNATURE, "") if self._found else None

    def stop(self) -> None:
        if self.ended >= 0:
            os.close(self.ended)
        self.ended = -1


class FakeReplayer:
    """Finds what `shows` says of the program."""

    def __init__(self, shows: Callable[[Program], bool]) -> None:
        self.texts: list[str] = []
        self._shows = shows

    def start(self, text: str) -> FakeRun:
        self.texts.append(text)
        return FakeRun(self._shows(parse_program(text)))

    def measure(self, text: str, times: int, side_by_side: int, wanted: str, or_other: bool = False) -> Measured:
        report = Report("missed-visit", "", wanted, f"==refquake== SCHEDULE: {RECORDED} steps 90 hash 0f\n")
        return Measured(wanted, times, times, report)


def smallest(table: OpList, shows: Callable[[Program], bool], goal: Goal = Goal(SIGNATURE, 1)) -> tuple[str, list[str]]:
    replayer = FakeReplayer(shows)
    search = Search(replayer, goal, table, lambda _: None, lambda _: None, side_by_side=2)
    return str(search.run(parse_program(BIG))), replayer.texts


def body(*lines: str) -> str:
    return "target: node\nprofile: threads\nphase:\n    lane:\n" + "".join(f"        {line}\n" for line in lines)


def has_live_push(program: Program) -> bool:
    made = [op.result for op in program.ops if op.name == "Node"]
    return any(op.name == "push" and op.args[0] in made for op in program.ops)


def test_one_lane_is_enough_for_what_needs_no_second(table: OpList) -> None:
    text, _ = smallest(table, has_live_push)
    assert text == body("a = Node()", "a.push(None)")


def test_what_needs_two_lanes_keeps_them(table: OpList) -> None:
    def shows(program: Program) -> bool:
        lanes = [lane for phase in program.phases if len(phase) > 1 for lane in phase]
        return sum(any(op.name in ("push", "pop") for op in lane) for lane in lanes) >= 2

    program = parse_program(smallest(table, shows)[0])
    assert [len(phase) for phase in program.phases] == [2]
    assert len(program.ops) == 2


def test_a_schedule_that_matters_stays(table: OpList) -> None:
    text, _ = smallest(table, lambda program: "pct" in program.schedule and bool(program.ops))
    assert "schedule: pct(depth=1, seed=7)" in text


def test_of_what_a_policy_chose_the_switch_that_matters_stays(table: OpList) -> None:
    text, _ = smallest(table, lambda program: "pct" in program.schedule or "3>1" in program.schedule)
    assert "schedule: replay(3>1)" in text


def test_switches_that_need_each_other_give_way_to_one_that_does_alone(table: OpList) -> None:
    wanted = ("pct", "1>1, 3>1, 5>0", "(2>0)")
    text, _ = smallest(table, lambda program: any(some in program.schedule for some in wanted))
    assert "schedule: replay(2>0)" in text


def test_no_text_is_run_twice(table: OpList) -> None:
    _, texts = smallest(table, has_live_push)
    assert len(texts) == len(set(texts))


def test_every_edit_is_a_program_of_its_own(table: OpList) -> None:
    program = parse_program(BIG)
    for edit_pass in passes(table):
        for edit in edit_pass.edits(program):
            assert str(parse_program(str(edit))) == str(edit), edit_pass.name
            assert len(edit.ops) <= len(program.ops)


def test_slots_are_named_in_order() -> None:
    assert renamed(parse_program(body("k = Node()", "b = k", "k.left = b"))) == parse_program(
        body("a = Node()", "b = a", "a.left = b")
    )


@pytest.mark.parametrize(("rate", "most"), [(0.9, True), (0.6, True), (0.03, False)])
def test_a_rate_is_told_from_a_quarter_of_it(rate: float, most: bool) -> None:
    dice = random.Random(5)
    answers = []
    for _ in range(100):
        trial = Trial(FakeReplayer(lambda _: dice.random() < rate), body("a = Node()"), Goal(SIGNATURE, 0.6))
        trial.start()
        while trial.answer is None:
            trial.poll()
        answers.append(trial.answer)
    assert (sum(answers) > 80) if most else (sum(answers) < 20)


PUSH = body("b = Node()", "b.push(b)", "c = Node()", "c.push(b)").replace("threads", "lifecycle")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "big.prog"
    path.write_text(PUSH)
    return path


def test_the_command_writes_the_smallest(command, program: Path, tmp_path: Path) -> None:
    done = command("minimize", program, "--plant", "needs_push", "--out", tmp_path / "small.prog")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "small.prog").read_text()
    assert text.startswith("# finding: missed-visit node.Node children\n# variant: needs_push\n# flavour: asan\n")
    assert "# seen: 5 of 5 fresh processes\n" in text
    assert len(parse_program(text).ops) == 1
    assert "ops:        4 -> 1" in done.stdout
    assert "candidates tried" in done.stderr


def test_a_minimised_program_knows_its_variant(command, program: Path, tmp_path: Path) -> None:
    command("minimize", program, "--plant", "needs_push", "--out", tmp_path / "small.prog")
    assert command("repro", tmp_path / "small.prog", "--times", "1").returncode == 1


def test_what_does_not_reproduce_is_not_minimised(command, program: Path) -> None:
    done = command("minimize", program, "--plant", "clean")
    assert done.returncode == 3
    assert "not reproduced in 5 fresh processes" in done.stderr


def test_a_target_that_dies_before_any_program_is_named(command, program: Path) -> None:
    done = command("minimize", program, "--plant", "dies_early")
    assert done.returncode == 3
    assert "node dies_early dies under asan while its ops are tried, before any program runs" in done.stderr


def test_an_op_that_is_gone_is_named(command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.prog"
    bad.write_text("phase:\n    lane:\n        bad\n")
    done = command("minimize", bad, "--target", "node", "--plant", "needs_push")
    assert done.returncode == 2
    assert "expected an op, not 'bad'" in done.stderr


def interrupted_after(runs: int, table: OpList, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    class Interrupted(FakeReplayer):
        repeat, processes = 1, 0

        def __init__(self, *_: object) -> None:
            super().__init__(has_live_push)

        def measure(self, *_: object, **__: object) -> Measured:
            return Measured(SIGNATURE, 5, 5)

        def start(self, text: str) -> FakeRun:
            if len(self.texts) == runs:
                raise KeyboardInterrupt
            return super().start(text)

    monkeypatch.setattr(minimize, "Replayer", Interrupted)
    monkeypatch.setattr(minimize, "require_text", lambda *_: BIG)
    monkeypatch.setattr(minimize, "op_list", lambda *_: table)
    artefact = Artefact(out.parent / "big.prog", Job("node", "clean", "asan", "threads"), "3.14.7")
    with pytest.raises(KeyboardInterrupt):
        minimize.minimize(artefact, out, 5, Task("x"))


def test_an_interrupted_search_leaves_the_best_so_far(table: OpList, tmp_path: Path, monkeypatch) -> None:
    interrupted_after(6, table, tmp_path / "small.prog", monkeypatch)
    left = parse_program((tmp_path / "small.prog").read_text())
    assert has_live_push(left)
    assert len(left.ops) < len(parse_program(BIG).ops)


def test_interrupted_before_anything_is_better_an_earlier_result_stays(
    table: OpList, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "small.prog").write_text("earlier")
    interrupted_after(0, table, tmp_path / "small.prog", monkeypatch)
    assert (tmp_path / "small.prog").read_text() == "earlier"


@pytest.mark.parametrize(
    ("signature", "seconds", "deadline"),
    [("hang node.Node", 60, HANG_DEADLINE), ("long-run node.Node", HANG_SECONDS, 0), (SIGNATURE, 60, 0)],
)
def test_what_waits_for_ever_is_not_waited_for_as_long(
    signature: str, seconds: int, deadline: int, tmp_path: Path
) -> None:
    replayer = SimpleNamespace(seconds=60, deadline=0)
    artefact = Artefact(tmp_path / "a.prog", Job("node", "clean", "asan", "threads"), "3.14.7")
    _Minimizer(artefact, tmp_path / "out.prog", 5, Task("x"), replayer)._expect_hang(signature)
    assert (replayer.seconds, replayer.deadline) == (seconds, deadline)


class Seldom(FakeReplayer):
    """Shows the finding in two of five runs of free lanes, and each time under one seed and one switch."""

    repeat, processes, seconds, deadline = 1, 0, 60, 0

    def __init__(self, *_: object) -> None:
        super().__init__(lambda program: program.max_lanes > 1 and self.certain(program.schedule) is not False)

    def certain(self, schedule: str) -> bool | None:
        return None if schedule == FREE else "seed=7" in schedule or "3>1" in schedule

    def measure(
        self, text: str, times: int, side_by_side: int, wanted: str = "", or_other: bool = False
    ) -> Measured:
        measured = super().measure(text, times, side_by_side, wanted or SIGNATURE)
        hits = 2 if self.certain(parse_program(text).schedule) is None else times
        return replace(measured, hits=hits, runs=times)


def test_what_free_lanes_show_now_and_then_gets_the_schedule_that_shows_it_each_time(
    table: OpList, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimize, "require_text", lambda *_: BIG.replace("schedule: pct(depth=3, seed=7)\n", ""))
    monkeypatch.setattr(minimize, "op_list", lambda *_: table)
    artefact = Artefact(tmp_path / "big.prog", Job("node", "clean", "asan", "threads"), "3.14.7")
    result = _Minimizer(artefact, tmp_path / "small.prog", 5, Task("x"), Seldom()).run()
    text = (tmp_path / "small.prog").read_text()
    assert (str(result.measured), result.repeat) == ("5 of 5", 1)
    assert "# seen: 5 of 5 fresh processes\n" in text
    assert "schedule: replay(3>1)\n" in text
