"""The public behaviour of ring, as its maintainer tests it: no threads of its own, yet fit to run in several."""

import gc
import weakref

import pytest
from ring import Ring, RingIter, Snapshot

SHARED = Ring()
SHARED.extend([10**6, 10**6 + 1, 10**6 + 2])


def ring_of(items):
    r = Ring()
    r.extend(items)
    return r


def test_push_and_pop():
    r = Ring()
    r.push("a")
    r.push("b")
    assert len(r) == 2
    assert r.pop() == "b"
    assert r.pop() == "a"
    assert len(r) == 0


def test_pop_from_empty_raises():
    with pytest.raises(IndexError, match="empty"):
        Ring().pop()


def test_is_a_sequence():
    r = ring_of("abc")
    assert (r[0], r[-1]) == ("a", "c")
    r[1] = "z"
    assert list(r) == ["a", "z", "c"]
    assert "z" in r
    assert "b" not in r
    with pytest.raises(IndexError):
        r[3]
    with pytest.raises(TypeError):
        del r[0]


def test_find_and_replace():
    r = ring_of(["x", "y"])
    assert r.find("y") == "y"
    assert r.find("z") is None
    r.replace("z")
    assert list(r) == ["x", "z"]


def test_rotate_moves_the_first_to_the_end():
    r = ring_of("abc")
    r.rotate()
    assert list(r) == ["b", "c", "a"]


def test_swap_exchanges_the_items():
    a, b = ring_of("abc"), ring_of("x")
    a.swap(b)
    assert list(a) == ["x"]
    assert list(b) == ["a", "b", "c"]
    with pytest.raises(TypeError):
        a.swap([])


def test_couple_makes_partners():
    a, b = Ring(), Ring()
    a.couple(b)
    assert a.partner is b
    assert b.partner is a
    assert (a.couplings, b.couplings) == (1, 1)


def test_iterator_ends_once_and_for_all():
    r = ring_of("ab")
    it = iter(r)
    assert [next(it), next(it)] == ["a", "b"]
    assert next(it, None) is None
    r.push("c")
    assert next(it, None) is None


def test_map_makes_a_snapshot():
    snapshot = ring_of("abc").map(str.upper)
    assert type(snapshot) is Snapshot
    assert list(snapshot) == ["A", "B", "C"]
    with pytest.raises(ZeroDivisionError):
        ring_of([0]).map(lambda item: 1 / item)


def test_only_rings_are_made():
    for kind in (RingIter, Snapshot):
        with pytest.raises(TypeError):
            kind()


def test_cycle_is_collected():
    a, b = Ring(), Ring()
    a.couple(b)
    a.extend([a, iter(a), "x", "y", b])
    reference = weakref.ref(a)
    del a, b
    gc.collect()
    assert reference() is None


def test_shared_ring_turns_and_is_read():
    SHARED.rotate()
    assert len(SHARED) == 3
    assert SHARED[0] >= 10**6
    assert sum(1 for _ in SHARED) == 3
