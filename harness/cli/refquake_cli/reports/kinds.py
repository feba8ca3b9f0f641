"""The line that starts each sort of report, and the kind it stands for.

Example:

    marker = match_marker(line)       # Marker("data-race", ...) or None
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from refquake_cli.reports.trial import HANGS

ASAN_KINDS = {
    "use-after-poison": "use-after-free",  # mimalloc poisons what it frees, MI_TRACK_ASAN tells ASan
    "heap-use-after-free": "use-after-free",
    "attempting double-free": "double-free",
    "attempting free on address": "bad-free",
    "requested allocation size": "allocation-too-big",
    "stack-overflow": "stack-overflow",
    "SEGV": "segv",
    "ABRT": "abort",
    "BUS": "segv",
    "FPE": "fpe",
    "ILL": "ill",
    "unknown-crash": "segv",
}
TSAN_KINDS = {"heap-use-after-free": "use-after-free", "SEGV": "segv", "ABRT": "abort", "BUS": "segv"}
LIBFUZZER_KINDS = {
    "timeout": "hang",
    "out-of-memory": "out-of-memory",
    "deadly signal": "crash",
    "fuzz target exited": "exit",
}
# Kinds that say only how the process died: a report before it that says why comes first.
BARE_KINDS = {"abort", "crash", "exit"}


@dataclass(frozen=True)
class Marker:
    kind: str
    title: str
    source: str  # who reports: refquake, discovery (of refquake), asan, tsan, ubsan, cpython, libfuzzer, libc


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _from_table(table: dict[str, str], words: str) -> str:
    for start, kind in table.items():
        if words.startswith(start):
            return kind
    return slug(re.split(r" on | \(|:", words)[0])


def _asan(match: re.Match) -> str:
    return _from_table(ASAN_KINDS, match[1])


def _tsan(match: re.Match) -> str:
    return _from_table(TSAN_KINDS, match[1])


def _libfuzzer(match: re.Match) -> str:
    return _from_table(LIBFUZZER_KINDS, match[1])


def _assertion(match: re.Match) -> str:
    """CPython's `FILE:LINE: FUNCTION: Assertion ...`: the collector's are about the target's protocol."""
    if "negative ref count" in match[0] or match["function"] == "_Py_NegativeRefcount":
        return "negative-refcount"
    return "gc-assertion" if re.search(r"(?:^|[/_])gc\w*\.[ch]$", match["file"]) else "assertion"


def _fatal(match: re.Match) -> str:
    words = match[1]
    if "negative ref" in words:
        return "negative-refcount"
    return "fatal-error"


_MARKERS: tuple[tuple[str, re.Pattern, Callable[[re.Match], str]], ...] = (
    ("refquake", re.compile(r"^==refquake== ERROR: ([\w-]+)"), lambda match: match[1]),
    ("discovery", HANGS, lambda match: "hang"),
    ("asan", re.compile(r"ERROR: AddressSanitizer: (.*)"), _asan),
    ("tsan", re.compile(r"(?:WARNING|ERROR): ThreadSanitizer: (.*)"), _tsan),
    ("ubsan", re.compile(r"^\S+:\d+:\d+: runtime error: (.*)"), lambda match: "undefined-behaviour"),
    ("libfuzzer", re.compile(r"ERROR: libFuzzer: (.*)"), _libfuzzer),
    (
        "cpython",
        re.compile(r"^(?P<file>[^\s:]+\.[ch]):\d+: (?P<function>\w+): Assertion (?:\"|failed).*"),
        _assertion,
    ),
    (
        "libc",
        re.compile(r"^[^\s:]+: (?P<file>[^\s:]+\.\w+):\d+: (?P<function>.+?): Assertion [`'].*' failed\."),
        _assertion,
    ),
    ("cpython", re.compile(r"^Fatal Python error: (.*)"), _fatal),
)


def match_marker(line: str) -> Marker | None:
    for source, pattern, kind in _MARKERS:
        if match := pattern.search(line):
            return Marker(kind(match), line.strip(), source)
    return None
