"""When a fuzz process is overdue: while it loads, and after its first execution. The clock is the test's."""

import struct
import sys
from pathlib import Path

import pytest

from refquake_cli import targets, variant_run
from refquake_cli.job import Job
from refquake_cli.night.turn import Limits, Turn
from refquake_cli.variant_run import Options, VariantRun

JOB = Job("node", "clean", "asan", "lifecycle")
ENDLESS = [sys.executable, "-c", "import signal; signal.pause()"]


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Every process waits for ever, and the time passes as the test says."""
    clock = Clock()
    monkeypatch.setattr(variant_run, "time", clock)
    monkeypatch.setattr(targets, "binary_command", lambda *_: ENDLESS)
    monkeypatch.setattr(variant_run, "seed_folder", lambda *_: None)
    monkeypatch.setattr(variant_run, "text_of", lambda *_: "")
    return clock


@pytest.fixture
def run(clock: Clock, tmp_path: Path):
    one = VariantRun(JOB, Options(20, 1, "3.14.7", tmp_path / "out"), tmp_path / "scratch")
    one.start()
    yield one
    one.stop("the test is over")


def execute(scratch: Path, inputs: int, content: bytes) -> None:
    head = struct.pack("=8sIIQQQQQ", b"refquake", 2, len(content), inputs, 0, 0, 0, 0)
    (scratch / "run.state").write_bytes(head + content)


def test_loading_may_take_longer_than_a_run(run: VariantRun, clock: Clock, tmp_path: Path) -> None:
    clock.now += 119
    assert not run.poll()
    execute(tmp_path / "scratch", 1, b"x")
    assert not run.poll()
    clock.now += 49
    assert not run.poll()
    clock.now += 2
    assert run.poll()
    assert run.outcome.finding.signature == "hang did not stop 30 s after its time was up"
    assert (run.outcome.folder / "input.bin").read_bytes() == b"x"


def test_an_overdue_load_is_named_as_one_and_has_no_input(run: VariantRun, clock: Clock, tmp_path: Path) -> None:
    execute(tmp_path / "scratch", 0, b"spin()")  # the call that discovery tries
    clock.now += 121
    assert run.poll()
    assert run.outcome.finding.signature == "hang loading did not end within 120 s"
    assert not (run.outcome.folder / "input.bin").exists()
    assert "target: node" in (run.outcome.folder / "program.prog").read_text()


def test_a_turn_s_loading_has_its_own_deadline(clock: Clock, tmp_path: Path) -> None:
    turn = Turn(JOB, Limits(1, 1, "3.14.7", 1, 50, False), tmp_path / "turn", tmp_path, [])
    turn.start()
    try:
        clock.now += 179
        assert not turn.poll()
        clock.now += 2
        assert turn.poll()
        assert turn.sighting.signature == "hang loading did not end within 180 s"
    finally:
        turn.stop("the test is over")


def test_a_call_that_ended_discovery_is_named(run: VariantRun, tmp_path: Path) -> None:
    lines = "==refquake== TRIAL: Pit(None)\nrefquake: could not run node: Pit(None) ended the process\n"
    (tmp_path / "scratch" / "output.txt").write_text(lines)
    outcome = run._could_not_run(3)
    assert (outcome.state, outcome.trial) == ("could not run", "Pit")
    assert outcome.problem == "refquake: could not run node: Pit(None) ended the process"
