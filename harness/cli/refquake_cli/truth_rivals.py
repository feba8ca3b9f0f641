"""What people use today, on the same plant and the same interpreter; each answers "k of n, median s".

    without_oracles(job, seconds=10, tries=2)      # the fuzz loop with sanitizers, but no oracle
    by_hand(job, seconds=10, tries=2)              # the sample's hand-written threaded check
"""

import os
import statistics
import subprocess
import tempfile
import time

from refquake_cli import child, targets
from refquake_cli.job import Job
from refquake_cli.paths import REPOSITORY, current_link
from refquake_cli.sources import DEFAULT_VERSION


def _timed(command: list[str], limit: int, environment: dict[str, str]) -> tuple[bool, float]:
    """Whether the command reported anything (any non-zero end) within `limit` seconds, and when."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(
                command, cwd=scratch, env=environment, timeout=limit, stdin=subprocess.DEVNULL, capture_output=True
            )
        except subprocess.TimeoutExpired:
            return False, float(limit)
    return done.returncode != 0, time.monotonic() - start


def _tally(results: list[tuple[bool, float]]) -> str:
    times = [seconds for found, seconds in results if found]
    tally = f"{len(times)} of {len(results)}"
    return f"{tally}, {statistics.median(times):.1f} s" if times else tally


def without_oracles(job: Job, seconds: int, tries: int) -> str:
    command = targets.binary_command(job, DEFAULT_VERSION)
    environment = child.child_environment(DEFAULT_VERSION)
    results = [
        _timed(
            [*command, "--self-proof=0", "--judge=0", f"-seed={seed}", f"-max_total_time={seconds}"],
            seconds + 10,
            environment,
        )
        for seed in range(1, tries + 1)
    ]
    return _tally(results)


def by_hand(job: Job, seconds: int, tries: int) -> str:
    check = REPOSITORY / "tests" / "samples" / "checks" / f"check_{job.target}.py"
    if not check.exists():
        return ""
    folder = targets.variant_folder(job.target, job.variant, job.flavour)
    path = os.pathsep.join([str(folder), str(check.parent)])
    environment = child.child_environment(DEFAULT_VERSION) | {"PYTHONPATH": path}
    executable = next((current_link(DEFAULT_VERSION, job.flavour) / "bin").glob("python3.*t*[td]"))
    command = [str(executable), "-S", "-B", str(check)]
    return _tally([_timed(command, seconds, environment) for _ in range(tries)])
