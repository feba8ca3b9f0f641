"""The rest of the command: launcher, doctor, clean, help, files that appear whole."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import CLI
from refquake_cli import toolchain
from refquake_cli.app import COMMANDS
from refquake_cli.child import child_environment
from refquake_cli.errors import COULD_NOT_RUN, CouldNotRun
from refquake_cli.files import folder_beside, link_whole

LAUNCHER = CLI.parents[1] / "refquake"


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help(command, name: str) -> None:
    done = command(*name.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: refquake")


def commands_in(readme: str) -> tuple[set[str], set[str]]:
    """Those of the command table, and those of all examples."""
    section = readme.split("\n## Commands\n")[1].split("\n## ")[0]
    cells = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    table = {words.split()[0] for cell in cells for words in re.findall(r"`([^`]+)`", cell)}
    return table, set(re.findall(r"\./refquake ([a-z]+)", readme))


def test_the_readme_names_every_command_and_no_other() -> None:
    table, examples = commands_in((CLI.parents[1] / "README.md").read_text(encoding="utf-8"))
    assert table == set(COMMANDS)
    assert examples <= set(COMMANDS)
    assert {"fuzz", "test", "repro"} <= examples


def test_help_imports_nothing_slow(environment: dict[str, str]) -> None:
    code = (
        "import sys; from click.testing import CliRunner; from refquake_cli.app import refquake\n"
        "before = set(sys.modules)\n"
        "CliRunner().invoke(refquake, ['--help'])\n"
        "slow = {'rich', 'subprocess', 'filelock', 'urllib.request'}\n"
        "sys.exit(str(slow & (set(sys.modules) - before)) if slow & (set(sys.modules) - before) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_launcher_without_a_python_says_what_to_install(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "readlink", "dirname", "id"):
        os.symlink(f"/usr/bin/{name}", tools / name)
    environment = {"PATH": str(tools), "HOME": str(tmp_path), "REFQUAKE_NO_INSTALL": "1"}
    done = subprocess.run(["/bin/sh", LAUNCHER, "fuzz"], env=environment, capture_output=True, text=True)
    assert done.returncode == 3
    assert "no Python 3.11 or newer found: install one" in done.stderr


def test_the_launcher_in_a_folder_that_is_gone_says_so(tmp_path: Path) -> None:
    script = 'cd "$1" && rmdir "$1" && exec /bin/sh "$2" show x'
    (tmp_path / "gone").mkdir()
    command = ["/bin/sh", "-c", script, "sh", tmp_path / "gone", LAUNCHER]
    settings = {**os.environ, "REFQUAKE_NO_INSTALL": "1"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == COULD_NOT_RUN
    told = [line for line in done.stderr.splitlines() if "getcwd() failed" not in line]  # the shell's own
    assert told == ["refquake: the current folder is gone: cd to one that is there"]


def test_a_failing_environment_is_exit_3_and_leaves_nothing(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "harness" / "cli").mkdir(parents=True)
    (root / "harness" / "cli" / "requirements.txt").write_text("./no-such-package\n")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    command = [sys.executable, "-I", str(CLI / "bootstrap.py"), str(root), "--help"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 3
    assert "could not make the Python environment" in done.stderr
    assert sorted(os.listdir(tmp_path / "xdg" / "refquake")) == ["venv.lock"]


def test_missing_tools_are_named_with_the_command_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = [need for need in toolchain.NEEDS if need.package in ("ninja-build", "graphviz")]
    monkeypatch.setattr(toolchain, "missing_needs", lambda: missing)
    monkeypatch.setattr(toolchain, "can_install", lambda: False)
    with pytest.raises(CouldNotRun, match="missing tools: ninja-build; .*apt-get install -y .*ninja-build graphviz"):
        toolchain.ensure_tools()


def test_optional_tools_do_not_stop_anything(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    missing = [need for need in toolchain.NEEDS if need.package == "graphviz"]
    monkeypatch.setattr(toolchain, "missing_needs", lambda: missing)
    monkeypatch.setattr(toolchain, "can_install", lambda: False)
    toolchain.ensure_tools()
    assert "going on without: graphviz" in capsys.readouterr().err


def test_a_header_that_is_not_there_is_missing() -> None:
    assert toolchain.missing_headers(["stdlib.h", "refquake/no_such_header.h"]) == {"refquake/no_such_header.h"}


def test_doctor_names_what_is_missing(command, tmp_path: Path) -> None:
    done = command("doctor", XDG_CACHE_HOME=str(tmp_path / "empty"))
    assert done.returncode == 3
    assert "FAIL  asan interpreter 3.14.7: not built" in done.stdout
    assert "-> ./refquake setup asan" in done.stdout
    assert "ok    plain interpreter 3.14.7: not built, which is optional" in done.stdout


def test_clean_says_what_and_how_much_and_keeps_the_cache(command, tmp_path: Path) -> None:
    out = tmp_path / "refquake-out"
    cache = tmp_path / "xdg" / "refquake"
    (cache / "interpreters").mkdir(parents=True)
    out.mkdir()
    (out / "x").write_bytes(b"x" * 2048)
    # The command's own copy of the repository has no build tree to lose: it is made again by who needs it.
    done = command("clean", XDG_CACHE_HOME=str(tmp_path / "xdg"), PYTHONPATH=str(copy_of_cli(tmp_path)))
    assert done.returncode == 0, done.stderr
    assert f"removed {out}  2 KB" in done.stdout
    assert (cache / "interpreters").exists()
    done = command("clean", "--all", XDG_CACHE_HOME=str(tmp_path / "xdg"), PYTHONPATH=str(copy_of_cli(tmp_path)))
    assert done.returncode == 0, done.stderr
    assert not (cache / "interpreters").exists()


def copy_of_cli(folder: Path) -> Path:
    import shutil

    destination = folder / "repository" / "harness" / "cli"
    if not destination.exists():
        shutil.copytree(CLI, destination, ignore=shutil.ignore_patterns("__pycache__"))
    return destination


def test_the_children_environment_does_not_leak_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=1")
    environment = child_environment("3.14.7")
    assert "PYTHONPATH" not in environment
    assert environment["ASAN_OPTIONS"].startswith("exitcode=77:detect_leaks=0:")
    assert "halt_on_error=1" in environment["TSAN_OPTIONS"]


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    final = tmp_path / "final"
    with pytest.raises(FileExistsError), folder_beside(final) as part:  # noqa: PT012
        (part / "x").mkdir()
        (part / "x").mkdir()
    assert os.listdir(tmp_path) == []
    for content in ("one", "two"):
        with folder_beside(final) as part:
            (part / content).touch()
    assert os.listdir(tmp_path) == ["final"]
    assert os.listdir(final) == ["two"]


def test_a_link_moves_in_one_step(tmp_path: Path) -> None:
    link = tmp_path / "current"
    for name in ("old", "new"):
        link_whole(link, name)
        assert os.readlink(link) == name
    assert os.listdir(tmp_path) == ["current"]


@pytest.mark.parametrize("words", [["minimize"], ["export"], ["show", "--graph"]], ids=lambda words: words[0])
def test_a_destination_is_looked_at_first(command, tmp_path: Path, words: list[str]) -> None:
    program = tmp_path / "a.prog"
    program.write_text("target: node\nphase:\n    lane:\n        a = Node()\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    option = [] if words[0] == "show" else ["--out"]
    for bad, why in ((tmp_path / "folder", "it is a folder"), (tmp_path / "none" / "x", "is no folder")):
        done = command(*words, *option, bad, program) if words[0] == "show" else command(*words, program, *option, bad)
        assert done.returncode == 2
        assert why in done.stderr


def test_a_file_that_is_no_script_is_not_written_over(command, tmp_path: Path) -> None:
    program = tmp_path / "a.prog"
    program.write_text("target: node\nphase:\n    lane:\n        a = Node()\n", encoding="utf-8")
    done = command("export", program, "--out", program)
    assert done.returncode == 2
    assert "nothing that this command wrote" in done.stderr
    assert program.read_text(encoding="utf-8").startswith("target:")


def test_words_that_cannot_be_written_are_no_finding(environment: dict[str, str], tmp_path: Path) -> None:
    repro = [sys.executable, "-m", "refquake_cli", "repro", str(tmp_path / "none.prog")]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        assert subprocess.run(repro, env=environment, cwd=tmp_path, stderr=full).returncode == COULD_NOT_RUN
    assert subprocess.run(repro, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL).returncode == 2


def test_what_is_set_for_other_pythons_does_no_harm() -> None:
    settings = {**os.environ, "PYTHONHASHSEED": "xx", "PYTHONHOME": "/nonexistent"}
    assert subprocess.run([LAUNCHER, "--help"], env=settings, stdout=subprocess.DEVNULL).returncode == 0
