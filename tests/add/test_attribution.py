"""Whose bug it is, and what a table says of it."""

import pytest
from refquake_cli.attribution import CPYTHON, HARNESS, UNKNOWN, owner_of
from refquake_cli.realworld import Row, Seen
from refquake_cli.realworld_table import table

PYTHON = "    #0 0x1 in odictiter_nextkey /src/Python-3.14.7/Objects/odictobject.c:1805:5\n"
MODULE = "    #1 0x2 in pair_list_repr /tmp/build/multidict_1/multidict/_multilib/pair_list.h:15:3\n"
LIBRARY = "    #0 0x3 in deflate (/lib/x86_64-linux-gnu/libz.so.1+0x1234)\n"


@pytest.mark.parametrize(
    ("text", "module", "owner"),
    [
        (PYTHON, "collections", CPYTHON),
        (PYTHON + MODULE, "multidict==6.4.3", "multidict"),  # CPython does what the module asked of it
        (MODULE.replace("#1", "#0"), "multidict", "multidict"),
        (LIBRARY, "foo", "libz.so.1"),
        ("no stack\n", "foo", UNKNOWN),
        ("==refquake== TRIAL HANGS: Pit.fill(1)\n", "foo==1.0", "foo"),
        ("==refquake==   type:     node.Node\n", "node", "node"),
        ("==refquake==   type:     functools.partial\n", "functools", CPYTHON),
        ("==refquake==   type:     refquake.Value\n", "lru-dict==1.3.0", "lru-dict"),  # the argument the module lost
        ("Fatal Python error: _Py_CheckFunctionResult: ...\n" + PYTHON, "lru", "lru"),
        ("    #0 0x1 in refquake::SlotTable::Clear() /x/harness/python/slots.h:49:3\n", "node", HARNESS),
    ],
)
def test_owner(text: str, module: str, owner: str) -> None:
    assert owner_of(text, "use-after-free", "", module) == owner


def test_table_says_what_was_judged_and_what_was_not() -> None:
    seen = [Seen("segv f@a.c", "foo", 2, 1.5, "folder", ""), Seen("hang | g", "foo", 1, 3.0, "folder", "")]
    rows = [Row("foo", types=2, ops=9, ok=6, raised=2, skipped=2, executions=100, seconds=10, findings=seen)]
    text = table([*rows, Row("bar", "cannot be built")], {"segv f": {"verdict": "real", "why": "a NULL."}})
    assert "| foo | off | 2 | 9 | 60% | 100 | 10 |" in text
    assert "could not run: cannot be built" in text
    assert "Judged real: a NULL." in text
    assert "`hang / g`" in text
    assert "Judged not judged" not in text
    assert "1 of 2 ran; in 1 of 1 half of all ops executed succeeded" in text
