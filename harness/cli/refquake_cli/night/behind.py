"""What is behind a finding: its program run once more, so that the first thing that is wrong is what is told.

    behind(sighting, folder)      # "leak by extend": the place of the bug; "": a run tells no more

The oracles judge after each phase, so a wrong count is told of when many ops have followed, with whatever they did to
the object, or not at all because the process died of it. With each op in a phase of its own the one that ran last is
to blame, and one bug has one place, however it was met. Of what lives on at the end, the last op of the shortest
beginning of the program that leaks as well is. A count that goes wrong only where lanes run at once is a
race's doing: ThreadSanitizer tells which.

It costs a run of a second or two, for a leak some more, once for each signature.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from refquake_cli.artefact import Artefact
from refquake_cli.errors import RefquakeError
from refquake_cli.files import write_whole
from refquake_cli.job import Job
from refquake_cli.paths import build_folder
from refquake_cli.program_model import FREE, Op, Program, parse_program
from refquake_cli.replay import replay_command, run_once
from refquake_cli.reports import Report, find_report
from refquake_cli.reports.bug import RACE, place_of
from refquake_cli.store import Sighting

SECONDS = 20
RACE_RUNS = 3
MAX_OPS = 512  # harness/core/program.h
_PHASE = re.compile(r"^==refquake==   phase:    (\d+|end)$", re.MULTILINE)
_SUMMARY = "==refquake== SUMMARY: "
LEAK = "leaked-instance"
# What a place is called after: one reference too many is a leak, whether the object can be reached or not.
COUNTS = {"leaked-reference": "leak", LEAK: "leak", "missing-incref": "missing-incref"}


def behind(sighting: Sighting, folder: Path) -> str:
    job = Job(sighting.target, sighting.variant, sighting.flavour, sighting.profile, recipe=sighting.recipe,
              release=sighting.release)  # fmt: skip
    if sighting.kind == RACE or not sighting.program:
        return ""
    try:
        program = parse_program(sighting.program)
        one_by_one = _one_by_one(program)
        told = _told(one_by_one, lambda part: _run(part, job, sighting.version, folder))
        if told or program.max_lanes == 1 or not build_folder("tsan").is_dir():
            return told
        return _race(program, replace(job, flavour="tsan"), sighting.version, folder)
    except RefquakeError:
        return ""  # what a binary of another version wrote, or no binary to run it


def _one_by_one(program: Program) -> Program:
    """Lanes one after the other, each op in a phase of its own: the oracles judge behind each.

    What an op's result takes the place of is dropped before, so that its end is not taken for the op's doing.
    """
    ops = [part for op in program.ops for part in (*_dropped(op), op)]
    return replace(program.with_phases([((op,),) for op in ops[:MAX_OPS]]), schedule=FREE)


def _dropped(op: Op) -> list[Op]:
    return [Op("drop", "", (op.result,))] if op.result and op.result not in op.reads else []


def _run(program: Program, job: Job, version: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "behind.prog"
    write_whole(path, str(program))
    command = [*replay_command(Artefact(path, job, version)), "--self-proof=0", f"--deadline={SECONDS // 2}"]
    return run_once(command, version, SECONDS)[1]


def _told(program: Program, run: Callable[[Program], str]) -> str:
    """Of a count that is wrong, the op behind which it is: the object is whatever the op was given."""
    report = _oracles(run(program))
    if report is None:
        return ""
    at = _PHASE.search(report.text)
    if report.kind == LEAK:
        op = _last_of_shortest(program, run)
    elif report.kind in COUNTS and at and at[1] != "end":
        op = program.ops[int(at[1]) - 1]
    elif report.kind in COUNTS:
        return f"{COUNTS[report.kind]} by drop"  # all that is left is dropped at the end
    else:
        return place_of(report.signature)
    return f"{COUNTS[report.kind]} by {op.name or op.form}"


def _oracles(output: str) -> Report | None:
    report = find_report(output)
    return report if report and f"{_SUMMARY}{report.signature}" in output else None


def _last_of_shortest(program: Program, run: Callable[[Program], str]) -> Op:
    """Whatever is left at the end of a program is cleared away, so that its beginning leaks as soon as the op ran."""
    clean, leaks = 0, len(program.phases)
    while leaks - clean > 1:
        length = (clean + leaks) // 2
        report = _oracles(run(program.with_phases(program.phases[:length])))
        clean, leaks = (clean, length) if report and report.kind == LEAK else (length, leaks)
    return program.ops[leaks - 1]


def _race(program: Program, job: Job, version: str, folder: Path) -> str:
    for _ in range(RACE_RUNS):
        report = find_report(_run(program, job, version, folder))
        if report and report.kind == RACE:
            return report.signature
    return ""
