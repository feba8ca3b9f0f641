"""What is wrong with an option before any command looks at it.

@click.option("--plant", callback=not_empty)        # --plant "$UNSET" is a mistake, not the default
"""

import click

from refquake_cli.errors import WrongUse


def not_empty(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value == "":
        raise WrongUse(f"{option.get_error_hint(context)} is empty: give a name, or leave it out")
    return value
