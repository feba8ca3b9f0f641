"""Discovery on modules that were not written for it: CPython's own, and one that ends the process."""

import os
import subprocess
from pathlib import Path

import pytest

FUZZ = os.environ.get("REFQUAKE_FUZZ", "")
MODULES = os.environ.get("REFQUAKE_MODULES", "")
FOUND = 77


def fuzz(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([FUZZ, *arguments], cwd=cwd, capture_output=True, text=True, errors="replace")


def ops(module: str, *arguments: str, cwd: Path) -> set[tuple[str, str, int]]:
    done = fuzz(f"--module={module}", "--gil=off", "--list-ops", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {(form, name, int(nargs)) for form, _, name, nargs, _ in rows}


def test_a_package_of_python_code_gives_the_c_types_it_re_exports(tmp_path: Path) -> None:
    found = ops("collections", cwd=tmp_path)
    assert {("call", "deque", 0), ("call", "OrderedDict", 1), ("call", "defaultdict", 2)} <= found
    assert ("method", "appendleft", 2) in found
    assert not any(name in ("Counter", "ChainMap", "UserDict") for _, name, _ in found)  # class statements


def test_format_strings_and_pairs_are_tried(tmp_path: Path) -> None:
    assert ("call", "Struct", 1) in ops("_struct", cwd=tmp_path)
    assert ("method", "add_note", 2) not in ops("array", cwd=tmp_path)
    assert ("call", "array", 1) in ops("array", cwd=tmp_path)


def test_python_functions_are_called_where_nothing_else_makes_an_instance(tmp_path: Path) -> None:
    found = ops("re", cwd=tmp_path)
    assert ("call", "compile", 1) in found
    assert ("method", "finditer", 2) in found


def test_iterators_without_an_end_are_left_out(tmp_path: Path) -> None:
    found = {name for form, name, _ in ops("itertools", cwd=tmp_path) if form == "call"}
    assert "chain" in found
    assert "count" not in found
    assert "cycle" not in found


def test_powers_are_left_out(tmp_path: Path) -> None:
    found = {name for form, name, _ in ops("_decimal", cwd=tmp_path) if form == "method"}
    assert "__mul__" in found
    assert "__pow__" not in found  # of what wraps a number, 2**70 to the power of 2**70 has no end


def test_files_are_left_out_and_so_is_what_the_user_names(tmp_path: Path) -> None:
    found = {name for _, name, _ in ops("_io", "--deny=StringIO", cwd=tmp_path)}
    assert "BytesIO" in found
    assert not found & {"open", "FileIO", "StringIO"}


def test_values_and_ops_of_a_recipe(tmp_path: Path) -> None:
    found = ops("collections", '--value=["x", "y"]', "--op=pair=lambda x: deque([x, x])", cwd=tmp_path)
    assert ("call", "pair", 1) in found
    failed = fuzz("--module=collections", "--op=pair=nonsense", "--list-ops", cwd=tmp_path)
    assert failed.returncode == 2
    assert "op 'pair=nonsense': NameError" in failed.stderr


def test_the_order_is_the_same_in_every_process(tmp_path: Path) -> None:
    lists = {fuzz("--module=collections", "--list-ops", cwd=tmp_path).stdout for _ in range(2)}
    assert len(lists) == 1


@pytest.mark.skipif("plain" in FUZZ, reason="without a sanitizer nothing reports the crash")
def test_a_crash_names_its_call_and_can_be_left_out(tmp_path: Path) -> None:
    crashed = fuzz("--module=stumble", f"--path={MODULES}", "--list-ops", cwd=tmp_path)
    assert crashed.returncode == FOUND
    assert "==refquake== TRIAL: Pit(" in crashed.stderr
    found = ops("stumble", f"--path={MODULES}", "--deny=Pit", cwd=tmp_path)
    assert ("call", "look", 0) in found
    assert ("call", "open", 0) not in found  # by its name


def test_arguments_that_hold_what_the_module_makes(tmp_path: Path) -> None:
    found = ops("picky", f"--path={MODULES}", "--deny=trip", cwd=tmp_path)
    assert {("call", name, 1) for name in ("Crate", "map", "load", "fresh", "grow")} <= found


def test_attributes_named_like_protocol_methods(tmp_path: Path) -> None:
    found = ops("picky", f"--path={MODULES}", "--deny=trip", cwd=tmp_path)
    assert {("get", "__within__", 1), ("set", "__within__", 2)} <= found
    assert not {name for form, name, _ in found if form == "set"} & {"__class__", "__dict__", "__doc__"}


def test_what_sleeps_is_left_out(tmp_path: Path) -> None:
    assert ("call", "doze", 1) not in ops("picky", f"--path={MODULES}", "--deny=trip", cwd=tmp_path)


def test_libraries_are_not_opened(tmp_path: Path) -> None:
    found = {name for _, name, _ in ops("picky", f"--path={MODULES}", "--deny=trip", "--deny=doze", cwd=tmp_path)}
    assert "kind" in found
    assert "load_library" not in found


def test_one_call_can_be_left_out_and_the_others_are_tried(tmp_path: Path) -> None:
    found = ops("picky", f"--path={MODULES}", "--deny=trip(1j)", cwd=tmp_path)
    assert ("call", "trip", 1) in found


def test_an_instance_may_hold_its_own_type(tmp_path: Path) -> None:
    program = tmp_path / "own.prog"
    lines = ["target: picky", "profile: lifecycle", "phase:", "    lane:"]
    ops_of_lane = ["a = kind()", "b = Shelf(a)", "gc.collect()"]
    program.write_text("\n".join([*lines, *(f"        {op}" for op in ops_of_lane)]) + "\n")
    done = fuzz("--module=picky", f"--path={MODULES}", "--deny=trip", f"--replay={program}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_half_of_the_ops_executed_succeed(tmp_path: Path) -> None:
    stats = tmp_path / "ops.tsv"
    done = fuzz(
        "--module=datetime", "--self-proof=0", f"--op-stats={stats}", "-runs=1000", "-seed=1", "-max_len=520",
        "-len_control=0", f"-artifact_prefix={tmp_path}/", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in stats.read_text().splitlines()]
    ok, raised, skipped = (sum(int(row[column]) for row in rows) for column in range(3))
    assert ok > (ok + raised + skipped) / 2
