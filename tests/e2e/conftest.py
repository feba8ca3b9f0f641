"""End-to-end tests: real fuzz binaries of one flavour's build tree.

Run by ctest, which names the tree: REFQUAKE_BUILD (a folder) and REFQUAKE_FLAVOUR. Without them, or without
the built targets, collection fails. Only a kernel that keeps a test from telling has it skipped, with the reason printed.
"""

import json
import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "harness" / "cli"))

FLAVOUR = os.environ.get("REFQUAKE_FLAVOUR", "")
BUILD = Path(os.environ.get("REFQUAKE_BUILD", ""))


def pytest_configure() -> None:
    if FLAVOUR not in ("asan", "tsan") or not (BUILD / "fuzzers").is_dir():
        raise pytest.UsageError("set REFQUAKE_FLAVOUR (asan, tsan) and REFQUAKE_BUILD (its build folder), or run ctest")


def plants() -> list[tuple[str, dict]]:
    """(target, plant) of every plant that this flavour can find; the rare races are benchmarked, not tested."""
    found = []
    for path in sorted((BUILD / "targets").glob("*/plants.json")):
        for plant in json.loads(path.read_text(encoding="utf-8")):
            if FLAVOUR in plant["flavours"] and not plant.get("rare"):
                found.append((path.parent.name, plant))
    return found


def targets() -> list[str]:
    return [path.parent.name for path in sorted((BUILD / "targets").glob("*/plants.json"))]
