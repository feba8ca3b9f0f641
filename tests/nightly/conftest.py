"""A repository with fake fuzz binaries and fake interpreters for campaigns: neither a compiler nor an interpreter.

def test_x(command): assert command("nightly", "--time", "2s").returncode == 0
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "harness" / "cli"))
VARIANTS = {"bugs": "lifecycle", "chain": "threads", "broken": "lifecycle", "barren": "lifecycle"}


def _cli_conftest():
    """tests/cli has the fake repository; its variants are replaced by this folder's."""
    spec = importlib.util.spec_from_file_location("cli_conftest", HERE.parent / "cli" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _plants_json() -> str:
    entries = [
        f'{{"plant": "{name}", "finds": ["missed-visit"], "profile": "{profile}", "flavours": ["asan"], "line": 3}}'
        for name, profile in VARIANTS.items()
    ]
    return "[" + ", ".join(entries) + "]"


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    cli = _cli_conftest()
    cli.PLANTS, cli.PLANTS_JSON = tuple(VARIANTS), _plants_json()
    cli.make_repository(root)
    (root / "fake" / "fuzz_binary.py").write_text((HERE / "fake" / "fuzz_binary.py").read_text())
    return root


@pytest.fixture(scope="session")
def environment(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as monkeypatch:
        _cli_conftest().make_interpreters(cache, monkeypatch)
    return {
        **os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(repository / "harness" / "cli"),
        "REFQUAKE_NO_INSTALL": "1", "CI": "1", "COLUMNS": "200",
    }  # fmt: skip


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen]:
    def run(*arguments: str, **extra: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "refquake_cli", *map(str, arguments)], cwd=tmp_path, env={**environment, **extra},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return run


@pytest.fixture
def command(start: Callable[..., subprocess.Popen]) -> Callable[..., subprocess.CompletedProcess]:
    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess:
        process = start(*arguments, **extra)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return run
