"""Scratch folders: gone with their block, and what a killed command left gone with the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import CLI
from refquake_cli import scratch
from refquake_cli.scratch import scratch_folder

HOLD = """
from refquake_cli.scratch import scratch_folder
with scratch_folder("minimize") as folder:
    (folder / "1").mkdir()
    (folder / "1" / "candidate.prog").touch()
    print(folder, flush=True)
    input()
"""
PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(folder))
    scratch._remove_abandoned.cache_clear()
    return folder


def holder() -> tuple[subprocess.Popen, Path]:
    """Another process with a scratch folder, and that folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD], env={**os.environ, "PYTHONPATH": str(CLI)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return process, Path(process.stdout.readline().strip())


def test_it_goes_with_its_block(temporary: Path) -> None:
    with scratch_folder("fuzz") as folder:
        assert folder.name.startswith("refquake-fuzz-")
        (folder / "0").mkdir()
        (folder / "0" / "corpus").touch()
    assert list(temporary.iterdir()) == []


def test_one_that_was_removed_meanwhile_is_no_error(temporary: Path) -> None:
    with scratch_folder("fuzz") as folder:
        scratch.shutil.rmtree(folder)
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(temporary: Path) -> None:
    (killed, left), (alive, used) = holder(), holder()
    killed.kill()
    killed.communicate()
    with scratch_folder("replay") as folder:
        assert sorted(temporary.iterdir()) == sorted([used, folder])
        assert (used / "1" / "candidate.prog").exists()
    alive.communicate("\n", timeout=60)
    assert alive.returncode == 0
    assert list(temporary.iterdir()) == [], left


def test_what_only_has_such_a_name_stays(temporary: Path) -> None:
    (temporary / "refquake-main").mkdir()
    (temporary / "refquake-main" / "lock").touch()
    (temporary / "refquake-notes").touch()
    with scratch_folder("replay"):
        pass
    assert len(list(temporary.iterdir())) == 2


def test_what_was_removed_half_goes_too(temporary: Path) -> None:
    """A process killed while it cleaned up: the lock was to be the last file."""
    half = temporary / "refquake-fuzz-abc"
    half.mkdir()
    (half / scratch._LOCK).touch()
    with scratch_folder("replay") as folder:
        assert list(temporary.iterdir()) == [folder]


@pytest.mark.parametrize("verb", ["minimize", "fuzz"])
def test_a_command_that_is_killed_is_cleaned_up_after_by_the_next(
    environment: dict[str, str], command, tmp_path: Path, verb: str
) -> None:
    (tmp_path / "a.prog").write_text(PROGRAM)
    (tmp_path / "tmp").mkdir()
    os.mkfifo(tmp_path / "arguments")
    words = ("node", "--time", "500") if verb == "fuzz" else ("a.prog",)
    extra = {"TMPDIR": str(tmp_path / "tmp")}
    with open(os.open(tmp_path / "arguments", os.O_RDWR), buffering=1) as arguments:
        process = subprocess.Popen(
            [sys.executable, "-m", "refquake_cli", verb, *words, "--plant", "endless"], cwd=tmp_path,
            env={**environment, **extra, "FAKE_ARGUMENTS": str(tmp_path / "arguments")}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        next(line for line in arguments if "-max_total_time" in line or "--replay" in line)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [path.name for path in (tmp_path / "tmp").glob(f"refquake-{verb}-*")] != []
    done = command("repro", "a.prog", "--plant", "oracle", "--times", "1", **extra)
    assert done.returncode == 1, done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
