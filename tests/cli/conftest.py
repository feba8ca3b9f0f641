"""A repository with fake fuzz binaries and a cache with fake interpreters: the command's tests need neither a
compiler nor an interpreter, only cmake.

    def test_x(command): assert command("fuzz", "nope").returncode == 2
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CLI = HERE.parents[1] / "harness" / "cli"
LOGS = HERE / "logs"
PLANTS = ("setter_race", "missing_incref", "oracle", "cannot_import", "idle", "killed", "shot", "endless", "flaky",
          "needs_push", "dies_early", "two_faces", "shy")
PLANTS_JSON = """[
 {"plant": "setter_race", "finds": ["data-race"], "profile": "threads", "flavours": ["tsan"], "line": 3},
 {"plant": "missing_incref", "finds": ["use-after-free"], "profile": "lifecycle", "flavours": ["asan"], "line": 4},
 {"plant": "oracle", "finds": ["missed-visit"], "profile": "lifecycle", "flavours": ["asan", "tsan"], "line": 5},
 {"plant": "cannot_import", "finds": ["segv"], "profile": "lifecycle", "flavours": ["asan"], "line": 6},
 {"plant": "idle", "finds": ["segv"], "profile": "lifecycle", "flavours": ["asan"], "line": 7},
 {"plant": "killed", "finds": ["segv"], "profile": "lifecycle", "flavours": ["asan"], "line": 8},
 {"plant": "shot", "finds": ["segv"], "profile": "lifecycle", "flavours": ["asan"], "line": 8},
 {"plant": "endless", "finds": ["hang"], "profile": "lifecycle", "flavours": ["asan"], "line": 9},
 {"plant": "flaky", "finds": ["data-race"], "profile": "threads", "flavours": ["tsan"], "line": 10},
 {"plant": "needs_push", "finds": ["missed-visit"], "profile": "lifecycle", "flavours": ["asan"], "line": 11}
]"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(fake NONE)
foreach(profile lifecycle threads)
  file(COPY_FILE ${CMAKE_SOURCE_DIR}/fake/fuzz ${CMAKE_BINARY_DIR}/fuzzers/fuzz_${profile})
  file(CHMOD ${CMAKE_BINARY_DIR}/fuzzers/fuzz_${profile} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  add_custom_target(fuzz_${profile})
endforeach()
add_custom_target(target_node)
"""
PRESETS = """{"version": 6, "configurePresets": [
 {"name": "asan", "generator": "Ninja", "binaryDir": "${sourceDir}/build/asan"},
 {"name": "tsan", "generator": "Ninja", "binaryDir": "${sourceDir}/build/tsan"}]}"""

sys.path.insert(0, str(CLI))


def make_repository(root: Path) -> None:
    shutil.copytree(CLI, root / "harness" / "cli", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE / "fake", root / "fake")
    shutil.copytree(LOGS, root / "fake" / "logs")
    (root / "fake" / "fuzz").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{root}/fake/fuzz_binary.py" "$@"\n')
    (root / "CMakeLists.txt").write_text(CMAKE)
    (root / "CMakePresets.json").write_text(PRESETS)
    (root / "targets" / "node").mkdir(parents=True)
    (root / "fuzzers").mkdir()
    for profile in ("lifecycle", "threads"):
        (root / "fuzzers" / f"fuzz_{profile}.cc").touch()
        for flavour in ("asan", "tsan"):
            (root / "build" / flavour / "fuzzers").mkdir(parents=True, exist_ok=True)
    for flavour in ("asan", "tsan"):
        target = root / "build" / flavour / "targets" / "node"
        for variant in ("clean", *PLANTS):
            (target / variant).mkdir(parents=True)
        (target / "plants.json").write_text(PLANTS_JSON)


def make_interpreters(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from refquake_cli.files import link_whole
    from refquake_cli.flavours import recipe_for
    from refquake_cli.paths import current_link
    from refquake_cli.sources import DEFAULT_VERSION

    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    for flavour in ("asan", "tsan"):
        recipe = recipe_for(DEFAULT_VERSION, flavour)
        Path(recipe.prefix).mkdir(parents=True)
        link_whole(current_link(DEFAULT_VERSION, flavour), recipe.name)


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    make_repository(root)
    return root


@pytest.fixture(scope="session")
def fake_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_interpreters(cache, monkeypatch)
    return cache


@pytest.fixture
def environment(repository: Path, fake_cache: Path) -> dict[str, str]:
    """No installing, no terminal, the fake cache and the fake repository's copy of the command."""
    return {
        **os.environ,
        "XDG_CACHE_HOME": str(fake_cache),
        "PYTHONPATH": str(repository / "harness" / "cli"),
        "REFQUAKE_NO_INSTALL": "1",
        "CI": "1",
        "COLUMNS": "200",
    }


@pytest.fixture
def command(environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.CompletedProcess]:
    """Runs the command in an empty folder."""

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "refquake_cli", *map(str, arguments)],
            cwd=tmp_path, env={**environment, **extra}, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


@pytest.fixture
def finding_that_says(command, tmp_path: Path) -> Callable[..., Path]:
    """The folder of an oracle's finding whose description says what it is told to."""

    def make(**stated: str) -> Path:
        command("fuzz", "node", "--plant", "oracle", "--flavour", "asan")
        folder = next((tmp_path / "refquake-out").iterdir())
        description = folder / "finding.json"
        description.write_text(json.dumps(json.loads(description.read_text()) | stated))
        return folder

    return make
