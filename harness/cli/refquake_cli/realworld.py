"""Fuzzes one subject after the other for a while each, past what it found already, and sums up.

    row = run_subject(Subject("multidict==6.4.3", "multidict==6.4.3"), settings)
    row.state, row.types, row.ops, row.success, row.findings

A run ends at its first finding, so a subject gets several, each with another seed, until its time is up. What comes up
again is counted, not listed twice. A call that crashes or hangs in discovery is a finding, and left out from then on:
first with its arguments only. One that ends the process is only left out.
Inputs that ran out of memory or did not end are counted apart: `x *= 2` and `x.extend(iter(x))` are no bugs.
"""

import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from refquake_cli import targets
from refquake_cli.added import find_added
from refquake_cli.attribution import owner_of
from refquake_cli.discover import discover
from refquake_cli.errors import CouldNotRun, RefquakeError
from refquake_cli.findings import PROGRAM, REPORT
from refquake_cli.job import Job
from refquake_cli.realworld_list import Subject
from refquake_cli.reports.trial import Trial, trial_of
from refquake_cli.scratch import scratch_folder
from refquake_cli.variant_run import Options, VariantRun

MOST_RUNS = 40
POLL_SECONDS = 0.2
_NAME = re.compile(r"[\w.]*")  # of a call that was left out
_RESOURCES = {"out-of-memory", "allocation-too-big", "long-run"}


@dataclass(frozen=True)
class Settings:
    flavour: str
    profile: str
    seconds: int
    version: str
    out: Path


@dataclass
class Seen:
    signature: str
    owner: str
    times: int
    after: float  # seconds of fuzzing before it came up first
    folder: str
    program: str
    trial: str = ""


@dataclass
class Row:
    target: str
    state: str = "ran"  # or why not
    types: int = 0
    ops: int = 0
    ok: int = 0
    raised: int = 0
    skipped: int = 0
    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    gil: str = "off"
    resources: int = 0  # inputs that asked for too much, or did not end
    left_out: list[str] = field(default_factory=list)
    findings: list[Seen] = field(default_factory=list)

    @property
    def success(self) -> float:
        return self.ok / max(1, self.ok + self.raised + self.skipped)


def run_subject(subject: Subject, settings: Settings) -> Row:
    row = Row(subject.target)
    try:
        _prepare(subject, settings, row)
        _fuzz(subject, settings, row)
    except RefquakeError as error:
        row.state = str(error)
    return row


def _prepare(subject: Subject, settings: Settings, row: Row) -> None:
    if subject.requirement and not find_added(subject.target, settings.flavour, settings.version):
        from refquake_cli.add import add_package

        name, _, release = subject.requirement.partition("==")
        add_package(settings.flavour, settings.version, subject.requirement, name, release, list(subject.dependencies))
    if added := find_added(subject.target, settings.flavour, settings.version):
        row.gil = "off" if added.gil_off else "forced off"


def _fuzz(subject: Subject, settings: Settings, row: Row) -> None:
    recipe = targets.recipe_of(subject.target, settings.flavour, settings.version)
    job = Job(subject.target, targets.CLEAN, settings.flavour, settings.profile, recipe=recipe)
    listed = False
    for number in range(1, MOST_RUNS + 1):
        left = settings.seconds - row.seconds
        if left < 2:
            break
        with scratch_folder("realworld") as scratch:
            known = scratch / "known.txt"
            known.write_text("".join(f"{seen.signature}\n" for seen in row.findings), encoding="utf-8")
            options = Options(int(left), number, settings.version, settings.out, known=known)
            run = VariantRun(job, options, scratch / "run")
            run.start()
            while not run.poll():
                time.sleep(POLL_SECONDS)
        before = row.seconds
        _add_up(run, row)
        if run.outcome.state == "could not run":
            if not run.outcome.trial or run.outcome.trial in row.left_out:
                row.state = run.outcome.problem
                return
            job = _leave_out(run.outcome.trial, job, row)
        if run.outcome.finding:
            job = _note_finding(run, job, row, before)
        if not listed and run.executions:  # with what ends discovery left out, it comes to its end
            found = discover(job, settings.version)
            row.types, row.ops, listed = len(found.types), len(found.ops), True


def _add_up(run: VariantRun, row: Row) -> None:
    row.executions += run.executions
    row.ok += run.operations
    row.raised += run.raised
    row.skipped += run.skipped
    if run.executions:  # what discovery took does not count
        row.seconds += run.seconds
    row.coverage = max(row.coverage, run.coverage)


def _note_finding(run: VariantRun, job: Job, row: Row, before: float) -> Job:
    """The job to go on with: without the call that ended discovery, if that is what happened."""
    finding, folder = run.outcome.finding, run.outcome.folder
    assert finding and folder
    text = (folder / REPORT).read_text(encoding="utf-8", errors="replace")
    trial = trial_of(text)
    if trial:
        job = _leave_out(_narrowest(trial, row), job, row)
    elif finding.kind in _RESOURCES:
        row.resources += 1
        return job
    for seen in row.findings:
        if seen.signature == finding.signature:
            seen.times += 1
            return job
    owner = owner_of(text, finding.kind, finding.signature, run.job.target)
    program = (folder / PROGRAM).read_text(encoding="utf-8") if (folder / PROGRAM).exists() else ""
    after = round(before + run.seconds, 1)
    row.findings.append(Seen(finding.signature, owner, 1, after, folder.name, program, trial.name if trial else ""))
    return job


def _narrowest(trial: Trial, row: Row) -> str:
    """The call with its arguments: others may show other bugs. Its name, once two calls of it failed, or one hung."""
    if trial.name in row.left_out:
        raise CouldNotRun(f"{trial.call} ends discovery, though it is left out")
    tried = any(_NAME.match(left_out)[0] == trial.name for left_out in row.left_out)
    return trial.name if tried or trial.hangs else trial.call


def _leave_out(name: str, job: Job, row: Row) -> Job:
    row.left_out.append(name)
    return replace(job, recipe=job.recipe.without(row.left_out))
