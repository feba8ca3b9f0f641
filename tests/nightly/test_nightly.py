"""`refquake nightly` and `refquake triage` end to end, on fake binaries."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from refquake_cli.store import Store

KILLS = int(os.environ.get("REFQUAKE_TEST_KILLS", "50"))


def rows(folder: Path) -> dict[str, int]:
    return {row.signature: row.count for row in Store(folder / "store.sqlite").findings()}


def config(folder: Path, text: str) -> None:
    (folder / "refquake.toml").write_text(text)


CHAIN = """
[nightly]
turn = "6s"
jobs = 1
[[target]]
name = "node"
variants = ["chain"]
flavours = ["asan"]
"""
BUGS = CHAIN.replace("chain", "bugs").replace("jobs = 1", "jobs = 2")
CLEAN = CHAIN.replace("chain", "clean").replace('"6s"', '"1s"').replace("jobs = 1", "jobs = 2")


def test_each_bug_behind_a_known_one_is_reached(command, tmp_path: Path) -> None:
    config(tmp_path, CHAIN)
    done = command("nightly", "--time", "12s")
    assert done.returncode == 1, done.stderr
    found = rows(tmp_path / "refquake-nightly")
    assert sorted(found) == [f"missed-visit node.Node {name}" for name in ("first", "second", "third")]
    assert set(found.values()) == {1}
    second = Store(tmp_path / "refquake-nightly" / "store.sqlite").findings()[1]
    assert second.echo == "in the same input, before it: missed-visit node.Node first"
    assert "nightly" in done.stderr or "node chain asan threads" in done.stderr


def test_a_night_without_findings_exits_0_and_keeps_its_corpus(command, tmp_path: Path) -> None:
    config(tmp_path, CLEAN)
    done = command("nightly", "--time", "5s", "--dir", "night")
    assert done.returncode == 0, done.stderr
    corpora = sorted(entry.name for entry in (tmp_path / "night" / "corpus").iterdir())
    assert corpora == ["node-clean-asan-lifecycle", "node-clean-asan-threads"]
    for corpus in (tmp_path / "night" / "corpus").iterdir():
        assert len(list(corpus.iterdir())) > 5
    log = (tmp_path / "night" / "logs" / "night-1.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in log]
    assert events[0]["event"] == "night"
    assert events[-1] == {**events[-1], "event": "end", "stopped_by": "", "findings": 0}
    assert sum(event["event"] == "turn" for event in events) >= 2
    assert list((tmp_path / "night" / "work").iterdir()) == []


def test_the_next_night_minimises_the_corpus(command, tmp_path: Path) -> None:
    config(tmp_path, CLEAN)
    corpus = tmp_path / "refquake-nightly" / "corpus" / "node-clean-asan-threads"
    corpus.mkdir(parents=True)
    for number in range(100):
        (corpus / f"{number:040x}").write_bytes(str(number).encode())
    command("nightly", "--time", "4s")
    events = [json.loads(line) for line in (tmp_path / "refquake-nightly/logs/night-1.jsonl").read_text().splitlines()]
    (minimised,) = (e for e in events if e["event"] == "minimised" and e["before"])
    assert (minimised["before"], minimised["after"]) == (100, 50)


def test_a_job_that_cannot_start_does_not_end_the_campaign(command, tmp_path: Path) -> None:
    config(tmp_path, CLEAN.replace('["clean"]', '["clean", "broken"]'))
    done = command("nightly", "--time", "5s")
    assert done.returncode == 3
    assert "could not run: node broken asan lifecycle: refquake: could not import node" in done.stdout
    turns = Store(tmp_path / "refquake-nightly" / "store.sqlite").turns(1)
    assert {turn.outcome for turn in turns} >= {"could not run"}
    assert any(turn.executions for turn in turns)


def test_a_job_that_dies_while_it_loads_is_tried_three_times(command, tmp_path: Path) -> None:
    config(tmp_path, CLEAN.replace('["clean"]', '["clean", "barren"]'))
    done = command("nightly", "--time", "8s", "--turn", "7s")
    assert done.returncode == 1
    assert "found missed-visit while it loaded" in done.stderr
    turns = Store(tmp_path / "refquake-nightly" / "store.sqlite").turns(1)
    assert sum(turn.variant == "barren" for turn in turns) == 3


def wait_for_turn(folder: Path, process: subprocess.Popen) -> None:
    """Until a process of the campaign runs: its folder has a flight record."""
    while process.poll() is None and not list(folder.glob("work/*/*/run.state")):
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()


def test_signals_stop_it_cleanly_and_lose_nothing(start, tmp_path: Path) -> None:
    config(tmp_path, CLEAN)
    folder = tmp_path / "refquake-nightly"
    for number, signal_number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), start=1):
        process = start("nightly", "--time", "1h", "--turn", "1h")
        wait_for_turn(folder, process)
        process.send_signal(signal_number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert list((folder / "work").iterdir()) == []
        assert any(turn.executions for turn in Store(folder / "store.sqlite").turns(number))
    assert Store(folder / "store.sqlite").nights()[0][2] is not None


def check_nothing_lost(folder: Path, journal: Path) -> None:
    """Each report that was written is in the store, once. A process killed while it reports may be in it or not."""
    found = rows(folder)
    begun, done = (Counter(Path(f"{journal}.{moment}").read_text().splitlines()) for moment in ("begun", "done"))
    assert done, "the campaign never got to a finding"
    assert set(found) <= set(begun)
    for signature in begun:
        assert done[signature] <= found.get(signature, 0) <= begun[signature], signature


def test_kill_9_at_random_moments_loses_no_finding(start, command, tmp_path: Path) -> None:
    """What the binaries reported is in the store in the end, each report counted once."""
    config(tmp_path, BUGS)
    journal = tmp_path / "found.txt"
    generator = random.Random(7)
    for _ in range(KILLS):
        process = start("nightly", "--time", "1h", FAKE_FOUND=str(journal))
        try:
            process.wait(timeout=generator.uniform(0.1, 3.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        _, err = process.communicate()
        assert process.returncode == -signal.SIGKILL, err
    command("nightly", "--time", "4s", FAKE_FOUND=str(journal))
    check_nothing_lost(tmp_path / "refquake-nightly", journal)


def test_two_campaigns_on_one_folder_one_killed(start, tmp_path: Path, command) -> None:
    config(tmp_path, BUGS)
    journal = tmp_path / "found.txt"
    folder = tmp_path / "refquake-nightly"
    generator = random.Random(11)
    survivor = start("nightly", "--time", "25s", FAKE_FOUND=str(journal))
    while survivor.poll() is None:
        victim = start("nightly", "--time", "1h", FAKE_FOUND=str(journal))
        with contextlib.suppress(subprocess.TimeoutExpired):
            survivor.wait(timeout=generator.uniform(1.0, 5.0))
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
    _, err = survivor.communicate()
    assert survivor.returncode == 1, err
    command("nightly", "--time", "4s", FAKE_FOUND=str(journal))
    check_nothing_lost(folder, journal)


def test_a_full_disk_ends_it_with_a_clear_line(command, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    config(tmp_path, CLEAN)
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], check=True)
    try:
        done = command("nightly", "--time", "60s", "--dir", str(disk))
        assert done.returncode == 3, done.stderr
        assert "free space there and run it again; what was stored before is intact" in done.stderr
        store = Store(disk / "store.sqlite")
        assert store.turns(1)
        store.close()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_triage_lists_shows_marks_and_reopens(command, tmp_path: Path) -> None:
    config(tmp_path, CHAIN)
    command("nightly", "--time", "5s")
    listed = command("triage", "list")
    assert "missed-visit node.Node first" in listed.stdout
    (first,) = (f for f in json.loads(command("triage", "list", "--json").stdout) if f["signature"].endswith("first"))
    number = str(first["id"])
    assert "a.left = a" in command("triage", "show", number).stdout
    assert command("triage", "mark", number, "fixed", "--owner", "ada").stdout == f"finding {number}: fixed\n"
    assert command("triage", "reopen", number).stdout == f"finding {number}: came back\n"
    assert command("triage", "reopen", number).returncode == 2
    saved = command("triage", "show", number, "--save", "saved")
    assert saved.returncode == 0
    assert (tmp_path / "saved" / "finding.json").is_file()
    assert command("triage", "list", "--state", "known").stdout.count("\n") == 1
    assert command("triage", "mark", "999", "known").returncode == 2
    assert "no store of findings in nowhere" in command("triage", "--dir", "nowhere", "list").stderr


def test_wrong_configuration_is_named(command, tmp_path: Path) -> None:
    for text, message in (
        ('[nightly]\ntime = "soon"', "refquake.toml: time is 'soon': expected a number with s, m or h"),
        ("[nightly]\nspeed = 1", "[nightly] has no 'speed'"),
        ('[[target]]\nname = "nope"', "no such target: nope"),
        ("[nightly", "refquake.toml: "),
    ):
        config(tmp_path, text)
        done = command("nightly", "--time", "1s") if "time" not in text else command("nightly")
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
