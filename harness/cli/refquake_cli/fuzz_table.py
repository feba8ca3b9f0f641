"""The table at the end of a `fuzz` command, and what to do next. On standard output."""

from refquake_cli.attribution import UNKNOWN, owner_of
from refquake_cli.campaign import Campaign
from refquake_cli.findings import REPORT
from refquake_cli.paths import shown
from refquake_cli.targets import known_targets
from refquake_cli.variant_run import VariantRun

HEADINGS = ("variant", "flavour", "profile", "finding", "expected", "executions", "seconds", "reproducer")


def row(run: VariantRun) -> tuple[str, ...]:
    job, outcome = run.job, run.outcome
    found = {"finding": outcome.kind, "clean": "nothing", "stopped": "stopped"}.get(outcome.state, outcome.state)
    where = shown(outcome.folder) if outcome.folder else outcome.problem
    expected = " or ".join(job.expected) or "-"
    return (
        job.variant, job.flavour, job.profile, found, expected, str(run.executions), f"{run.seconds:.1f}", where,
    )  # fmt: skip


def print_table(campaign: Campaign) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    rows = [row(run) for run in campaign.runs]
    if not console.is_terminal:
        _print_plain(rows)
        return
    table = Table(*HEADINGS, box=None, header_style="bold", pad_edge=False)
    for run, cells in zip(campaign.runs, rows, strict=True):
        table.add_row(*cells, style=_style(run))
    console.print(table)


def _style(run: VariantRun) -> str:
    if run.outcome.state == "could not run":
        return "red"
    if run.outcome.state == "finding":
        return "green" if run.outcome.kind in run.job.expected else "bold red"
    return "yellow" if run.job.expected else ""


def _print_plain(rows: list[tuple[str, ...]]) -> None:
    """Aligned text without colours or folding: for logs and for other programs."""
    lines = [HEADINGS, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def owner(run: VariantRun) -> str:
    finding, folder = run.outcome.finding, run.outcome.folder
    if not finding or not folder:
        return UNKNOWN
    text = (folder / REPORT).read_text(encoding="utf-8", errors="replace")
    return owner_of(text, finding.kind, finding.signature, run.job.target)


def print_summary(campaign: Campaign) -> None:
    runs = campaign.runs
    found = [run for run in runs if run.outcome.state == "finding"]
    clean = [run for run in runs if run.outcome.state == "clean"]
    missed = [run for run in clean if run.job.expected]
    broken = [run for run in runs if run.outcome.state == "could not run"]
    print()
    if campaign.interrupted:
        stopped = sum(run.outcome.state == "stopped" for run in runs)
        print(f"Interrupted: {stopped} of {len(runs)} runs did not reach their end.")
    for run in clean:
        job = run.job
        print(
            f"{job.variant} under {job.flavour}, profile {job.profile}: nothing found in {run.executions} executions "
            f"({run.operations} ops that did something), {run.seconds:.0f} s, coverage {run.coverage or 'not counted'}. "
            "Other inputs and schedules were not tried."
        )
    if missed:
        print(f"{len(missed)} planted bugs were not found in their time: give them more with --time.")
    for run in broken:
        print(f"could not run: {run.job.title}: {run.outcome.problem}")
    for run in found:
        if run.job.target not in known_targets():
            print(f"{run.outcome.kind}: whose bug it is, by the frames: {owner(run)}")
    if found and (first := found[0].outcome.folder):
        print(f"{len(found)} finding{'s' * (len(found) != 1)}. Replay one with:\n  ./refquake repro {shown(first)}")
