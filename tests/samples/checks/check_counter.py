import gc

from counter import Counter, Holder
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads


def behaves() -> None:
    c = Counter(5)
    c.bump()
    assert c.value == 6 and int(c) == 6 and int(c + Counter(1)) == 7 and c.spin() == 6
    assert int(c.add_twice(Counter(1))) == 8
    raises(TypeError, lambda: c + 1)
    raises(TypeError, c.add_twice, 1)
    raises(TypeError, Counter, "x")
    raises(TypeError, Holder, 1)
    raises(OverflowError, Counter, 10**40)
    h, value = Holder(), Value()
    assert h.held is None and h.work() is None
    h.hold(value)
    assert h.held is value and h.work() is value
    assert h.exchange(c) is value and h.held is c
    h.release()
    assert h.held is None
    h.count(c)
    assert h.held is c and c.value == 7
    raises(TypeError, h.count, value)


def every_method(value: object) -> None:
    h = Holder()
    h.hold(value)
    h.exchange(value)
    h.work()
    assert h.held is value
    raises(TypeError, h.count, value)
    h.release()
    h.hold([value, h])


def dies() -> None:
    for _ in range(100_000):
        h = Holder()
        h.hold(chain if _ else None)
        chain = h
    del chain, h


def is_shared() -> None:
    c, h = Counter(), Holder()

    def count() -> None:
        c.bump()
        c.spin()
        h.count(c)
        (c + Counter(1)).add_twice(c)

    def hold() -> None:
        h.hold(Value())
        h.exchange(h)
        h.release()

    def work() -> None:
        h.work()
        h.held
        h.hold(c)

    run_threads(count, hold, work, work, count)
    assert c.value == 4 * 300
    run_pairs(c.bump, c.spin, lambda: c.value, lambda: h.hold(Value()), h.release, lambda: h.held, h.work)
    run_threads(count, hold, work, gc.collect, rounds=20)


behaves()
assert_balanced(every_method)
assert_type_balanced(Counter, lambda: Counter().add_twice(Counter()))
dies()
is_shared()
assert live(Holder) == live(Value) == 0
assert_module_dies("counter", ("Counter", "Holder"))
