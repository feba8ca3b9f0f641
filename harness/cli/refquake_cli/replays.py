"""Does a program replay exactly? Many programs of a campaign, many fresh processes each, on a loaded machine.

    programs = gather(job, count=200, seconds=60, scratch)     # programs that step three lanes and more
    with busy_loops(2):
        tallies = replay_all(job, programs, times=100, workers=2)
    summary(tallies)            # "20000 of 20000 runs as the program's others; 200 of 200 programs the same each time"

Compared are the switches, the number of steps, the trace hash, and what was found.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.reports import find_report
from refquake_cli.sources import DEFAULT_VERSION

LEAST_LANES = 3
RUN_SECONDS = 120
_SCHEDULE = re.compile(r"^==refquake== SCHEDULE: (.*)$", re.MULTILINE)


@dataclass
class Tally:
    """One program's runs: how often each outcome (schedule with hash, and kind found) came."""

    program: Path
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def runs(self) -> int:
        return self.outcomes.total()

    @property
    def same(self) -> int:
        return max(self.outcomes.values())


def _run(command: list[str], scratch: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, cwd=scratch, env=child.child_environment(DEFAULT_VERSION), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=RUN_SECONDS, check=False,
    )  # fmt: skip


def gather(job: Job, count: int, seconds: int, scratch: Path) -> list[Path]:
    corpus = scratch / "corpus"
    corpus.mkdir()
    binary = targets.binary_command(job, DEFAULT_VERSION)
    flags = ["--self-proof=0", "--schedule=stepped", f"-max_total_time={seconds}", "-seed=1", "-reduce_inputs=0"]
    _run([*binary, *flags, f"-artifact_prefix={scratch}/", str(corpus)], scratch)
    found = []
    for path in sorted(corpus.iterdir()):
        shown = _run([*binary, "--self-proof=0", f"--show={path}"], scratch).stdout
        if most_lanes(shown) >= LEAST_LANES and "\nschedule:" in shown:
            program = scratch / f"{path.name}.prog"
            program.write_text(shown, encoding="utf-8")
            found.append(program)
        if len(found) == count:
            return found
    if not found:
        raise CouldNotRun(f"{seconds} s of {job.title} left no program with {LEAST_LANES} lanes; give it more --time")
    return found


def most_lanes(text: str) -> int:
    return max(phase.count("    lane:") for phase in text.split("phase:"))


def outcome_of(output: str) -> tuple[str, str]:
    schedule = _SCHEDULE.search(output)
    report = find_report(output)
    return schedule[1] if schedule else "", report.signature if report else ""


def replay_all(job: Job, programs: list[Path], times: int, workers: int) -> list[Tally]:
    command = [*targets.binary_command(job, DEFAULT_VERSION), "--self-proof=0"]

    def tally(program: Path) -> Tally:
        runs = (_run([*command, f"--replay={program}"], program.parent) for _ in range(times))
        return Tally(program, Counter(outcome_of(run.stdout) for run in runs))

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(tally, programs))


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=child.die_with_parent)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def summary(tallies: list[Tally]) -> str:
    whole = sum(tally.same == tally.runs for tally in tallies)
    lines = [
        f"{sum(t.same for t in tallies)} of {sum(t.runs for t in tallies)} runs as the program's others; "
        f"{whole} of {len(tallies)} programs the same each time"
    ]
    for tally in tallies:
        if tally.same < tally.runs:
            lines.append(f"{tally.program}:")
            lines += [f"    {n} x {schedule} {found}" for (schedule, found), n in tally.outcomes.most_common()]
    return "\n".join(lines)
