"""What the commands that replay have in common: their options, and that they build no more than they replay."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from refquake_cli import listing, targets
from refquake_cli.discover import discover
from refquake_cli.errors import COULD_NOT_RUN, CouldNotRun
from refquake_cli.job import Job
from refquake_cli.op_list import op_list

PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n        a.push(a)\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "mine.prog"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("repro", "--plant", "needs_push"),
        ("show",),
        ("minimize", "--plant", "needs_push"),
        ("export", "--python", "--plant", "oracle"),  # it ends where an interpreter is needed, behind the build
    ],
    ids=lambda words: words[0],
)
def test_only_what_is_replayed_is_built(
    command: Callable[..., subprocess.CompletedProcess], program: Path, fake_cache: Path, words: tuple[str, ...]
) -> None:
    command(words[0], program, *words[1:])
    # Each checkout has its own: this one's was written last.
    log = max((fake_cache / "refquake" / "logs").glob("build-*-asan.log"), key=lambda path: path.stat().st_mtime_ns)
    (built,) = (line for line in log.read_text().splitlines() if line.startswith("$ ninja "))
    assert built.endswith(" -j " + str(os.cpu_count()) + " target_node fuzz_lifecycle")


@pytest.mark.parametrize("name", ["repro", "show", "minimize", "export"])
def test_the_shared_options(command: Callable[..., subprocess.CompletedProcess], name: str) -> None:
    shown = command(name, "--help").stdout
    for option in ("--flavour", "--target", "--profile", *(["--plant"] if name != "show" else [])):
        assert shown.count(f"  {option} ") == 1


@pytest.mark.parametrize("ask", [discover, op_list])
def test_a_list_without_an_end_is_one_clear_line(ask: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LIST_SECONDS", 0.2)
    forever = [sys.executable, "-c", "import signal; signal.pause()"]
    monkeypatch.setattr(targets, "binary_command", lambda *_: forever)
    with pytest.raises(CouldNotRun, match="node clean asan lifecycle: --list-.* did not end within 0.2 s") as caught:
        ask(Job("node", "clean", "asan", "lifecycle"), "3.14.7")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == COULD_NOT_RUN
