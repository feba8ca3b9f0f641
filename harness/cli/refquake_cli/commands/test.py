"""`refquake test`: every test there is."""

import click

from refquake_cli.errors import COULD_NOT_RUN, FINDINGS, NOTHING_FOUND
from refquake_cli.flavours import DEFAULT_FLAVOURS, check_flavour


@click.command("test")
@click.option("-k", "pattern", metavar="REGEX", help="Only tests whose name matches (ctest -R).")
@click.option(
    "--flavour", "flavours", multiple=True, metavar="dev|asan|tsan|plain", help="May be given more than once."
)
def command(pattern: str | None, flavours: tuple[str, ...]) -> int:
    """Build and run the tests in dev, asan and tsan; exits 1 when one fails."""
    from refquake_cli.build import DEV, build
    from refquake_cli.console import say
    from refquake_cli.ctest import run_ctest

    wanted = [f if f == DEV else check_flavour(f) for f in dict.fromkeys(flavours or (DEV, *DEFAULT_FLAVOURS))]
    build(wanted)
    selection = ["-R", pattern] if pattern else []
    codes = {flavour: run_ctest(flavour, selection) for flavour in wanted}
    for flavour, code in codes.items():
        say(f"tests in {flavour}: " + {NOTHING_FOUND: "passed", FINDINGS: "FAILED"}.get(code, "none ran"))
    if FINDINGS in codes.values():
        return FINDINGS
    # One flavour without a match is normal when a pattern is given; none at all is not a pass.
    ran = [code for code in codes.values() if code == NOTHING_FOUND]
    return NOTHING_FOUND if len(ran) == len(codes) or (pattern and ran) else COULD_NOT_RUN
