"""The fuzz binary's contract: self-proof, replay, bad input, exit codes."""

from pathlib import Path

import pytest
from conftest import FLAVOUR
from fuzz_once import binary, command, fuzz, replay, run

CYCLE = """target: node
profile: lifecycle
phase:
    lane:
        a = Node()
        b = Node(a)
        a.left = b
        del a
        gc.collect()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "cycle.prog"
    path.write_text(CYCLE, encoding="utf-8")
    return path


@pytest.mark.parametrize("canary", ["finding", "fatal", {"asan": "use-after-free", "tsan": "race"}[FLAVOUR]])
def test_canary_is_reported(canary: str) -> None:
    done = run([str(binary("lifecycle")), f"--canary={canary}"], timeout=120)
    assert done.code == 77, done.output


def test_start_fails_if_a_canary_stays_silent(tmp_path: Path) -> None:
    """A binary whose canaries cannot start (no interpreter there) says so and does not fuzz."""
    done = run(command("node", "clean", "lifecycle", f"--home={tmp_path}", "-runs=1"), timeout=120)
    assert done.code == 3
    assert "self-proof failed" in done.output


def test_finding_is_replayed(program: Path) -> None:
    done = replay("node", "missing_untrack", "lifecycle", program)
    assert done.code == 77
    assert done.kind == "still-tracked-at-free"
    assert "a.left = b" in done.output


def test_clean_build_replays_in_silence(program: Path) -> None:
    done = replay("node", "clean", "lifecycle", program, repeat=20)
    assert done.code == 0, done.output
    assert "NOTHING FOUND in 20 runs" in done.output


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"target: node\nphase:\n    lane:\n        a = Nude()\n", ":4:"),
        (b"target: ring\nphase:\n    lane:\n        pass\n", ":1:"),
        (b"# \xff\xfe\n", ":1:"),
    ],
)
def test_bad_program_is_wrong_use(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.prog"
    path.write_bytes(content)
    done = replay("node", "clean", "lifecycle", path)
    assert done.code == 2, done.output
    assert expected in done.output


def test_missing_file_is_wrong_use(tmp_path: Path) -> None:
    done = replay("node", "clean", "lifecycle", tmp_path / "none")
    assert done.code == 2
    assert "No such file" in done.output


def test_unknown_flag_is_wrong_use() -> None:
    assert run([str(binary("lifecycle")), "--modul=node"], timeout=60).code == 2


def test_missing_module_could_not_run() -> None:
    done = run([str(binary("lifecycle")), "--module=no_such_module", "--self-proof=0"], timeout=60)
    assert done.code == 3
    assert "no_such_module" in done.output


def test_random_bytes_never_crash_the_harness(tmp_path: Path) -> None:
    import random

    random.seed(7)
    for number in range(10):
        path = tmp_path / f"bytes-{number}"
        path.write_bytes(random.randbytes(random.randrange(1, 6000)))
        done = replay("node", "clean", "threads", path)
        assert done.code == 0, done.output


def test_sanitizer_finding_leaves_its_artefact(tmp_path: Path) -> None:
    done = fuzz("node", "size_left_behind", "lifecycle", 1, 60, f"-artifact_prefix={tmp_path}/")
    assert done.code == 77
    artefacts = [path for path in tmp_path.iterdir() if path.suffix != ".prog"]
    assert len(artefacts) == 1
    assert f"ARTEFACT: {artefacts[0]}" in done.output
    assert replay("node", "size_left_behind", "lifecycle", artefacts[0]).kind == done.kind
    assert replay("node", "clean", "lifecycle", artefacts[0]).code == 0


@pytest.mark.parametrize("flag", ["--show=", "--replay=", "--repeat=", "--canary="])
def test_flag_without_its_value_is_wrong_use(flag: str) -> None:
    assert run(command("node", "clean", "lifecycle", flag, "-runs=0"), timeout=60).code == 2


def test_replaying_no_times_is_wrong_use(program: Path) -> None:
    done = run(command("node", "clean", "lifecycle", f"--replay={program}", "--repeat=0"), timeout=60)
    assert done.code == 2
    assert "--repeat=0" in done.output


def test_a_device_is_no_program() -> None:
    done = replay("node", "clean", "lifecycle", Path("/dev/zero"))
    assert done.code == 2
    assert "not a regular file" in done.output
