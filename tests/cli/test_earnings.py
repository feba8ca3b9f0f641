"""What each mutator earns: the table is right about who costs what, and names every mutator there is."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from refquake_cli import earnings
from refquake_cli.earnings import (
    FEEDBACK,
    FEEDBACK_ARMS,
    MUTATOR_ARMS,
    MUTATORS,
    SCHEDULE_ARMS,
    Ratio,
    Row,
    Try,
    markdown,
)
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.variant_run import Options, Outcome

MUTATE = Path(__file__).resolve().parents[2] / "harness" / "core" / "mutate.cc"
PLANT = Job("node", "p", "asan", "threads", ("segv",))
CLEAN = Job("node", "clean", "asan", "threads")


def test_every_mutator_is_left_out_once() -> None:
    named = tuple(re.findall(r'^    \{"(\w+)", \w+, \d+\},', MUTATE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == MUTATORS
    assert [arm.name for arm in MUTATOR_ARMS] == ["all", *(f"without {name}" for name in named)]


def test_every_feedback_is_tried_alone() -> None:
    source = (MUTATE.parents[1] / "driver" / "feedback.cc").read_text(encoding="utf-8")
    named = re.findall(r'"(\w+)"', re.search(r"kNames = \{(.*)\};", source)[1])
    assert tuple(named) == FEEDBACK
    assert [arm.name for arm in FEEDBACK_ARMS] == ["none", *named, ",".join(named)]


def row(arm: str, *tries: Try, coverage: int = 100) -> Row:
    return Row(arm, {"node/p": list(tries)}, [coverage])


BASE = row("all", Try(10, 1.0, True), Try(40, 1.0, True))


def test_ratio_is_above_one_where_leaving_out_costs() -> None:
    worse = row("without insert", Try(20, 1.0, True), Try(80, 4.0, True), coverage=90)
    lines = markdown("Title", [BASE, worse], "asan, 2 seeds.").splitlines()
    assert lines[-2:] == [
        "| all | 1.00 | 1.00 | 100 | 25, 1.0 s (2 of 2) |",
        "| without insert | 2.00 | 2.50 | 90 | 50, 2.5 s (2 of 2) |",
    ]


def test_a_slow_arm_that_often_finds_nothing_does_not_look_good() -> None:
    """Few executions in the time it had: each finding took all of them."""
    slow = row("slow", Try(30, 10.0, True), Try(30, 10.0, False))
    assert str(slow.ratio(BASE)) == "2.40"
    assert str(slow.ratio(BASE, "seconds")) == "20.00"


def test_what_an_arm_never_found_is_a_bound() -> None:
    never = row("never", Try(30, 10.0, False), Try(45, 10.0, False))
    assert never.ratio(BASE) == Ratio(pytest.approx(3), ">")
    assert BASE.ratio(never) == Ratio(pytest.approx(1 / 3), "<")
    assert math.isnan(never.ratio(never).value)
    lines = markdown("Title", [BASE, never], "how").splitlines()
    assert lines[-1] == "| never | >3.00 | >20.00 | 100 | >75, >20.0 s (0 of 2) |"
    assert markdown("Title", [never, BASE], "how").splitlines()[-2].startswith("| never | - | - |")


def test_bounds_of_both_sorts_leave_no_number() -> None:
    found, missed = [Try(10, 1.0, True)], [Try(10, 1.0, False)]
    assert math.isnan(Row("one", {"a": found, "b": missed}).ratio(Row("two", {"a": missed, "b": found})).value)


def run(job: Job, state: str, kind: str = "", problem: str = "") -> SimpleNamespace:
    outcome = Outcome(state, kind, problem=problem)
    return SimpleNamespace(job=job, outcome=outcome, executions=7, seconds=1.0, coverage=120, features=9999)


def campaigns(monkeypatch: pytest.MonkeyPatch, plant: SimpleNamespace, interrupted_at: int = 0) -> None:
    """Each ends at once, for an arm one of the plant and one of the clean build; the one numbered so is interrupted."""
    count = iter(range(1, 1000))

    class Campaign:
        def __init__(self, jobs: list[Job], *_: object) -> None:
            self.interrupted = next(count) == interrupted_at
            self.runs = [plant] if jobs == [PLANT] else [run(CLEAN, "clean")]

        def run(self) -> None:
            pass

    monkeypatch.setattr(earnings, "Campaign", Campaign)


def measure(tmp_path: Path) -> tuple[list[Row], bool]:
    return earnings.measure(SCHEDULE_ARMS, [PLANT], [CLEAN], range(1, 4), Options(1, 1, "3.14.7", tmp_path), 1)


def test_only_expected_kinds_count_and_the_code_s_coverage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for kind, found in (("segv", 3), ("hang", 0)):
        campaigns(monkeypatch, run(PLANT, "finding", kind))
        rows, interrupted = measure(tmp_path)
        assert not interrupted
        assert [one.found("node/p") for one in rows] == [found] * 3
        assert [one.coverage for one in rows] == [[120] * 3] * 3


@pytest.mark.parametrize(("at", "seeds"), [(2, 0), (6, 0), (7, 1), (8, 1), (15, 2)])
def test_interrupted_it_keeps_whole_seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at: int, seeds: int) -> None:
    campaigns(monkeypatch, run(PLANT, "finding", "segv"), interrupted_at=at)
    rows, interrupted = measure(tmp_path)
    assert interrupted
    assert [sum(map(len, one.tries.values())) for one in rows] == [seeds] * 3
    assert markdown("Title", rows, "how")


def test_what_could_not_run_is_no_try(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    campaigns(monkeypatch, run(PLANT, "could not run", problem="no such module"))
    with pytest.raises(CouldNotRun, match="node/p under asan, mixed: no such module"):
        measure(tmp_path)
