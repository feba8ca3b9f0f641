"""A process of a night that is no turn: it ends when its time is up, or soon after the night was told to stop.

    bounds = Bounds(deadline, lambda: self.stopped_by != "")
    code = run_bounded(command, scratch, version, bounds.within(900), output=path)      # None: it was ended
"""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli import child

POLL_SECONDS = 0.1
NOWHERE = Path(os.devnull)


@dataclass(frozen=True)
class Bounds:
    deadline: float  # of time.monotonic()
    stopped: Callable[[], bool]

    @property
    def over(self) -> bool:
        return self.stopped() or time.monotonic() >= self.deadline

    def within(self, seconds: float) -> "Bounds":
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))


def run_bounded(
    command: list[str], scratch: Path, version: str, bounds: Bounds, output: Path = NOWHERE
) -> int | None:
    with output.open("wb") as sink:
        process = subprocess.Popen(
            command, cwd=scratch, env=child.child_environment(version), stdin=subprocess.DEVNULL,
            stdout=sink, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=child.die_with_parent,
        )  # fmt: skip
    try:
        while not bounds.over:
            try:
                return process.wait(POLL_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        return None
    finally:
        if process.returncode is None:
            child.kill_group(process)
