"""Files and folders that survive: killed at any step, or with the power gone, the old or the new is there, whole."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conftest import CLI
from refquake_cli import files
from refquake_cli.files import copy_whole, folder_beside, recover, replace_folder, write_whole

# Replaces `final` by `part` and is killed behind the renaming with the number given; `exchange` may be turned off.
KILLED = """
import os, signal, sys
from pathlib import Path
from refquake_cli import files
folder, calls, exchange = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
real_rename, real_exchange = os.rename, files._exchange
left = [calls]
def counted(answer):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
os.rename = lambda *names: counted(real_rename(*names))
files._exchange = lambda *names: exchange == "on" and real_exchange(*names) and counted(True)
with files.folder_beside(folder / "final") as part:
    (part / "content").write_text("new")
"""


def make(folder: Path, content: str) -> Path:
    folder.mkdir()
    (folder / "content").write_text(content)
    return folder


def killed_at(folder: Path, step: int, exchange: str) -> int:
    environment = {**os.environ, "PYTHONPATH": str(CLI)}
    command = [sys.executable, "-c", KILLED, str(folder), str(step), exchange]
    return subprocess.run(command, env=environment, timeout=60, check=False).returncode


@pytest.mark.parametrize(
    ("exchange", "step", "expected"), [("on", 1, "new"), ("off", 1, "old"), ("off", 2, "new")], ids=str
)
def test_killed_between_its_steps_it_loses_nothing(tmp_path: Path, exchange: str, step: int, expected: str) -> None:
    final = make(tmp_path / "final", "old")
    assert killed_at(tmp_path, step, exchange) == -signal.SIGKILL
    recover(final)
    assert (final / "content").read_text() == expected
    assert os.listdir(tmp_path) == ["final"]


def test_the_next_to_fill_the_folder_recovers_it_too(tmp_path: Path) -> None:
    make(tmp_path / "final", "old")
    assert killed_at(tmp_path, 1, "off") == -signal.SIGKILL
    assert not (tmp_path / "final").exists()
    with pytest.raises(RuntimeError), folder_beside(tmp_path / "final"):
        raise RuntimeError("it fails")
    assert (tmp_path / "final" / "content").read_text() == "old"


def test_what_a_living_process_has_set_aside_is_its_own(tmp_path: Path) -> None:
    aside = make(tmp_path / f".final.{os.getppid()}.old", "old")
    recover(tmp_path / "final")
    assert aside.is_dir()


def test_what_another_thread_fills_is_its_own(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def fill() -> None:
        with folder_beside(tmp_path / "final") as part:
            (part / "content").write_text("new")
            begun.set()
            go_on.wait()

    thread = threading.Thread(target=fill)
    thread.start()
    begun.wait()
    recover(tmp_path / "final")
    go_on.set()
    thread.join()
    assert (tmp_path / "final" / "content").read_text() == "new"


def test_what_an_earlier_process_of_this_number_left_goes(tmp_path: Path) -> None:
    left = make(tmp_path / f".final.{threading.get_native_id()}.part", "half")
    recover(tmp_path / "final")
    assert not left.exists()


def test_both_ways_replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, exchange in enumerate((files._exchange, lambda *_: False)):
        monkeypatch.setattr(files, "_exchange", exchange)
        final = make(tmp_path / f"final{number}", "old")
        replace_folder(make(tmp_path / "part", "new"), final)
        assert (final / "content").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["final0", "final1"]


@pytest.mark.parametrize("way", ["written", "copied"])
def test_a_file_is_on_the_disk_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    steps: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        steps.append("folder" if stat.S_ISDIR(status.st_mode) else f"file of {status.st_size}")
        real_sync(descriptor)

    def replace(*names: Path) -> None:
        steps.append("rename")
        real_replace(*names)

    (tmp_path / "source").write_text("12345")
    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    if way == "written":
        write_whole(tmp_path / "x", "12345")
    else:
        copy_whole(tmp_path / "source", tmp_path / "x")
    assert (tmp_path / "x").read_text() == "12345"
    assert steps == ["file of 5", "rename", "folder"]
