"""`refquake fuzz`: the main job, from a bare machine to a table of findings."""

from pathlib import Path

import click

from refquake_cli.errors import COULD_NOT_RUN, FINDINGS, INTERRUPTED, NOTHING_FOUND, WrongUse
from refquake_cli.flavours import DEFAULT_FLAVOURS, FLAVOURS, check_flavour
from refquake_cli.option_checks import not_empty
from refquake_cli.paths import DEFAULT_OUT
from refquake_cli.schedule_option import schedule_flags, schedule_option
from refquake_cli.sources import DEFAULT_VERSION, check_version
from refquake_cli.targets import check_plant_name, check_profile, check_target

DEFAULT_TARGET = "node"
DEFAULT_SECONDS = 20


@click.command("fuzz")
@click.argument("target", required=False, callback=not_empty)
@click.option("--plant", metavar="NAME|all|none", callback=not_empty,
              help="Which variants: one plant, all and clean, or clean only.")  # fmt: skip
@click.option("--profile", metavar="NAME", callback=not_empty,
              help="Which ops and oracles (default: the plant's; all for clean).")  # fmt: skip
@click.option("--flavour", "flavours", multiple=True, metavar="|".join(FLAVOURS), help="May be given more than once.")
@click.option("--time", "seconds", type=click.IntRange(1), default=DEFAULT_SECONDS, show_default=True, metavar="S",
              help="Seconds for each variant, flavour and profile; a finding ends it earlier.")  # fmt: skip
@click.option("--seed", type=click.IntRange(1, 2**32 - 1), default=1, show_default=True)
@schedule_option
@click.option("--corpus", type=click.Path(path_type=Path), help="Inputs to start from.")
@click.option("--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, show_default=True,
              help="Where findings go.")  # fmt: skip
@click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True, help="Processes side by side.")
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(
    target: str | None, plant: str | None, profile: str | None, flavours: tuple[str, ...], seconds: int, seed: int,
    schedule: str, corpus: Path | None, out: Path, workers: int, version: str,
) -> int:  # fmt: skip
    """Set up, build, and fuzz TARGET; a variant ends at its first finding.

    Without TARGET: the sample extension, clean and with each of its plants, under asan and tsan.
    """
    name = check_target(target or DEFAULT_TARGET, check_version(version))
    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    if profile:
        check_profile(profile)
    if plant not in (None, "all", "none"):
        check_plant_name(name, plant)
    if corpus and not corpus.is_dir():
        raise WrongUse(f"no such corpus folder: {corpus}")
    _prepare(out)
    chosen_plant = plant or ("none" if target else "all")
    flags = schedule_flags(schedule)
    return _fuzz(name, chosen_plant, profile, wanted, seconds, seed, flags, corpus, out, workers, version)


def _prepare(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"cannot write findings to {out}: {error.strerror}") from error


def _fuzz(target, plant, profile, flavours, seconds, seed, flags, corpus, out, workers, version) -> int:
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.campaign import Campaign
    from refquake_cli.fuzz_plan import plan
    from refquake_cli.fuzz_table import print_summary, print_table
    from refquake_cli.variant_run import Options

    build(flavours, version, to_fuzz(target))
    jobs = plan(target, plant, profile, flavours, version)
    options = Options(seconds, seed, version, out.resolve(), corpus.resolve() if corpus else None, flags=flags)
    campaign = Campaign(jobs, options, workers)
    campaign.run()
    print_table(campaign)
    print_summary(campaign)
    return exit_code([run.outcome.state for run in campaign.runs], campaign.interrupted)


def exit_code(states: list[str], interrupted: bool) -> int:
    """Findings first: they are there whatever else went wrong."""
    if "finding" in states:
        return FINDINGS
    if interrupted:
        return INTERRUPTED
    return COULD_NOT_RUN if "could not run" in states else NOTHING_FOUND
