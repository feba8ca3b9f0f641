"""`refquake bench`: how fast is the executor on this machine?"""

import click

from refquake_cli.flavours import DEFAULT_FLAVOURS, check_flavour


@click.command("bench")
@click.option("--flavour", "flavours", multiple=True, metavar="asan|tsan|plain", help="May be given more than once.")
def command(flavours: tuple[str, ...]) -> int:
    """Run the benchmarks and print what they measured; it judges nothing."""
    from refquake_cli.build import build
    from refquake_cli.ctest import run_bench

    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    build(wanted)
    return max(run_bench(flavour) for flavour in wanted)
