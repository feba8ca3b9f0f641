"""The public behaviour of node, as its maintainer tests it: no threads of its own, yet fit to run in several."""

import gc
import weakref

import pytest
from node import Node

SHARED = Node()


class Value:
    pass


def test_fields_are_none_until_set():
    a = Node()
    assert a.left is None
    assert a.right is None
    assert len(a) == 0


def test_constructor_links():
    value, child = Value(), Node()
    a = Node(value, right=child)
    assert a.left is value
    assert a.right is child


def test_constructor_takes_two_at_most():
    with pytest.raises(TypeError):
        Node(1, 2, 3)


def test_fields_can_be_set_and_deleted():
    a, value = Node(), Value()
    a.left = value
    assert a.left is value
    a.left = None
    assert a.left is None
    a.right = value
    del a.right
    assert a.right is None


def test_children_come_back_last_first():
    a = Node()
    for name in ("first", "second", "third"):
        a.push(name)
    assert len(a) == 3
    assert a.first() == "first"
    assert [a.pop(), a.pop(), a.pop()] == ["third", "second", "first"]
    assert len(a) == 0


def test_pop_of_nothing_is_none():
    assert Node().pop() is None


def test_first_of_nothing_raises():
    with pytest.raises(IndexError, match="no children"):
        Node().first()


def test_clear_removes_all_children():
    a = Node()
    for i in range(100):
        a.push(i)
    a.clear()
    assert len(a) == 0
    assert a.pop() is None


def test_weak_reference_dies_with_the_node():
    a = Node()
    reference = weakref.ref(a)
    assert reference() is a
    del a
    assert reference() is None


def test_cycle_is_collected():
    a = Node()
    a.left, a.right = a, Node(a)
    a.push(a)
    reference = weakref.ref(a)
    del a
    gc.collect()
    assert reference() is None


def test_shared_node_keeps_what_was_put_in_last():
    SHARED.left = Value()
    assert type(SHARED.left) is Value


def test_shared_node_grows():
    SHARED.push(Value())
    assert len(SHARED) >= 1
    assert type(SHARED.first()) is Value
