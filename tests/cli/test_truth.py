"""The table of planted bugs: each rival in its own column, and a control that nobody may find."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from refquake_cli import rival_packages, truth_rivals
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.truth import Row, _count, json_text, markdown, summary
from refquake_cli.variant_run import Outcome

RIVALS = ("loop without oracles", "check by hand", "pytest-run-parallel")


def row(plant: str, **rivals: str) -> Row:
    return Row("node", plant, "asan", "lifecycle", ["missed-visit"], tries=3, **rivals)


def run(state: str, kind: str = "", problem: str = "", planted: int = 1) -> SimpleNamespace:
    return SimpleNamespace(outcome=Outcome(state, kind, problem=problem), planted=planted, seconds=2.0, executions=40)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_each_rival_has_its_column() -> None:
    one = row("plant", without_oracles="1 of 3, 2.0 s", by_hand="2 of 3, 4.0 s", run_parallel="3 of 3, 8.0 s")
    lines = markdown([one], row("clean"), "how").splitlines()
    head, rule, found, control = (cells(line) for line in lines if line.startswith("|"))
    assert len(head) == len(rule) == len(found) == len(control)
    column = dict(zip(head, found, strict=True))
    assert [column[name] for name in RIVALS] == ["1 of 3, 2.0 s", "2 of 3, 4.0 s", "3 of 3, 8.0 s"]
    assert [dict(zip(head, control, strict=True))[name] for name in RIVALS] == ["not run"] * 3


def test_json_names_the_rival() -> None:
    text = json_text([row("plant", run_parallel="3 of 3, 8.0 s")], row("clean"))
    assert '"run_parallel": "3 of 3, 8.0 s"' in text


def test_other_kinds_have_their_column() -> None:
    one = row("plant")
    one.tries = 0
    for kind in ("missed-visit", "segv", "segv", ""):
        _count(one, run("finding" if kind else "clean", kind, planted=2 if kind == "segv" else 1))
    _count(one, run("stopped"))
    head, _, cells_of_one, _ = (
        cells(line) for line in markdown([one], row("clean"), "how").splitlines() if line[:1] == "|"
    )
    column = dict(zip(head, cells_of_one, strict=True))
    assert [column[name] for name in ("reached", "triggered", "reported")] == ["4 of 4", "2 of 4", "1 of 4"]
    assert (column["kinds"], column["other kinds"]) == ("missed-visit", "segv (2)")
    assert column["worst s"] == "2.0"


@pytest.mark.parametrize("plant", ["plant", "clean"])
def test_what_could_not_run_is_neither_found_nor_silent(plant: str) -> None:
    with pytest.raises(CouldNotRun, match=f"node/{plant} under asan: no such module"):
        _count(row(plant), run("could not run", problem="no such module"))


def test_a_control_that_was_not_tried_is_not_silent() -> None:
    control = row("clean")
    control.tries = 0
    assert not control.silent
    assert "The control was not tried." in summary([row("plant")], control)


def test_control_must_be_found_by_nobody() -> None:
    assert row("clean", without_oracles="0 of 2", by_hand="", run_parallel="0 of 2").silent
    assert not row("clean", run_parallel="1 of 2, 3.0 s").silent
    assert not row("clean", by_hand="10 of 10, 3.0 s").silent
    found = row("clean")
    found.other = 1
    assert not found.silent


def test_suite_is_repeated_until_it_reports(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    script = f"import sys; f = open({str(runs)!r}, 'a+'); f.write('x'); f.seek(0); sys.exit(len(f.read()) == 3)"
    found, _ = truth_rivals._again_and_again([sys.executable, "-c", script], 60, {})
    assert found
    assert runs.read_text() == "xxx"


@pytest.mark.parametrize("script", ["", "import threading; threading.Event().wait()"], ids=["passes", "hangs"])
def test_suite_without_a_report_ends_with_the_time(script: str) -> None:
    assert truth_rivals._again_and_again([sys.executable, "-c", script], 1, {}) == (False, 1.0)


def test_a_check_by_hand_has_the_whole_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "checks").mkdir()
    script = (
        f"import sys; f = open({str(tmp_path / 'runs')!r}, 'a+'); f.write('x'); f.seek(0); sys.exit(len(f.read()) == 3)"
    )
    (tmp_path / "checks" / "check_node.py").write_text(script)
    monkeypatch.setattr(truth_rivals, "SAMPLES", tmp_path)
    monkeypatch.setattr(truth_rivals, "_place", lambda _: None)
    monkeypatch.setattr(truth_rivals, "command", lambda _: [sys.executable])
    monkeypatch.setattr(truth_rivals, "environment", lambda *_: {})
    assert truth_rivals.by_hand(Job("node", "p", "asan", "threads"), 60, 1).startswith("1 of 1, ")
    assert (tmp_path / "runs").read_text() == "xxx"


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Commands that would have run; each "installs" an empty pytest."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (Path(command[command.index("--target") + 1]) / "pytest").mkdir()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(rival_packages.subprocess, "run", run)
    return commands


def test_rivals_are_installed_once_per_pins(
    pip: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = rival_packages.rivals_folder()
    assert (folder / "pytest").is_dir()
    assert rival_packages.rivals_folder() == folder
    assert len(pip) == 1
    other = tmp_path / "other.txt"
    other.write_text("pytest==0\n")
    monkeypatch.setattr(rival_packages, "PINS", other)
    assert rival_packages.rivals_folder() != folder
    assert pip[1][-1] == str(other)


def test_rivals_that_cannot_be_installed_leave_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    failed = subprocess.CompletedProcess([], 1, "", "no such version")
    monkeypatch.setattr(rival_packages.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(CouldNotRun, match="pip cannot install"):
        rival_packages.rivals_folder()
    assert not list((tmp_path / "refquake").glob("*rivals-*"))
