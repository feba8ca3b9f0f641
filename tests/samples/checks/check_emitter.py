import gc
import weakref

from emitter import Emitter
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads


def behaves() -> None:
    e, f, value = Emitter(), Emitter(), Value()
    assert e.emit(value) is value and e(value) is value and e.emitted == 2
    e.subscribe(f)
    e.subscribe(lambda x: (x, 1))
    assert e.emit(value) == (value, 1) and f.emitted == 1
    e.subscribe(lambda x: 1 / 0)
    raises(ZeroDivisionError, e.emit, value)
    raises(OverflowError, e.subscribe, f)
    raises(TypeError, e.subscribe, 1)
    e.clear()
    e.subscribe(lambda x: e.clear())
    e.subscribe(lambda x: 5)
    assert e.emit(1) == 5
    e.subscribe(e)
    raises(RecursionError, e.emit, 1)
    e.clear()
    raises(TypeError, e)
    raises(TypeError, Emitter, 1)
    raises(TypeError, lambda: e(x=1))
    e.tag(value)
    assert e.label is value and e.__dict__ == {"label": value}
    assert e.watched() is None
    e.watch(value)
    assert e.watched() is value
    del value, e.label
    e.__dict__ = {}
    gc.collect()
    assert e.watched() is None
    raises(TypeError, e.watch, 1)
    raises(TypeError, setattr, e, "heir", 1)


def every_method(value: object) -> None:
    e = Emitter()
    e.subscribe(lambda x: x)
    e.subscribe(Emitter())
    e.emit(value)
    e.tag(value)
    e.watch(value)
    assert e.watched() is value
    e.heir = e
    e.extra = [value, e]
    e.subscribe(e.emit)
    raises(RecursionError, e.emit, value)


def comes_back() -> None:
    e, heir = Emitter(), Emitter()
    e.heir, e.label = heir, "e"
    reference = weakref.ref(e)
    del e
    assert heir.saved.label == "e" and heir.saved.heir is heir
    saved = heir.saved
    reference = weakref.ref(saved)
    del saved, heir
    gc.collect()
    assert reference() is None
    e = Emitter()
    e.heir = heir = Emitter()
    try:
        try:
            raise KeyError("on its way")
        finally:
            del e
    except KeyError:
        pass
    assert heir.saved is not None
    chain = None
    for _ in range(50_000):
        e = Emitter()
        e.tag(chain)
        chain = e
    del chain, e


def dies() -> None:
    called = []

    class Sub(Emitter):
        def __del__(self) -> None:
            called.append(1)
            super().__init__()

    e = Sub()
    e.heir, e.me = e, e
    e.subscribe(e)
    e.watch(e)
    del e
    gc.collect()
    assert called == [1] and live(Sub) == 0


def is_shared() -> None:
    e, f = Emitter(), Emitter()

    def call() -> None:
        e.emit(Value())
        f(e)
        assert e.emitted >= 0

    def subscribe() -> None:
        try:
            e.subscribe(f)
            e.subscribe(id)
        except OverflowError:
            e.clear()

    def inherit() -> None:
        mortal = Emitter()
        mortal.heir = f
        mortal.label = Value()
        f.heir = e
        del mortal
        f.saved
        f.heir = None

    def watch() -> None:
        value = Value()
        e.watch(value)
        e.tag(value)
        e.watched()
        f.watch(e)
        f.watched()

    run_pairs(
        lambda: e.emit(1),
        lambda: e.emitted,
        lambda: setattr(e, "heir", f),
        lambda: e.heir,
        lambda: e.tag(Value()),
        e.clear,
        lambda: e.watch(f),
        e.watched,
    )
    run_threads(call, subscribe, inherit, inherit, watch)
    run_threads(call, subscribe, inherit, watch, gc.collect, rounds=20)


behaves()
assert_balanced(every_method)
assert_type_balanced(Emitter, Emitter)
comes_back()
dies()
is_shared()
assert live(Emitter) == live(Value) == 0
assert_module_dies("emitter", ("Emitter",))
