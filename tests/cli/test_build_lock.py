"""Who waits for whose build: two checkouts share a cache, each has a build tree of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import make_interpreters, make_repository

BUILDING = """
from refquake_cli import build
def stop(*_):
    print("building", flush=True)
    input()
build._build_tree = stop
build.build(["asan"])
"""
NODE_FOUND = ("fuzz", "node", "--plant", "setter_race")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_interpreters(tmp_path / "cache", monkeypatch)
    return tmp_path / "cache"


@pytest.fixture
def start(cache: Path, environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen]:
    """Runs Python in one of the checkouts."""

    def run(checkout: Path, *arguments: str) -> subprocess.Popen:
        settings = {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(checkout / "harness" / "cli")}
        return subprocess.Popen(
            [sys.executable, *arguments], cwd=tmp_path, env={**environment, **settings},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return run


@pytest.fixture
def busy(start: Callable[..., subprocess.Popen], tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen]]:
    """A checkout, and a process that builds its tree until it gets a line."""
    make_repository(tmp_path / "busy")
    process = start(tmp_path / "busy", "-c", BUILDING)
    assert process.stdout.readline() == "building\n", process.stderr.read()
    yield tmp_path / "busy", process
    process.kill()
    process.communicate()


def test_another_checkout_builds_meanwhile(start, busy, repository: Path, cache: Path) -> None:
    output, errors = start(repository, "-m", "refquake_cli", *NODE_FOUND).communicate(timeout=60)
    assert "data-race" in output, errors
    assert "waiting" not in errors
    logs = sorted(path.name for path in (cache / "refquake" / "logs").iterdir())
    assert [name.split("-")[0] for name in logs] == ["build", "build"]  # asan and tsan, of one checkout
    assert len({name.split("-")[1] for name in logs}) == 1


@pytest.mark.parametrize("words", [NODE_FOUND, ("clean",)], ids=lambda words: words[0])
def test_the_same_checkout_waits(start, busy, words: tuple[str, ...]) -> None:
    checkout, building = busy
    second = start(checkout, "-m", "refquake_cli", *words)
    assert second.stderr.readline() == f"refquake: waiting for process {building.pid} (build of asan)\n"
    building.communicate("\n", timeout=60)
    second.communicate(timeout=60)
    assert second.returncode == (0 if words == ("clean",) else 1)


def test_the_cache_is_not_removed_while_any_checkout_builds_with_it(start, busy, cache: Path, tmp_path: Path) -> None:
    make_repository(tmp_path / "other")
    cleaning = start(tmp_path / "other", "-m", "refquake_cli", "clean", "--all")
    assert cleaning.stderr.readline() == f"refquake: waiting for process {busy[1].pid} (build of asan)\n"
    assert os.listdir(cache / "refquake" / "interpreters") != []
    busy[1].communicate("\n", timeout=60)
    assert "interpreters" in cleaning.communicate(timeout=60)[0]
