"""What becomes of each finding: found, minimised, and its artefact replayed again and again.

    rows, interrupted = measure(jobs, options, replays=100, workers=2, progress)
    Path("reproducers.md").write_text(markdown(rows, how))

A row is one plant under one flavour. *Exact*: how many of the replays of the artefact, as it was found, ended the same
way (exit code, switches, trace hash, signature) and with a finding; lanes that run free need not. Which, a fresh
process says: a campaign's own report may be another. *Switches*: of the minimised program; none where it is free.
*Lines*: whether the minimised program's report names a line of the extension.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from refquake_cli import replays as replaying
from refquake_cli.artefact import Artefact, Overrides, open_artefact
from refquake_cli.campaign import Campaign
from refquake_cli.console import Progress
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.job import Job
from refquake_cli.minimize import Minimized, minimize
from refquake_cli.minimize_passes import switches_of
from refquake_cli.program_model import FREE
from refquake_cli.replay import replay_command
from refquake_cli.reports import Report
from refquake_cli.switch_places import told_switches
from refquake_cli.variant_run import Options, VariantRun

MINIMIZE_TIMES = 5


@dataclass
class Row:
    target: str
    plant: str
    flavour: str
    profile: str
    outcome: str  # how the campaign ended: "finding", "clean", ...
    kind: str = ""
    expected: bool = False
    executions: int = 0
    seconds: float = 0.0  # to the finding
    problem: str = ""  # why it could not be minimised or replayed
    ops: tuple[int, int] = (0, 0)  # before and after
    lanes: int = 0
    schedule: str = ""  # of the minimised program: free, a policy, or replay(...)
    switches: int | None = None  # none where it is no list of them
    lines: bool = False
    minimize_seconds: float = 0.0
    rate: str = ""  # of the minimised program
    exact: int = 0
    replays: int = 0


def measure(jobs: list[Job], options: Options, replays: int, workers: int) -> tuple[list[Row], bool]:
    """The rows, and whether it was interrupted: then they hold what was finished."""
    campaign = Campaign(jobs, options, workers)
    campaign.run()
    rows: list[Row] = []
    if campaign.interrupted:
        return rows, True
    try:
        with Progress() as progress:
            for run in campaign.runs:
                task = progress.task(f"{run.job.target} {run.job.title}")
                rows.append(_row(run, replays, workers, task, options.version))
                task.done(f"{rows[-1].ops[1]} ops, {rows[-1].exact} of {rows[-1].replays} exact")
    except KeyboardInterrupt:
        return rows, True
    return rows, False


def _row(run: VariantRun, replays: int, workers: int, task, version: str) -> Row:
    job, outcome = run.job, run.outcome
    row = Row(job.target, job.variant, job.flavour, job.profile, outcome.state)
    row.executions, row.seconds = run.executions, run.seconds
    if outcome.state == "could not run":
        raise CouldNotRun(f"{job.target} {job.title}: {outcome.problem}")
    if outcome.state != "finding" or not outcome.folder:
        return row
    row.kind, row.expected = outcome.kind, outcome.kind in job.expected
    artefact = open_artefact(outcome.folder, Overrides())
    started = time.monotonic()
    try:
        _tell(row, minimize(artefact, outcome.folder / "minimized.prog", MINIMIZE_TIMES, task))
        row.minimize_seconds = time.monotonic() - started
        task.step("replay")
        _replay(row, artefact, replays, workers)
    except (CouldNotRun, WrongUse) as error:  # the others are worth having
        row.problem = str(error)
    return row


def _tell(row: Row, result: Minimized) -> None:
    switches = switches_of(result.program)
    row.ops = (len(result.original.ops), len(result.program.ops))
    row.lanes = result.program.max_lanes
    row.schedule = result.program.schedule
    row.switches = None if switches is None else len(switches)
    row.rate = str(result.measured)
    row.lines = _names_line(row.target, result.measured.report)


def _names_line(target: str, report: Report | None) -> bool:
    said = "\n".join([report.text, *told_switches(report.text)]) if report else ""
    return bool(re.search(rf"\b{target}\w*\.\w+:\d+", said))


def _replay(row: Row, artefact: Artefact, replays: int, workers: int) -> None:
    with ThreadPoolExecutor(workers) as pool:
        command = [*replay_command(artefact), "--self-proof=0"]
        outcomes = list(pool.map(lambda _: replaying.replay_once(command, may_be_free=True), range(replays)))
    row.replays = replays
    row.exact = max((outcomes.count(one) for one in set(outcomes) if one.found), default=0)


_COLUMNS = (
    "target", "plant", "flavour", "profile", "found as", "expected", "executions", "s", "ops", "lanes", "switches",
    "lines", "minimise s", "rate", "exact",
)  # fmt: skip


def markdown(title: str, rows: list[Row], how: str) -> str:
    rule = ["---" for _ in _COLUMNS]
    lines = [f"# {title}", "", how, "", _cells(_COLUMNS), _cells(rule), *map(_line, rows)]
    return "\n".join([*lines, "", summary(rows), ""])


def _line(row: Row) -> str:
    start = [row.target, row.plant, row.flavour, row.profile]
    if not row.kind:
        return _cells([*start, f"- ({row.outcome})", "", row.executions, f"{row.seconds:.1f}", *[""] * 7])
    found = [row.kind, _yes(row.expected), row.executions, f"{row.seconds:.1f}"]
    exact = f"{row.exact} of {row.replays}"
    if not row.rate:
        return _cells([*start, *found, row.problem, "", "", "", f"{row.minimize_seconds:.1f}", "", exact])
    switches = row.schedule if row.switches is None else row.switches
    small = [f"{row.ops[0]} to {row.ops[1]}", row.lanes, switches, _yes(row.lines), f"{row.minimize_seconds:.1f}"]
    return _cells([*start, *found, *small, row.rate, exact])


def _cells(cells: Iterable) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def summary(rows: list[Row]) -> str:
    found, small = [row for row in rows if row.kind], [row for row in rows if row.rate]
    if not small:
        return f"{len(found)} of {len(rows)} found, none minimised"
    ops = [row.ops[1] for row in small]
    median = statistics.median(row.minimize_seconds for row in small)
    stepped = [row for row in small if row.schedule != FREE]
    few = sum(row.switches is not None and row.switches <= 2 for row in stepped)
    exact, replays = sum(row.exact for row in found), sum(row.replays for row in found)
    always = sum(0 < row.exact == row.replays for row in found)
    return (
        f"{len(found)} of {len(rows)} found; of {len(small)} minimised, {sum(n <= 8 for n in ops)} have at most 8 ops "
        f"and {sum(n <= 5 for n in ops)} at most 5, in a median of {median:.1f} s; {few} of "
        f"{len(stepped)} stepped ones have at most 2 switches; {exact} of {replays} replays exact, "
        f"{always} of {len(found)} each time"
    )


def json_text(rows: list[Row]) -> str:
    return json.dumps([asdict(row) for row in rows], indent=1) + "\n"
