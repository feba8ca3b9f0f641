"""Reads a campaign out of the store: its findings, its last night beside the one before, what was not reached.

report = gather(store)
report.night.number, report.findings[0].row, report.targets[0].plots
"""

import subprocess
import time
from dataclasses import dataclass

from refquake_cli.commands.triage import rate_of
from refquake_cli.errors import RefquakeError
from refquake_cli.program_model import Program, parse_program
from refquake_cli.publish.pictures import Series, graph_svg, lanes_svg, plot_svg
from refquake_cli.publish.stacks import Stack, racing_ops, stacks_of
from refquake_cli.store import Function, Row, Store, Turn


@dataclass(frozen=True)
class FindingPage:
    row: Row
    rate: float | None
    tonight: int
    compared: str  # "new tonight", "seen again", "not seen tonight"
    stacks: list[Stack]
    lanes: str = ""
    graph: str = ""
    graph_caption: str = ""
    races: bool = False


@dataclass(frozen=True)
class Night:
    number: int
    started: float
    seconds: float
    cut_off: bool
    turns: list[Turn]
    findings: dict[int, int]

    @property
    def executions(self) -> int:
        return sum(turn.executions for turn in self.turns)

    def coverage(self, target: str) -> int:
        return max((turn.coverage for turn in self.turns if turn.target == target), default=0)


@dataclass(frozen=True)
class TargetPage:
    name: str
    executions: int
    coverage: int
    arms: list[str]
    plots: list[tuple[str, str]]
    unreached: list[Function]
    functions: int


@dataclass(frozen=True)
class Report:
    made: float
    night: Night | None
    before: Night | None
    findings: list[FindingPage]
    targets: list[TargetPage]


def gather(store: Store) -> Report:
    nights = [_night(store, *entry) for entry in store.nights()[:2]]
    night, before = (nights + [None, None])[:2]
    executions = store.executions()
    findings = [_finding(row, rate_of(row, executions), night) for row in store.findings()]
    targets = _targets(store, night) if night else []
    return Report(time.time(), night, before, findings, targets)


def _night(store: Store, number: int, started: float, ended: float | None) -> Night:
    turns = store.turns(number)
    last = max((turn.started + turn.seconds for turn in turns), default=started)
    return Night(number, started, (ended or last) - started, ended is None, turns, store.night_findings(number))


def _finding(row: Row, rate: float | None, night: Night | None) -> FindingPage:
    tonight = night.findings.get(row.id, 0) if night else 0
    fresh = night is not None and row.first_seen >= night.started
    compared = "new tonight" if tonight and fresh else "seen again" if tonight else "not seen tonight"
    program = _program(row.program)
    if program is None or not program.phases:
        return FindingPage(row, rate, tonight, compared, stacks_of(row.report))
    races = racing_ops(program, row.report) if row.kind == "data-race" else {}
    graph, caption = _graph(program, row)
    return FindingPage(
        row, rate, tonight, compared, stacks_of(row.report), lanes_svg(program, races), graph, caption, bool(races)
    )


def _program(text: str) -> Program | None:
    try:
        return parse_program(text) if text else None
    except RefquakeError:
        return None  # written by a binary of another version: shown as text only


def _graph(program: Program, row: Row) -> tuple[str, str]:
    """Needs the target's op table, and so its binary: a report of findings from elsewhere has no graph."""
    from refquake_cli.job import Job
    from refquake_cli.op_list import op_list

    try:
        job = Job(row.target, row.variant, row.flavour, row.profile, recipe=row.recipe, release=row.release)
        return graph_svg(program, op_list(job, row.version))
    except (RefquakeError, OSError, subprocess.SubprocessError):
        return "", "not drawn: the target's fuzz binary is not built here"


def _targets(store: Store, night: Night) -> list[TargetPage]:
    functions = store.functions(night.number)
    names = list(dict.fromkeys(turn.target for turn in night.turns))
    return [_target(name, night, [f for f in functions if f.target == name]) for name in names]


def _target(name: str, night: Night, functions: list[Function]) -> TargetPage:
    turns = [turn for turn in night.turns if turn.target == name]
    arms = list(dict.fromkeys(_arm(turn) for turn in turns))
    reached = {(f.function, f.file) for f in functions if f.reached}
    every = {(f.function, f.file): f for f in functions}
    unreached = [
        f for key, f in sorted(every.items(), key=lambda item: (item[0][1], item[1].line)) if key not in reached
    ]
    plots = [
        ("coverage", plot_svg(_series(turns, arms, night, _coverage), "coverage", night.seconds)),
        ("executions", plot_svg(_series(turns, arms, night, _executions), "executions", night.seconds)),
    ]
    return TargetPage(name, sum(t.executions for t in turns), night.coverage(name), arms, plots, unreached, len(every))


def _arm(turn: Turn) -> str:
    return f"{turn.variant} {turn.flavour} {turn.profile}"


def _coverage(value: float, turn: Turn) -> float:
    return max(value, turn.coverage)


def _executions(value: float, turn: Turn) -> float:
    return value + turn.executions


def _series(turns: list[Turn], arms: list[str], night: Night, grow) -> list[Series]:
    series = []
    for arm in arms:
        value, points = 0.0, [(0.0, 0.0)]
        for turn in (turn for turn in turns if _arm(turn) == arm):
            start = min(max(0.0, turn.started - night.started), night.seconds)
            points.append((start, value))
            value = grow(value, turn)
            points.append((min(start + turn.seconds, night.seconds), value))
        series.append(Series(arm, sorted(points)))
    return series
