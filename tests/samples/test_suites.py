"""The samples' ordinary test-suites: silent on the clean variants, plainly and in parallel, and able to fail.

The command's own rival runs them, on the interpreter and the build tree that ctest names: see conftest.py.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness" / "cli"))

from refquake_cli.place import Place, environment  # noqa: E402
from refquake_cli.rival_packages import rivals_folder  # noqa: E402
from refquake_cli.sources import DEFAULT_VERSION  # noqa: E402
from refquake_cli.truth_rivals import suite_command  # noqa: E402

BINDINGS = ("bindtree", "bindtree_nanobind", "bindtree_cython")
SUITES = sorted(path.stem.removeprefix("test_") for path in (HERE / "suites").glob("test_*.py"))


def run_suite(
    request: pytest.FixtureRequest, sample: str, variant: str, threads: int = 1, iterations: int = 1
) -> subprocess.CompletedProcess[str]:
    option = request.config.getoption
    folder = Path(option("--build-tree")) / "targets" / sample / variant
    if not (folder / f"{sample}.so").exists():
        assert sample in BINDINGS, f"{folder}/{sample}.so is not built"
        pytest.skip(f"{sample} is not built: its binding package is not installed")
    where = Place(Path(option("--interpreter")), folder, Path(option("--hooks")), DEFAULT_VERSION)
    run = suite_command(where, HERE / "suites" / f"test_{sample}.py", threads, iterations)
    return subprocess.run(run, env=environment(where, rivals_folder()), capture_output=True, text=True, check=False)


def test_every_target_has_a_suite() -> None:
    targets = sorted(path.name for path in (HERE.parents[1] / "targets").iterdir() if path.is_dir())
    assert targets == SUITES


@pytest.mark.parametrize("sample", SUITES)
def test_clean_variant_passes_plainly(request: pytest.FixtureRequest, sample: str) -> None:
    done = run_suite(request, sample, "clean")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Collected 0 items to run in parallel" in done.stdout


@pytest.mark.parametrize("sample", SUITES)
def test_clean_variant_passes_in_parallel(request: pytest.FixtureRequest, sample: str) -> None:
    done = run_suite(request, sample, "clean", threads=4, iterations=5)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Collected 0 items" not in done.stdout
    assert "items to run in parallel" in done.stdout


@pytest.mark.parametrize(
    ("sample", "plant", "failing"),
    [
        ("counter", "decref_by_hand", "test_released_object_dies"),
        ("delegate", "extra_kept", "test_extra_dies_with_its_holder"),
        ("delegate", "base_not_traversed", "test_cycle_is_collected"),
    ],
)
def test_the_suites_can_fail(request: pytest.FixtureRequest, sample: str, plant: str, failing: str) -> None:
    done = run_suite(request, sample, plant)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"test_{sample}.py::{failing}" in done.stdout
