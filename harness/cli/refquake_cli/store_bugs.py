"""To which bug a finding that is new to the store belongs: rows of `finding` with the same `bug` are its faces.

    number = bug_of(connection, sighting)      # None: to none that is there, it is a bug of its own

In this order: what came before it in the same input and may be its cause; the same place; for a race, a bug in all of
whose races one of the two racing functions takes part. What is unlocked races with everything that touches the
same field: that function is to be mended, and the others may be right. Last, the collector's own check of the counts
that failed before any program ran, and what an oracle says of the same counts where that check is not compiled in.
"""

import sqlite3
from typing import TYPE_CHECKING

from refquake_cli.reports.bug import CHECK, COUNTS, RACE, racing

if TYPE_CHECKING:
    from refquake_cli.store import Sighting


def bug_of(db: sqlite3.Connection, s: "Sighting") -> int | None:
    mine = (s.target, s.variant)
    if s.cause:
        cause = db.execute(
            "SELECT bug FROM finding LEFT JOIN pass_over ON pass_over.finding = finding.id"
            " WHERE target = ? AND variant = ? AND ? IN (signature, line)", (*mine, s.cause),
        ).fetchone()  # fmt: skip
        if cause:
            return cause[0]
    same = db.execute("SELECT bug FROM finding WHERE target = ? AND variant = ? AND place = ?", (*mine, s.place))
    if found := same.fetchone():
        return found[0]
    return _bug_of_race(db, s) if s.place.startswith(RACE) else _bug_of_check(db, s)


def _bug_of_race(db: sqlite3.Connection, s: "Sighting") -> int | None:
    common: dict[int, set[str]] = {}
    races = db.execute(
        "SELECT bug, place, pass_over FROM finding WHERE target = ? AND variant = ? AND place LIKE ? ORDER BY id",
        (s.target, s.variant, f"{RACE} %"),
    )
    for bug, place, line in races:
        functions = _functions(place, line)
        common[bug] = common.get(bug, functions) & functions
    functions = _functions(s.place, s.pass_over)
    return next((bug for bug, shared in common.items() if shared & functions), None)


def _functions(place: str, line: str) -> set[str]:
    """The line that makes a race known tells who called what raced; other findings have only a place."""
    return racing(line if line.startswith(RACE) else place)


def _bug_of_check(db: sqlite3.Connection, s: "Sighting") -> int | None:
    """A bug that only the other of the two has told of."""
    if s.kind == CHECK and not s.program:
        wanted, told = COUNTS, (CHECK,)
    elif s.kind in COUNTS:
        wanted, told = (CHECK,), COUNTS
    else:
        return None
    found = db.execute(
        f"SELECT bug FROM finding WHERE target = ? AND variant = ? AND kind IN ({_marks(wanted)})"
        f" AND (kind != '{CHECK}' OR program = '') AND bug NOT IN"
        f" (SELECT bug FROM finding WHERE kind IN ({_marks(told)})) ORDER BY id",
        (s.target, s.variant, *wanted, *told),
    ).fetchone()
    return found[0] if found else None


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))
