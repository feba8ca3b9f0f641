"""A night cut off, at any moment: it ends soon, and the next one takes in what it left, once."""

import json
import os
import signal
import struct
import time
from pathlib import Path

import pytest

from refquake_cli.job import Job
from refquake_cli.night import campaign
from refquake_cli.night.journal import Journal
from refquake_cli.night.settings import Settings
from refquake_cli.store import Store

CLEAN = """
[nightly]
turn = "1s"
jobs = 1
[[target]]
name = "node"
variants = ["clean"]
profiles = ["threads"]
flavours = ["asan"]
"""
REACHED_SECONDS = 100  # only keeps a night that never gets there from holding the suite up


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a night will find a corpus worth minimising."""
    (tmp_path / "refquake.toml").write_text(CLEAN)
    corpus = tmp_path / "refquake-nightly" / "corpus" / "node-clean-asan-threads"
    corpus.mkdir(parents=True)
    for number in range(100):
        (corpus / f"{number:040x}").write_bytes(str(number).encode())
    return tmp_path / "refquake-nightly"


@pytest.mark.parametrize(
    ("flag", "duration", "number", "inputs"),
    [("merge", "1h", signal.SIGTERM, 100), ("print_coverage", "3s", signal.SIGINT, 50)],
)
def test_a_signal_ends_what_runs_beside_the_turns(
    start, folder: Path, flag: str, duration: str, number: int, inputs: int
) -> None:
    reached = folder / "reached"
    night = start("nightly", "--time", duration, FAKE_ENDLESS=flag, FAKE_REACHED=str(reached))
    end = time.monotonic() + REACHED_SECONDS
    while not reached.exists() and night.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    if not reached.exists():
        night.kill()
        pytest.fail(f"no run with -{flag}=1 began: {night.communicate()[1]}")
    night.send_signal(number)
    _, err = night.communicate(timeout=60)
    assert night.returncode == 130, err
    assert len(list((folder / "corpus" / "node-clean-asan-threads").iterdir())) >= inputs
    assert list((folder / "work").iterdir()) == []


def test_a_merge_without_an_end_leaves_time_to_fuzz(start, folder: Path) -> None:
    reached = folder / "reached"
    night = start("nightly", "--time", "10s", FAKE_ENDLESS="merge", FAKE_REACHED=str(reached))
    _, err = night.communicate(timeout=90)
    assert night.returncode == 0, err
    assert reached.exists()
    assert sum(turn.executions for turn in Store(folder / "store.sqlite").turns(1)) > 0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"job": {}, "limits": {}}'], ids=repr)
def test_a_turn_that_cannot_be_read_is_kept_for_a_person(command, folder: Path, content: str) -> None:
    scratch = folder / "work" / "0123456789ab" / "7"
    scratch.mkdir(parents=True)
    (scratch / "turn.json").write_text(content)
    (scratch / "output.txt").write_text("what it said")
    done = command("nightly", "--time", "3s")
    assert done.returncode == 0, done.stderr
    assert "a turn that was cut off cannot be taken in: turn.json does not describe a turn" in done.stderr
    assert (folder / "unreadable" / "0123456789ab-7" / "output.txt").read_text() == "what it said"
    assert list((folder / "work").iterdir()) == []


def leave_turn(scratch: Path, executions: int) -> None:
    scratch.mkdir(parents=True)
    limits = {"seconds": 1, "seed": 1, "version": "3.14.7", "memory": 1, "input_timeout": 1, "prove": False}
    job = Job("node", "clean", "asan", "threads")
    (scratch / "turn.json").write_text(json.dumps({"job": job.to_json(), "limits": limits}))
    (scratch / "output.txt").touch()
    head = struct.pack("=8sIIQQQQQ", b"refquake", 2, 0, executions, executions, 0, 0, 0)
    (scratch / "run.state").write_bytes(head + bytes(8192))


def test_killed_before_its_folder_goes_a_turn_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next night to come takes it in again."""
    store = Store(tmp_path / "store.sqlite")
    work = tmp_path / "work" / "0123456789ab"
    leave_turn(work / "1", 700)
    leave_turn(work / "2", 30)

    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    for expected in (700, 730):
        night = campaign.Night(Settings(folder=tmp_path), [], store)
        night.number = store.begin_night(time.time())
        night._journal = Journal(tmp_path / "journal")
        with monkeypatch.context() as patched:
            if expected == 700:
                patched.setattr(campaign.shutil, "rmtree", kill)
                with pytest.raises(Killed):
                    night._adopt(work)
            else:
                night._adopt(work)
        assert store.executions() == {("node", "clean"): expected}
    assert not os.path.exists(work)
