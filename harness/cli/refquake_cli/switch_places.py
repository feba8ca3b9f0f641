"""Where a stepped run's switches are, in words and with source lines.

    told_switches(report.text)
    # ["12>1: lane 0 stops in exchange_lock_held (node.c:57), about to write; lane 1 goes on", ...]

The addresses of a report are the module's as it was built then; without llvm-symbolizer, or once the module has been
built anew, the file and the address are what is told.
"""

import os
import subprocess

from refquake_cli.reports.schedule import Switch, schedule_line, switches_in
from refquake_cli.toolchain import SYMBOLIZER

_DOING = {
    "op": "between two ops",
    "load": "about to read",
    "store": "about to write",
    "acquire": "about to take a lock",
    "release": "having given a lock back",
    "block": "waiting",
    "yield": "letting others run",
    "exit": "at its end",
}
_SYMBOLIZE_SECONDS = 60


def told_switches(text: str) -> list[str]:
    switches = switches_in(text)
    more = schedule_line(text).count(">") - len(switches)
    places = _places({(switch.file, switch.offset) for switch in switches if switch.file})
    told = [_told(switch, places.get((switch.file, switch.offset), "")) for switch in switches]
    return [*told, f"... and {more} more"] if more > 0 else told


def _told(switch: Switch, place: str) -> str:
    if switch.stopped is None:
        return f"{switch.step}>{switch.to}: lane {switch.to} starts"
    where = f" in {place}" if place else ""
    doing = _DOING.get(switch.kind, switch.kind)
    return f"{switch.step}>{switch.to}: lane {switch.stopped} stops{where}, {doing}; lane {switch.to} goes on"


def _own_frame(answer: list[str]) -> tuple[str, str]:
    """The function that stands there and the line: of those inlined into each other, the first that is not one of
    CPython's headers."""
    frames = list(zip(answer[::2], answer[1::2], strict=False)) or [("", "")]
    own = [frame for frame in frames if not _is_header_of_cpython(frame[1])]
    return (own or frames[-1:])[0]


def _is_header_of_cpython(line: str) -> bool:
    return "/include/python" in line or "/Include/" in line


def _places(wanted: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    told = {place: f"{os.path.basename(place[0])}+{place[1]:#x}" for place in wanted}
    # One before: an address is where the yield point returns to.
    lines = [f'"{file}" {offset - 1:#x}' for file, offset in told]
    try:
        done = subprocess.run(
            [SYMBOLIZER, "--output-style=LLVM"], input="\n".join(lines), capture_output=True, text=True,
            timeout=_SYMBOLIZE_SECONDS, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return told
    for place, answer in zip(told, done.stdout.split("\n\n"), strict=False):
        function, line = _own_frame(answer.strip().split("\n"))
        source = os.path.basename(line).rsplit(":", 1)[0]  # without the column
        if function and not function.startswith("??") and not source.startswith("??"):
            told[place] = f"{function} ({source})"
    return told
