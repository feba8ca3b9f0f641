"""When two findings are faces of one bug, as far as their words tell.

    place_of("still-tracked-in-dealloc node.Node")      # "still-tracked node.Node": what all faces of the bug share
    may_cause("still-tracked-at-free", "segv")          # True: seen in one input, the second may be the first's doing
    racing("data-race f < get@node.c | set@node.c")     # {"get@node.c", "set@node.c"}: whose races these are

A bug has one place, its faces have signatures. What only a run can tell is in night/behind.py.
"""

import re

RACE = "data-race"
CHECK = "gc-assertion"  # among them that no object is visited more often than it has references
COUNTS = ("extra-visit", "missing-incref")  # of which that is so
# What leaves a reference to memory that goes, or memory that something still refers to. Anything may die of it.
_DANGLING = {
    "still-tracked-at-free", "still-tracked-in-dealloc", "weakrefs-left", "extra-visit", "missing-incref",
    "type-reference-early", "type-visited-twice", "tracked-too-early", "wrong-free", "bad-return",
    "traverse-side-effect", RACE,
}  # fmt: skip
_DEATHS = {
    "use-after-free", "double-free", "bad-free", "heap-buffer-overflow", "segv", "abort", "crash", "negative-refcount",
    "gc-assertion", "assertion", "fatal-error", "missing-incref",
}  # fmt: skip
# What keeps an object alive, and all that it holds with it.
_KEEPING = {
    "never-tracked",
    "missed-visit",
    "leaked-reference",
    "leaked-instance",
    "type-reference-kept",
    "dict-left",
    RACE,
}
_KEPT = {"leaked-reference", "leaked-instance", "leaked-type"}
# One thing seen at two moments, or by an oracle and by CPython's own check of it.
_SAME = (
    (re.compile(r"^still-tracked-(?:at-free|in-dealloc) (.*)$"), r"still-tracked \1"),
    (re.compile(r"^fatal-error _Py_CheckFunctionResult@call\.c in (.*)\.(\w+)$"), r"bad-return \1 \2"),
)


def place_of(signature: str) -> str:
    for pattern, place in _SAME:
        if pattern.match(signature):
            return pattern.sub(place, signature)
    return signature


def death_in(kind: str, function: str) -> str:
    """The place of a death in a function of the target, whatever it had called of CPython's. "": no such, no place."""
    return f"{kind} in {function}" if function and kind in _DEATHS - {"fatal-error"} else ""


def may_cause(first: str, second: str) -> bool:
    """Kinds, of findings in the same input and in that order."""
    return (first in _DANGLING and second in _DEATHS) or (first in _KEEPING and second in _KEPT)


def racing(race: str) -> set[str]:
    """The outermost function of each stack of a race: the code under test, in the line that makes a race known."""
    stacks = race.removeprefix(f"{RACE} ").split(" | ")
    return {stack.split(" < ")[-1] for stack in stacks}
