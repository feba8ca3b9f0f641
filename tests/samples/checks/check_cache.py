import gc

import cache
from cache import Cache
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads


def behaves() -> None:
    c = Cache()
    assert c.last() is None and c.keys() == () and len(c) == 0
    c.put("a", 1)
    c.put("b", 2)
    c.put("a", 3)
    assert c.get("a") == 3 and c.keys() == ("a", "b") and c.last() == "b" and len(c) == 2 and "b" in c
    assert c.keys() is c.keys() and c.pair("b") == ("b", 2) and c.pair("x") == ("x", None)
    c.replace_last("z")
    assert c.keys() == ("a", "z")
    seen = []
    assert c.visit(seen.append) == "z" and seen == ["a", "z"]
    raises(KeyError, c.get, "x")
    for method in (c.get, c.pair, c.__contains__):
        raises(TypeError, method, [])
    raises(TypeError, c.put, [], 1)
    raises(TypeError, c.visit, None)
    c.clear()
    assert c.keys() == () and len(c) == 0
    assert cache.names() == ("Cache", "names") and cache.names() is cache.names()
    cache.forget()


def every_method(value: object) -> None:
    c = Cache()
    c.put(value, value)
    c.put(value, c)
    c.put(c, value)
    c.replace_last(value)
    assert c.last() is value and c.get(c) is value
    c.keys()
    c.pair(value)
    c.visit(lambda key: key)
    raises(ZeroDivisionError, c.visit, lambda key: 1 / 0)
    raises(TypeError, c.put, [], value)
    c.put(1, c.keys())


def reenters() -> None:
    c = Cache()
    for i in range(5):
        c.put(Value(), i)

    def meddle(key: object) -> None:
        c.replace_last(Value())
        c.clear()
        gc.collect()

    assert isinstance(c.visit(meddle), Value)

    class Key:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            c.clear()
            c.keys()
            return False

    for _ in range(5):
        c.put(Key(), Key())
        c.keys()


def is_shared() -> None:
    c = Cache()
    keys = [Value() for _ in range(4)]

    def put() -> None:
        for key in keys:
            c.put(key, Value())
            c.put(Value(), c)
        if len(c) > 50:
            c.clear()

    def get() -> None:
        for key in keys:
            try:
                c.get(key)
            except KeyError:
                pass
            c.pair(key)
        c.last()
        c.replace_last(keys[0])

    def view() -> None:
        c.keys()
        c.visit(id)
        cache.names()
        cache.forget()

    run_pairs(lambda: c.put(1, Value()), lambda: c.pair(1), c.keys, c.clear, c.last, cache.names, cache.forget)
    run_threads(put, get, view, view, get)
    run_threads(put, get, view, gc.collect, rounds=20)


behaves()
assert_balanced(every_method)
assert_type_balanced(Cache, Cache)
reenters()
is_shared()
assert live(Cache) == live(Value) == 0
assert_module_dies("cache", ("Cache",))
