"""What a part earns: the same plants and seeds with all parts, and without each (or with another choice) in turn.

    rows, interrupted = measure(MUTATOR_ARMS, plants, clean, seeds=range(1, 11), options, workers=2)
    Path("docs/mutators.md").write_text(markdown("What the mutators earn", rows, how))

The first arm is what the others are compared with. MUTATOR_ARMS leaves out each mutator; FEEDBACK_ARMS starts from
nothing but edges and tells libFuzzer of each part alone, and of all; SCHEDULE_ARMS lets lanes run as the program has
it, all free, or all stepped.

A row is one arm. What a plant costs it is all executions of its tries, those that found nothing too, for each try that
reported the plant as an expected kind: the time until a finding, whatever the length of a try. An arm that never found
a plant has a bound instead. A clean build's coverage (libFuzzer's `cov:`) is of the code alone: its features also count
what the harness feeds back, which an arm may switch off.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace

from refquake_cli.campaign import Campaign
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.variant_run import Options

# As harness/core/mutate.cc names them; a test compares the two.
MUTATORS = (
    "insert", "remove", "duplicate", "move", "swap", "argument", "result", "replace", "collide", "split", "merge",
    "barrier", "lane", "grow", "schedule",
)  # fmt: skip


CLEAN_SECONDS = 2  # enough for the coverage of a sample, and not worth what a plant may take


@dataclass(frozen=True)
class Arm:
    name: str
    flags: tuple[str, ...] = ()


@dataclass
class Try:
    executions: int
    seconds: float
    found: bool  # as an expected kind


@dataclass(frozen=True)
class Ratio:
    """`mark`: ">" where the true value is larger, "<" where it is smaller; nan where nothing can be said."""

    value: float
    mark: str = ""

    def __str__(self) -> str:
        return "-" if math.isnan(self.value) else f"{self.mark}{self.value:.2f}"


@dataclass
class Row:
    arm: str
    tries: dict[str, list[Try]] = field(default_factory=dict)  # by plant, one a seed
    coverage: list[int] = field(default_factory=list)  # of the clean builds

    def found(self, plant: str) -> int:
        return sum(one.found for one in self.tries[plant])

    def cost(self, plant: str, measure: str) -> float:
        """`measure` for each finding; where there was none, for what one would have cost at least."""
        return sum(getattr(one, measure) for one in self.tries[plant]) / max(self.found(plant), 1)

    def ratio(self, to: Row, measure: str = "executions") -> Ratio:
        """The geometric mean over the plants that either found of our cost to `to`'s: above 1, this arm costs."""
        plants = [plant for plant in self.tries if self.found(plant) or to.found(plant)]
        marks = {">" if not self.found(plant) else "<" if not to.found(plant) else "" for plant in plants} - {""}
        if not plants or len(marks) == 2:
            return Ratio(math.nan)
        logs = [math.log(self.cost(plant, measure) / to.cost(plant, measure)) for plant in plants]
        return Ratio(math.exp(statistics.fmean(logs)), "".join(marks))

    def add(self, other: Row) -> None:
        self.coverage += other.coverage
        for plant, tries in other.tries.items():
            self.tries.setdefault(plant, []).extend(tries)


def _without(name: str) -> Arm:
    return Arm(f"without {name}", (f"--mutators={','.join(other for other in MUTATORS if other != name)}",))


# As harness/driver/feedback.cc names them; a test compares the two.
FEEDBACK = ("outcomes", "collisions", "shapes", "counts")

MUTATOR_ARMS = [Arm("all"), *map(_without, MUTATORS)]
FEEDBACK_ARMS = [Arm(names, (f"--feedback={names}",)) for names in ("none", *FEEDBACK, ",".join(FEEDBACK))]
SCHEDULE_ARMS = [Arm(mode, (f"--schedule={mode}",)) for mode in ("mixed", "free", "stepped")]


def measure(
    arms: list[Arm], plants: list[Job], clean: list[Job], seeds: Iterable[int], options: Options, workers: int
) -> tuple[list[Row], bool]:
    """The rows, and whether it was interrupted: then they hold the seeds that every arm has finished."""
    rows = [Row(arm.name) for arm in arms]
    for seed in seeds:  # seed by seed, so that what disturbs the machine disturbs all arms alike
        try:
            tried = [_try_arm(arm, plants, clean, replace(options, seed=seed), workers) for arm in arms]
        except KeyboardInterrupt:
            return rows, True
        for row, new in zip(rows, tried, strict=True):
            row.add(new)
    return rows, False


def _try_arm(arm: Arm, plants: list[Job], clean: list[Job], options: Options, workers: int) -> Row:
    row = Row(arm.name)
    for jobs, seconds in ((plants, options.seconds), (clean, min(options.seconds, CLEAN_SECONDS))):
        campaign = Campaign(jobs, replace(options, flags=arm.flags, seconds=seconds), workers)
        campaign.run()
        if campaign.interrupted:
            raise KeyboardInterrupt
        for run in campaign.runs:
            _count(row, run, is_plant=jobs is plants)
    return row


def _count(row: Row, run, is_plant: bool) -> None:
    name = f"{run.job.target}/{run.job.variant}"
    if run.outcome.state == "could not run":
        raise CouldNotRun(f"{name} under {run.job.flavour}, {row.arm}: {run.outcome.problem}")
    if not is_plant:
        row.coverage.append(run.coverage)
        return
    found = run.outcome.state == "finding" and run.outcome.kind in run.job.expected
    row.tries.setdefault(name, []).append(Try(max(run.executions, 1), run.seconds, found))


def markdown(title: str, rows: list[Row], how: str) -> str:
    base = rows[0]
    plants = list(base.tries)
    lines = [
        f"# {title}",
        "",
        how,
        "",
        "A cell has the executions and seconds of all tries for each one that reported the plant as expected, and "
        "how many did; '>': none did, and one would have cost more. *Ratio*: the geometric mean, over the plants, of "
        f"executions (of seconds) to those of the row '{base.arm}'; above 1, it costs. '>': it is larger, as this row "
        f"never found some plant; '<': smaller, as '{base.arm}' never found some; '-': both, or nothing was found. "
        "*Coverage*: the median, as libFuzzer counts it (`cov:`), that a clean build "
        f"reached in {CLEAN_SECONDS} s.",
        "",
        f"| | ratio | of seconds | coverage | {' | '.join(plants)} |",
        f"| --- | ---: | ---: | ---: | {' | '.join('---:' for _ in plants)} |",
    ]
    for row in sorted(rows, key=lambda row: (row is not base, _order(row.ratio(base)))):
        coverage = f"{statistics.median(row.coverage):.0f}" if row.coverage else "-"
        cells = [str(row.ratio(base)), str(row.ratio(base, "seconds")), coverage, *(_cell(row, p) for p in plants)]
        lines.append(f"| {row.arm} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _order(ratio: Ratio) -> float:
    """What costs most comes first, what nothing is known of last."""
    return math.inf if math.isnan(ratio.value) else -ratio.value


def _cell(row: Row, plant: str) -> str:
    found, tries = row.found(plant), len(row.tries[plant])
    bound = "" if found else ">"
    costs = f"{bound}{row.cost(plant, 'executions'):.0f}, {bound}{row.cost(plant, 'seconds'):.1f} s"
    return f"{costs} ({found} of {tries})"


def json_text(rows: list[Row]) -> str:
    return json.dumps([asdict(row) for row in rows], indent=1) + "\n"
