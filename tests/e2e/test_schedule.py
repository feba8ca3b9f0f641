"""Same program, same schedule: same interleaving, same report."""

import ctypes
import os
import re
from pathlib import Path

import pytest
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
ASK = 0xFFFFFFFF  # see man 2 personality
ADDR_NO_RANDOMIZE = 0x0040000


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


def why_addresses_cannot_tell() -> str:
    """Empty: the kernel chooses them at random, and lets a process ask for fixed ones."""
    libc = ctypes.CDLL(None, use_errno=True)
    now = libc.personality(ASK)
    if now < 0:
        return f"personality(2) is refused here: {os.strerror(ctypes.get_errno())}"
    if now & ADDR_NO_RANDOMIZE or Path("/proc/sys/kernel/randomize_va_space").read_text().strip() == "0":
        return "addresses are fixed already: there is nothing to compare with"
    if libc.personality(now | ADDR_NO_RANDOMIZE) < 0:
        return f"personality(ADDR_NO_RANDOMIZE) is refused here: {os.strerror(ctypes.get_errno())}"
    libc.personality(now)
    return ""


def test_addresses_are_the_same_in_every_process() -> None:
    """The control has it believe that it tried in vain: then the kernel's choice stands."""
    if reason := why_addresses_cannot_tell():
        pytest.skip(reason)
    assert len({address_seen([]) for _ in range(3)}) == 1
    assert len({address_seen(["env", "REFQUAKE_LAYOUT_FIXED=1"]) for _ in range(3)}) > 1
