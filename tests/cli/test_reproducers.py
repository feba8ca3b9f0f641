"""The table of reproducers says what became of each finding, and does not make a missing one look good."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from refquake_cli import reproducers
from refquake_cli.console import Task
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.minimize import Minimized
from refquake_cli.minimize_trial import Measured
from refquake_cli.program_model import Program, parse_program
from refquake_cli.replays import Outcome
from refquake_cli.reports import Report
from refquake_cli.reproducers import Row, markdown, summary

JOB = Job("node", "setter_race", "tsan", "threads", ("data-race",))
SIGNATURE = "data-race a | b"


def program(schedule: str, *ops: str) -> Program:
    lanes = "".join(f"    lane:\n        {op}\n" for op in ops)
    return parse_program(f"target: node\nprofile: threads\nschedule: {schedule}\nphase:\n{lanes}")


def run(state: str, folder: Path | None = None, kind: str = "data-race") -> SimpleNamespace:
    finding = SimpleNamespace(signature=SIGNATURE)
    outcome = SimpleNamespace(state=state, kind=kind, folder=folder, finding=finding, problem="no such module")
    return SimpleNamespace(job=JOB, outcome=outcome, executions=40, seconds=1.5)


def row_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, schedule: str, report: str, replays: list[Outcome]) -> Row:
    measured = Measured(SIGNATURE, 5, 5, Report("data-race", "", SIGNATURE, report))
    small = Minimized(program("random(seed=3)", *["a = Node()"] * 9), program(schedule, "a = Node()", "b = Node()"),
                      measured, measured, 1, 9, 9)  # fmt: skip
    outcomes = iter(replays)
    monkeypatch.setattr(reproducers, "open_artefact", lambda *_: SimpleNamespace(path=tmp_path / "input.bin"))
    monkeypatch.setattr(reproducers, "minimize", lambda *_: small)
    monkeypatch.setattr(reproducers, "replay_command", lambda *_: [])
    monkeypatch.setattr(reproducers.replaying, "replay_once", lambda *_, **__: next(outcomes))
    return reproducers._row(run("finding", tmp_path), len(replays), 1, Task(""), "3.14.7")


def test_switches_lines_and_exact_replays_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    same, other = Outcome(77, "replay(3>1) hash 1", SIGNATURE), Outcome(0, "replay(3>1) hash 1")
    row = row_of(monkeypatch, tmp_path, "replay(3>1, 7>0)", "#0 node_set node.c:57", [same, same, other])
    assert (row.ops, row.lanes, row.switches, row.lines) == ((9, 2), 2, 2, True)
    assert (row.exact, row.replays) == (2, 3)
    line = markdown("T", [row], "how").splitlines()[-3]
    assert line.startswith(
        "| node | setter_race | tsan | threads | data-race | yes | 40 | 1.5 | 9 to 2 | 2 | 2 | yes |"
    )


def test_replays_that_all_agree_on_nothing_are_not_exact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = row_of(monkeypatch, tmp_path, "free", "", [Outcome(0, "replay() hash 1")] * 3)
    assert (row.switches, row.schedule, row.lines, row.exact) == (None, "free", False, 0)
    assert "0 of 3 replays exact, 0 of 1 each time" in summary([row])


def test_what_is_still_left_to_a_policy_is_not_called_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = row_of(monkeypatch, tmp_path, "pct(depth=2, seed=3)", "", [Outcome(77, "", SIGNATURE)])
    assert "| pct(depth=2, seed=3) |" in markdown("T", [row], "how")
    assert "0 of 1 stepped ones have at most 2 switches" in summary([row])


def test_what_was_not_found_or_not_minimised_stays_a_row() -> None:
    missed = reproducers._row(run("clean"), 5, 1, Task(""), "3.14.7")
    stuck = Row("node", "p", "tsan", "threads", "finding", kind="hang", problem="not reproduced", replays=5)
    lines = markdown("T", [missed, stuck], "how").splitlines()
    assert "| - (clean) |" in lines[-4]
    assert "| not reproduced |" in lines[-3]
    assert lines[-1] == "1 of 2 found, none minimised"


def test_what_could_not_run_ends_the_measurement() -> None:
    with pytest.raises(CouldNotRun, match="node setter_race tsan threads: no such module"):
        reproducers._row(run("could not run"), 5, 1, Task(""), "3.14.7")
