"""The public behaviour of emitter, as its maintainer tests it: no threads of its own, yet fit to run in several."""

import gc
import weakref

import pytest
from emitter import Emitter

SHARED = Emitter()
SHARED.subscribe(lambda x: (x, 1))


class Value:
    pass


def test_emit_without_callbacks_returns_its_argument():
    e, value = Emitter(), Value()
    assert e.emit(value) is value
    assert e(value) is value
    assert e.emitted == 2


def test_last_callback_answers():
    e, seen = Emitter(), []
    e.subscribe(seen.append)
    e.subscribe(lambda x: x + 1)
    assert e.emit(1) == 2
    assert seen == [1]


def test_emitter_can_be_a_callback():
    e, f = Emitter(), Emitter()
    e.subscribe(f)
    assert e.emit(1) == 1
    assert f.emitted == 1


def test_failing_callback_fails_the_emit():
    e = Emitter()
    e.subscribe(lambda x: 1 / x)
    with pytest.raises(ZeroDivisionError):
        e.emit(0)
    e.clear()
    assert e.emit(0) == 0


def test_what_cannot_be_called_cannot_subscribe():
    with pytest.raises(TypeError, match="not callable"):
        Emitter().subscribe(1)


def test_callbacks_are_limited():
    e = Emitter()
    for _ in range(3):
        e.subscribe(id)
    with pytest.raises(OverflowError):
        e.subscribe(id)


def test_tag_sets_the_label():
    e, value = Emitter(), Value()
    e.tag(value)
    assert e.label is value
    assert e.__dict__ == {"label": value}


def test_watched_object_may_die():
    e, value = Emitter(), Value()
    assert e.watched() is None
    e.watch(value)
    assert e.watched() is value
    del value
    assert e.watched() is None


def test_heir_saves_the_emitter():
    e, heir = Emitter(), Emitter()
    e.heir = heir
    assert e.heir is heir
    e.tag("e")
    del e
    assert heir.saved.label == "e"
    with pytest.raises(TypeError):
        heir.heir = 1


def test_weak_reference_dies_with_the_emitter():
    e = Emitter()
    reference = weakref.ref(e)
    del e
    assert reference() is None


def test_cycle_is_collected():
    e = Emitter()
    e.subscribe(e)
    e.me = e
    reference = weakref.ref(e)
    del e
    gc.collect()
    assert reference() is None


def test_shared_emitter_counts_and_answers():
    before = SHARED.emitted
    value = Value()
    assert SHARED.emit(value) == (value, 1)
    assert SHARED.emitted > before
    SHARED.heir = Emitter()
    assert type(SHARED.heir) is Emitter
