"""Where results go: any name can be printed, and what cannot be written is told, not lost."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from refquake_cli.errors import COULD_NOT_RUN, FINDINGS, NOTHING_FOUND
from refquake_cli.files import write_whole

PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"
ODD = os.fsdecode(b"\xff")  # no UTF-8
Run = Callable[..., subprocess.CompletedProcess]


@pytest.fixture
def refquake(environment: dict[str, str], tmp_path: Path) -> Run:
    """With a program in a.prog, and its streams where the test wants them."""
    (tmp_path / "a.prog").write_text(PROGRAM)

    def run(*words: str, before: tuple[str, ...] = (), **streams) -> subprocess.CompletedProcess:
        command = [*before, sys.executable, "-m", "refquake_cli", *words]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.run(command, cwd=tmp_path, env=environment, text=True, timeout=120, **streams)

    return run


@pytest.fixture
def unread() -> int:
    """A pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("lines", [1, 2000], ids=["one buffer", "more than a buffer"])
@pytest.mark.parametrize("verb", ["show", "repro"])
def test_a_full_disk(refquake: Run, tmp_path: Path, verb: str, lines: int) -> None:
    (tmp_path / "a.prog").write_text(PROGRAM + "        gc.collect()\n" * lines)
    plant = ["--plant", "oracle"] if verb == "repro" else []
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = refquake(verb, "a.prog", *plant, stdout=full)
    assert done.returncode == COULD_NOT_RUN
    assert done.stderr.splitlines()[-1] == "refquake: cannot write standard output: No space left on device"
    assert "Traceback" not in done.stderr


def test_a_closed_output(refquake: Run) -> None:
    done = refquake("show", "a.prog", before=("sh", "-c", 'exec "$@" >&-', "sh"))
    assert done.returncode == COULD_NOT_RUN
    assert done.stderr == "refquake: standard output is closed: nothing could be told\n"


def test_an_output_that_nobody_reads(refquake: Run, unread: int) -> None:
    done = refquake("show", "a.prog", stdout=unread)
    assert done.returncode == COULD_NOT_RUN
    assert done.stderr.splitlines()[-1] == "refquake: cannot write standard output: Broken pipe"
    # Nor is it a finding that nobody reads what goes to standard error.
    assert refquake("repro", "a.prog", "--clean", stderr=unread).returncode == COULD_NOT_RUN


def test_names_that_are_no_utf_8(refquake: Run, tmp_path: Path) -> None:
    found = refquake("fuzz", "node", "--plant", "setter_race", "--out", ODD)
    assert found.returncode == FINDINGS, found.stderr
    assert "./refquake repro \\udcff/node-setter_race-tsan-data-race" in found.stdout
    (finding,) = (tmp_path / ODD).iterdir()
    assert {"program.prog", "input.bin", "report.txt", "finding.json"} <= set(os.listdir(finding))
    (tmp_path / "a.prog").write_text(PROGRAM + "        a.push(a)\n")
    small = refquake("minimize", "a.prog", "--plant", "needs_push", "--out", f"{ODD}.prog")
    assert small.returncode == NOTHING_FOUND, small.stderr
    assert small.stdout.endswith("written:    \\udcff.prog\n")
    assert (tmp_path / f"{ODD}.prog").is_file()


def test_a_file_that_names_another(tmp_path: Path) -> None:
    write_whole(tmp_path / "script.py", f'"""To run it: {ODD}.py"""\n')
    assert (tmp_path / "script.py").read_text(encoding="utf-8") == '"""To run it: \\udcff.py"""\n'
