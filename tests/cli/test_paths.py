"""Where the cache lies: one rule, told three times (before the command's environment exists, in it, in CMake)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from refquake_cli.paths import cache_folder

CLI = Path(__file__).resolve().parents[2] / "harness" / "cli"
ASK_BOOTSTRAP = "import bootstrap; print(bootstrap.cache_folder())"


AT_HOME = "/home/of/me/.cache/refquake"


@pytest.mark.parametrize(
    ("given", "expected"), [("/elsewhere", "/elsewhere/refquake"), ("relative/cache", AT_HOME), ("", AT_HOME)]
)
def test_a_relative_cache_folder_is_ignored(given: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", "/home/of/me")
    assert str(cache_folder()) == expected
    command = [sys.executable, "-c", ASK_BOOTSTRAP]
    told = subprocess.run(command, cwd=CLI, env=dict(os.environ), capture_output=True, text=True, check=True).stdout
    assert told.strip() == expected
