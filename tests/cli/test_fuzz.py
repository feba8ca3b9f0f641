"""`refquake fuzz` end to end, on fake binaries: the plan, the table, the findings on disk, the exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def table_of(output: str) -> dict[tuple[str, str], list[str]]:
    lines = output.split("\n\n")[0].splitlines()[1:]
    return {tuple(line.split()[:2]): line.split() for line in lines}


def test_a_plant_is_found_and_stored(command, tmp_path: Path) -> None:
    done = command("fuzz", "node", "--plant", "setter_race", "--seed", "7")
    assert done.returncode == 1, done.stderr
    assert table_of(done.stdout)["setter_race", "tsan"][3:6] == ["data-race", "data-race", "4096"]
    folder = next((tmp_path / "refquake-out").iterdir())
    assert folder.name.startswith("node-setter_race-tsan-data-race-")
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "finding.json",
        "input.bin",
        "program.prog",
        "report.txt",
    ]
    assert f"./refquake repro refquake-out/{folder.name}" in done.stdout
    stored = json.loads((folder / "finding.json").read_text())
    assert stored["signature"] == "data-race node_get_next@race.c | node_set_next@race.c"
    assert (stored["seed"], stored["profile"], stored["variant"]) == (7, "threads", "setter_race")
    assert "ThreadSanitizer: data race" in (folder / "report.txt").read_text()
    assert (folder / "program.prog").read_text().startswith("target: node")


def test_the_same_finding_again_replaces_the_old(command, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        command("fuzz", "node", "--plant", "setter_race", "--seed", seed)
    (folder,) = (tmp_path / "refquake-out").iterdir()
    assert json.loads((folder / "finding.json").read_text())["seed"] == 2


def test_a_clean_run_says_what_it_covered_and_exits_0(command) -> None:
    done = command("fuzz", "node", "--time", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("nothing found in 5000 executions (35000 ops that did something)") == 4
    assert "coverage 120" in done.stdout
    assert "safe" not in done.stdout


def test_an_oracle_finding_keeps_the_oracle_signature(command, tmp_path: Path) -> None:
    done = command("fuzz", "node", "--plant", "oracle", "--flavour", "asan")
    assert done.returncode == 1
    (folder,) = (tmp_path / "refquake-out").iterdir()
    assert json.loads((folder / "finding.json").read_text())["signature"] == "missed-visit node.Node children"
    assert f"ARTEFACT: {folder}/input.bin" in (folder / "report.txt").read_text()


def test_a_binary_that_could_not_run_is_not_clean(command) -> None:
    done = command("fuzz", "node", "--plant", "cannot_import")
    assert done.returncode == 3
    assert "could not import node: no such module" in done.stdout


def test_nothing_executed_is_not_clean(command) -> None:
    done = command("fuzz", "node", "--plant", "idle")
    assert done.returncode == 3
    assert "without executing anything" in done.stdout


def test_a_binary_shot_dead_leaves_the_input_it_was_at(command, tmp_path: Path) -> None:
    done = command("fuzz", "node", "--plant", "shot")
    assert done.returncode == 1
    (folder,) = (tmp_path / "refquake-out").iterdir()
    assert (folder / "input.bin").read_text() == "PROGRAM"


def test_a_death_before_the_first_input_is_reproduced_by_an_empty_program(command, tmp_path: Path) -> None:
    done = command("fuzz", "node", "--plant", "killed")
    assert done.returncode == 1
    (folder,) = (tmp_path / "refquake-out").iterdir()
    assert not (folder / "input.bin").exists()
    again = command("repro", folder, "--times", "2")
    assert again.returncode == 1, again.stderr
    assert again.stdout.startswith("target: node\nprofile: lifecycle\nphase:\n    lane:\n        pass\n")
    assert "kind:       crash" in again.stdout
    assert "reproduced: 2 of 2" in again.stdout


def test_ctrl_c_stops_and_still_prints_the_table(environment, tmp_path: Path) -> None:
    arguments = ["fuzz", "node", "--plant", "endless", "--time", "500"]
    process = subprocess.Popen(
        [sys.executable, "-m", "refquake_cli", *arguments],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if "4096 executions" in line or "fuzzing" in line:
            break
    os.kill(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "endless" in output
    assert "Interrupted: 1 of 1 runs did not reach their end." in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fuzz", "nope"], "no such target: nope; there are: node"),
        (["fuzz", "node", "--profile", "nope"], "no such profile: nope; there are: lifecycle, threads"),
        (["fuzz", "node", "--flavour", "msan"], "no such flavour: msan"),
        (["fuzz", "node", "--plant", "nope"], "node has no plant nope; there are: setter_race"),
        (["fuzz", "node", "--schedule", "nope"], "'nope' is not one of 'mixed', 'free', 'stepped'"),
        (["fuzz", "node", "--corpus", "nowhere"], "no such corpus folder: nowhere"),
        (["fuzz", "node", "--version", "2.7"], "CPython 2.7 is not supported; choose one of 3.13.5"),
        (["fuzz", "node", "--time", "0"], "--time"),
        (["fuzz", "node", "--out", "/dev/null/x"], "cannot write findings to /dev/null/x"),
        (["fuzz", "node", "--plant", ""], "'--plant' is empty: give a name, or leave it out"),
        (["fuzz", "node", "--profile", ""], "'--profile' is empty"),
        (["fuzz", ""], "TARGET"),
        (["repro", "a.prog", "--plant", ""], "'--plant' is empty: give a name, or leave it out"),
        (["show", "a.prog", "--target", ""], "'--target' is empty"),
        (["fuzzz"], "No such command 'fuzzz'"),
        (["setup", "msan"], "no such flavour: msan"),
        (["setup", "asan", "--version", "3.99"], "CPython 3.99 is not supported"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(command, arguments: list[str], words: str) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
