"""A call of discovery that ends the process: `discover` could not run, and `realworld` goes on without the call."""

import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from refquake_cli import discover, realworld
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.realworld import Row, Settings
from refquake_cli.realworld_list import Subject
from refquake_cli.reports.trial import trial_of
from refquake_cli.variant_run import Outcome

ENDS = (
    "==refquake== TRIAL: leave('x')\n"
    "refquake: could not run math: leave('x') ended the process with exit status 0; leave it out with --deny=NAME\n"
)
JOB = Job("math", "clean", "asan", "lifecycle")


def listing(monkeypatch: pytest.MonkeyPatch, code: int, text: str) -> None:
    done = subprocess.CompletedProcess([], code, "", text)
    monkeypatch.setattr(discover, "run_listing", lambda *_: done)


def test_a_call_that_ends_the_process_could_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    listing(monkeypatch, 3, ENDS)
    with pytest.raises(CouldNotRun, match=r"the call leave\('x'\) ends the process; leave it out with a recipe"):
        discover.discover(JOB, "3.14.7")


@pytest.mark.parametrize(
    ("code", "line", "trial"), [(77, "TRIAL", "Pit(None)"), (70, "TRIAL HANGS", "Pit(None) (hangs)")]
)
def test_a_call_that_crashes_or_hangs_is_found(
    monkeypatch: pytest.MonkeyPatch, code: int, line: str, trial: str
) -> None:
    listing(monkeypatch, code, f"==refquake== {line}: Pit(None)\n")
    assert discover.discover(JOB, "3.14.7").trial == trial


class FakeRun:
    """Could not run until its job leaves `leave` out; `always` is what no recipe helps against."""

    always = ""

    def __init__(self, job: Job, *_: object) -> None:
        self.job = job
        self.operations = self.raised = self.skipped = self.coverage = 0
        left_out = "leave" in job.recipe.leave_out
        self.executions, self.seconds = (500, 10.0) if left_out and not self.always else (0, 1.0)
        self.outcome = Outcome("clean")
        if not left_out or self.always:
            self.outcome = Outcome("could not run", problem=ENDS.splitlines()[1], trial="leave")

    def start(self) -> None:
        pass

    def poll(self) -> bool:
        return True


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    monkeypatch.setattr(realworld, "VariantRun", FakeRun)
    monkeypatch.setattr(realworld, "discover", lambda *_: SimpleNamespace(types=["Pit"], ops=[]))
    return Settings("asan", "lifecycle", 10, "3.14.7", tmp_path)


def test_a_subject_goes_on_without_the_call(settings: Settings) -> None:
    row = Row("math")
    realworld._fuzz(Subject("math", ""), settings, row)
    assert (row.state, row.left_out, row.executions) == ("ran", ["leave"], 500)
    assert row.types == 1  # what is found beside the call is told


def test_a_call_that_cannot_be_left_out_ends_the_subject(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeRun, "always", "yes")
    row = Row("math")
    realworld._fuzz(Subject("math", ""), settings, row)
    assert row.left_out == ["leave"]
    assert "ended the process" in row.state


class QuickRun(FakeRun):
    """Ends after a second."""

    def __init__(self, job: Job, *_: object) -> None:
        super().__init__(job)
        self.executions, self.seconds, self.outcome = 10, 1.0, Outcome("known")


def test_a_subject_has_all_its_time_however_soon_its_runs_end(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(realworld, "VariantRun", QuickRun)
    row = Row("math")
    realworld._fuzz(Subject("math", ""), replace(settings, seconds=30), row)
    assert row.seconds >= 28


def test_what_crashes_is_left_out_with_its_arguments_first() -> None:
    row = Row("math")
    for call, left_out in [
        ("Pit.fill(1)", "Pit.fill(1)"),
        ("Pit.fill(2)", "Pit.fill"),
        ("Pit.width = (1)", "Pit.width = (1)"),
    ]:
        trial = trial_of(f"==refquake== TRIAL: {call}\n")
        row.left_out.append(realworld._narrowest(trial, row))
        assert row.left_out[-1] == left_out
    assert realworld._narrowest(trial_of("==refquake== TRIAL HANGS: Pit(1)\n"), row) == "Pit"
    with pytest.raises(CouldNotRun, match="though it is left out"):
        realworld._narrowest(trial_of("==refquake== TRIAL: Pit.fill(3)\n"), row)
