"""What is found in a module: its types and ops, as its fuzz binary lists them, and what is suspicious at sight.

    found = discover(job, version)
    found.types[0].name, found.ops, found.trial         # trial: the call that ended discovery, if one did
    for suspicion in suspicions(found): suspicion.type, suspicion.what
"""

from dataclasses import dataclass, field

from refquake_cli import child
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.listing import run_listing
from refquake_cli.program_text import complaint
from refquake_cli.reports.trial import trial_of


@dataclass(frozen=True)
class FoundType:
    name: str
    full_name: str
    storage: str  # heap or static
    gc: bool
    weakref: bool
    dict: bool
    traverse: bool
    clear: bool
    finalize: bool
    subclass: bool


@dataclass(frozen=True)
class FoundOp:
    form: str
    kind: str
    name: str
    nargs: int
    owners: tuple[str, ...]


@dataclass
class Found:
    types: list[FoundType] = field(default_factory=list)
    ops: list[FoundOp] = field(default_factory=list)
    trial: str = ""
    report: str = ""

    def ops_of(self, type_name: str) -> list[FoundOp]:
        return [op for op in self.ops if type_name in op.owners]


@dataclass(frozen=True)
class Suspicion:
    type: str
    what: str
    kinds: tuple[str, ...]  # the findings that would confirm it


def discover(job: Job, version: str) -> Found:
    """A call that crashes or hangs in discovery is what is found: `trial` names it, `report` says how.

    CouldNotRun where a call ends the process: that is no bug of the module, and hides the rest of it.
    """
    found = Found()
    for flag in ("--list-types", "--list-ops"):
        done = run_listing(job, version, flag)
        trial = trial_of(done.stderr)
        if trial and done.returncode == child.BINARY_COULD_NOT_RUN:
            raise CouldNotRun(
                f"cannot discover {job.target} under {job.flavour}: the call {trial.call} ends the process; "
                "leave it out with a recipe (docs/any-extension.md)"
            )
        if trial:
            found.trial, found.report = trial.call + (" (hangs)" if trial.hangs else ""), done.stderr
            return found
        if done.returncode != 0:
            raise CouldNotRun(f"cannot discover {job.target} under {job.flavour}: {complaint(done.stderr)}")
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        if flag == "--list-types":
            found.types = [FoundType(*row[:3], *(cell != "-" for cell in row[3:10])) for row in rows if len(row) == 10]
        else:
            found.ops = [
                FoundOp(*row[:3], int(row[3]), tuple(filter(None, row[4].split(",")))) for row in rows if len(row) == 5
            ]
    return found


def suspicions(found: Found) -> list[Suspicion]:
    """What the flags and slots of a type say; each may have a good reason, so each is to be confirmed by a run."""
    suspected = []
    for one in found.types:
        settable = [op.name for op in found.ops_of(one.name) if op.form == "set"]
        if one.storage == "heap" and not one.gc and settable:
            what = f"holds objects ({', '.join(settable[:3])}) and has no Py_TPFLAGS_HAVE_GC"
            suspected.append(Suspicion(one.name, what, ("missed-visit", "leaked-instance", "leaked-reference")))
        if one.gc and one.traverse and not one.clear and settable:
            what = "has tp_traverse and no tp_clear: its cycles are seen, and never broken"
            suspected.append(Suspicion(one.name, what, ("leaked-instance",)))
        if one.gc and not one.traverse:
            suspected.append(Suspicion(one.name, "is a GC type without tp_traverse", ("missed-visit", "leaked-instance")))
        if one.weakref:
            continue  # whether they are cleared only a run can tell: oracle weakrefs-left
    return suspected
