"""`refquake discover`: what is found in a module, and what is suspicious in it."""

import click

from refquake_cli.errors import FINDINGS, NOTHING_FOUND
from refquake_cli.flavours import FLAVOURS, check_flavour
from refquake_cli.sources import DEFAULT_VERSION, check_version
from refquake_cli.targets import CLEAN, check_target, recipe_of

PROFILE = "lifecycle"


@click.command("discover")
@click.argument("module")
@click.option("--flavour", default="asan", show_default=True, metavar="|".join(FLAVOURS))
@click.option("--time", "seconds", type=click.IntRange(0), default=10, show_default=True, metavar="S",
              help="Seconds to confirm what is suspicious; 0: do not.")  # fmt: skip
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(module: str, flavour: str, seconds: int, version: str) -> int:
    """Print the types and ops found in MODULE, and what is suspicious at sight, confirmed by a short run."""
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.discover import discover, suspicions
    from refquake_cli.job import Job

    check_target(module, check_version(version))
    build([check_flavour(flavour)], version, to_fuzz(module))
    job = Job(module, CLEAN, flavour, PROFILE, recipe=recipe_of(module, flavour, version))
    found = discover(job, version)
    if found.trial:
        print(found.report)
        print(
            f"{module}: discovery ended in the call {found.trial}; leave it out with a recipe (docs/any-extension.md)"
        )
        return FINDINGS
    _print_types(found)
    _print_functions(found)
    _print_gil(module, flavour, version)
    suspected = suspicions(found)
    outcome = _confirm(job, version, seconds) if seconds else None
    for suspicion in suspected:
        confirmed = outcome and outcome.kind in suspicion.kinds and suspicion.type in outcome.signature
        print(f"suspicious: {suspicion.type} {suspicion.what} ({'confirmed' if confirmed else 'not confirmed'})")
    if outcome:
        print(f"a run of {seconds} s found: {outcome.signature}")
    return FINDINGS if outcome else NOTHING_FOUND


def _print_types(found) -> None:
    for one in found.types:
        marks = [name for name in ("gc", "weakref", "dict", "finalize", "subclass") if getattr(one, name)]
        made = sorted({op.nargs for op in found.ops if op.kind == "create" and op.name.split(".")[-1] == one.name})
        print(f"{one.full_name}  [{' '.join([one.storage, *marks])}]  arguments: {_list(made) or 'not made by a call'}")
        for title, forms in (("attributes", ("get", "set", "delete")), ("methods", ("method",))):
            names = sorted({op.name for op in found.ops_of(one.name) if op.form in forms})
            if names:
                print(f"    {title}: {_list(names)}")


def _print_functions(found) -> None:
    names = sorted({f"{op.name}/{op.nargs}" for op in found.ops if op.form == "call" and op.kind == "call"})
    print(f"functions: {_list(names) or 'none'}")
    print(f"{len(found.types)} types, {len(found.ops)} ops")


def _print_gil(module: str, flavour: str, version: str) -> None:
    from refquake_cli.added import find_added

    added = find_added(module, flavour, version)
    if added and not added.gil_off:
        print(f"suspicious: {module} does not declare Py_MOD_GIL_NOT_USED (confirmed by importing it)")


def _confirm(job, version: str, seconds: int):
    from refquake_cli.campaign import Campaign
    from refquake_cli.scratch import scratch_folder
    from refquake_cli.variant_run import Options

    with scratch_folder("discover") as out:
        campaign = Campaign([job], Options(seconds, 1, version, out), 1)
        campaign.run()
        return campaign.runs[0].outcome.finding


def _list(items) -> str:
    return ", ".join(str(item) for item in items)
