"""Does a program replay exactly? Many programs of a campaign, many fresh processes each, on a loaded machine.

    programs = gather(job, count=200, seconds=60, scratch)     # programs that step three lanes and more
    with busy_loops(2):
        tallies, interrupted = replay_all(job, programs, times=100, workers=2, note=task.note)
    tallies = keep_differing(tallies, out)
    summary(tallies)            # "20000 of 20000 runs as the program's others; 200 of 200 programs the same each time"

Compared are the exit code, the switches, the number of steps, the trace hash, and what was found. A run without an end
is an outcome too; one that could not run, or that says nothing of its schedule (where it must have one), ends the
measurement.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import copy_whole
from refquake_cli.job import Job
from refquake_cli.program_text import complaint
from refquake_cli.replay import judge, run_once
from refquake_cli.reports.schedule import schedule_line
from refquake_cli.sources import DEFAULT_VERSION

LEAST_LANES = 3
RUN_SECONDS = 120


@dataclass(frozen=True)
class Outcome:
    code: int | None  # None: it did not end
    schedule: str = ""  # switches, steps and hash
    found: str = ""  # a signature

    def __str__(self) -> str:
        return "did not end" if self.code is None else f"exit {self.code} {self.schedule} {self.found}".rstrip()


@dataclass
class Tally:
    """One program's runs: how often each outcome came."""

    program: Path
    outcomes: Counter[Outcome] = field(default_factory=Counter)

    @property
    def runs(self) -> int:
        return self.outcomes.total()

    @property
    def same(self) -> int:
        return max(self.outcomes.values())


def gather(job: Job, count: int, seconds: int, scratch: Path) -> list[Path]:
    corpus = scratch / "corpus"
    corpus.mkdir()
    binary = targets.binary_command(job, DEFAULT_VERSION)
    flags = ["--self-proof=0", "--schedule=stepped", f"-max_total_time={seconds}", "-seed=1", "-reduce_inputs=0"]
    code, output = run_once([*binary, *flags, str(corpus)], DEFAULT_VERSION, seconds + RUN_SECONDS)
    if code is None:
        raise CouldNotRun(f"{job.target} {job.title}: did not end {RUN_SECONDS} s after its {seconds} s")
    _check(code, output, job.title)
    found = []
    for path in sorted(corpus.iterdir()):
        code, shown = run_once([*binary, "--self-proof=0", f"--show={path}"], DEFAULT_VERSION, RUN_SECONDS)
        _check(code, shown, f"--show={path.name}")
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


def _check(code: int | None, output: str, what: str) -> None:
    if code not in (0, child.FOUND):
        raise CouldNotRun(f"{what}: exit {code}: {complaint(output)}")


def outcome_of(code: int | None, output: str, may_be_free: bool = False) -> Outcome:
    if code is None:
        return Outcome(None)
    schedule = schedule_line(output)
    report = judge(code, output).report
    if not report and not schedule and not may_be_free:
        raise CouldNotRun("a replay cannot be compared: it said nothing of its schedule")
    return Outcome(code, schedule, report.signature if report else "")


def replay_once(command: list[str], may_be_free: bool = False) -> Outcome:
    code, output = run_once(command, DEFAULT_VERSION, RUN_SECONDS)
    return outcome_of(code, output, may_be_free)


def bare_replay_command(job: Job, program: Path) -> list[str]:
    return [*targets.binary_command(job, DEFAULT_VERSION), "--self-proof=0", f"--replay={program}"]


def replay_all(
    job: Job, programs: list[Path], times: int, workers: int, note: Callable[[str], None]
) -> tuple[list[Tally], bool]:
    """The tallies, and whether it was interrupted: then they are of the programs that were finished."""
    tallies: list[Tally] = []
    stop = threading.Event()

    def tally(program: Path) -> None:
        replay = bare_replay_command(job, program)
        try:
            outcomes = Counter(replay_once(replay) for _ in range(times) if not stop.is_set())
        except BaseException:
            stop.set()
            raise
        if not stop.is_set():
            tallies.append(Tally(program, outcomes))
            note(f"{len(tallies)} of {len(programs)} programs")

    with ThreadPoolExecutor(workers) as pool:
        pending = [pool.submit(tally, program) for program in programs]
        try:
            for one in pending:
                one.result()
        except KeyboardInterrupt:
            return tallies, True
        finally:
            stop.set()
    return tallies, False


def keep_differing(tallies: list[Tally], out: Path) -> list[Tally]:
    """The same tallies; a program whose runs differ lies in `out`, where it stays."""
    kept = []
    for tally in tallies:
        if tally.same < tally.runs:
            out.mkdir(parents=True, exist_ok=True)
            copy_whole(tally.program, out / tally.program.name)
            tally = replace(tally, program=out / tally.program.name)
        kept.append(tally)
    return kept


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
            lines += [f"    {n} x {outcome}" for outcome, n in tally.outcomes.most_common()]
    return "\n".join(lines)
