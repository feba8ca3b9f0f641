"""The tables of the store, and what brings those of an older store up to date.

with transaction: bring_up_to_date(connection, path)      # WrongUse: it is of a newer version
"""

import sqlite3
from pathlib import Path

from refquake_cli.errors import WrongUse

_VERSION = 3
_SCHEMA = """
CREATE TABLE finding (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL, variant TEXT NOT NULL, signature TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'new', owner TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '',
    first_seen REAL NOT NULL, last_seen REAL NOT NULL, count INTEGER NOT NULL,
    flavour TEXT NOT NULL, profile TEXT NOT NULL, version TEXT NOT NULL,
    size INTEGER NOT NULL, input BLOB NOT NULL, program TEXT NOT NULL, report TEXT NOT NULL,
    pass_over TEXT NOT NULL, echo TEXT NOT NULL, recipe TEXT NOT NULL DEFAULT '{}', release TEXT NOT NULL DEFAULT '',
    bug INTEGER NOT NULL, place TEXT NOT NULL,
    UNIQUE (target, variant, signature)
);
CREATE TABLE sighting (key BLOB PRIMARY KEY, finding INTEGER NOT NULL REFERENCES finding) WITHOUT ROWID;
CREATE TABLE pass_over (
    finding INTEGER NOT NULL REFERENCES finding, line TEXT NOT NULL, PRIMARY KEY (finding, line)
) WITHOUT ROWID;
CREATE TABLE night (id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL);
CREATE TABLE turn (
    id INTEGER PRIMARY KEY, night INTEGER NOT NULL REFERENCES night,
    target TEXT NOT NULL, variant TEXT NOT NULL, flavour TEXT NOT NULL, profile TEXT NOT NULL,
    started REAL NOT NULL, seconds REAL NOT NULL, executions INTEGER NOT NULL, coverage INTEGER NOT NULL,
    features INTEGER NOT NULL, outcome TEXT NOT NULL, origin TEXT NOT NULL DEFAULT ''
);
CREATE INDEX turn_by_night ON turn (night);
CREATE UNIQUE INDEX turn_by_origin ON turn (origin) WHERE origin != '';
CREATE TABLE night_finding (
    night INTEGER NOT NULL, finding INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (night, finding)
) WITHOUT ROWID;
CREATE TABLE function (
    night INTEGER NOT NULL, target TEXT NOT NULL, variant TEXT NOT NULL, flavour TEXT NOT NULL, profile TEXT NOT NULL,
    function TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, reached INTEGER NOT NULL,
    PRIMARY KEY (night, target, variant, flavour, profile, function, file)
) WITHOUT ROWID;
"""
# By version, what a store of an older version lacks.
_UPGRADES = {
    1: """
ALTER TABLE finding ADD COLUMN recipe TEXT NOT NULL DEFAULT '{}';
ALTER TABLE finding ADD COLUMN release TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX turn_by_origin ON turn (origin) WHERE origin != '';
""",
    2: """
ALTER TABLE finding ADD COLUMN bug INTEGER NOT NULL DEFAULT 0;
ALTER TABLE finding ADD COLUMN place TEXT NOT NULL DEFAULT '';
UPDATE finding SET bug = id, place = signature;
""",
}


def bring_up_to_date(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, *_UPGRADES, _VERSION):
        raise WrongUse(f"{path} is of version {version}, this refquake reads version {_VERSION}")
    changes = [_SCHEMA] if version == 0 else [_UPGRADES[old] for old in range(version, _VERSION)]
    for statement in (statement for change in changes for statement in change.split(";\n")):
        db.execute(statement)
    if changes:
        db.execute(f"PRAGMA user_version = {_VERSION}")
