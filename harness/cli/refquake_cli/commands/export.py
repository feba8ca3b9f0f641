"""`refquake export`: a finding as a script that needs no refquake."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from refquake_cli.errors import COULD_NOT_RUN, NOTHING_FOUND
from refquake_cli.replay_options import build_to_replay, replay_options

if TYPE_CHECKING:
    from refquake_cli.artefact import Overrides


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--python", "python", is_flag=True, default=True, help="As a script of plain Python (the only form).")
@click.option("--out", type=click.Path(path_type=Path), help="Where the script goes (default: beside FILE).")
@click.option("--times", type=click.IntRange(1), default=5, show_default=True, help="Runs under each interpreter.")
@replay_options()
def command(file: Path, python: bool, out: Path | None, times: int, overrides: "Overrides") -> int:
    """Turn FILE (a finding's folder, a .prog, or bytes) into a script that needs only Python and the extension.

    It is run under the interpreter the finding is of and under an ordinary one; its header says what happened.
    Minimize first: the script says all that the program says.
    """
    from refquake_cli.artefact import open_artefact
    from refquake_cli.build import build, own_products
    from refquake_cli.destination import check_destination
    from refquake_cli.export import MARK, PLAIN
    from refquake_cli.paths import current_link

    artefact = open_artefact(smallest(file), overrides)
    destination = check_destination(out or default_out(file), own=MARK)
    build_to_replay(artefact)
    extension = own_products(artefact.job.target)
    if extension and current_link(artefact.version, PLAIN).exists():
        build([PLAIN], artefact.version, extension)
    return _export_and_tell(artefact, destination, times)


def smallest(file: Path) -> Path:
    """Of a finding's folder, the minimised program where there is one."""
    minimized = file / "minimized.prog"
    return minimized if minimized.is_file() else file


def default_out(file: Path) -> Path:
    return file / "reproducer.py" if file.is_dir() else file.with_name(f"{file.name.removesuffix('.prog')}.py")


def _export_and_tell(artefact, out: Path, times: int) -> int:
    from refquake_cli.console import Progress, say
    from refquake_cli.export import export
    from refquake_cli.paths import shown

    with Progress() as progress:
        task = progress.task(f"{artefact.job.target} {artefact.job.title}")
        exported = export(artefact, out, times, task.step)
        task.done("written")
    print(out.read_text(encoding="utf-8"), end="")
    say(f"written: {shown(out)}")
    if not exported.reproduced:
        say(f"the script alone does not show it under {artefact.job.flavour}: hand over the program beside it")
        return COULD_NOT_RUN
    return NOTHING_FOUND
