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
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from refquake_cli.argument_text import check_argument_text
from refquake_cli.errors import WrongUse
from refquake_cli.files import copy_whole, folder_beside, write_whole
from refquake_cli.recipe import Recipe

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
    module: str  # the file with the module's code
    recipe: Recipe = field(default_factory=Recipe)  # with it, bytes and text mean what they meant when it was found
    release: str = ""  # of a module that was added: PACKAGE==VERSION

    @property
    def folder_name(self) -> str:
        return f"{self.target}-{self.variant}-{self.flavour}-{self.kind}-{self.hash}"


def store(final: Path, finding: Finding, artefact: Path | None, program: str, report: str) -> None:
    """Writes the folder; the same finding found again replaces the old one."""
    with folder_beside(final) as part:
        write_whole(part / REPORT, report)
        if artefact:
            copy_whole(artefact, part / INPUT)
        if program:
            write_whole(part / PROGRAM, finding.recipe.comments() + program)
        content = asdict(finding) | {"recipe": finding.recipe.to_json()}
        write_whole(part / DESCRIPTION, json.dumps(content, indent=2) + "\n")


_TYPES = {one.name: one.type for one in fields(Finding) if one.name != "recipe"}


def _checked(name: str, value: object) -> object:
    """ValueError where it is not what the field holds."""
    wanted = _TYPES[name]
    if not isinstance(value, (int, float) if wanted is float else wanted):
        raise ValueError(f"{name} is {str(value)[:60]!r}, which is no {wanted.__name__}")
    if isinstance(value, str):
        check_argument_text(value)
    return value


def load(folder: Path) -> Finding:
    path = folder / DESCRIPTION
    if not path.is_file():
        raise WrongUse(f"{folder} is not a finding: it has no {DESCRIPTION}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it holds no table")
        known = {name: _checked(name, content[name]) for name in _TYPES if name in content}
        return Finding(**{**known, "recipe": Recipe.from_json(content.get("recipe", {}))})
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise WrongUse(f"{path} does not describe a finding: {error}") from error
