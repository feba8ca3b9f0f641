"""Does a program still show the finding? Fresh processes, until the answer is sure enough.

    replayer = Replayer(artefact, scratch)
    measured = replayer.measure(text, times=5)            # Measured(signature, hits, runs)
    trial = Trial(replayer, text, Goal(signature, rate=0.6))
    trial.start()
    while trial.answer is None: wait_for([trial]); trial.poll()

A finding that shows each time is asked for once. One that shows k of n times is asked for in a sequential test: as
many runs as it takes to tell the original's rate from a quarter of it, so that half is about where it turns.
"""

import math
import os
import select
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli import child
from refquake_cli.artefact import Artefact
from refquake_cli.errors import WrongUse
from refquake_cli.replay import judge, replay_command
from refquake_cli.reports import Report

HANG_SECONDS = 20  # a candidate that is to compute without an end is believed after this long
HANG_DEADLINE = 4  # one that is to wait for ever: the binary sees that it uses no processor
RUN_SECONDS = 60
_SURE = math.log(0.9 / 0.1)
_NEARLY_ALWAYS, _MAX_RUNS = 0.95, 40


@dataclass(frozen=True)
class Goal:
    signature: str
    rate: float

    @property
    def always(self) -> bool:
        return self.rate >= 1


@dataclass(frozen=True)
class Measured:
    signature: str  # the most frequent one; "" when nothing was found
    hits: int
    runs: int
    report: Report | None = None

    @property
    def rate(self) -> float:
        return self.hits / self.runs if self.runs else 0.0

    def __str__(self) -> str:
        return f"{self.hits} of {self.runs}"


class Run:
    """One replay in a fresh process. Its output goes to a file: nothing has to be read for it to go on."""

    def __init__(self, artefact: Artefact, folder: Path, flags: list[str], seconds: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._output = folder / "output.txt"
        self._deadline = time.monotonic() + seconds
        with self._output.open("wb") as sink:
            self._process = subprocess.Popen(
                [*replay_command(artefact), "--self-proof=0", *flags, f"--artefacts={folder}/"],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=child.child_environment(artefact.version),
                preexec_fn=child.die_with_parent,
            )
        self.ended = os.pidfd_open(self._process.pid)  # readable once it has

    def poll(self) -> tuple[bool, Report | None]:
        """Whether it is over, and what it found."""
        code = self._process.poll()
        if code is None:
            if time.monotonic() < self._deadline:
                return False, None
            text = self._text()
            self.stop()
            return True, Report("hang", "no end", "hang", text)
        text = self._text()
        self.stop()
        try:
            return True, judge(code, text).report
        except WrongUse:  # the binary does not take it: no program of this target
            return True, None

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self.ended >= 0:
            os.close(self.ended)
            self.ended = -1
            shutil.rmtree(self._folder, ignore_errors=True)  # a search runs thousands

    def _text(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace")


class Replayer:
    """Where candidates are written and how they are run: the job of the artefact, `repeat` times in each process."""

    def __init__(self, artefact: Artefact, scratch: Path) -> None:
        self.repeat = 1
        self.seconds = RUN_SECONDS
        self.deadline = 0  # of the binary; 0: its own
        self.processes = 0
        self._artefact = artefact
        self._scratch = scratch

    def start(self, text: str) -> Run:
        self.processes += 1
        folder = self._scratch / str(self.processes)
        folder.mkdir(parents=True)
        path = folder / "candidate.prog"
        path.write_text(text, encoding="utf-8")
        flags = [f"--deadline={self.deadline}"] if self.deadline else []
        return Run(replace(self._artefact, path=path, repeat=self.repeat), folder, flags, self.seconds)

    def measure(self, text: str, times: int, side_by_side: int, wanted: str = "", or_other: bool = False) -> Measured:
        """How often `text` shows `wanted`; without it, or where nothing shows it and another will do, whatever it shows
        most often."""
        reports: list[Report | None] = []
        active: list[Run] = []
        started = 0
        try:
            while len(reports) < times:
                while started < times and len(active) < side_by_side:
                    active.append(self.start(text))
                    started += 1
                wait_for(active)
                for run in list(active):
                    over, report = run.poll()
                    if over:
                        active.remove(run)
                        reports.append(report)
        finally:
            for run in active:
                run.stop()
        return _counted(reports, wanted, or_other)


def _counted(reports: list[Report | None], wanted: str, or_other: bool) -> Measured:
    seen = Counter(report.signature for report in reports if report)
    if not seen or (wanted and wanted not in seen and not or_other):
        return Measured("", 0, len(reports))
    signature = wanted if wanted in seen else seen.most_common(1)[0][0]
    first = next(report for report in reports if report and report.signature == signature)
    return Measured(signature, seen[signature], len(reports), first)


class Trial:
    """A candidate on its way to an answer: one process after the other."""

    def __init__(self, replayer: Replayer, text: str, goal: Goal) -> None:
        self.answer: bool | None = None
        self._replayer = replayer
        self._text = text
        self._goal = goal
        self._likelihood = 0.0
        self._runs = 0
        self._run: Run | None = None

    @property
    def ended(self) -> int:
        return self._run.ended if self._run else -1

    def start(self) -> None:
        self._run = self._replayer.start(self._text)

    def poll(self) -> None:
        if self.answer is not None or not self._run:
            return
        over, report = self._run.poll()
        if not over:
            return
        self._runs += 1
        self.answer = self._judge(bool(report and report.signature == self._goal.signature))
        if self.answer is None:
            self.start()

    def stop(self) -> None:
        if self._run:
            self._run.stop()

    def _judge(self, hit: bool) -> bool | None:
        if self._goal.always:
            return hit
        good = min(self._goal.rate, _NEARLY_ALWAYS)
        bad = good / 4
        self._likelihood += math.log(good / bad) if hit else math.log((1 - good) / (1 - bad))
        if abs(self._likelihood) >= _SURE:
            return self._likelihood > 0
        return False if self._runs >= _MAX_RUNS else None


def wait_for(active: list[Run] | list[Trial], seconds: float = 0.5) -> None:
    """Returns when one of the processes has ended, or after `seconds` at most."""
    select.select([one.ended for one in active if one.ended >= 0], [], [], seconds)
