"""`refquake doctor`: is this machine fit, and what to do where it is not."""

import click

from refquake_cli.errors import COULD_NOT_RUN, NOTHING_FOUND
from refquake_cli.sources import DEFAULT_VERSION, check_version


@click.command("doctor")
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(version: str) -> int:
    """Check tools, sanitizers, interpreters and disk; says what to do about each that is not ok."""
    from refquake_cli.checks import all_checks

    checks = all_checks(check_version(version))
    for check in checks:
        print(f"{'ok  ' if check.ok else 'FAIL'}  {check.what}")
        if not check.ok:
            print(f"      -> {check.advice}")
    return NOTHING_FOUND if all(check.ok for check in checks) else COULD_NOT_RUN
