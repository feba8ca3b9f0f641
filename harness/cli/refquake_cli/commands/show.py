"""`refquake show`: any artefact as text."""

from pathlib import Path

import click

from refquake_cli.flavours import FLAVOURS


@click.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--flavour", metavar="|".join(FLAVOURS), help="Whose fuzz binary reads it.")
@click.option("--target", metavar="NAME", help="For bytes that do not say.")
@click.option("--profile", metavar="NAME", help="For bytes that do not say.")
def command(file: Path, flavour: str | None, target: str | None, profile: str | None) -> None:
    """Print FILE (a finding's folder, a .prog, or bytes) as program text."""
    from refquake_cli.artefact import Overrides, open_artefact
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.program_text import require_text

    artefact = open_artefact(file, Overrides(target, None, flavour, profile))
    build([artefact.job.flavour], artefact.version, to_fuzz(artefact.job.target))
    print(require_text(artefact.path, artefact.job, artefact.version), end="")
