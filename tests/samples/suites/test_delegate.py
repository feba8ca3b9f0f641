"""The public behaviour of delegate, as its maintainer tests it: no threads of its own, yet fit to run in several.

Loops, not pytest.mark.parametrize: what that does at collection meets a use-after-free of CPython's own OrderedDict
iterator (3.14.7) under AddressSanitizer.
"""

import gc

import pytest
from delegate import FromHeap, FromStatic, HeapBase, StaticBase

ALL = [StaticBase, FromStatic, HeapBase, FromHeap]
DERIVED = [FromStatic, FromHeap]
SHARED = {kind: kind() for kind in ALL}


class Value:
    pass


class Noted:
    """Tells a list when it dies."""

    def __init__(self, dead):
        self.dead = dead

    def __del__(self):
        self.dead.append(True)


def test_constructor_sets_the_value():
    for kind in ALL:
        value = Value()
        assert kind(value).value is value
        assert kind().value is None


def test_constructor_takes_one_at_most():
    for kind in ALL:
        with pytest.raises(TypeError):
            kind(1, 2)


def test_value_can_be_set_and_deleted():
    for kind in ALL:
        a, value = kind(), Value()
        a.value = value
        assert a.value is value
        del a.value
        assert a.value is None


def test_extra_is_apart_from_value():
    for kind in DERIVED:
        a = kind("value")
        assert a.extra is None
        a.extra = "extra"
        assert (a.value, a.extra) == ("value", "extra")


def test_derived_types_are_their_bases():
    for kind in DERIVED:
        assert issubclass(FromStatic, StaticBase)
        assert issubclass(FromHeap, HeapBase)
        assert not hasattr(StaticBase(), "extra")


def test_what_is_held_dies_with_its_holder():
    for kind in ALL:
        dead = []
        a = kind(Noted(dead))
        assert dead == []
        del a
        assert dead == [True]


def test_extra_dies_with_its_holder():
    for kind in DERIVED:
        dead = []
        a = kind()
        a.extra = Noted(dead)
        del a
        assert dead == [True]


def test_cycle_is_collected():
    for kind in ALL:
        dead = []
        noted = Noted(dead)
        noted.holder = kind(noted)
        del noted
        gc.collect()
        assert dead == [True]


def test_python_subclass():
    for base in (StaticBase, HeapBase):
        class Sub(base):
            pass

        a = Sub(1)
        a.more = 2
        assert (a.value, a.more) == (1, 2)


def test_shared_object_keeps_what_was_put_in_last():
    for kind in ALL:
        shared = SHARED[kind]
        shared.value = Value()
        assert type(shared.value) is Value
