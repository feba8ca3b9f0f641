"""Ground truth: every plant, many seeds; how often it is found, as what, how fast, and what else finds it.

    jobs = plan_truth([("node", None), ("ring", "lock_order")], flavours, every_flavour=False)
    rows, interrupted = measure(jobs, seeds=range(1, 11), options, workers=2)
    Path("docs/ground-truth.md").write_text(markdown(rows, control, how))

A row is one plant under one flavour. Beside refquake's own runs stand, on the same builds and interpreters: the same
fuzz loop without oracles; the sample's hand-written check (tests/samples/checks), which runs its methods in pairs of
threads and counts references, as the free-threading guide has it; and pytest-run-parallel over the sample's ordinary
test-suite (tests/samples/suites).

A control row closes the table: the clean build passed off as a plant. It must be found by nobody, the rivals included,
or the bench is broken.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace

from refquake_cli import targets, truth_rivals
from refquake_cli.campaign import Campaign
from refquake_cli.errors import CouldNotRun
from refquake_cli.fuzz_plan import plant_jobs
from refquake_cli.job import Job
from refquake_cli.variant_run import Options


REACHED, TRIGGERED = 1, 2  # as targets/plant.h tells them


@dataclass
class Row:
    target: str
    plant: str
    flavour: str
    profile: str
    expected: list[str]
    tries: int = 0
    reached: int = 0  # the planted line ran, as the plant itself tells
    triggered: int | None = 0  # and something went wrong by it; none: the plant cannot tell
    found: int = 0  # reported as an expected kind
    other: int = 0  # as another kind
    kinds: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    executions: list[int] = field(default_factory=list)
    without_oracles: str = ""  # "k of n, median s"
    by_hand: str = ""
    run_parallel: str = ""

    @property
    def silent(self) -> bool:
        """It was tried, and nobody reported anything, as it must be where nothing is planted."""
        rivals = (self.without_oracles, self.by_hand, self.run_parallel)
        return (
            self.tries > 0
            and self.found + self.other == 0
            and all(not tally or tally.startswith("0 of ") for tally in rivals)
        )

    @property
    def key(self) -> tuple[str, str, str]:
        return self.target, self.plant, self.flavour


def plan_truth(chosen: Iterable[tuple[str, str | None]], flavours: list[str], every_flavour: bool) -> list[Job]:
    """The plants named, or all of a target's: each under the first flavour that can find it, or under every one."""
    jobs = [job for target, plant in chosen for job in plant_jobs(target, None, flavours, plant)]
    first = {(job.target, job.variant): job for job in reversed(jobs)}
    return jobs if every_flavour else [job for job in jobs if first[job.target, job.variant] is job]


def control_job(flavour: str) -> Job:
    return Job("node", targets.CLEAN, flavour, "lifecycle", ("missed-visit",))


def measure(jobs: list[Job], seeds: Iterable[int], options: Options, workers: int) -> tuple[list[Row], bool]:
    """The rows, and whether it was interrupted: then a row has the tries that ended before."""
    rows = {(j.target, j.variant, j.flavour): _new_row(j) for j in jobs}
    for seed in seeds:
        try:
            campaign = Campaign(jobs, replace(options, seed=seed), workers)
            campaign.run()
        except KeyboardInterrupt:  # between two campaigns
            return list(rows.values()), True
        for run in campaign.runs:
            _count(rows[run.job.target, run.job.variant, run.job.flavour], run)
        if campaign.interrupted:
            return list(rows.values()), True
    return list(rows.values()), False


def _new_row(job: Job) -> Row:
    silent = any(plant.name == job.variant and not plant.tells for plant in targets.plants_of(job.target, job.flavour))
    triggered = None if silent else 0
    return Row(job.target, job.variant, job.flavour, job.profile, list(job.expected), triggered=triggered)


def _count(row: Row, run) -> None:
    if run.outcome.state == "could not run":
        raise CouldNotRun(f"{row.target}/{row.plant} under {row.flavour}: {run.outcome.problem}")
    if run.outcome.state == "stopped":
        return
    row.tries += 1
    row.reached += run.planted >= REACHED
    if row.triggered is not None:
        row.triggered += run.planted >= TRIGGERED
    if run.outcome.state != "finding":
        return
    kind = run.outcome.kind
    if kind not in row.kinds:
        row.kinds.append(kind)
    if run.outcome.finding and run.outcome.finding.signature not in row.signatures:
        row.signatures.append(run.outcome.finding.signature)
    if kind in row.expected:
        row.found += 1
        row.seconds.append(round(run.seconds, 2))
        row.executions.append(run.executions)
    else:
        row.other += 1


def add_rivals(rows: list[Row], jobs: list[Job], seconds: int, tries: int, workers: int) -> None:
    """What others find in the same time; each in its own column."""

    def try_all(job: Job) -> None:
        row = next(r for r in rows if r.key == (job.target, job.variant, job.flavour))
        row.without_oracles = truth_rivals.without_oracles(job, seconds, tries)
        row.by_hand = truth_rivals.by_hand(job, seconds, tries)
        row.run_parallel = truth_rivals.run_parallel(job, seconds, tries)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(try_all, jobs))


def _median(values: list[float]) -> str:
    return f"{statistics.median(values):.1f}" if values else "-"


_COLUMNS = (
    "target", "plant", "flavour", "profile", "reached", "triggered", "reported", "kinds", "other kinds", "median s",
    "worst s", "median executions", "loop without oracles", "check by hand", "pytest-run-parallel",
)  # fmt: skip


def _cells(row: Row) -> list[str]:
    expected = [kind for kind in row.kinds if kind in row.expected]
    others = [kind for kind in row.kinds if kind not in row.expected]
    return [
        row.target, row.plant, row.flavour, row.profile,
        *("-" if n is None else f"{n} of {row.tries}" for n in (row.reached, row.triggered, row.found)),
        ", ".join(expected) or "-", f"{', '.join(others)} ({row.other})" if others else "-",
        _median(row.seconds), f"{max(row.seconds):.1f}" if row.seconds else "-", _median(row.executions),
        *(tally or "not run" for tally in (row.without_oracles, row.by_hand, row.run_parallel)),
    ]  # fmt: skip


def markdown(rows: list[Row], control: Row, how: str) -> str:
    lines = [
        "# Ground truth",
        "",
        how,
        "",
        "*Reached*: in how many tries a program ran the planted line; *triggered*: and something went wrong by it, as "
        "the plant itself tells ('-': it cannot); *reported*: in how many it was reported, as a kind expected of the "
        "plant; *other kinds*: as what else, and how often. "
        "Median and worst are over the tries that reported it: the others took all their time or ended otherwise.",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"| {' | '.join('---' for _ in _COLUMNS)} |",
    ]
    lines += [f"| {' | '.join(_cells(row))} |" for row in [*rows, control]]
    return "\n".join([*lines, "", summary(rows, control), ""])


def summary(rows: list[Row], control: Row) -> str:
    tries, found = sum(r.tries for r in rows), sum(r.found for r in rows)
    always = sum(r.tries > 0 and r.found == r.tries for r in rows)
    seconds = [s for r in rows for s in r.seconds]
    verdict = "silent, as it must be" if control.silent else "FOUND: this bench is broken"
    if not control.tries:
        verdict = "not tried"
    return (
        f"{always} of {len(rows)} rows reported in every try, {found} of {tries} tries; "
        f"median {_median(seconds)} s. The control was {verdict}."
    )


def json_text(rows: list[Row], control: Row) -> str:
    return json.dumps([asdict(row) for row in [*rows, control]], indent=1) + "\n"
