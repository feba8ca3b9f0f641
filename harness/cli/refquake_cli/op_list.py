"""The op table of a target as its fuzz binary lists it: the only source of names for what is generated from programs.

Example:

    table = op_list(job, "3.14.7")
    table.find(op)                 # OpEntry("method", "call", "push", 2, ("Node",)) or None
    table.kind(op)                 # "create", "link", "unlink", "read", "call", "copy", "drop", "collect"
"""

from dataclasses import dataclass, field

from refquake_cli import child
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.job import Job
from refquake_cli.listing import run_listing
from refquake_cli.program_model import Op, Program
from refquake_cli.program_text import complaint, dies_early
from refquake_cli.recipe import Recipe


@dataclass(frozen=True)
class OpEntry:
    form: str
    kind: str
    name: str
    nargs: int  # `self` included
    owners: tuple[str, ...]  # types `self` may be of; empty: any


@dataclass(frozen=True)
class OpList:
    target: str
    entries: tuple[OpEntry, ...]
    recipe: Recipe = field(default_factory=Recipe)  # where values and ops come from that are not the target's own

    def find(self, op: Op) -> OpEntry | None:
        shape = (op.form, op.name, len(op.args))
        return next((entry for entry in self.entries if (entry.form, entry.name, entry.nargs) == shape), None)

    def kind(self, op: Op) -> str:
        entry = self.find(op)
        return entry.kind if entry else ""

    def fewer_arguments(self, op: Op) -> list[Op]:
        """The same op with fewer arguments, fewest first, where the table has it so."""
        smaller = (
            Op(op.form, op.name, op.args[: entry.nargs], op.result)
            for entry in self.entries
            if entry.form == op.form and entry.name == op.name and entry.nargs < len(op.args)
        )
        return sorted(smaller, key=lambda one: len(one.args))

    def check(self, program: Program) -> None:
        for op in program.ops:
            if not self.find(op):
                raise WrongUse(f"target {self.target} has no op `{op}`: this program is from another version of it")


def parse_op_list(target: str, text: str, recipe: Recipe | None = None) -> OpList:
    entries = []
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].isdigit():
            form, kind, name, nargs, owners = fields
            entries.append(OpEntry(form, kind, name, int(nargs), tuple(filter(None, owners.split(",")))))
    return OpList(target, tuple(entries), recipe or Recipe())


def op_list(job: Job, version: str) -> OpList:
    done = run_listing(job, version, "--list-ops")
    if done.returncode == child.FOUND:
        raise dies_early(job)
    table = parse_op_list(job.target, done.stdout, job.recipe)
    if done.returncode != 0 or not table.entries:
        raise CouldNotRun(f"fuzz_{job.profile} did not list the ops of {job.target}: {complaint(done.stderr)}")
    return table
