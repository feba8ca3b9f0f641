"""What people use today, on the same plant and the same interpreter; each answers "k of n, median s".

    without_oracles(job, seconds=10, tries=2)      # the fuzz loop with sanitizers, but no oracle
    by_hand(job, seconds=10, tries=2)              # the sample's hand-written threaded check
    run_parallel(job, seconds=10, tries=2)         # pytest-run-parallel over the sample's test-suite

What does not end is not a report: none of these says so by itself.
"""

import statistics
import subprocess
import time
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.paths import REPOSITORY
from refquake_cli.place import Place, command, environment, place
from refquake_cli.rival_packages import rivals_folder
from refquake_cli.scratch import scratch_folder
from refquake_cli.sources import DEFAULT_VERSION

SAMPLES = REPOSITORY / "tests" / "samples"
THREADS = 4
ITERATIONS = 20  # of each test in each thread: a second or three, so that a run ends within the time under TSan too


def _timed(command: list[str], limit: float, environment: dict[str, str]) -> tuple[bool, float]:
    """Whether the command reported anything (any non-zero end) within `limit` seconds, and when."""
    start = time.monotonic()
    with scratch_folder("truth") as scratch:
        try:
            done = subprocess.run(
                command, cwd=scratch, env=environment, timeout=limit, stdin=subprocess.DEVNULL, capture_output=True
            )
        except subprocess.TimeoutExpired:
            return False, limit
    return done.returncode != 0, time.monotonic() - start


def _tally(results: list[tuple[bool, float]]) -> str:
    times = [seconds for found, seconds in results if found]
    tally = f"{len(times)} of {len(results)}"
    return f"{tally}, {statistics.median(times):.1f} s" if times else tally


def without_oracles(job: Job, seconds: int, tries: int) -> str:
    fuzz = targets.binary_command(job, DEFAULT_VERSION)
    variables = child.child_environment(DEFAULT_VERSION)
    results = [
        _timed(
            [*fuzz, "--self-proof=0", "--judge=0", f"-seed={seed}", f"-max_total_time={seconds}"],
            seconds + 10,
            variables,
        )
        for seed in range(1, tries + 1)
    ]
    return _tally(results)


def by_hand(job: Job, seconds: int, tries: int) -> str:
    # The bindings of one tree share a check, which is told the module's name.
    check = SAMPLES / "checks" / f"check_{job.target.partition('_')[0]}.py"
    if not check.exists():
        return ""
    where = _place(job)
    run = [*command(where), str(check), job.target]
    variables = environment(where, check.parent)
    return _tally([_again_and_again(run, seconds, variables) for _ in range(tries)])


def run_parallel(job: Job, seconds: int, tries: int) -> str:
    suite = SAMPLES / "suites" / f"test_{job.target}.py"
    if not suite.exists():
        return ""
    where = _place(job)
    run = suite_command(where, suite, THREADS, ITERATIONS)
    variables = environment(where, rivals_folder())
    return _tally([_again_and_again(run, seconds, variables) for _ in range(tries)])


def suite_command(where: Place, suite: Path, threads: int, iterations: int) -> list[str]:
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [*command(where), *pytest, f"--parallel-threads={threads}", f"--iterations={iterations}", str(suite)]


def _again_and_again(run: list[str], seconds: int, variables: dict[str, str]) -> tuple[bool, float]:
    """Runs of the same until one reports or the time is up; a run that the end of the time cuts short found nothing."""
    start = time.monotonic()
    while (left := seconds - (time.monotonic() - start)) > 0:
        found, _ = _timed(run, left, variables)
        if found:
            return True, time.monotonic() - start
    return False, float(seconds)


def _place(job: Job) -> Place:
    where = place(job, job.flavour, DEFAULT_VERSION)
    if where is None:
        raise CouldNotRun(f"no {job.flavour} interpreter, or no build of {job.target}/{job.variant}: ./refquake setup")
    return where
