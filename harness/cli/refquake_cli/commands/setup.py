"""`refquake setup`: build the interpreters that are missing."""

import click

from refquake_cli.console import say
from refquake_cli.flavours import DEFAULT_FLAVOURS, FLAVOURS
from refquake_cli.interpreter import ensure_interpreters
from refquake_cli.paths import current_link
from refquake_cli.sources import DEFAULT_VERSION, RELEASES


@click.command("setup")
@click.argument("flavours", nargs=-1, metavar="[asan] [tsan] [plain]")
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help=f"CPython: {', '.join(RELEASES)}.")
@click.option("--source", metavar="PATH|URL", help="The source archive; its SHA-256 must match.")
def command(flavours: tuple[str, ...], version: str, source: str | None) -> None:
    """Build the interpreters that are missing (default: asan and tsan)."""
    wanted = FLAVOURS if flavours == ("all",) else flavours or DEFAULT_FLAVOURS
    ensure_interpreters(wanted, version, source)
    for flavour in wanted:
        say(f"{flavour}: {current_link(version, flavour)}")
