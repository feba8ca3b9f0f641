"""The public behaviour of cache, as its maintainer tests it: no threads of its own, yet fit to run in several."""

import gc

import cache
import pytest
from cache import Cache

SHARED = Cache()
KEYS = [f"key {i}" for i in range(4)]


class Noted:
    """Tells a list when it dies."""

    def __init__(self, dead):
        self.dead = dead

    def __del__(self):
        self.dead.append(True)


def cache_of(**items):
    c = Cache()
    for key, value in items.items():
        c.put(key, value)
    return c


def test_empty():
    c = Cache()
    assert len(c) == 0
    assert c.last() is None
    assert c.keys() == ()


def test_get_what_was_put():
    c = cache_of(a=1, b=2)
    assert c.get("a") == 1
    assert "b" in c
    assert len(c) == 2
    c.put("a", 3)
    assert c.get("a") == 3
    assert c.keys() == ("a", "b")


def test_missing_key_raises():
    with pytest.raises(KeyError, match="x"):
        Cache().get("x")


def test_unhashable_key_raises():
    c = Cache()
    with pytest.raises(TypeError):
        c.put([], 1)
    with pytest.raises(TypeError):
        c.get([])
    with pytest.raises(TypeError):
        [] in c  # noqa: B015
    assert len(c) == 0


def test_pair():
    c = cache_of(a=1)
    assert c.pair("a") == ("a", 1)
    assert c.pair("b") == ("b", None)


def test_last_can_be_replaced():
    c = cache_of(a=1, b=2)
    assert c.last() == "b"
    c.replace_last("".join(["z", "z"]))
    assert c.last() == "zz"
    assert c.keys() == ("a", "zz")


def test_keys_are_kept_until_they_change():
    c = cache_of(a=1)
    keys = c.keys()
    assert c.keys() is keys
    c.put("b", 2)
    assert c.keys() == ("a", "b")


def test_visit_calls_with_each_key():
    seen = []
    assert cache_of(a=1, b=2).visit(seen.append) == "b"
    assert seen == ["a", "b"]


def test_clear_drops_the_values():
    dead = []
    c = cache_of(a=Noted(dead))
    c.clear()
    assert dead == [True]
    assert len(c) == 0
    assert c.keys() == ()


def test_cycle_is_collected():
    dead = []
    noted = Noted(dead)
    noted.cache = cache_of(noted=noted)
    noted.cache.put(noted, 1)
    noted.cache.keys()
    del noted
    gc.collect()
    assert dead == [True]


def test_names_are_made_anew_once_forgotten():
    assert cache.names() == ("Cache", "names")
    cache.forget()
    assert cache.names() == ("Cache", "names")


def test_shared_cache_is_put_and_got():
    for key in KEYS:
        SHARED.put(key, [key])
        assert SHARED.get(key) == [key]
    assert sorted(SHARED.keys()) == KEYS
