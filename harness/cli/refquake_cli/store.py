"""All findings ever seen, one row per bug, in one SQLite file that survives kill -9, power loss and a full disk.

    store = Store(folder / "store.sqlite")
    store.add(sighting)                    # idempotent: the same sighting again changes nothing
    for row in store.findings(): row.id, row.state, row.signature, row.count
    store.mark(row.id, "fixed")            # seen again after that, it "came back"

Two findings are the same bug when target, variant and signature are the same. Each change is one transaction in
write-ahead mode, synchronised to the disk. The smallest reproducer is kept inside, with its program and report, so
that a row never points to a file that is gone. Several processes of one machine may use one store at a time.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.recipe import Recipe
from refquake_cli.store_schema import bring_up_to_date

NEW, KNOWN, FIXED, CAME_BACK = "new", "known", "fixed", "came back"
STATES = (NEW, KNOWN, FIXED, CAME_BACK)
BUSY_SECONDS = 60


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

    @property
    def key(self) -> bytes:
        parts = (self.target, self.variant, self.flavour, self.profile, self.signature, self.origin, self.report)
        digest = hashlib.sha256("\0".join(parts).encode() + b"\0" + self.input)
        return digest.digest()[:16]

    @property
    def size(self) -> int:
        return len(self.input) or 1 << 30  # without an input there is nothing smaller to replace


@dataclass(frozen=True)
class Row:
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


class Store:
    def __init__(self, path: Path) -> None:
        self.path = path
        with _clear_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA wal_autocheckpoint = 200")
            self._create()

    def _create(self) -> None:
        with self._transaction():
            bring_up_to_date(self._db, self.path)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _clear_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # Findings

    def add(self, sighting: Sighting, night: int = 0) -> int:
        """The finding's id; see add_all."""
        return self.add_all([sighting], night)[0]

    def add_all(self, sightings: Iterable[Sighting], night: int = 0) -> list[int]:
        """Adds what is not yet there, in one transaction. Returns the findings' ids, one for each sighting."""
        with self._transaction():
            return [self._add(sighting, night) for sighting in sightings]

    def _add(self, s: Sighting, night: int) -> int:
        seen_before = self._db.execute("SELECT finding FROM sighting WHERE key = ?", (s.key,)).fetchone()
        if seen_before:
            return seen_before[0]
        same = (s.target, s.variant, s.signature)
        found = self._db.execute(
            "SELECT id, size, state FROM finding WHERE target = ? AND variant = ? AND signature = ?", same
        ).fetchone()
        number = self._count_again(found[0], found[2], s) if found else self._insert(s)
        if found and s.size < found[1]:
            self._keep_reproducer(number, s)
        self._db.execute("INSERT INTO sighting VALUES (?, ?)", (s.key, number))
        if s.pass_over:
            self._db.execute("INSERT OR IGNORE INTO pass_over VALUES (?, ?)", (number, s.pass_over))
        if night:
            self._db.execute(
                "INSERT INTO night_finding VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                (night, number),
            )
        return number

    def _insert(self, s: Sighting) -> int:
        values = (
            s.target, s.variant, s.signature, s.kind, s.seen, s.seen, 1, s.flavour, s.profile, s.version,
            s.size, s.input, s.program, s.report, s.pass_over, s.echo, _written(s.recipe), s.release,
        )  # fmt: skip
        names = (
            "target, variant, signature, kind, first_seen, last_seen, count, flavour, profile, version,"
            "size, input, program, report, pass_over, echo, recipe, release"
        )
        marks = ", ".join("?" * len(values))
        number = self._db.execute(f"INSERT INTO finding ({names}) VALUES ({marks})", values).lastrowid
        assert number
        return number

    def _count_again(self, number: int, state: str, s: Sighting) -> int:
        """A fixed bug seen again came back; one that came back stays so until someone marks it."""
        state = CAME_BACK if state == FIXED else state
        self._db.execute(
            "UPDATE finding SET count = count + 1, state = ?, last_seen = max(last_seen, ?),"
            " first_seen = min(first_seen, ?) WHERE id = ?",
            (state, s.seen, s.seen, number),
        )
        return number

    def _keep_reproducer(self, number: int, s: Sighting) -> None:
        self._db.execute(
            "UPDATE finding SET size = ?, input = ?, program = ?, report = ?, flavour = ?, profile = ?, version = ?,"
            " pass_over = ?, echo = ?, recipe = ?, release = ? WHERE id = ?",
            (s.size, s.input, s.program, s.report, s.flavour, s.profile, s.version, s.pass_over, s.echo,
             _written(s.recipe), s.release, number),
        )

    def findings(self) -> list[Row]:
        """Newest first seen first."""
        return self._rows("ORDER BY first_seen DESC, id DESC")

    def finding(self, number: int) -> Row:
        rows = self._rows("WHERE id = ?", number)
        if not rows:
            raise WrongUse(f"no finding {number} in {self.path}; `refquake triage list` shows what there is")
        return rows[0]

    def _rows(self, clause: str, *values: object) -> list[Row]:
        names = ", ".join(Row.__dataclass_fields__)
        with _clear_errors(self.path):
            found = self._db.execute(f"SELECT {names} FROM finding {clause}", values)
            return [Row(*rest, _read(recipe), release) for *rest, recipe, release in found]

    def mark(self, number: int, state: str | None = None, owner: str | None = None, note: str | None = None) -> None:
        self.finding(number)
        if state is not None and state not in STATES:
            raise WrongUse(f"no such state: {state}; choose one of {', '.join(STATES)}")
        changes = {"state": state, "owner": owner, "note": note}
        with self._transaction():
            for name, value in changes.items():
                if value is not None:
                    self._db.execute(f"UPDATE finding SET {name} = ? WHERE id = ?", (value, number))

    def pass_over_lines(self, target: str, variant: str) -> list[str]:
        """What a campaign goes on past: every finding of this target but those said to be fixed."""
        with _clear_errors(self.path):
            found = self._db.execute(
                "SELECT line FROM pass_over JOIN finding ON finding.id = pass_over.finding"
                " WHERE target = ? AND variant = ? AND state != ? ORDER BY line",
                (target, variant, FIXED),
            )
            return [line for (line,) in found]

    def executions(self) -> dict[tuple[str, str], int]:
        """All executions of each (target, variant): what a finding's count is a rate of."""
        with _clear_errors(self.path):
            found = self._db.execute("SELECT target, variant, sum(executions) FROM turn GROUP BY target, variant")
            return {(target, variant): total for target, variant, total in found}

    # Nights

    def begin_night(self, now: float) -> int:
        with self._transaction():
            number = self._db.execute("INSERT INTO night (started) VALUES (?)", (now,)).lastrowid
            assert number
            # A report compares two nights; which function an older one entered nobody asks.
            self._db.execute("DELETE FROM function WHERE night < ?", (number - 2,))
        return number

    def end_night(self, night: int, now: float) -> None:
        with self._transaction():
            self._db.execute("UPDATE night SET ended = ? WHERE id = ?", (now, night))

    def nights(self) -> list[tuple[int, float, float | None]]:
        """(id, started, ended), latest first; `ended` is None where the night was cut off."""
        with _clear_errors(self.path):
            return self._db.execute("SELECT id, started, ended FROM night ORDER BY id DESC").fetchall()

    def add_turn(self, night: int, turn: Turn) -> None:
        """One that is there already changes nothing: a campaign killed behind this leaves it to be taken in again."""
        values = (
            night, turn.target, turn.variant, turn.flavour, turn.profile, turn.started, turn.seconds,
            turn.executions, turn.coverage, turn.features, turn.outcome, turn.origin,
        )  # fmt: skip
        names = (
            "night, target, variant, flavour, profile, started, seconds, executions, coverage, features, outcome,"
            " origin"
        )
        with self._transaction():
            self._db.execute(f"INSERT OR IGNORE INTO turn ({names}) VALUES ({', '.join('?' * len(values))})", values)

    def turns(self, night: int) -> list[Turn]:
        names = ", ".join(Turn.__dataclass_fields__)
        with _clear_errors(self.path):
            found = self._db.execute(f"SELECT {names} FROM turn WHERE night = ? ORDER BY started, id", (night,))
            return [Turn(*row) for row in found]

    def night_findings(self, night: int) -> dict[int, int]:
        """How often each finding was seen in a night."""
        with _clear_errors(self.path):
            return dict(self._db.execute("SELECT finding, count FROM night_finding WHERE night = ?", (night,)))

    def set_functions(self, night: int, functions: Iterable[Function]) -> None:
        with self._transaction():
            for f in functions:
                values = (night, f.target, f.variant, f.flavour, f.profile, f.function, f.file, f.line, f.reached)
                self._db.execute(f"INSERT OR REPLACE INTO function VALUES ({', '.join('?' * 9)})", values)

    def functions(self, night: int) -> list[Function]:
        names = ", ".join(Function.__dataclass_fields__)
        with _clear_errors(self.path):
            found = self._db.execute(f"SELECT {names} FROM function WHERE night = ? ORDER BY file, line", (night,))
            return [Function(*row) for row in found]


def _written(recipe: Recipe) -> str:
    return json.dumps(recipe.to_json(), sort_keys=True)


def _read(recipe: str) -> Recipe:
    return Recipe.from_json(json.loads(recipe))


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as one line that says what to do; whatever was committed before stays."""
    try:
        yield
    except sqlite3.OperationalError as error:
        full = "full" in str(error) or "disk I/O" in str(error)
        advice = (
            "free space there and run it again" if full else "is another process holding it, or the folder read-only?"
        )
        raise CouldNotRun(f"{path}: {error}: {advice}; what was stored before is intact") from error
    except sqlite3.DatabaseError as error:
        raise CouldNotRun(f"{path} is not a store of findings: {error}; move it away") from error
    except OSError as error:
        raise CouldNotRun(f"{path}: {error.strerror}; what was stored before is intact") from error
