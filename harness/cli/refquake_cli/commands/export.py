"""`refquake export`: a finding as a script that needs no refquake."""

from pathlib import Path

import click

from refquake_cli.errors import COULD_NOT_RUN, NOTHING_FOUND, WrongUse
from refquake_cli.flavours import FLAVOURS


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--python", "python", is_flag=True, required=True, help="As a script of plain Python.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the script goes (default: beside FILE).")
@click.option("--times", type=click.IntRange(1), default=5, show_default=True, help="Runs under each interpreter.")
@click.option("--flavour", metavar="|".join(FLAVOURS), help="Default: the one it was found under.")
@click.option("--plant", metavar="NAME", help="Run against this variant.")
@click.option("--target", metavar="NAME", help="For bytes that do not say.")
@click.option("--profile", metavar="NAME", help="For bytes that do not say.")
def command(
    file: Path, python: bool, out: Path | None, times: int, flavour: str | None, plant: str | None,
    target: str | None, profile: str | None,
) -> int:  # fmt: skip
    """Turn FILE (a finding's folder, a .prog, or bytes) into a script that needs only Python and the extension.

    It is run under the interpreter the finding is of and under an ordinary one; its header says what happened.
    Minimize first: the script says all that the program says.
    """
    from refquake_cli.artefact import Overrides, open_artefact
    from refquake_cli.build import build
    from refquake_cli.export import PLAIN
    from refquake_cli.paths import current_link
    from refquake_cli.targets import check_variant

    artefact = open_artefact(smallest(file), Overrides(target, plant, flavour, profile))
    destination = out or default_out(file)
    if not destination.parent.is_dir():
        raise WrongUse(f"cannot write {destination}: {destination.parent} is no folder")
    flavours = [artefact.job.flavour]
    if current_link(artefact.version, PLAIN).exists() and PLAIN not in flavours:
        flavours.append(PLAIN)
    build(flavours, artefact.version)
    check_variant(artefact.job.target, artefact.job.variant, artefact.job.flavour)
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
