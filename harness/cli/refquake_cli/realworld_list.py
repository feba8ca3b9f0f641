"""What `refquake realworld` runs on: packages of many build systems, and CPython's own modules.

    for subject in PACKAGES + STANDARD: subject.target, subject.requirement
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    target: str  # what `fuzz` is given
    requirement: str = ""  # what `add` is given; empty: comes with CPython
    dependencies: tuple[str, ...] = ()  # to be built from source as well


def _package(requirement: str, *dependencies: str, target: str = "") -> Subject:
    return Subject(target or requirement, requirement, dependencies)


PACKAGES = (
    *(_package(name) for name in ("markupsafe", "multidict", "frozenlist", "propcache", "msgpack", "ujson", "simplejson")),
    _package("yarl", "multidict", "propcache"),
    *(_package(name) for name in ("lru-dict", "immutables", "pyrsistent", "bitarray", "kiwisolver", "wrapt", "xxhash")),
    *(_package(name) for name in ("ciso8601", "regex", "zstandard", "python-rapidjson", "greenlet", "cffi", "pyyaml")),
    _package("psutil"),
)
STANDARD = tuple(
    Subject(name)
    for name in (
        "itertools", "collections", "functools", "_elementtree", "_csv", "_json", "_struct", "array", "datetime",
        "zoneinfo", "_sqlite3", "zlib", "_bz2", "_lzma", "decimal", "contextvars", "weakref", "re", "_io", "heapq", "pyexpat",
        "builtins", "_random", "_operator", "_pickle", "_queue", "unicodedata", "_hashlib", "_blake2", "_bisect",
    )
)  # fmt: skip
KNOWN_BUGS = tuple(
    _package(name) for name in ("multidict==6.4.3", "wrapt==2.3.0", "bitarray==3.8.0", "kiwisolver==1.4.9", "lru-dict==1.3.0")
)
