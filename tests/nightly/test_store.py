"""The store: one row per bug, states, ten thousand artefacts, a full disk."""

import os
import sqlite3
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.ingest import Origin, echo_of, ingest
from refquake_cli.recipe import Recipe
from refquake_cli.reports import find_report
from refquake_cli.store import Sighting, Store


def sighting(signature: str = "missed-visit node.Node left", **changes: object) -> Sighting:
    fields = {
        "target": "node", "variant": "clean", "flavour": "asan", "profile": "threads", "version": "3.14.7",
        "kind": signature.split()[0], "signature": signature, "seen": 100.0, "input": b"0123456789",
    }  # fmt: skip
    return Sighting(**{**fields, **changes})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.sqlite")


def test_the_same_bug_is_one_row_with_its_smallest_input(store: Store) -> None:
    first = store.add(sighting(origin="1"))
    assert store.add(sighting(origin="2", input=b"012", seen=200.0)) == first
    assert store.add(sighting(origin="3", input=b"0123456", seen=50.0)) == first
    (row,) = store.findings()
    assert (row.count, row.input, row.first_seen, row.last_seen, row.state) == (3, b"012", 50.0, 200.0, "new")


def test_the_same_sighting_again_changes_nothing(store: Store) -> None:
    for _ in range(3):
        store.add(sighting())
    assert store.findings()[0].count == 1


def test_other_target_variant_or_signature_is_another_row(store: Store) -> None:
    ids = [store.add(sighting()), store.add(sighting(target="ring")), store.add(sighting(variant="setter_race")),
           store.add(sighting("missed-visit node.Node right"))]  # fmt: skip
    assert len(set(ids)) == 4


def test_a_fixed_finding_seen_again_comes_back(store: Store) -> None:
    number = store.add(sighting(origin="1"))
    store.mark(number, "fixed", owner="ada", note="commit 1234")
    assert store.finding(number).state == "fixed"
    store.add(sighting(origin="2"))
    row = store.finding(number)
    assert (row.state, row.owner, row.note) == ("came back", "ada", "commit 1234")


def test_what_is_fixed_is_not_passed_over(store: Store) -> None:
    number = store.add(sighting(pass_over="missed-visit node.Node left"))
    assert store.pass_over_lines("node", "clean") == ["missed-visit node.Node left"]
    assert store.pass_over_lines("ring", "clean") == []
    store.mark(number, "fixed")
    assert store.pass_over_lines("node", "clean") == []


def test_it_outlives_its_process(store: Store, tmp_path: Path) -> None:
    store.add(sighting())
    assert Store(tmp_path / "store.sqlite").findings() == store.findings()


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"nonsense " * 200)
    with pytest.raises(CouldNotRun, match="store.sqlite is not a store of findings"):
        Store(tmp_path / "store.sqlite")


def test_an_unknown_finding_is_wrong_use(store: Store) -> None:
    with pytest.raises(WrongUse, match="no finding 7"):
        store.mark(7, "known")


def race_log(bug: int, number: int) -> str:
    return f"""INFO: Seed: {number}
==refquake== RACE: data-race get{bug}@node.c | set{bug}@node.c
==================
WARNING: ThreadSanitizer: data race (pid={1000 + number})
  Read of size 8 at 0x{number:012x} by thread T{number % 7}:
    #0 get{bug} /src/node.c:{bug}:42 (node.so+0x{number:x})
    #1 lane /src/lane.c:4:30 (fuzz+0x121038)

  Previous write of size 8 at 0x{number:012x} by thread T2:
    #0 set{bug} /src/node.c:{100 + bug}:41 (node.so+0x{number:x})

SUMMARY: ThreadSanitizer: data race /src/node.c:{bug}:42 in get{bug}
==================
artifact_prefix='./'; Test unit written to crash-{number:05}
"""


def test_ten_thousand_artefacts_of_twenty_bugs_are_twenty_rows(store: Store, tmp_path: Path) -> None:
    """Memory must not follow the number of artefacts: a tenth of them may need half as much, not a tenth."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(10_000):
        (logs / f"{number:05}.log").write_text(race_log(number % 20, number))
        (logs / f"crash-{number:05}").write_bytes(b"x" * (16 + number % 500))
    tracemalloc.start()
    read, rows = ingest(store, logs, Origin("node", flavour="tsan"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (read, rows) == (10_000, 20)
    found = store.findings()
    assert len(found) == 20
    assert {row.count for row in found} == {500}
    assert {len(row.input) for row in found} == {16 + bug for bug in range(20)}
    assert peak < 16 << 20, "memory grows with the number of artefacts"
    ingest(store, logs, Origin("node", flavour="tsan"))
    assert {row.count for row in store.findings()} == {500}
    assert store.pass_over_lines("node", "clean")[0] == "data-race get0@node.c | set0@node.c"


def fill(store: Store) -> None:
    for number in range(10_000):
        assert store.add(sighting(f"missed-visit node.Node m{number}", report="x" * 20_000)) == number + 1


def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=True)
    try:
        store = Store(disk / "store.sqlite")
        with pytest.raises(CouldNotRun, match=r"free space there.*what was stored before is intact"):
            fill(store)
        stored = len(store.findings())
        assert stored > 10
        store.close()
        store = Store(disk / "store.sqlite")
        assert len(store.findings()) == stored
    finally:
        store.close()
        subprocess.run(["umount", str(disk)], check=True)


def test_races_after_a_fault_are_marked_as_its_echoes() -> None:
    fault = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in f /src/a.c:1:2\n"
    output = fault + race_log(1, 1) + race_log(2, 2)
    assert echo_of(output, find_report(output)).startswith("2 race reports after this fault")
    assert echo_of(race_log(1, 1), find_report(race_log(1, 1))) == ""


def test_a_fault_after_a_known_finding_in_its_input_is_marked() -> None:
    output = "==refquake== KNOWN: input 7: data-race f@a.c | g@a.c\n" + race_log(3, 3)
    assert "data-race f@a.c | g@a.c" in echo_of(output, find_report(output), inputs=7)
    assert echo_of(output, find_report(output), inputs=8) == ""


ADDED = {
    1: (("finding", "recipe"), ("finding", "release"), ("turn", "origin")),
    2: (("finding", "bug"), ("finding", "place")),
}


@pytest.mark.parametrize("version", ADDED)
def test_a_store_of_an_older_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    path = tmp_path / "store.sqlite"
    store = Store(path)
    numbers = [store.add(sighting()), store.add(sighting("missed-visit node.Node right"))]
    store.close()
    with sqlite3.connect(path) as database:
        if version == 1:
            database.execute("DROP INDEX turn_by_origin")
        for table, column in (column for since, columns in ADDED.items() if since >= version for column in columns):
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        database.execute(f"PRAGMA user_version = {version}")
    database.close()
    for _ in range(2):
        assert sorted(row.id for row in Store(path).findings()) == numbers
        assert Store(path).finding(numbers[0]).recipe == Recipe()
