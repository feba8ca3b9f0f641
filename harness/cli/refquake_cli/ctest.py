"""Runs ctest in a flavour's tree, its output straight to ours.

Example:

    code = run_ctest("asan", ["-R", "node"])      # 0 passed, 1 failed, 3 no test matched or ctest could not run
"""

import os
import re
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


def count_tests(flavour: str, arguments: Sequence[str]) -> int:
    """ctest's exit code is the same for a test that failed and for none that matched: ask first."""
    command = ["ctest", "--test-dir", str(build_folder(flavour)), "-N", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^Total Tests: (\d+)$", done.stdout, re.MULTILINE)
    return int(found[1]) if found else 0


def run_ctest(flavour: str, selection: Sequence[str]) -> int:
    chosen = ["-LE", f"^{BENCH_LABEL}$", *selection]
    if count_tests(flavour, chosen) == 0:
        return COULD_NOT_RUN
    code = _ctest(flavour, ["--output-on-failure", "-j", str(os.cpu_count() or 1), *chosen])
    return {0: NOTHING_FOUND, CTEST_TESTS_FAILED: FINDINGS}.get(code, COULD_NOT_RUN)


def run_bench(flavour: str) -> int:
    """One at a time: they measure."""
    code = _ctest(flavour, ["-V", "-L", f"^{BENCH_LABEL}$"])
    return NOTHING_FOUND if code == 0 else COULD_NOT_RUN
