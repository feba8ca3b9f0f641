"""A finding on disk: a folder that appears whole, named after what it is.

Example:

    OUT/node-setter_race-tsan-data-race-1a2b3c4d/
        program.prog    the program as text
        input.bin       the same as bytes, what libFuzzer wrote
        report.txt      what the process said
        finding.json    the fields of Finding

    store(out / finding.folder_name, finding, artefact=path, program=text, report=text)
    finding = load(folder)
"""

import json
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from refquake_cli.errors import WrongUse
from refquake_cli.files import folder_beside

DESCRIPTION = "finding.json"
PROGRAM = "program.prog"
INPUT = "input.bin"
REPORT = "report.txt"


@dataclass(frozen=True)
class Finding:
    kind: str
    signature: str
    hash: str
    target: str
    variant: str
    flavour: str
    profile: str
    version: str
    seed: int
    executions: int
    seconds: float
    module: str

    @property
    def folder_name(self) -> str:
        return f"{self.target}-{self.variant}-{self.flavour}-{self.kind}-{self.hash}"


def store(final: Path, finding: Finding, artefact: Path | None, program: str, report: str) -> None:
    """Writes the folder; the same finding found again replaces the old one."""
    with folder_beside(final) as part:
        (part / REPORT).write_text(report, encoding="utf-8")
        if artefact:
            shutil.copyfile(artefact, part / INPUT)
        if program:
            (part / PROGRAM).write_text(program, encoding="utf-8")
        (part / DESCRIPTION).write_text(json.dumps(asdict(finding), indent=2) + "\n", encoding="utf-8")


def load(folder: Path) -> Finding:
    path = folder / DESCRIPTION
    if not path.is_file():
        raise WrongUse(f"{folder} is not a finding: it has no {DESCRIPTION}")
    try:
        known = {field.name for field in fields(Finding)}
        return Finding(**{k: v for k, v in json.loads(path.read_text(encoding="utf-8")).items() if k in known})
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise WrongUse(f"{path} does not describe a finding: {error}") from error
