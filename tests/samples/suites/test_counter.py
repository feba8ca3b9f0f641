"""The public behaviour of counter, as its maintainer tests it: no threads of its own, yet fit to run in several."""

import gc

import pytest
from counter import Counter, Holder

SHARED = Counter()
SHARED_HOLDER = Holder()
SHARED_HOLDER.hold(Counter(7))


class Noted:
    """Tells a list when it dies."""

    def __init__(self, dead):
        self.dead = dead

    def __del__(self):
        self.dead.append(True)


def test_counts_from_where_it_is_told():
    assert Counter().value == 0
    c = Counter(5)
    c.bump()
    assert c.value == 6
    assert int(c) == 6
    assert c.spin() == 6


def test_wrong_arguments():
    with pytest.raises(TypeError):
        Counter("x")
    with pytest.raises(OverflowError):
        Counter(10**40)
    with pytest.raises(TypeError):
        Holder(1)


def test_sums():
    a, b = Counter(2), Counter(3)
    assert (a + b).value == 5
    assert a.add_twice(b).value == 8
    assert (a.value, b.value) == (2, 3)
    with pytest.raises(TypeError):
        a + 1


def test_holds_one_thing():
    h, value = Holder(), object()
    assert h.held is None
    assert h.work() is None
    h.hold(value)
    assert h.held is value
    assert h.work() is value
    h.release()
    assert h.held is None


def test_exchange_returns_the_one_before():
    h, first, second = Holder(), object(), object()
    assert h.exchange(first) is None
    assert h.exchange(second) is first
    assert h.held is second


def test_count_holds_and_bumps():
    h, c = Holder(), Counter(1)
    h.count(c)
    assert h.held is c
    assert c.value == 2


def test_count_takes_counters_only():
    h, value = Holder(), object()
    for _ in range(3):
        with pytest.raises(TypeError, match="expected a Counter"):
            h.count(value)
    assert h.held is None


def test_released_object_dies():
    dead = []
    h = Holder()
    h.hold(Noted(dead))
    h.release()
    assert dead == [True]


def test_cycle_is_collected():
    dead = []
    noted = Noted(dead)
    noted.holder = Holder()
    noted.holder.hold(noted)
    del noted
    gc.collect()
    assert dead == [True]


def test_shared_counter_never_goes_back():
    before = SHARED.value
    SHARED.bump()
    assert SHARED.value > before
    assert SHARED.spin() > before


def test_shared_holder_has_something():
    SHARED_HOLDER.hold(Counter(7))
    assert SHARED_HOLDER.held.value == 7
    assert SHARED_HOLDER.work().value == 7
