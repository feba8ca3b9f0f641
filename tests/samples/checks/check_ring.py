import gc
import weakref

from ring import Ring, RingIter, Snapshot
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads


def behaves() -> None:
    r = Ring()
    raises(IndexError, r.pop)
    r.extend("abcde")
    assert len(r) == 5 and list(r) == list("abcde") and r[-1] == "e" and "c" in r and "x" not in r
    r.rotate()
    assert list(r) == list("bcdea") and r.find("d") == "d" and r.find("x") is None
    r[0] = "z"
    r.replace("y")
    assert list(r) == list("zcdey")
    raises(IndexError, r.__getitem__, 9)
    raises(TypeError, r.__delitem__, 0)
    raises(TypeError, r.swap, 3)
    other = Ring()
    r.swap(other)
    assert len(r) == 0 and len(other) == 5
    other.swap(other)
    r.couple(other)
    assert r.partner is other and other.partner is r
    r.couple(r)
    assert r.partner is r and other.partner is r and (r.couplings, other.couplings) == (2, 1)
    snapshot = other.map(str.upper)
    assert list(snapshot) == list("ZCDEY") and len(snapshot) == 5
    raises(TypeError, other.map, None)
    it = iter(r)
    raises(StopIteration, it.__next__)
    r.push(1)
    raises(StopIteration, it.__next__)
    for _ in range(2):
        other.extend(other)
    assert len(other) == 20
    other.clear()
    assert len(other) == 0
    raises(TypeError, Ring, 1)
    raises(TypeError, RingIter)
    raises(TypeError, Snapshot)
    raises(OverflowError, other.extend, range(5000))


def every_method(value: object) -> None:
    r, other = Ring(), Ring()
    r.push(value)
    r.extend([value] * 10)
    r.rotate()
    r.replace(value)
    r[1] = value
    assert r[2] is value and value in r and r.find(value) is value
    r.couple(other)
    other.swap(r)
    snapshot = other.map(lambda item: item)
    assert snapshot[0] is value
    it = iter(other)
    next(it)
    other.push(it)
    other.push(snapshot)
    raises(ZeroDivisionError, other.map, lambda item: 1 / 0)
    raises(TypeError, other.extend, {1: 2})
    other.pop()


def dies() -> None:
    r = Ring()
    r.push(r)
    r.push(iter(r))
    r.couple(r)
    r.push(r.map(lambda item: item))
    reference = weakref.ref(r)
    del r
    gc.collect()
    assert reference() is None
    chain = Ring()
    for _ in range(50_000):
        r = Ring()
        r.push(iter(chain))
        chain = r
    del chain, r


def reenters() -> None:
    r = Ring()

    class Meddler:
        def __eq__(self, other: object) -> bool:
            r.clear()
            gc.collect()
            return True

        def __del__(self) -> None:
            if len(r) > 0:
                r[0]
            r.push(1)
            r.clear()

    for _ in range(5):
        r.push(Meddler())
    assert type(r.find(3)) is Meddler
    for _ in range(5):
        r.push(Meddler())
    assert 3 in r
    r.push(Meddler())
    r.clear()

    def collect(item: object) -> object:
        gc.collect()
        gc.get_objects()
        r.clear()
        return item

    r.extend("abc")
    assert len(r.map(collect)) == 1


def is_shared() -> None:
    a, b = Ring(), Ring()
    a.extend(range(10**6, 10**6 + 8))
    iterators = [iter(a)]

    def grow() -> None:
        a.push(Value())
        b.push(a)
        a.replace(Value())
        a[0] = b

    def shrink() -> None:
        b.pop()
        a.pop()
        a.rotate()
        if len(a) > 50:
            a.clear()
        if len(b) > 50:
            b.clear()

    def swap() -> None:
        a.swap(b)
        b.swap(a)
        a.couple(b)
        b.couple(a)
        assert a.partner in (a, b)

    def read() -> None:
        try:
            next(iterators[0])
        except StopIteration:
            iterators[0] = iter(a)
        a.find(None)
        a.map(id)
        a[1]
        list(b)

    run_pairs(
        lambda: a.push(Value()),
        a.pop,
        a.rotate,
        a.clear,
        lambda: a.swap(b),
        lambda: a.couple(b),
        lambda: b.couple(a),
        lambda: a.replace(Value()),
        lambda: a[0],
        lambda: a.partner,
        lambda: list(a),
    )
    run_threads(grow, shrink, swap, read, read)
    run_threads(grow, shrink, swap, read, gc.collect, rounds=20)


behaves()
assert_balanced(every_method)
assert_type_balanced(Ring, Ring)
dies()
reenters()
is_shared()
assert live(Ring) == live(RingIter) == live(Snapshot) == 0
assert_module_dies("ring", ("Ring", "RingIter", "Snapshot"))
