"""The samples' clean variants are correct: each check runs in an interpreter of its own, in silence.

ctest runs this once for each flavour, with --build-tree, --interpreter and --hooks.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

CHECKS = Path(__file__).parent / "checks"
BINDINGS = ("bindtree", "bindtree_nanobind", "bindtree_cython")
SAMPLES = ("node", "delegate", "ring", "cache", "emitter", "counter", *BINDINGS)


def run_check(request: pytest.FixtureRequest, sample: str, variant: str) -> subprocess.CompletedProcess[str]:
    option = request.config.getoption
    folder = Path(option("--build-tree")) / "targets" / sample / variant
    if not (folder / f"{sample}.so").exists():
        assert sample in BINDINGS, f"{folder}/{sample}.so is not built"
        pytest.skip(f"{sample} is not built: its binding package is not installed")
    environment = {
        "PATH": os.environ["PATH"],
        "LD_PRELOAD": option("--hooks"),
        "PYTHONPATH": f"{folder}:{CHECKS}",
        "ASAN_OPTIONS": "detect_leaks=0",
        "TSAN_OPTIONS": "halt_on_error=1",
    }
    script = CHECKS / f"check_{'bindtree' if sample in BINDINGS else sample}.py"
    command = [option("--interpreter"), "-S", "-B", str(script), sample]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sample", SAMPLES)
def test_clean_variant_is_correct(request: pytest.FixtureRequest, sample: str) -> None:
    done = run_check(request, sample, "clean")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("plant", ["member_not_visited", "method_leak", "missing_clear", "type_reference_kept"])
def test_the_checks_can_fail(request: pytest.FixtureRequest, plant: str) -> None:
    done = run_check(request, "node", plant)
    assert done.returncode == 1
    assert "AssertionError" in done.stderr
