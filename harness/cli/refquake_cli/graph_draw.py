"""Draws a program: its lanes side by side in the terminal, its object graph as SVG.

print_lanes(program)
draw(graph, caption, Path("graph.svg"))         # "", or why there is no picture: Graphviz is not installed
"""

import shutil
import subprocess
from pathlib import Path

from refquake_cli import child
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import write_whole
from refquake_cli.graph import MAYBE, WEAK, ObjectGraph
from refquake_cli.program_model import Program

DOT = "dot"
DOT_SECONDS = 60
_STYLES = {MAYBE: "dashed", WEAK: "dotted"}


def caption_of(when: str) -> str:
    return (
        f"Objects {when}, as the program's text makes them, not as a run saw them. Dashed: may be held. Dotted: weak."
    )


def print_lanes(program: Program) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=f"{program.target}, profile {program.profile}, schedule {program.schedule}", title_justify="left"
    )
    table.add_column("phase", justify="right")
    for lane in range(program.max_lanes):
        table.add_column(f"lane {lane}")
    for number, phase in enumerate(program.phases):
        cells = [Text("\n".join(map(str, lane)) or "pass") for lane in phase]
        table.add_row(str(number), *cells, end_section=True)
    Console().print(table)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_text(graph: ObjectGraph, caption: str) -> str:
    lines = [
        "digraph objects {",
        f"  label={_quoted(caption)}; labelloc=b; rankdir=LR; fontname=Helvetica; fontsize=10;",
        "  node [fontname=Helvetica, fontsize=11]; edge [fontname=Helvetica, fontsize=9];",
    ]
    reachable = graph.reachable()
    for one, label in graph.labels.items():
        colour = "" if one in reachable else ", color=gray, fontcolor=gray"
        lines.append(f"  o{one} [shape=box, style=rounded, label={_quoted(label)}{colour}];")
    for slot, one in sorted(graph.slots.items()):
        lines += [f"  {slot} [shape=plaintext, label={_quoted(slot)}];", f"  {slot} -> o{one};"]
    for edge in graph.edges:
        style = _STYLES.get(edge.sort, "solid")
        lines.append(f"  o{edge.holder} -> o{edge.target} [label={_quoted(edge.name)}, style={style}];")
    return "\n".join([*lines, "}", ""])


def draw(graph: ObjectGraph, caption: str, out: Path) -> str:
    dot = shutil.which(DOT)
    if not dot:
        return f"{DOT} is not installed (Debian: apt-get install graphviz)"
    try:
        done = subprocess.run(
            [dot, "-Tsvg"],
            input=dot_text(graph, caption), capture_output=True, text=True, timeout=DOT_SECONDS, check=False,
            preexec_fn=child.die_with_parent,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{DOT} did not end within {DOT_SECONDS} s"
    if done.returncode:
        raise CouldNotRun(f"{DOT} did not draw {out}: {done.stderr.strip()}")
    write_whole(out, done.stdout)
    return ""
