import gc
import sys
from importlib import import_module

from stress import Value, assert_balanced, live, raises, run_pairs, run_threads

# The same check for all three bindings: the module's name is the argument.
module = import_module(sys.argv[1])
Tree = module.Tree


def behaves() -> None:
    value = Value()
    t, other = Tree(value), Tree()
    assert t.value is value and other.value is None and t.parent is None and len(t) == 0
    t.value = None
    assert t.value is None
    raises(IndexError, t.pop)
    t.push(value)
    t.push(None)
    assert len(t) == 2 and t.pop() is None and t.pop() is value
    t.adopt(other)
    assert other.parent is t and len(t) == 1 and t.pop() is other
    t.adopt(t)
    t.clear()
    assert len(t) == 0 and t.parent is t
    raises(TypeError, t.push)
    raises((TypeError, RuntimeError), t.adopt, 3)
    if hasattr(t, "view"):
        assert t.view().tree is t
    if hasattr(t, "last"):
        raises(IndexError, t.last)
        t.push(value)
        assert t.last() is value


def every_method(value: object) -> None:
    t, other = Tree(value), Tree()
    t.value = value
    assert t.value is value
    t.push(value)
    t.push(value)
    t.pop()
    t.adopt(other)
    other.adopt(t)
    t.adopt(t)
    if hasattr(t, "view"):
        t.value = t.view()
    lone = Tree(value)
    lone.push(value)
    lone.clear()


def is_shared() -> None:
    t, other = Tree(), Tree()

    def grow() -> None:
        t.push(Value())
        other.push(t)
        t.adopt(other)
        other.adopt(t)

    def shrink() -> None:
        t.pop()
        other.pop()
        if len(t) > 50:
            t.clear()
        if len(other) > 50:
            other.clear()

    def look() -> None:
        t.value = Value()
        t.value
        other.parent
        other.value = t

    run_pairs(lambda: setattr(t, "value", Value()), lambda: t.value, t.clear, lambda: t.adopt(other), t.pop, rounds=10)
    run_threads(grow, shrink, look, look, rounds=100)
    run_threads(grow, shrink, look, gc.collect, rounds=20)


behaves()
assert_balanced(every_method)
is_shared()
assert live(Tree) == live(Value) == 0
