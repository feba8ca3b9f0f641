"""All findings ever seen, one row per bug, in one SQLite file that survives kill -9, power loss and a full disk.

    store = Store(folder / "store.sqlite")
    store.add(sighting)                    # idempotent: the same sighting again changes nothing
    for row in store.findings(): row.id, row.state, row.signature, row.count, row.faces
    store.mark(row.id, "fixed")            # seen again after that, it "came back"

Two findings are the same when target, variant and signature are the same. One bug may have several
(store_bugs.py): they are its faces, and share its state. Each change is one transaction in
write-ahead mode, synchronised to the disk. The smallest reproducer is kept inside, with its program and report, so
that a row never points to a file that is gone. Several processes of one machine may use one store at a time.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.recipe import Recipe
from refquake_cli.store_bugs import bug_of
from refquake_cli.store_rows import Face, Function, Row, Sighting, Turn, whole
from refquake_cli.store_schema import bring_up_to_date

NEW, KNOWN, FIXED, CAME_BACK = "new", "known", "fixed", "came back"
STATES = (NEW, KNOWN, FIXED, CAME_BACK)
BUSY_SECONDS = 60
__all__ = ["CAME_BACK", "FIXED", "KNOWN", "NEW", "STATES", "Face", "Function", "Row", "Sighting", "Store", "Turn"]


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
        """The bug's id; see add_all."""
        return self.add_all([sighting], night)[0]

    def add_all(self, sightings: Iterable[Sighting], night: int = 0) -> list[int]:
        """Adds what is not yet there, in one transaction. Returns the bugs' ids, one for each sighting."""
        with self._transaction():
            return [self._add(sighting, night) for sighting in sightings]

    def _add(self, s: Sighting, night: int) -> int:
        seen_before = self._db.execute(
            "SELECT bug FROM finding JOIN sighting ON finding.id = sighting.finding WHERE key = ?", (s.key,)
        ).fetchone()
        if seen_before:
            return seen_before[0]
        same = (s.target, s.variant, s.signature)
        found = self._db.execute(
            "SELECT id, size, bug FROM finding WHERE target = ? AND variant = ? AND signature = ?", same
        ).fetchone()
        number = self._count_again(found[0], s) if found else self._insert(s)
        bug = found[2] if found else self._join(number, s)
        # A fixed bug seen again came back; one that came back stays so until someone marks it.
        self._db.execute("UPDATE finding SET state = ? WHERE bug = ? AND state = ?", (CAME_BACK, bug, FIXED))
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
        return bug

    def _join(self, number: int, s: Sighting) -> int:
        """A new finding is a face of a bug that is there, in its state and hands, or a bug of its own."""
        bug = bug_of(self._db, s) or number
        self._db.execute("UPDATE finding SET bug = ?, place = ? WHERE id = ?", (bug, s.place, number))
        self._db.execute(
            "UPDATE finding SET state = first.state, owner = first.owner, note = first.note"
            " FROM (SELECT state, owner, note FROM finding WHERE id = ?) AS first WHERE finding.id = ?", (bug, number),
        )  # fmt: skip
        return bug

    def _insert(self, s: Sighting) -> int:
        values = (
            s.target, s.variant, s.signature, s.kind, s.seen, s.seen, 1, s.flavour, s.profile, s.version,
            s.size, s.input, s.program, s.report, s.pass_over, s.echo, _written(s.recipe), s.release,
            0, "",
        )  # fmt: skip
        names = (
            "target, variant, signature, kind, first_seen, last_seen, count, flavour, profile, version,"
            "size, input, program, report, pass_over, echo, recipe, release, bug, place"
        )
        marks = ", ".join("?" * len(values))
        number = self._db.execute(f"INSERT INTO finding ({names}) VALUES ({marks})", values).lastrowid
        assert number
        return number

    def _count_again(self, number: int, s: Sighting) -> int:
        self._db.execute(
            "UPDATE finding SET count = count + 1, last_seen = max(last_seen, ?), first_seen = min(first_seen, ?)"
            " WHERE id = ?", (s.seen, s.seen, number),
        )  # fmt: skip
        return number

    def _keep_reproducer(self, number: int, s: Sighting) -> None:
        self._db.execute(
            "UPDATE finding SET size = ?, input = ?, program = ?, report = ?, flavour = ?, profile = ?, version = ?,"
            " pass_over = ?, echo = ?, recipe = ?, release = ? WHERE id = ?",
            (
                s.size,
                s.input,
                s.program,
                s.report,
                s.flavour,
                s.profile,
                s.version,
                s.pass_over,
                s.echo,
                _written(s.recipe),
                s.release,
                number,
            ),
        )

    def findings(self) -> list[Row]:
        """One row per bug, newest first seen first."""
        bugs: dict[int, list[Row]] = {}
        for row in self._rows("ORDER BY id"):
            bugs.setdefault(row.bug, []).append(row)
        return sorted(map(whole, bugs.values()), key=lambda row: (-row.first_seen, -row.id))

    def finding(self, number: int) -> Row:
        """A bug by its id or one of its faces'."""
        return whole(self._rows("WHERE bug = ? ORDER BY id", self.face(number).bug))

    def face(self, number: int) -> Row:
        rows = self._rows("WHERE id = ?", number)
        if not rows:
            raise WrongUse(f"no finding {number} in {self.path}; `refquake triage list` shows what there is")
        return rows[0]

    def has(self, target: str, variant: str, signature: str) -> bool:
        return bool(self._rows("WHERE target = ? AND variant = ? AND signature = ?", target, variant, signature))

    def _rows(self, clause: str, *values: object) -> list[Row]:
        names = ", ".join(name for name in Row.__dataclass_fields__ if name != "faces")
        with _clear_errors(self.path):
            found = self._db.execute(f"SELECT {names} FROM finding {clause}", values)
            return [Row(*rest, _read(recipe), *last) for *rest, recipe, last in ((*r[:-3], r[-3:]) for r in found)]

    def mark(self, number: int, state: str | None = None, owner: str | None = None, note: str | None = None) -> None:
        bug = self.finding(number).bug
        if state is not None and state not in STATES:
            raise WrongUse(f"no such state: {state}; choose one of {', '.join(STATES)}")
        changes = {"state": state, "owner": owner, "note": note}
        with self._transaction():
            for name, value in changes.items():
                if value is not None:
                    self._db.execute(f"UPDATE finding SET {name} = ? WHERE bug = ?", (value, bug))

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
        """How often each bug was seen in a night."""
        with _clear_errors(self.path):
            found = self._db.execute(
                "SELECT bug, sum(night_finding.count) FROM night_finding JOIN finding ON finding.id = finding"
                " WHERE night = ? GROUP BY bug", (night,),
            )  # fmt: skip
            return dict(found)

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
