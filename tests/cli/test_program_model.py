"""Program text as a value: what the binary prints comes back unchanged, what it does not print is refused."""

import pytest

from refquake_cli.errors import WrongUse
from refquake_cli.program_model import Op, parse_op, parse_program

TEXT = """target: node
profile: threads
schedule: replay(0>1, 12>0)
phase:
    lane:
        a = Node()
        b = Node(a, (1, 1))
        c = b.push("x, y)")
        d = a.next
        a.next = {}
        del a.next
        e = a
        f = weakref.ref(a)
        gc.collect()
        del e
phase:
    lane:
        pass
    lane:
        b.__setitem__("\\"", b"bytes")
"""


def test_text_comes_back_unchanged() -> None:
    assert str(parse_program(TEXT)) == TEXT


def test_comments_and_blank_lines_are_no_part_of_it() -> None:
    assert parse_program("# finding: x\n\n" + TEXT) == parse_program(TEXT)


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("a = Node()", Op("call", "Node", (), "a")),
        ("b = Node(a, (1, 1))", Op("call", "Node", ("a", "(1, 1)"), "b")),
        ("gc.collect()", Op("call", "gc.collect", ())),
        ('c = b.push("x, y)")', Op("method", "push", ("b", '"x, y)"'), "c")),
        ("d = a.next", Op("get", "next", ("a",), "d")),
        ("a.next", Op("get", "next", ("a",))),
        ("a.next = {}", Op("set", "next", ("a", "{}"))),
        ("del a.next", Op("delete", "next", ("a",))),
        ("e = a", Op("copy", "", ("a",), "e")),
        ("del e", Op("drop", "", ("e",))),
    ],
)
def test_each_form(text: str, op: Op) -> None:
    assert parse_op(text) == op
    assert str(op) == text


@pytest.mark.parametrize("line", ["a", "import os", "a = b = c", "q = Node()", "lane", "a.push(b", "a = 1 +"])
def test_what_is_no_op_is_named_with_its_line(line: str) -> None:
    with pytest.raises(WrongUse, match="line 4 of the program"):
        parse_program(f"target: node\nphase:\n    lane:\n        {line}\n")


def test_only_a_line_feed_ends_a_line() -> None:
    program = parse_program(TEXT.replace('"x, y)"', '"x\u2028y\x85"'))
    assert program.phases[0][0][2].args == ("b", '"x\u2028y\x85"')
