"""What a part earns: the same plants and seeds with all parts, and without each (or with another choice) in turn.

    rows = measure(MUTATOR_ARMS, plants, clean, seeds=range(1, 11), options, workers=2)
    Path("docs/mutators.md").write_text(markdown("What the mutators earn", rows, how))

The first arm is what the others are compared with. MUTATOR_ARMS leaves out each mutator, and the feedback;
SCHEDULE_ARMS lets lanes run as the program has it, all free, or all stepped.

A row is one arm. It has the executions to each plant's report (a try that found nothing counts as the executions it
made: the true number is larger), and the features, as libFuzzer counts them, that a clean build reached in the time.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from refquake_cli.campaign import Campaign
from refquake_cli.job import Job
from refquake_cli.variant_run import Options

# As harness/core/mutate.cc names them; a test compares the two.
MUTATORS = (
    "insert", "remove", "duplicate", "move", "swap", "argument", "result", "replace", "collide", "split", "merge",
    "barrier", "lane", "grow", "schedule",
)  # fmt: skip


@dataclass(frozen=True)
class Arm:
    name: str
    flags: tuple[str, ...] = ()


@dataclass
class Row:
    arm: str
    executions: dict[str, list[int]] = field(default_factory=dict)  # by plant, one number a seed
    seconds: dict[str, list[float]] = field(default_factory=dict)  # likewise
    found: dict[str, int] = field(default_factory=dict)
    features: list[int] = field(default_factory=list)

    def ratio(self, to: Row, measure: str = "executions") -> float:
        """The geometric mean over plants and seeds of our numbers to `to`'s: above 1, this arm costs."""
        theirs = getattr(to, measure)
        logs = [
            math.log(mine / other)
            for plant, ours in getattr(self, measure).items()
            for mine, other in zip(ours, theirs[plant], strict=True)
        ]
        return math.exp(statistics.fmean(logs)) if logs else math.nan


def _without(name: str) -> Arm:
    return Arm(f"without {name}", (f"--mutators={','.join(other for other in MUTATORS if other != name)}",))


MUTATOR_ARMS = [Arm("all"), *map(_without, MUTATORS), Arm("without feedback", ("--feedback=0",))]
SCHEDULE_ARMS = [Arm(mode, (f"--schedule={mode}",)) for mode in ("mixed", "free", "stepped")]


def measure(
    arms: list[Arm], plants: list[Job], clean: list[Job], seeds: Iterable[int], options: Options, workers: int
) -> list[Row]:
    rows = {arm.name: Row(arm.name) for arm in arms}
    for seed in seeds:
        for arm in arms:  # seed by seed, so that what disturbs the machine disturbs all arms alike
            campaign = Campaign([*plants, *clean], replace(options, seed=seed, flags=arm.flags), workers)
            campaign.run()
            if campaign.interrupted:
                return [row for row in rows.values() if row.features]
            for run in campaign.runs:
                _count(rows[arm.name], run, is_plant=run.job in plants)
    return list(rows.values())


def _count(row: Row, run, is_plant: bool) -> None:
    if not is_plant:
        row.features.append(run.features)
        return
    name = f"{run.job.target}/{run.job.variant}"
    row.executions.setdefault(name, []).append(max(run.executions, 1))
    row.seconds.setdefault(name, []).append(run.seconds)
    row.found[name] = row.found.get(name, 0) + (run.outcome.state == "finding")


def markdown(title: str, rows: list[Row], how: str) -> str:
    base = rows[0]
    plants = list(base.executions)
    lines = [
        f"# {title}",
        "",
        how,
        "",
        "A cell is the median of executions to the report and of seconds, and in how many tries it came. *Ratio*: the "
        f"geometric mean, over all plants and seeds, of executions (of seconds) to those of the row '{base.arm}'; above "
        "1, it costs. *Features*: the median, as libFuzzer counts them, that a clean build reached in the same time.",
        "",
        f"| | ratio | of seconds | features | {' | '.join(plants)} |",
        f"| --- | ---: | ---: | ---: | {' | '.join('---:' for _ in plants)} |",
    ]
    for row in sorted(rows, key=lambda row: (row is not base, -row.ratio(base))):
        cells = [
            f"{statistics.median(row.executions[p]):.0f}, {statistics.median(row.seconds[p]):.1f} s ({row.found[p]})"
            for p in plants
        ]
        features = f"{statistics.median(row.features):.0f}" if row.features else "-"
        ratios = f"{row.ratio(base):.2f} | {row.ratio(base, 'seconds'):.2f}"
        lines.append(f"| {row.arm} | {ratios} | {features} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def write_json(path: Path, rows: list[Row]) -> None:
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    beside.replace(path)
