"""The replay benchmark tells runs that differ from runs that do not."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from refquake_cli import replays
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.replays import Outcome, Tally, keep_differing, most_lanes, outcome_of, replay_once, summary

RUN = "==refquake== SCHEDULE: replay(3>1) steps 7 hash 00ff\n==refquake== NOTHING FOUND in 1 runs\n"
FOUND = "==refquake== ERROR: hang: x\n==refquake== SUMMARY: hang node.Node\n"


def test_schedule_and_hash_are_the_outcome() -> None:
    assert outcome_of(0, RUN) == Outcome(0, "replay(3>1) steps 7 hash 00ff")
    assert outcome_of(0, RUN.replace("00ff", "00fe")) != outcome_of(0, RUN)


def test_a_finding_is_another_outcome_with_or_without_its_schedule() -> None:
    assert outcome_of(77, FOUND) == Outcome(77, "", "hang node.Node")
    assert outcome_of(77, RUN + FOUND) == Outcome(77, "replay(3>1) steps 7 hash 00ff", "hang node.Node")
    assert outcome_of(77, RUN) != outcome_of(0, RUN)


@pytest.mark.parametrize(
    ("code", "output", "words"),
    [
        (3, "refquake: cannot import node\n", "cannot import node"),
        (0, "==refquake== NOTHING FOUND in 1 runs\n", "nothing of its schedule"),
        (0, "==refquake== SCHEDULE: free\n", "nothing of its schedule"),
    ],
)
def test_what_could_not_run_is_no_outcome(code: int, output: str, words: str) -> None:
    with pytest.raises(CouldNotRun, match=words):
        outcome_of(code, output)


def test_a_run_without_an_end_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "RUN_SECONDS", 1)
    assert str(replay_once([sys.executable, "-c", "import signal; signal.pause()"])) == "did not end"


def test_a_run_that_was_killed_is_an_outcome() -> None:
    assert outcome_of(-9, RUN) == Outcome(-9, "replay(3>1) steps 7 hash 00ff", "crash SIGKILL")


def test_one_run_in_ten_that_differs_is_told_and_its_program_kept(tmp_path: Path) -> None:
    same, other = outcome_of(0, RUN), outcome_of(0, RUN.replace("steps 7", "steps 8"))
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir()
    for name in ("a.prog", "b.prog"):
        (scratch / name).write_text(name)
    tallies = [
        Tally(scratch / "a.prog", Counter({same: 10})),
        Tally(scratch / "b.prog", Counter({same: 9, other: 1})),
    ]
    text = summary(keep_differing(tallies, out))
    assert text.startswith(f"19 of 20 runs as the program's others; 1 of 2 programs the same each time\n{out}/b.prog:")
    assert "1 x exit 0 replay(3>1) steps 8 hash 00ff" in text
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("b.prog", "b.prog")]


def test_lanes_are_counted_within_a_phase() -> None:
    assert most_lanes("phase:\n    lane:\n    lane:\nphase:\n    lane:\n    lane:\n    lane:\n") == 3


JOB = Job("node", "clean", "asan", "threads")


def replay_five(monkeypatch: pytest.MonkeyPatch, once: Callable[[], Outcome]) -> tuple[list[Tally], bool]:
    monkeypatch.setattr(replays, "bare_replay_command", lambda job, program: [str(program)])
    monkeypatch.setattr(replays, "replay_once", lambda *_: once())
    programs = [Path(f"{number}.prog") for number in range(5)]
    return replays.replay_all(JOB, programs, times=3, workers=1, note=lambda _: None)


def test_each_program_runs_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    tallies, interrupted = replay_five(monkeypatch, lambda: outcome_of(0, RUN))
    assert ([tally.runs for tally in tallies], interrupted) == ([3] * 5, False)


def test_interrupted_it_keeps_the_programs_that_were_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter(range(1000))

    def once() -> Outcome:
        if next(runs) == 7:  # within the third program
            raise KeyboardInterrupt
        return outcome_of(0, RUN)

    tallies, interrupted = replay_five(monkeypatch, once)
    assert ([tally.runs for tally in tallies], interrupted) == ([3, 3], True)


def test_what_could_not_run_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CouldNotRun):
        replay_five(monkeypatch, lambda: outcome_of(3, "refquake: cannot import node\n"))
