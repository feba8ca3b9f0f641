"""Same program, same schedule: same interleaving, same report."""

import ctypes
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz_once import command, fuzz, replay, run

from conftest import FLAVOUR
from refquake_cli.minimize_serial import serialised, windows
from refquake_cli.program_model import parse_program
from refquake_cli.reports import find_report
from refquake_cli.reports.schedule import order_in, recorded_schedule
from refquake_cli.switch_places import told_switches

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
# Two lanes fill the same cache: one stops between its look and its write.
FILL = """target: cache
profile: threads
schedule: {schedule}
phase:
    lane:
        a = Cache()
        a.put(Value(), Value())
phase:
    lane:
        b = a.keys()
    lane:
        c = a.keys()
"""
# Each takes its own lock first, where the plant lock_order is.
COUPLE = """target: ring
profile: threads
schedule: {schedule}
phase:
    lane:
        a = Ring()
        b = Ring()
phase:
    lane:
        a.couple(b)
    lane:
        b.couple(a)
"""
# The collector visits, and two critical sections lock, in the order of addresses.
ORDER = """target: ring
profile: threads
schedule: random(seed=3)
phase:
    lane:
        a = Ring()
        b = Ring()
        a.push(Value())
        b.push(b)
phase:
    lane:
        a.couple(b)
        a.swap(b)
        gc.collect()
    lane:
        b.swap(a)
        a = Ring()
        a.extend(b)
    lane:
        b.couple(a)
        b.clear()
        a.swap(b)
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
    again = schedules(
        replay("node", "clean", "threads", write(tmp_path / "again.prog", first.split(" steps")[0])).output
    )[0]
    assert again == first


def test_what_ran_before_does_not_matter(tmp_path: Path) -> None:
    """Memory is handed out, visited and locked in the same order in the first and in the fiftieth run of a process."""
    path = tmp_path / "order.prog"
    path.write_text(ORDER, encoding="utf-8")
    seen = {repeat: schedules(replay("ring", "clean", "threads", path, repeat).output) for repeat in (1, 17, 50)}
    assert seen[1], "no schedule was printed"
    assert seen[1] == seen[17] == seen[50]


def test_stepped_race_is_found(tmp_path: Path) -> None:
    """Under tsan a stepped race is reported as a race; under asan the interleaving makes it a lifetime bug."""
    done = fuzz("node", "setter_race", "threads", 1, 60)
    expected = {
        "tsan": {"data-race"},
        "asan": {"use-after-free", "negative-refcount", "missing-incref", "leaked-reference"},
    }
    assert done.code == 77
    assert done.kind in expected[FLAVOUR], done.output[-3000:]


def assert_tells_its_switches(output: str) -> None:
    report = find_report(output)
    assert report, output[-3000:]
    schedule = recorded_schedule(report.text)
    assert schedule.startswith("replay("), report.text[-3000:]
    told = told_switches(report.text)
    assert len(told) == schedule.count(">") or told[-1].endswith(" more")
    assert any("stops in" in switch for switch in told), told


def test_a_stepped_report_of_a_sanitizer_tells_its_switches() -> None:
    assert_tells_its_switches(fuzz("node", "setter_race", "threads", 1, 60, "--schedule=stepped").output)


def test_a_stepped_report_of_an_oracle_tells_its_switches(tmp_path: Path) -> None:
    for seed in range(1, 100):
        path = tmp_path / f"{seed}.prog"
        path.write_text(FILL.format(schedule=f"random(seed={seed})"), encoding="utf-8")
        done = replay("cache", "filled_twice", "threads", path)
        if done.code != 0:
            break
    assert done.kind == "leaked-instance"
    assert_tells_its_switches(done.output)


def test_a_switch_inside_the_extension_names_its_line(tmp_path: Path) -> None:
    """A policy that switches at every other step is sure to stop a lane within a method."""
    output = replay("node", "clean", "threads", write(tmp_path / "race.prog", "random(seed=5)")).output
    switches = told_switches(output)
    assert any(re.search(r"stops in \w+ \(node\.c:\d+\), about to (read|write)", switch) for switch in switches), (
        switches
    )
    assert any("between two ops" in switch for switch in switches), switches


def test_what_came_before_can_go_before(tmp_path: Path) -> None:
    """From any of the last hand-overs on, the lanes stop at the same places when all else happens in one lane."""
    output = replay("node", "clean", "threads", write(tmp_path / "race.prog", "random(seed=5)")).output
    program = replace(parse_program(RACE.format(schedule="free")), schedule=recorded_schedule(output))
    order = order_in(output)
    assert sum(one.lane is None for one in order) == 2, "not every phase of several lanes was told"
    last_phase = max(number for number, one in enumerate(order) if one.lane is None)
    for window, serial in zip(windows(program.phases[-1], order[last_phase:]), serialised(program, order), strict=True):
        path = tmp_path / "serial.prog"
        path.write_text(str(serial), encoding="utf-8")
        again = order_in(replay("node", "clean", "threads", path).output)
        met = [one.into for one in order[last_phase + window + 1 :]]
        assert [one.into for one in again[len(again) - len(met) :]] == met, str(serial)


GAP = """target: ring
profile: threads
schedule: replay({step}>1)
phase:
    lane:
        a = Ring()
        a.push(Value())
phase:
    lane:
        a.__getitem__(0)
    lane:
        a.clear()
"""
GAP_STEPS = 20  # more than the first lane makes


@pytest.mark.skipif(FLAVOUR != "asan", reason="what is read there is null: a segv, which the plant names for asan")
def test_a_lane_can_be_stopped_between_two_locked_stretches(tmp_path: Path) -> None:
    """The index is checked under the lock, and the item read under it again: nothing lies between but the two calls."""
    told = []
    for step in range(GAP_STEPS):
        path = tmp_path / f"{step}.prog"
        path.write_text(GAP.format(step=step), encoding="utf-8")
        done = replay("ring", "check_then_access", "threads", path)
        if done.kind == "segv":
            told += told_switches(done.output)
    assert any(
        re.search(r"\((ring|pycore|critical)\w*\.[ch]:\d+\), (about to take a lock|having given)", one) for one in told
    ), told


def address_seen(prefix: list[str]) -> str:
    listing = command(
        "node", "clean", "threads", "--list-ops", "--value=__import__('os').write(1, b'at %x\\n' % id(object))"
    )
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


def test_a_known_deadlock_ends_the_process_as_known(tmp_path: Path) -> None:
    """Not as a finding: a campaign would take the same one in again and again."""
    path, known = tmp_path / "couple.prog", tmp_path / "known.txt"
    for seed in range(1, 41):
        path.write_text(COUPLE.format(schedule=f"random(seed={seed})"), encoding="utf-8")
        found = replay("ring", "lock_order", "threads", path)
        if found.kind == "deadlock":
            break
    report = find_report(found.output)
    assert report, found.output
    assert report.kind == "deadlock", found.output
    known.write_text(report.signature + "\n", encoding="utf-8")
    flags = (f"--replay={path}", f"--known={known}")
    done = run(command("ring", "lock_order", "threads", *flags), timeout=300)
    assert (done.code, done.kind) == (78, ""), done.output
    assert f"KNOWN: input 1: {report.signature}" in done.output
