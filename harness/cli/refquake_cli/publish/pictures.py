"""Pictures as SVG text: a program's lanes, its object graph, numbers over time. Colours come from the page's style.

lanes_svg(program, {(1, 0, 2): 1})       # phase 1, lane 0, op 2 is access 1 of a race
plot_svg([Series("threads tsan", [(0.0, 10), (60.0, 25)])], "coverage")
"""

import math
from dataclasses import dataclass
from html import escape

from refquake_cli.graph import graph_before_last_phase
from refquake_cli.graph_draw import draw
from refquake_cli.op_list import OpList
from refquake_cli.program_model import Program
from refquake_cli.scratch import scratch_folder

ROW, GAP, TOP, CHARACTER = 24, 12, 24, 7.3
COLOURS = 6  # series colours the style knows


def lanes_svg(program: Program, accesses: dict[tuple[int, int, int], int]) -> str:
    """Phases from top to bottom, lanes side by side, time downwards."""
    longest = max((len(str(op)) for op in program.ops), default=10)
    column = max(120, int(longest * CHARACTER) + 56)
    width = 64 + program.max_lanes * (column + GAP)
    parts, y = [], 8
    for at, phase in enumerate(program.phases):
        rows = max(len(lane) for lane in phase)
        height = TOP + rows * ROW + 10
        parts.append(f'<text class="phase" x="8" y="{y + 16}">phase {at}</text>')
        for number, lane in enumerate(phase):
            x = 64 + number * (column + GAP)
            parts.append(f'<rect class="lane" x="{x}" y="{y}" width="{column}" height="{height}" rx="6"/>')
            parts.append(f'<text class="lane-name" x="{x + 8}" y="{y + 16}">lane {number}</text>')
            for index, op in enumerate(lane):
                parts.append(
                    _op(str(op), x + 6, y + TOP + index * ROW, column - 12, accesses.get((at, number, index), 0))
                )
        y += height + 6
        parts.append(f'<line class="barrier" x1="8" x2="{width - 8}" y1="{y}" y2="{y}"/>')
        y += 8
    title = f"{len(program.phases)} phases, up to {program.max_lanes} lanes"
    return _svg("lanes", width, y, title, parts)


def _op(text: str, x: int, y: int, width: int, access: int) -> str:
    marked = f" access access-{access}" if access else ""
    mark = (
        f'<text class="mark" x="{x + width - 6}" y="{y + 15}" text-anchor="end">{"①②"[access - 1]}</text>'
        if access
        else ""
    )
    return (
        f'<g class="op{marked}"><rect x="{x}" y="{y}" width="{width}" height="{ROW - 4}" rx="3"/>'
        f'<text x="{x + 6}" y="{y + 14}">{escape(text)}</text>{mark}</g>'
    )


def _svg(kind: str, width: float, height: float, title: str, parts: list[str]) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def graph_svg(program: Program, table: OpList) -> tuple[str, str]:
    """The object graph before the last phase: (SVG or "", caption). Without Graphviz the caption lists it."""
    graph, when = graph_before_last_phase(program, table)
    with scratch_folder("graph") as folder:
        path = folder / "graph.svg"
        if draw(graph, "", path):  # why not
            return "", f"{when}: " + "; ".join(graph.listing())
        text = path.read_text(encoding="utf-8")
    # Graphviz writes black on white; the page is light or dark.
    text = text[text.index("<svg") :].replace('fill="white"', 'fill="none"').replace('"black"', '"currentColor"')
    return text.replace("<svg ", '<svg class="graph" ', 1), when


@dataclass(frozen=True)
class Series:
    name: str
    points: list[tuple[float, float]]  # seconds since the night began, value; in order of time


PLOT_WIDTH, PLOT_HEIGHT, LEFT, RIGHT, BOTTOM = 560, 220, 58, 12, 30


def plot_svg(series: list[Series], what: str, seconds: float) -> str:
    top = nice_ceiling(max((value for one in series for _, value in one.points), default=1))
    seconds = max(seconds, 1)
    inner_width, inner_height = PLOT_WIDTH - LEFT - RIGHT, PLOT_HEIGHT - BOTTOM - 10

    def place(at: float, value: float) -> tuple[float, float]:
        return LEFT + at / seconds * inner_width, 10 + inner_height * (1 - value / top)

    parts = []
    for step in range(5):
        _, y = place(0, top * step / 4)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{PLOT_WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(top * step / 4)}</text>'
        )
    for step in range(5):
        x, _ = place(seconds * step / 4, 0)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{PLOT_HEIGHT - 10}" text-anchor="middle">'
            f"{clock(seconds * step / 4)}</text>"
        )
    for number, one in enumerate(series):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(at, value) for at, value in one.points))
        parts.append(
            f'<polyline class="series series-{number % COLOURS}" points="{places}">'
            f"<title>{escape(one.name)}</title></polyline>"
        )
    return _svg("plot", PLOT_WIDTH, PLOT_HEIGHT, f"{what} over time", parts)


def nice_ceiling(value: float) -> float:
    """The next of 4, 8, 20, 40, 80, 200, ...: four steps of round numbers."""
    if value <= 4:
        return 4
    unit = 10 ** math.floor(math.log10(value))
    return next(unit * factor for factor in (2, 4, 8, 20) if unit * factor >= value)


def short(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def clock(seconds: float) -> str:
    minutes = int(seconds) // 60
    return (
        f"{minutes // 60}:{minutes % 60:02}:{int(seconds) % 60:02}"
        if minutes >= 60
        else f"{minutes}:{int(seconds) % 60:02}"
    )
