"""`refquake smoke`: two minutes for a pull request: replay the corpus, then fuzz what changed."""

import os
from pathlib import Path

import click

from refquake_cli.errors import FINDINGS, NOTHING_FOUND
from refquake_cli.flavours import DEFAULT_FLAVOURS, FLAVOURS, check_flavour
from refquake_cli.sources import DEFAULT_VERSION


@click.command("smoke")
@click.option("--time", "duration", default="2m", show_default=True, metavar="TIME", help="After the build: 90s, 2m.")
@click.option("--base", metavar="REF", help="Fuzz the targets changed since this commit (default: all targets).")
@click.option("--flavour", "flavours", multiple=True, metavar="|".join(FLAVOURS), help="May be given more than once.")
@click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="refquake-out", show_default=True)
def command(duration: str, base: str | None, flavours: tuple[str, ...], workers: int, out: Path) -> int:
    """Replay each target's corpus on its clean build, then fuzz what changed. Marks findings in GitHub's changes."""
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.changed import changed_targets
    from refquake_cli.night.settings import seconds_of

    seconds = seconds_of(duration, "--time")
    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    names = changed_targets(base)
    if not names:
        print(f"nothing to do: no target, and nothing of the harness, changed since {base}")
        return NOTHING_FOUND
    out.mkdir(parents=True, exist_ok=True)
    products = dict.fromkeys(product for name in names for product in to_fuzz(name))
    build(wanted, DEFAULT_VERSION, tuple(products))
    return _smoke(names, wanted, seconds, workers, out.resolve())


def _smoke(names: list[str], flavours: list[str], seconds: int, workers: int, out: Path) -> int:
    import time

    from refquake_cli.commands.fuzz import exit_code
    from refquake_cli.fuzz_table import print_summary, print_table

    end = time.monotonic() + seconds
    broken = [line for name in names for flavour in flavours for line in _replay_corpus(name, flavour, end)]
    for line in broken:
        print(line)
    campaign = _fuzz(names, flavours, max(5, int(end - time.monotonic())), workers, out)
    print_table(campaign)
    print_summary(campaign)
    _annotate(campaign)
    code = exit_code([run.outcome.state for run in campaign.runs], campaign.interrupted)
    return FINDINGS if broken else code


def _replay_corpus(target: str, flavour: str, end: float) -> list[str]:
    """Each program of the corpus on the clean build, up to half the time; a line for each that finds something."""
    import time

    from refquake_cli.artefact import Overrides, open_artefact
    from refquake_cli.console import say
    from refquake_cli.paths import REPOSITORY
    from refquake_cli.replay import replay
    from refquake_cli.targets import CLEAN

    half = time.monotonic() + (end - time.monotonic()) / 2
    programs = sorted((REPOSITORY / "corpus" / target).rglob("*.prog"))
    found = []
    for number, path in enumerate(programs):
        if time.monotonic() > half:
            say(f"{target} {flavour}: {len(programs) - number} of {len(programs)} programs not replayed, time is up")
            break
        artefact = open_artefact(path, Overrides(target, CLEAN, flavour, None))
        report = replay(artefact, 1)[0].report
        if report:
            found.append(f"{path.relative_to(REPOSITORY)} under {flavour}: {report.signature}")
    return found


def _fuzz(names: list[str], flavours: list[str], seconds: int, workers: int, out: Path):
    from refquake_cli.campaign import Campaign
    from refquake_cli.fuzz_plan import clean_jobs
    from refquake_cli.variant_run import Options

    jobs = [job for name in names for job in clean_jobs(name, None, flavours, DEFAULT_VERSION)]
    rounds = -(-len(jobs) // workers)
    campaign = Campaign(jobs, Options(max(5, seconds // rounds), 1, DEFAULT_VERSION, out, None), workers)
    campaign.run()
    return campaign


def _annotate(campaign) -> None:
    """Only where GitHub Actions reads the output; elsewhere the lines say nothing the table does not."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from refquake_cli.findings import REPORT
    from refquake_cli.publish.annotate import error_line
    from refquake_cli.publish.stacks import first_place

    for run in campaign.runs:
        outcome = run.outcome
        if outcome.finding and outcome.folder:
            report = (outcome.folder / REPORT).read_text(encoding="utf-8", errors="replace")
            print(error_line(f"{run.job.target}: {outcome.finding.signature}", outcome.kind, first_place(report)))
