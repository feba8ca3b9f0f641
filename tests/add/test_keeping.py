"""What a module keeps where no visit shows it is no leak, and what it forgets there is one."""

import os
import subprocess
from pathlib import Path

import pytest

FUZZ = os.environ.get("REFQUAKE_FUZZ", "")
THREADS = os.environ.get("REFQUAKE_FUZZ_THREADS", "")
MODULES = os.environ.get("REFQUAKE_MODULES", "")
FOUND = 77
NO_BLOCKS = pytest.mark.skipif("/plain/" in FUZZ, reason="without a sanitizer malloc's blocks cannot be told")


def replay(module: str, *lanes: list[str], cwd: Path) -> subprocess.CompletedProcess:
    profile, binary = ("lifecycle", FUZZ) if len(lanes) == 1 else ("threads", THREADS)
    lines = [f"target: {module}", f"profile: {profile}", "phase:"]
    for ops in lanes:
        lines += ["    lane:", *(f"        {op}" for op in ops)]
    program = cwd / "some.prog"
    program.write_text("\n".join(lines) + "\n")
    arguments = [binary, f"--module={module}", f"--path={MODULES}", f"--replay={program}", "--repeat=3"]
    return subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, errors="replace")


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("keep", [pytest.param("keep_by_raw", marks=NO_BLOCKS), "keep_by_python", "keep_by_thread", "keep_by_dict"])
def test_what_is_kept_is_no_leak(keep: str, dropped: bool, tmp_path: Path) -> None:
    done = replay("keeper", ["a = Item()", f"a.{keep}()", *(["del a"] if dropped else [])], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("keep", ["keep_by_thread", "keep_by_dict"])
def test_what_a_lane_keeps_is_no_leak(keep: str, tmp_path: Path) -> None:
    ops = ["a = Item()", f"a.{keep}()", "del a"]
    done = replay("keeper", ops, ops, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("more", [[], ["b = Item()", "b.keep_by_python()"]])
def test_what_is_forgotten_is_a_leak(more: list[str], tmp_path: Path) -> None:
    done = replay("keeper", [*more, "a = Item()", "a.leak()", "del a"], cwd=tmp_path)
    assert done.returncode == FOUND, done.stderr
    assert "SUMMARY: leaked-reference keeper.Item leak" in done.stderr


def test_a_register_owns_nothing(tmp_path: Path) -> None:
    done = replay("registrar", ["a = Item()", "a.leak()", "del a"], cwd=tmp_path)
    assert done.returncode == FOUND, done.stderr
    assert "SUMMARY: leaked-reference registrar.Item leak" in done.stderr
    done = replay("registrar", ["a = Item()", "b = a", "del a"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@NO_BLOCKS
def test_free_memory_of_its_own(tmp_path: Path) -> None:
    done = replay("keeper", ["a = Pooled()", "del a", "b = Pooled()", "c = Pooled()"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["Row", "Deferred"])
def test_instances_that_move_and_such_with_deferred_counts(name: str, tmp_path: Path) -> None:
    done = replay("keeper", [f"a = {name}()", "b = a", "del a", f"c = {name}()", "gc.collect()"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
