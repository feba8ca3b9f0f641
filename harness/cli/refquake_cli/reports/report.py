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

from refquake_cli.reports.frames import Frame, all_stacks, telling_frames
from refquake_cli.reports.kinds import BARE_KINDS, Marker, match_marker

TOP_FRAMES = 3
_SUMMARY = re.compile(r"^==refquake== SUMMARY: (.*)$", re.MULTILINE)
# Kinds whose stacks have no order, and how many of the stacks count: the two accesses of a race, which come first.
_SYMMETRIC_KINDS = {"data-race": 2, "lock-order-inversion": None}
_ARTEFACT = re.compile(r"^==refquake== ARTEFACT: (.*)$|Test unit written to (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Report:
    kind: str
    title: str
    signature: str
    text: str
    artefact: str = ""

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
    return Report(chosen.kind, chosen.title, _signature(chosen, body), body, artefact)


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
    stacks = all_stacks(body)
    if marker.kind in _SYMMETRIC_KINDS:
        return f"{marker.kind} " + " | ".join(_sites(stacks, _SYMMETRIC_KINDS[marker.kind]))
    frames = _telling(stacks)
    detail = " < ".join(frames[:TOP_FRAMES]) or _stable_title(marker.title)
    return f"{marker.kind} {detail}"


def _telling(stacks: list[list[Frame]]) -> list[str]:
    """The stack of the death itself, the first printed; those of free and allocation only where it tells nothing,
    as when the harness drops the last reference to what is already gone."""
    return next((frames for stack in stacks if (frames := telling_frames(stack))), [])


def _sites(stacks: list[list[Frame]], count: int | None) -> list[str]:
    """Where each stack is: TSan prints them in an order that depends on which thread came second."""
    return sorted({sites[0] for stack in stacks[:count] if (sites := telling_frames(stack))}) or ["?"]


def _stable_title(title: str) -> str:
    """A title without what changes from run to run: addresses, numbers of processes, lines."""
    title = re.sub(r"==\d+==|\(pid=\d+\)| (?:at pc|\(pc) .*|0x[0-9a-fA-F]+", "", title)
    return re.sub(r"\s+", " ", re.sub(r"\d+", "N", title)).strip()
