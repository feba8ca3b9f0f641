"""Findings on disk and sanitizer logs, as sightings for the store.

    for sighting in sightings_in(path, Origin("node")): store.add(sighting)

A folder with a finding.json is a finding; any other *.log or *.txt is what a fuzz process printed, and counts if it
holds a report. Nothing is run again. Sightings come one at a time, so memory stays flat however many there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from refquake_cli.errors import WrongUse
from refquake_cli.findings import DESCRIPTION, INPUT, PROGRAM, REPORT, load
from refquake_cli.reports import Report, find_report
from refquake_cli.reports.bug import death_in, may_cause
from refquake_cli.reports.kinds import match_marker
from refquake_cli.sources import DEFAULT_VERSION
from refquake_cli.store import Sighting, Store
from refquake_cli.targets import CLEAN

BATCH = 200
LOG_SUFFIXES = (".log", ".txt")
_RACE_LINE = "==refquake== RACE: "
_KNOWN_LINE = "==refquake== KNOWN: input "


@dataclass(frozen=True)
class Origin:
    """What a log does not say of itself."""

    target: str
    variant: str = CLEAN
    flavour: str = "asan"
    profile: str = "threads"
    version: str = DEFAULT_VERSION


def ingest(store: Store, path: Path, origin: Origin, night: int = 0) -> tuple[int, int]:
    """Adds all there is below `path`. Returns how many sightings were read, of how many findings."""
    if not path.exists():
        raise WrongUse(f"no such file or folder: {path}")
    read, findings = 0, set[int]()
    sightings = sightings_in(path, origin)
    while batch := list(islice(sightings, BATCH)):
        findings.update(store.add_all(batch, night))
        read += len(batch)
    return read, len(findings)


def sightings_in(path: Path, origin: Origin) -> Iterator[Sighting]:
    if path.is_file():
        yield from _of_log(path, origin)
    elif (path / DESCRIPTION).is_file():
        yield of_folder(path)
    else:
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix in LOG_SUFFIXES):
                yield from sightings_in(entry, origin)


def of_folder(folder: Path) -> Sighting:
    finding = load(folder)
    description = folder / DESCRIPTION
    report = _text(folder / REPORT)
    return Sighting(
        finding.target, finding.variant, finding.flavour, finding.profile, finding.version,
        finding.kind, finding.signature, description.stat().st_mtime,
        _bytes(folder / INPUT), _text(folder / PROGRAM), report, pass_over_line(report, finding.signature),
        origin=f"seed {finding.seed}, {finding.executions} executions, {finding.seconds} s",
        recipe=finding.recipe, release=finding.release,
    )  # fmt: skip


def _of_log(path: Path, origin: Origin) -> Iterator[Sighting]:
    output = _text(path)
    report = find_report(output)
    if report is None:
        return
    artefact = path.parent / report.artefact if report.artefact else None
    content = _bytes(artefact) if artefact else b""
    program = _text(artefact.with_name(artefact.name + ".prog")) if artefact else ""
    yield Sighting(
        origin.target, origin.variant, origin.flavour, origin.profile, origin.version,
        report.kind, report.signature, path.stat().st_mtime, content, program,
        report.text, pass_over_line(output, report.signature), echo_of(output, report), origin=path.name,
        behind=death_in(report.kind, report.function),
    )  # fmt: skip


def _text(path: Path) -> str:
    return _bytes(path).decode(errors="replace")


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def pass_over_line(output: str, signature: str) -> str:
    """What `--known` takes: an oracle's own words, or the line above a race. Other deaths cannot be passed over."""
    races = [line.removeprefix(_RACE_LINE) for line in output.splitlines() if line.startswith(_RACE_LINE)]
    if signature.startswith("data-race "):
        return races[0] if races else ""
    return signature if f"==refquake== SUMMARY: {signature}" in output else ""


def echo_of(output: str, report: Report, inputs: int = 0) -> str:
    """Why a report may be the echo of another: a known finding in the same input, or an earlier fault's races.

    `inputs` is the number of the input that died, from the flight record; 0 where nobody knows.
    """
    if passed := _passed_over(output, inputs):
        return "in the same input, before it: " + "; ".join(passed)
    markers = [marker.kind for line in output.splitlines() if (marker := match_marker(line))]
    races = markers[1:].count("data-race") if markers and markers[0] != "data-race" else 0
    return f"{races} race reports after this fault, in the same run: its echoes, not counted" if races else ""


def cause_of(output: str, report: Report, inputs: int) -> str:
    """The known finding of the same input that may have caused it, the first that may; "": none."""
    return next((known for known in _passed_over(output, inputs) if may_cause(known.split()[0], report.kind)), "")


def _passed_over(output: str, inputs: int) -> list[str]:
    """What was known in the input that died, in order."""
    lines = [line.removeprefix(_KNOWN_LINE) for line in output.splitlines() if line.startswith(_KNOWN_LINE)]
    known = [line.partition(": ") for line in lines]
    return list(dict.fromkeys(signature for number, _, signature in known if number == str(inputs)))
