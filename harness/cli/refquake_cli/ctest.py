"""Runs ctest in a flavour's tree, its output straight to ours.

Example:

    code = run_ctest("asan", ["-R", "node"])      # 0 passed, 1 failed, 3 no test matched or ctest could not run
"""

import os
import subprocess
import sys
from collections.abc import Sequence

from refquake_cli.child import child_environment
from refquake_cli.errors import COULD_NOT_RUN, FINDINGS, NOTHING_FOUND
from refquake_cli.paths import build_folder
from refquake_cli.sources import DEFAULT_VERSION

CTEST_TESTS_FAILED = 8
BENCH_LABEL = "bench"


def _ctest(flavour: str, arguments: Sequence[str]) -> int:
    command = ["ctest", "--test-dir", str(build_folder(flavour)), "--no-tests=error", *arguments]
    print(f"$ {' '.join(command)}", flush=True)
    sys.stderr.flush()
    return subprocess.run(command, env=child_environment(DEFAULT_VERSION)).returncode


def run_ctest(flavour: str, selection: Sequence[str]) -> int:
    jobs = str(os.cpu_count() or 1)
    code = _ctest(flavour, ["--output-on-failure", "-LE", f"^{BENCH_LABEL}$", "-j", jobs, *selection])
    if code == 0:
        return NOTHING_FOUND
    if code != CTEST_TESTS_FAILED:
        return COULD_NOT_RUN
    return FINDINGS


def run_bench(flavour: str) -> int:
    """One at a time: they measure."""
    code = _ctest(flavour, ["-V", "-L", f"^{BENCH_LABEL}$"])
    return NOTHING_FOUND if code == 0 else COULD_NOT_RUN
