"""docs/ci/: the commands of its files are run as they stand, only shorter; and `refquake smoke`."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from refquake_cli.changed import targets_of

CI = Path(__file__).resolve().parents[2] / "docs" / "ci"
COMMAND = re.compile(r"^\s*(?:run: |- )(\./refquake .+)$", re.MULTILINE)
SHORTER = {"--time 2m": "--time 6s", "--time 2h": "--time 4s"}
# What the services set.
SERVICE = {"GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main", "GITHUB_ACTIONS": "true"}
PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"


def git(repository: Path, *arguments: str) -> None:
    who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    subprocess.run(["git", "-C", str(repository), *who, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="session")
def checkout(repository: Path) -> Path:
    """The fake repository under git: the last commit changes a program of node's corpus."""
    corpus = repository / "corpus" / "node"
    corpus.mkdir(parents=True)
    git(repository, "init", "-q")
    git(repository, "add", "targets", "fuzzers", "CMakeLists.txt")
    git(repository, "commit", "-q", "--allow-empty", "-m", "base")
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    (corpus / "one.prog").write_text(PROGRAM)
    git(repository, "add", "corpus")
    git(repository, "commit", "-q", "-m", "change")
    return repository


def commands(name: str) -> list[str]:
    found = COMMAND.findall((CI / name).read_text())
    for long, short in SHORTER.items():
        found = [command.replace(long, short) for command in found]
    assert found, f"{name} runs no ./refquake"
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in CI.glob("*.yml")))
def test_the_commands_of_the_examples_run(name: str, checkout: Path, environment: dict, tmp_path: Path) -> None:
    for command in commands(name):
        here = command.replace("./refquake", f"{shlex.quote(sys.executable)} -m refquake_cli")
        done = subprocess.run(
            here, shell=True, cwd=tmp_path, env={**environment, **SERVICE}, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    if any(" report" in command for command in commands(name)):
        assert (tmp_path / "refquake-report" / "report.sarif").is_file()


def test_smoke_fuzzes_what_changed(checkout: Path, command, tmp_path: Path) -> None:
    done = command("smoke", "--time", "8s", "--base", "origin/main", "--flavour", "asan")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("nothing found in") == 2
    unchanged = command("smoke", "--time", "5s", "--base", "HEAD")
    assert (unchanged.returncode, unchanged.stdout[:13]) == (0, "nothing to do")


def test_smoke_fails_when_a_program_of_the_corpus_finds_something(checkout: Path, command) -> None:
    program = checkout / "corpus" / "node" / "two.prog"
    program.write_text(PROGRAM + "        a.bug\n")
    try:
        done = command("smoke", "--time", "6s", "--flavour", "asan")
    finally:
        program.unlink()
    assert done.returncode == 1, done.stderr
    assert "corpus/node/two.prog under asan: missed-visit node.Node bug" in done.stdout


def test_an_unknown_base_is_wrong_use(checkout: Path, command) -> None:
    done = command("smoke", "--base", "nowhere")
    assert done.returncode == 2
    assert "--base nowhere:" in done.stderr


def test_a_change_of_the_harness_concerns_every_target() -> None:
    names = ["node", "ring"]
    assert targets_of(["targets/node/node.c", "docs/x.md"], names) == ["node"]
    assert targets_of(["corpus/ring/seeds/a.prog"], names) == ["ring"]
    assert targets_of(["harness/core/bytes.cc"], names) == names
    assert targets_of(["README.md"], names) == []


def test_cache_keys_name_files_that_exist() -> None:
    root = CI.parents[1]
    for path in CI.glob("*.yml"):
        for name in re.findall(r"harness/cli/[\w/.]+", path.read_text()):
            assert os.path.exists(root / name), f"{path.name} names {name}"
