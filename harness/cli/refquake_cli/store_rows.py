"""What goes into the store of findings, and what comes out.

whole(faces)        # one row of a bug's faces
"""

import hashlib
from dataclasses import dataclass, field, replace

from refquake_cli.recipe import Recipe
from refquake_cli.reports.bug import RACE, place_of


@dataclass(frozen=True)
class Sighting:
    """One finding, once: what a fuzz process left behind."""

    target: str
    variant: str
    flavour: str
    profile: str
    version: str
    kind: str
    signature: str
    seen: float
    input: bytes = b""
    program: str = ""
    report: str = ""
    pass_over: str = ""  # the line that makes a fuzz binary go on past it, "" where none can
    echo: str = ""  # what went before it in the same run and may be its cause
    origin: str = ""  # tells two sightings of the same content apart: the run they come from
    recipe: Recipe = field(default_factory=Recipe)  # with it, input and program mean what they meant when it was found
    release: str = ""  # of a module that was added: PACKAGE==VERSION
    cause: str = ""  # what may have caused it in the same input: a signature, or a line that makes a race known
    behind: str = ""  # the place of the bug, where a run told it (night/behind.py)

    @property
    def place(self) -> str:
        return self.behind or place_of(self.signature)

    @property
    def key(self) -> bytes:
        parts = (self.target, self.variant, self.flavour, self.profile, self.signature, self.origin, self.report)
        digest = hashlib.sha256("\0".join(parts).encode() + b"\0" + self.input)
        return digest.digest()[:16]

    @property
    def size(self) -> int:
        return len(self.input) or 1 << 30  # without an input there is nothing smaller to replace


@dataclass(frozen=True)
class Face:
    id: int
    signature: str
    count: int


@dataclass(frozen=True)
class Row:
    """A bug, with program and report of the face that says most. Of a face alone `faces` is empty."""

    id: int
    target: str
    variant: str
    signature: str
    kind: str
    state: str
    owner: str
    note: str
    first_seen: float
    last_seen: float
    count: int
    flavour: str
    profile: str
    version: str
    size: int
    input: bytes
    program: str
    report: str
    pass_over: str
    echo: str
    recipe: Recipe
    release: str
    bug: int
    place: str
    faces: tuple[Face, ...] = ()


@dataclass(frozen=True)
class Turn:
    """What one process did in one stretch of a night."""

    target: str
    variant: str
    flavour: str
    profile: str
    started: float
    seconds: float
    executions: int
    coverage: int
    features: int
    outcome: str
    origin: str = ""  # the run it tells of: one is counted once


@dataclass(frozen=True)
class Function:
    """A function of the module under test, and whether any input of the corpus enters it."""

    target: str
    variant: str
    flavour: str
    profile: str
    function: str
    file: str
    line: int
    reached: bool


def whole(faces: list[Row]) -> Row:
    """One row of all faces of a bug: the cause leads, else what an oracle or ThreadSanitizer said, else a death."""

    def says_less(row: Row) -> tuple[bool, bool, int]:
        return place_of(row.signature) != row.place, row.kind != RACE and row.pass_over == "", row.id

    lead = min(faces, key=says_less)
    return replace(
        lead, id=lead.bug, count=sum(face.count for face in faces),
        first_seen=min(face.first_seen for face in faces), last_seen=max(face.last_seen for face in faces),
        faces=tuple(Face(face.id, face.signature, face.count) for face in faces),
    )  # fmt: skip
