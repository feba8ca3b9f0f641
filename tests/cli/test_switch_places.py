"""A stepped run's switches in words: with source lines where the module still is, with addresses where it is not."""

import shutil
import subprocess
from pathlib import Path

import pytest

from refquake_cli import switch_places
from refquake_cli.reports.schedule import Switch, recorded_schedule, schedule_line, switches_in
from refquake_cli.switch_places import told_switches

TEXT = """==refquake== SCHEDULE: replay(0>1, 12>0) steps 80 hash 00ff
==refquake== SWITCH: 0>1 from - start
==refquake== SWITCH: 12>0 from 1 store {file}+0x{offset:x}
==refquake== SWITCH: 30>1 from 0 op
"""


def test_schedule_and_switches_are_read() -> None:
    text = TEXT.format(file="/a folder/node.so", offset=0x1A2B)
    assert schedule_line(text) == "replay(0>1, 12>0) steps 80 hash 00ff"
    assert recorded_schedule(text) == "replay(0>1, 12>0)"
    assert switches_in(text) == [
        Switch(0, 1, None, "start"), Switch(12, 0, 1, "store", "/a folder/node.so", 0x1A2B), Switch(30, 1, 0, "op")
    ]  # fmt: skip
    assert switches_in("==refquake== NOTHING FOUND in 1 runs\n") == []


def test_what_cannot_be_symbolised_keeps_its_address() -> None:
    assert told_switches(TEXT.format(file="/gone/node.so", offset=0x1A2B)) == [
        "0>1: lane 1 starts",
        "12>0: lane 1 stops in node.so+0x1a2b, about to write; lane 0 goes on",
        "30>1: lane 0 stops, between two ops; lane 1 goes on",
    ]


def test_what_is_not_shown_is_counted() -> None:
    text = TEXT.format(file="/gone/node.so", offset=1).replace("12>0) steps", "12>0, 30>1, 31>0, 40>1) steps")
    assert told_switches(text)[-1] == "... and 2 more"


def test_a_schedule_with_too_many_switches_is_none() -> None:
    assert recorded_schedule("==refquake== SCHEDULE: replay(0>1, ...) steps 80 hash 00ff\n") == ""


def test_without_a_symboliser_addresses_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch_places, "SYMBOLIZER", "no-such-symbolizer")
    assert "node.so+0x10" in told_switches(TEXT.format(file="/gone/node.so", offset=0x10))[1]


def test_of_functions_inlined_into_each_other_the_first_that_is_not_of_cpythons_headers_is_told() -> None:
    inlined = [
        "_Py_atomic_load_ptr",
        "/x/include/python3.14t/cpython/pyatomic_gcc.h:367:1",
        "set_field",
        "/x/node.c:57:9",
    ]
    assert switch_places._own_frame(inlined) == ("set_field", "/x/node.c:57:9")
    assert switch_places._own_frame(inlined[:2]) == tuple(inlined[:2])
    assert switch_places._own_frame([""]) == ("", "")


@pytest.mark.skipif(not shutil.which(switch_places.SYMBOLIZER), reason="llvm-symbolizer is not installed")
def test_function_and_line_are_told(tmp_path: Path) -> None:
    (tmp_path / "two.c").write_text("int one(void) { return 1; }\n\nint two(void) { return 2; }\n")
    module = tmp_path / "two.so"
    compiler = shutil.which("clang-19") or "cc"
    subprocess.run([compiler, "-g", "-shared", "-o", str(module), str(tmp_path / "two.c")], check=True)
    symbols = subprocess.run(["nm", str(module)], capture_output=True, text=True, check=True).stdout
    address = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" T two"))
    assert (
        "lane 1 stops in two (two.c:3), about to write"
        in told_switches(TEXT.format(file=module, offset=address + 2))[1]
    )
