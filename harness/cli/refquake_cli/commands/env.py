"""`refquake env`: a command, or a shell, with everything set to build an extension for a flavour."""

import os

import click

from refquake_cli.errors import WrongUse
from refquake_cli.flavours import FLAVOURS, check_flavour
from refquake_cli.sources import DEFAULT_VERSION, check_version


@click.command("env", context_settings={"ignore_unknown_options": True})
@click.argument("flavour", metavar="|".join(FLAVOURS))
@click.argument("words", nargs=-1, metavar="[-- COMMAND...]", type=click.UNPROCESSED)
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(flavour: str, words: tuple[str, ...], version: str) -> int:
    """Run COMMAND (default: a shell) with a FLAVOUR's interpreter, compilers and flags.

    For builds that need more than `refquake add` does. Afterwards: refquake add --local DIR.
    """
    from refquake_cli.environments import build_environment_for
    from refquake_cli.interpreter import ensure_interpreters

    check_flavour(flavour)
    check_version(version)
    ensure_interpreters([flavour], version)
    wanted = list(words) or [os.environ.get("SHELL", "/bin/sh")]
    try:
        os.execvpe(wanted[0], wanted, build_environment_for(flavour, version))
    except OSError as error:
        raise WrongUse(f"cannot run {wanted[0]}: {error.strerror}") from error
