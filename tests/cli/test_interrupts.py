"""What ends the command from outside: each signal as Ctrl-C does, at whatever moment, with nothing left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import CLI
from refquake_cli import interrupts
from refquake_cli.errors import INTERRUPTED

PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"
ENDLESS = ("--plant", "endless")


def heeding(*numbers: signal.Signals) -> Callable[[], None]:
    """For a child that is to be signalled: pytest itself may have been started ignoring them."""

    def prepare() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)

    return prepare


def waiting(number: signal.Signals) -> Callable[[], None]:
    """For a child that is signalled before its first instruction, and does not get it yet."""

    def prepare() -> None:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])
        os.kill(os.getpid(), number)

    return prepare


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Returns once a fuzz binary has been started with the flag given."""
    os.mkfifo(tmp_path / "arguments")
    pipe = os.open(tmp_path / "arguments", os.O_RDWR)  # for writing too: a binary that ends is no end of file
    with os.fdopen(pipe, closefd=True, buffering=1) as lines:
        yield lambda flag: next(line for line in lines if flag in line) and None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("fuzz", "node", *ENDLESS, "--time", "500"), "-max_total_time"),
        (("repro", "a.prog", *ENDLESS), "--replay"),
        (("minimize", "a.prog", *ENDLESS), "--replay"),
    ],
    ids=lambda words: words[0],
)
def test_a_signal_ends_it_and_leaves_nothing(
    environment: dict[str, str], tmp_path: Path, started: Callable[[str], None],
    words: tuple[str, ...], flag: str, number: signal.Signals,
) -> None:  # fmt: skip
    (tmp_path / "a.prog").write_text(PROGRAM)
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "refquake_cli", *words],
        cwd=tmp_path, preexec_fn=heeding(number), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**environment, "TMPDIR": str(tmp_path / "tmp"), "FAKE_ARGUMENTS": str(tmp_path / "arguments")},
    )  # fmt: skip
    started(flag)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, errors
    assert "interrupted" in (output + errors).lower()
    assert "Traceback" not in errors
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_the_very_start(environment: dict[str, str], tmp_path: Path, number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refquake_cli", "show", "nothing"],
        cwd=tmp_path, env=environment, preexec_fn=waiting(number), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == INTERRUPTED
    assert done.stderr.split("\n") == ["refquake: interrupted; the same command goes on from here", ""]


def test_signals_wait_from_the_bootstrap_on(tmp_path: Path) -> None:
    name = "import bootstrap, sys; print(bootstrap.environment_folder(b''))"
    settings = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    asked = {**settings, "PYTHONPATH": str(CLI)}
    told = subprocess.run([sys.executable, "-c", name], env=asked, capture_output=True, text=True, check=True)
    python = Path(told.stdout.strip()) / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexec grep SigBlk /proc/self/status\n")
    python.chmod(0o755)
    (tmp_path / "harness" / "cli").mkdir(parents=True)
    (tmp_path / "harness" / "cli" / "requirements.txt").touch()
    command = [sys.executable, "-I", "-S", str(CLI / "bootstrap.py"), str(tmp_path), "show"]
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    blocked = int(done.stdout.split()[1], 16)
    assert all(blocked >> number - 1 & 1 for number in interrupts.SIGNALS)


def python(code: str, prepare: Callable[[], None]) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(CLI)}
    code = "import signal\nfrom refquake_cli import interrupts\n" + code
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, preexec_fn=prepare, capture_output=True, text=True, timeout=60
    )


def test_a_second_signal_does_not_cut_the_cleaning_up_short() -> None:
    code = """
interrupts.take()
try:
    signal.raise_signal(signal.SIGINT)
finally:
    for number in interrupts.SIGNALS:
        signal.raise_signal(number)
    print("cleaned up")
"""
    done = python(code, heeding(*interrupts.SIGNALS))
    assert done.stdout == "cleaned up\n", done.stderr


def test_cleaning_up_that_hangs_can_be_interrupted() -> None:
    code = """
interrupts.CLEANING_SECONDS = 0
interrupts.take()
for number in interrupts.SIGNALS:
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        print(number.name)
"""
    assert python(code, heeding(*interrupts.SIGNALS)).stdout.split() == ["SIGINT", "SIGTERM", "SIGHUP"]


def test_what_is_ignored_at_the_start_stays_ignored() -> None:
    code = "interrupts.take()\nprint(*interrupts.heeded())\nsignal.raise_signal(signal.SIGHUP)\nprint('goes on')"
    done = python(code, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN) and None)
    assert str(int(signal.SIGHUP)) not in done.stdout.splitlines()[0].split()
    assert done.stdout.splitlines()[1] == "goes on"
