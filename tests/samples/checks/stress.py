"""What the checks share: threads released together, and the counting of what is left.

Each check is a script that an interpreter under test runs: it fails with an exception, and it is the
sanitizer's part to fail it otherwise.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable

assert not sys._is_gil_enabled(), "the checks need a free-threaded interpreter"

ROUNDS = 300


class Value:
    """A plain object that can be referred to weakly."""


def run_threads(*bodies: Callable[[], object], rounds: int = ROUNDS) -> None:
    """Runs the bodies at once, each in a thread of its own and `rounds` times; IndexError, what an
    empty container answers, is an answer."""
    barrier = threading.Barrier(len(bodies))
    failures: list[BaseException] = []

    def repeat(body: Callable[[], object]) -> None:
        barrier.wait()
        try:
            for _ in range(rounds):
                try:
                    body()
                except IndexError:
                    pass
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=repeat, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def run_pairs(*bodies: Callable[[], object], rounds: int = 20) -> None:
    """Runs each two of the bodies at once, also each beside itself: with nothing else in between, that
    could order the one before the other by accident."""
    for i, one in enumerate(bodies):
        for other in bodies[i:]:
            run_threads(one, other, rounds=rounds)


def live(kind: type) -> int:
    """How many instances of a garbage-collected type there are."""
    gc.collect()
    return sum(type(each) is kind for each in gc.get_objects())


def assert_balanced(body: Callable[[object], object]) -> None:
    """The body, given an object, leaves no reference to it behind, nor takes one too many."""
    value = Value()
    body(value)
    gc.collect()
    before = sys.getrefcount(value)
    for _ in range(10):
        body(value)
    gc.collect()
    assert sys.getrefcount(value) == before, f"{before} references before, {sys.getrefcount(value)} after"


def assert_type_balanced(kind: type, body: Callable[[], object]) -> None:
    """The body leaves as many references to the type as there were: threads count them apart, and a
    collection adds them up."""
    body()
    gc.collect()
    before = sys.getrefcount(kind)
    for _ in range(50):
        body()
    gc.collect()
    assert sys.getrefcount(kind) == before, f"{kind}: {before} references before, {sys.getrefcount(kind)} after"


def raises(kind: type[BaseException] | tuple[type[BaseException], ...], body: Callable[..., object], *args: object) -> None:
    try:
        body(*args)
    except kind:
        return
    raise AssertionError(f"{body} did not raise {kind}")


def assert_module_dies(name: str, types: tuple[str, ...]) -> None:
    """Once forgotten, the module's heap types go with it."""
    module = sys.modules.pop(name)
    assert all(isinstance(getattr(module, each), type) for each in types)
    main = sys.modules["__main__"].__dict__
    for key in [key for key, value in main.items() if getattr(value, "__module__", None) == name or value is module]:
        del main[key]
    del module
    for _ in range(3):
        gc.collect()
    # A weak reference would not tell: the collector clears it even if the type then lives on.
    left = [each for each in gc.get_objects() if isinstance(each, type) and each.__name__ in types]
    left = [each for each in left if getattr(each, "__module__", name) == name]
    assert not left, f"still there: {left}"
