"""One report out of a fuzz process's output.

    report = find_report(text)
    report.kind         "use-after-free"
    report.signature    "use-after-free node_get_next@node.c < node_repr@node.c"
    report.text         from the report's first line to the end of the output

A process that dies says several things: CPython's fatal error, then ASan's ABRT or libFuzzer's deadly signal. The
first that says why gives the kind; the stack comes from the first report that has one.
"""

import hashlib
import re
from dataclasses import dataclass

from refquake_cli.reports.kinds import BARE_KINDS, Marker, match_marker
from refquake_cli.reports.signature import function_of, signature_of

_SUMMARY = re.compile(r"^==refquake== SUMMARY: (.*)$", re.MULTILINE)
_ARTEFACT = re.compile(r"^==refquake== ARTEFACT: (.*)$|Test unit written to (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Report:
    kind: str
    title: str
    signature: str
    text: str
    artefact: str = ""
    function: str = ""  # the target's that it died in

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.signature.encode()).hexdigest()[:8]


def find_report(text: str) -> Report | None:
    """The report in `text`, or None when it holds none."""
    lines = text.splitlines()
    marked = [(at, marker) for at, line in enumerate(lines) if (marker := match_marker(line))]
    if not marked:
        return None
    first = _lead_in(lines, marked[0][0])
    body = "\n".join(lines[first:]) + "\n"
    chosen = _choose([marker for _, marker in marked])
    found = _ARTEFACT.search(body)
    artefact = (found[1] or found[2]).strip() if found else ""
    function = "" if chosen.source == "refquake" else function_of(chosen.kind, body)
    return Report(chosen.kind, chosen.title, _signature(chosen, body), body, artefact, function)


def _lead_in(lines: list[str], at: int) -> int:
    """Sanitizers print a rule of = above their first line: it belongs to the report."""
    return at - 1 if at and set(lines[at - 1].strip()) == {"="} else at


def _choose(markers: list[Marker]) -> Marker:
    """The first that says why. "fatal-error" says less than an assertion, a bare signal less than either."""
    telling = [marker for marker in markers if marker.kind not in BARE_KINDS]
    for marker in telling:
        if marker.kind != "fatal-error":
            return marker
    return (telling or markers)[0]


def _signature(marker: Marker, body: str) -> str:
    if marker.source == "refquake":
        found = _SUMMARY.search(body)
        return found[1].strip() if found else marker.kind
    return signature_of(marker.kind, marker.title, body, telling_title=marker.source in ("cpython", "libc", "ubsan"))
