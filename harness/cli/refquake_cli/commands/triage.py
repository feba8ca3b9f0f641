"""`refquake triage`: the findings of all nights, one row per bug."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import click

from refquake_cli.errors import NOTHING_FOUND, WrongUse
from refquake_cli.store import CAME_BACK, FIXED, KNOWN, NEW, STATES, Row, Store

DEFAULT_FOLDER = "refquake-nightly"


def open_store(folder: Path) -> Store:
    path = folder / "store.sqlite"
    if not path.is_file():
        raise WrongUse(f"no store of findings in {folder}; `refquake nightly` makes one, `refquake triage add` too")
    return Store(path)


@click.group("triage")
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=DEFAULT_FOLDER, show_default=True)
@click.pass_context
def command(context: click.Context, folder: Path) -> None:
    """List, show and mark the findings of all nights."""
    context.obj = folder


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only these.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array, for other programs.")
@click.pass_obj
def list_findings(folder: Path, state: str | None, as_json: bool) -> int:
    """One line per finding, newest first."""
    store = open_store(folder)
    rows = [row for row in store.findings() if state in (None, row.state)]
    executions = store.executions()
    if as_json:
        print(json.dumps([_summary(row, executions) for row in rows], indent=2))
        return NOTHING_FOUND
    heading = ("id", "state", "seen", "per million", "first", "last", "owner", "size", "finding")
    lines = [heading, *(_cells(row, executions) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heading))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return NOTHING_FOUND


def rate_of(row: Row, executions: dict[tuple[str, str], int]) -> float | None:
    """Sightings in a million executions of its target and variant; None where no night ran it."""
    total = executions.get((row.target, row.variant), 0)
    return row.count * 1e6 / total if total else None


def _summary(row: Row, executions: dict[tuple[str, str], int]) -> dict:
    names = ("id", "target", "variant", "kind", "signature", "state", "owner", "note", "first_seen", "last_seen",
             "count", "flavour", "profile", "version", "echo")  # fmt: skip
    return {name: getattr(row, name) for name in names} | {
        "faces": [asdict(face) for face in row.faces],
        "rate": rate_of(row, executions), "size": len(row.input), "program": row.program,
    }  # fmt: skip


def _cells(row: Row, executions: dict[tuple[str, str], int]) -> tuple[str, ...]:
    rate = rate_of(row, executions)
    return (
        str(row.id), row.state, str(row.count), f"{rate:.2f}" if rate is not None else "-", _day(row.first_seen),
        _day(row.last_seen), row.owner or "-", str(len(row.input)),
        f"{row.target} {row.variant}: {row.signature}" + (f" (+{len(row.faces) - 1})" if len(row.faces) > 1 else ""),
    )  # fmt: skip


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


@command.command("show")
@click.argument("number", metavar="ID", type=int)
@click.option("--save", type=click.Path(path_type=Path), help="Write it as a folder for `refquake repro`.")
@click.pass_obj
def show(folder: Path, number: int, save: Path | None) -> int:
    """Everything about one finding: program and report of its smallest reproducer. ID may be a face's."""
    store = open_store(folder)
    row, bug = store.face(number), store.finding(number)
    row = bug if number == bug.id else row
    print(f"finding {row.id}: {row.signature}")
    print(f"  target {row.target}, variant {row.variant}, {row.flavour}, profile {row.profile}, CPython {row.version}")
    print(f"  {row.state}, seen {row.count} times from {_day(row.first_seen)} to {_day(row.last_seen)}")
    for name, value in (("owner", row.owner), ("note", row.note), ("echo", row.echo)):
        if value:
            print(f"  {name}: {value}")
    for face in bug.faces if len(bug.faces) > 1 else ():
        print(f"  face {face.id}, seen {face.count} times: {face.signature}")
    print(f"\n{row.program.rstrip() or '(no program: the process left no input)'}\n\n{row.report.rstrip()}")
    if save:
        _save(row, save)
        print(f"\nsaved; replay it with:\n  ./refquake repro {save}")
    return NOTHING_FOUND


def _save(row: Row, folder: Path) -> None:
    from refquake_cli import findings, targets
    from refquake_cli.job import Job
    from refquake_cli.scratch import scratch_folder

    job = Job(row.target, row.variant, row.flavour, row.profile, recipe=row.recipe, release=row.release)
    digest = findings_hash(row.signature)
    finding = findings.Finding(
        kind=row.kind, signature=row.signature, hash=digest, target=row.target, variant=row.variant,
        flavour=row.flavour, profile=row.profile, version=row.version, seed=0, executions=0, seconds=0.0,
        module=targets.module_file(job, row.version), recipe=row.recipe, release=row.release,
    )  # fmt: skip
    with scratch_folder("triage") as scratch:
        artefact = scratch / "input"
        artefact.write_bytes(row.input)
        findings.store(folder.resolve(), finding, artefact if row.input else None, row.program, row.report)


def findings_hash(signature: str) -> str:
    from refquake_cli.reports import Report

    return Report("", "", signature, "").hash


@command.command("mark")
@click.argument("number", metavar="ID", type=int)
@click.argument("state", type=click.Choice((KNOWN, FIXED, NEW)), required=False)
@click.option("--owner", metavar="NAME")
@click.option("--note", metavar="TEXT")
@click.pass_obj
def mark(folder: Path, number: int, state: str | None, owner: str | None, note: str | None) -> int:
    """Say what is known of a finding. A fixed one that is seen again comes back."""
    if state is None and owner is None and note is None:
        raise WrongUse("nothing to mark: give a state, --owner or --note")
    store = open_store(folder)
    store.mark(number, state, owner, note)
    print(f"finding {number}: {store.finding(number).state}")
    return NOTHING_FOUND


@command.command("reopen")
@click.argument("number", metavar="ID", type=int)
@click.pass_obj
def reopen(folder: Path, number: int) -> int:
    """Take `fixed` back: it is there again."""
    store = open_store(folder)
    if store.finding(number).state != FIXED:
        raise WrongUse(f"finding {number} is not marked fixed: there is nothing to reopen")
    store.mark(number, CAME_BACK)
    print(f"finding {number}: {CAME_BACK}")
    return NOTHING_FOUND


@command.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--target", required=True, metavar="NAME", help="For logs, which do not say.")
@click.option("--variant", default="clean", show_default=True, metavar="NAME", help="For logs.")
@click.option("--flavour", default="asan", show_default=True, help="For logs.")
@click.option("--profile", default="threads", show_default=True, help="For logs.")
@click.pass_obj
def add(folder: Path, paths: tuple[Path, ...], target: str, variant: str, flavour: str, profile: str) -> int:
    """Take findings and sanitizer logs in; what is there already changes nothing."""
    from refquake_cli.ingest import Origin, ingest

    store = Store(folder / "store.sqlite")
    for path in paths:
        read, rows = ingest(store, path, Origin(target, variant, flavour, profile))
        print(f"{path}: {read} findings read, {rows} different")
    return NOTHING_FOUND
