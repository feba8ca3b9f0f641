"""`refquake show`: any artefact as text, or as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from refquake_cli.replay_options import build_to_replay, replay_options

if TYPE_CHECKING:
    from refquake_cli.artefact import Overrides


@click.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--graph", is_flag=False, flag_value="-", metavar="[OUT.svg]",
              help="Print the lanes side by side and the objects before the last phase; "
                   "draw them to OUT.svg.")  # fmt: skip
@replay_options(plant=False)
def command(file: Path, graph: str | None, overrides: "Overrides") -> None:
    """Print FILE (a finding's folder, a .prog, or bytes) as program text."""
    from refquake_cli.artefact import open_artefact
    from refquake_cli.destination import check_destination
    from refquake_cli.program_text import require_text

    drawing = None if graph in (None, "-") else Path(graph)
    if drawing:
        drawing = check_destination(drawing, own="<svg")
    artefact = open_artefact(file, overrides)
    build_to_replay(artefact)
    text = require_text(artefact.path, artefact.job, artefact.version)
    if graph is None:
        print(text, end="")
    else:
        _show_graph(artefact, text, drawing)


def _show_graph(artefact, text: str, out: Path | None) -> None:
    from refquake_cli.console import say
    from refquake_cli.graph import graph_before_last_phase
    from refquake_cli.graph_draw import caption_of, draw, print_lanes
    from refquake_cli.op_list import op_list
    from refquake_cli.paths import shown
    from refquake_cli.program_model import parse_program

    program = parse_program(text)
    graph, when = graph_before_last_phase(program, op_list(artefact.job, artefact.version))
    print_lanes(program)
    if out:
        problem = draw(graph, caption_of(when), out)
        if not problem:
            say(f"drawn: {shown(out)}")
            return
        say(f"{problem}: a listing instead")
    print("\n".join([caption_of(when), *graph.listing()]))
