"""Same program, same schedule: same interleaving, same report."""

import re
from pathlib import Path

from conftest import FLAVOUR
from fuzz_once import command, fuzz, replay, run

RACE = """target: node
profile: threads
schedule: {schedule}
phase:
    lane:
        a = Node()
        b = Node()
        c = Node()
        a.left = b
phase:
    lane:
        a.left = c
        d = a.left
    lane:
        a.left = None
        d = a.left
        gc.collect()
    lane:
        a.push(b)
        a.pop()
phase:
    lane:
        a.left = c
    lane:
        a.left = b
"""
RUNS = 10


def write(path: Path, schedule: str) -> Path:
    path.write_text(RACE.format(schedule=schedule), encoding="utf-8")
    return path


def schedules(output: str) -> list[str]:
    return re.findall(r"SCHEDULE: (replay\(.*\) steps \d+ hash [0-9a-f]+)", output)


def test_schedule_replays_in_fresh_processes(tmp_path: Path) -> None:
    for schedule in ("pct(depth=3, seed=7)", "random(seed=5)"):
        path = write(tmp_path / "race.prog", schedule)
        seen = {tuple(schedules(replay("node", "clean", "threads", path).output)) for _ in range(RUNS)}
        assert len(seen) == 1, seen
        assert seen.pop(), "no schedule was printed"


def test_recorded_switches_replay_to_the_same_hash(tmp_path: Path) -> None:
    first = schedules(replay("node", "clean", "threads", write(tmp_path / "race.prog", "random(seed=5)")).output)[0]
    again = schedules(replay("node", "clean", "threads", write(tmp_path / "again.prog", first.split(" steps")[0])).output)[0]
    assert again == first


def test_stepped_race_is_found(tmp_path: Path) -> None:
    """Under tsan a stepped race is reported as a race; under asan the interleaving makes it a lifetime bug."""
    done = fuzz("node", "setter_race", "threads", 1, 60)
    expected = {"tsan": {"data-race"}, "asan": {"use-after-free", "negative-refcount", "missing-incref", "leaked-reference"}}
    assert done.code == 77
    assert done.kind in expected[FLAVOUR], done.output[-3000:]


def address_seen(prefix: list[str]) -> str:
    listing = command("node", "clean", "threads", "--list-ops", "--value=__import__('os').write(1, b'at %x\\n' % id(object))")
    output = run([*prefix, *listing], timeout=300).output
    return re.search(r"^at ([0-9a-f]+)$", output, re.MULTILINE).group(1)


def test_addresses_are_the_same_in_every_process() -> None:
    """The control has it believe that it tried in vain: then the kernel's choice stands."""
    assert len({address_seen([]) for _ in range(3)}) == 1
    assert len({address_seen(["env", "REFQUAKE_LAYOUT_FIXED=1"]) for _ in range(3)}) > 1
