"""`refquake nightly`: a campaign over everything there is, kept from night to night."""

from dataclasses import replace
from pathlib import Path

import click

from refquake_cli.errors import COULD_NOT_RUN, FINDINGS, INTERRUPTED, NOTHING_FOUND


@click.command("nightly")
@click.option("--config", type=click.Path(path_type=Path), help="Default: refquake.toml, where there is one.")
@click.option("--time", "duration", metavar="TIME", help="The whole night: 90s, 30m, 2h.  [default: 2h]")
@click.option("--turn", "turn", metavar="TIME", help="One process, before the next is chosen.  [default: 60s]")
@click.option("--jobs", type=click.IntRange(1), help="Processes side by side.  [default: 2]")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="Store, corpora, logs.  [default: refquake-nightly, beside the --config file]",
)
@click.option("--target", "targets", multiple=True, metavar="NAME", help="Only these; may be given more than once.")
@click.option("--plants", is_flag=True, help="The targets' plants too: a campaign that must find something.")
def command(
    config: Path | None, duration: str | None, turn: str | None, jobs: int | None, folder: Path | None,
    targets: tuple[str, ...], plants: bool,
) -> int:  # fmt: skip
    """Fuzz every target, profile and flavour; known findings do not end it, corpora are kept.

    Exits 1 if findings that are new or came back were seen, 0 if not, 3 if something could not run.
    """
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.night.campaign import Night
    from refquake_cli.night.settings import (
        ALL,
        DEFAULT_CONFIG,
        TargetSettings,
        flavours_of,
        plan_arms,
        read_settings,
        seconds_of,
    )  # fmt: skip
    from refquake_cli.store import Store
    from refquake_cli.targets import known_targets

    settings = read_settings(_existing(config) or Path(DEFAULT_CONFIG))
    given = {
        "seconds": seconds_of(duration, "--time") if duration else None,
        "turn_seconds": seconds_of(turn, "--turn") if turn else None,
        "jobs": jobs,
        "folder": folder,
        "targets": tuple(TargetSettings(name) for name in targets) or None,
    }
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
    if plants:
        chosen = settings.targets or tuple(TargetSettings(name) for name in known_targets())
        settings = replace(settings, targets=tuple(replace(one, variants=(ALL,)) for one in chosen))
    names = [target.name for target in settings.targets] or known_targets()
    products = dict.fromkeys(product for name in names for product in to_fuzz(name))
    build(flavours_of(settings), settings.version, tuple(products))
    arms = plan_arms(settings)
    store = Store(settings.folder / "store.sqlite")
    night = Night(settings, arms, store)
    night.run()
    return _tell(night, store)


def _existing(config: Path | None) -> Path | None:
    from refquake_cli.errors import WrongUse

    if config and not config.is_file():
        raise WrongUse(f"no such file: {config}")
    return config


def _tell(night, store) -> int:
    from refquake_cli.paths import shown
    from refquake_cli.store import CAME_BACK, NEW

    open_states = (NEW, CAME_BACK)
    seen = [row for row in store.findings() if row.id in night.seen]
    for row in seen:
        print(
            f"{row.id:>5}  {row.state:<9}  {night.seen[row.id]:>5} times  {row.target} {row.variant}: {row.signature}"
        )
    executions = sum(turn.executions for turn in store.turns(night.number))
    print(f"night {night.number}: {executions} executions, {len(seen)} findings seen, {len(store.findings())} in all")
    for problem in night.problems:
        print(f"could not run: {problem}")
    if seen:
        folder = shown(night.settings.folder)
        print(f"Look at them with:\n  ./refquake triage --dir {folder} list\n  ./refquake report --dir {folder}")
    if any(row.state in open_states for row in seen):
        return FINDINGS
    if night.stopped_by:
        return INTERRUPTED
    return COULD_NOT_RUN if night.problems else NOTHING_FOUND
