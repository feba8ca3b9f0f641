"""A night: arms side by side until the time is up; each finding in the store before the next turn starts.

    night = Night(settings, arms, store)
    night.run()                          # returns when the time is up, or after SIGINT or SIGTERM
    night.stopped_by, night.seen         # "" or the signal's name; the findings seen

Killed at any moment, nothing is lost: what a process left in the working folder of a campaign that is gone is taken
in by the next to start on the same folder. That folder's lock is held by the kernel, so a dead campaign holds none.
"""

import os
import shutil
import signal
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from refquake_cli import interrupts
from refquake_cli.console import Progress, Task, say
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.night.behind import behind
from refquake_cli.night.bounded import Bounds
from refquake_cli.night.corpus import Corpus
from refquake_cli.night.functions import functions_of
from refquake_cli.night.journal import Journal
from refquake_cli.night.settings import Settings, turn_of
from refquake_cli.night.share import Share
from refquake_cli.night.turn import Limits, Turn
from refquake_cli.store import FIXED, Sighting, Store
from refquake_cli.store import Turn as TurnRow
from refquake_cli.targets import CLEAN

POLL_SECONDS = 0.1
# A finding ends a process; its turn goes on in another while at least this much of it is left.
WORTH_RESTARTING_SECONDS = 3
# A process that cannot start, or dies of what is known before its first program, is not tried again and again.
MAX_BROKEN_STARTS = 3
MIN_FREE_BYTES = 1 << 20


class Night:
    def __init__(self, settings: Settings, arms: list[Job], store: Store) -> None:
        self.settings = settings = replace(settings, folder=settings.folder.resolve())  # processes run elsewhere
        self.arms = arms
        self.store = store
        self.stopped_by = ""
        self.seen: dict[int, int] = {}
        self.problems: list[str] = []
        self._corpora = {arm: Corpus(settings.folder / "corpus", arm) for arm in arms}
        self._share = Share(arms)
        self._turn_seconds = turn_of(settings, len(arms))
        self._broken = dict.fromkeys(arms, 0)
        self._proven: set[Job] = set()
        self._active: dict[Turn, float] = {}  # to when its stretch of time runs
        self._lines: dict[Job, Task] = {}
        self._turns = 0
        self._work = settings.folder / "work" / uuid.uuid4().hex[:12]
        self.number = 0

    def run(self) -> None:
        restore = [(number, signal.signal(number, self._stop)) for number in interrupts.heeded()]
        try:
            self._run()
        except OSError as error:
            raise CouldNotRun(
                f"{self.settings.folder}: {error.strerror or error}: free space there and run it again; "
                "what was stored before is intact"
            ) from error
        finally:
            for number, handler in restore:
                signal.signal(number, handler)

    def _stop(self, number: int, _frame: object) -> None:
        self.stopped_by = signal.Signals(number).name

    def _run(self) -> None:
        self._work.mkdir(parents=True)
        with FileLock(self._work / "lock"), Progress() as progress:
            self.number = self.store.begin_night(time.time())
            self._journal = Journal(self.settings.folder / "logs" / f"night-{self.number}.jsonl")
            self._journal.write("night", number=self.number, seconds=self.settings.seconds, arms=len(self.arms))
            self._lines = {arm: progress.task(f"{arm.target} {arm.title}") for arm in self.arms}
            deadline = time.monotonic() + self.settings.seconds
            try:
                self._adopt_abandoned()
                # Never more than half of the night: it is for fuzzing.
                self._each_arm("minimise", self._minimise, self._bounds(deadline - self.settings.seconds / 2))
                self._fuzz(deadline)
                self._end_turns()
                late = time.monotonic() + max(30, self.settings.seconds / 10)
                self._each_arm("coverage", self._measure, self._bounds(late))
            finally:
                self._finish()
        shutil.rmtree(self._work, ignore_errors=True)

    # What a killed campaign left

    def _adopt_abandoned(self) -> None:
        for folder in sorted((self.settings.folder / "work").iterdir()):
            if folder == self._work or not folder.is_dir():
                continue
            try:
                with FileLock(folder / "lock", timeout=0):
                    self._adopt(folder)
            except Timeout:
                continue  # another campaign works there now
            except FileNotFoundError:
                continue  # or has just adopted it

    def _adopt(self, folder: Path) -> None:
        for scratch in sorted(folder.iterdir()):
            if not scratch.is_dir():
                continue
            try:
                turn = Turn.abandoned(scratch)
            except ValueError as error:
                self._set_aside(scratch, error)
                continue
            if turn is None:
                continue
            self._journal.write("adopted", arm=turn.job.title, found=turn.outcome.kind)
            self._keep(turn)
        shutil.rmtree(folder)

    def _set_aside(self, scratch: Path, error: ValueError) -> None:
        """Nobody knows which arm it was of; its finding, if it has one, is for a person to look at."""
        kept = self.settings.folder / "unreadable" / f"{scratch.parent.name}-{scratch.name}"
        kept.parent.mkdir(exist_ok=True)
        os.rename(scratch, kept)
        self._journal.write("unreadable", folder=str(kept), problem=str(error))
        say(f"a turn that was cut off cannot be taken in: {error}; what it left is in {kept}")

    # The corpora, before and after

    def _bounds(self, deadline: float) -> Bounds:
        return Bounds(deadline, lambda: bool(self.stopped_by))

    def _each_arm(self, step: str, do: Callable[[Job, Bounds], str], bounds: Bounds) -> None:
        for arm in self.arms:
            if bounds.over:
                return
            if self._hopeless(arm):
                continue
            self._lines[arm].step(step)
            self._lines[arm].done(do(arm, bounds))

    def _minimise(self, arm: Job, bounds: Bounds) -> str:
        scratch = self._work / "minimise"
        scratch.mkdir(exist_ok=True)
        known = self.store.pass_over_lines(arm.target, arm.variant)
        before, after = self._corpora[arm].minimise(scratch, known, self.settings.version, bounds)
        self._journal.write("minimised", arm=arm.title, target=arm.target, before=before, after=after)
        return f"corpus of {before} inputs, {after} kept"

    def _measure(self, arm: Job, bounds: Bounds) -> str:
        known = self.store.pass_over_lines(arm.target, arm.variant)
        scratch = self._work / "coverage"
        functions = functions_of(arm, self._corpora[arm].folder, known, self.settings.version, scratch, bounds)
        self.store.set_functions(self.number, functions)
        missed = sum(not function.reached for function in functions)
        return f"{missed} of {len(functions)} functions never entered" if functions else "coverage: not measured"

    # Fuzzing

    def _hopeless(self, arm: Job) -> bool:
        return self._broken[arm] >= MAX_BROKEN_STARTS

    def _fuzz(self, deadline: float) -> None:
        for row in self.store.findings():
            if row.state != FIXED:
                self._settle(row.target, row.variant)
        while not self.stopped_by and time.monotonic() < deadline:
            while len(self._active) < self.settings.jobs and self._start_next(deadline):
                pass
            if not self._active:
                return  # nothing can run any more
            for turn in list(self._active):
                if turn.poll():
                    self._ended(turn, deadline)
                else:
                    self._lines[turn.job].note(_live_text(turn))
            time.sleep(POLL_SECONDS)

    def _start_next(self, deadline: float) -> bool:
        taken = {turn.job for turn in self._active} | {arm for arm in self.arms if self._hopeless(arm)}
        arm = self._share.choose(taken)
        now = time.monotonic()
        if arm is None or deadline - now < WORTH_RESTARTING_SECONDS:
            return False
        self._start(arm, min(deadline, now + self._turn_seconds))
        return True

    def _start(self, arm: Job, until: float) -> None:
        self._check_disk()
        self._turns += 1
        limits = Limits(
            seconds=max(1, int(until - time.monotonic())), seed=(self.number * 1_000_003 + self._turns) % 2**31 + 1,
            version=self.settings.version, memory=self.settings.memory, input_timeout=self.settings.input_timeout,
            prove=arm not in self._proven,
        )  # fmt: skip
        known = self.store.pass_over_lines(arm.target, arm.variant)
        scratch = self._work / str(self._turns)
        turn = Turn(arm, limits, scratch, self._corpora[arm].folder, known)
        turn.start()
        self._active[turn] = until
        self._lines[arm].step("fuzzing")

    def _check_disk(self) -> None:
        free = shutil.disk_usage(self.settings.folder).free
        if free < MIN_FREE_BYTES:
            raise OSError(28, f"only {free >> 10} KB left on the disk")

    def _ended(self, turn: Turn, deadline: float) -> None:
        until = self._active.pop(turn)
        arm, broken = turn.job, turn.outcome.state == "could not run"
        self._keep(turn)
        barren = turn.outcome.state in ("finding", "passed over") and turn.executions == 0
        self._broken[arm] = self._broken[arm] + 1 if broken or barren else 0
        if broken:
            self._problem(arm, turn.outcome.problem)
        elif not barren:
            self._proven.add(arm)
        self._lines[arm].done(_end_text(turn))
        left = min(until, deadline) - time.monotonic()
        ended_early = turn.outcome.state in ("finding", "passed over") and not self._hopeless(arm)
        if ended_early and left > WORTH_RESTARTING_SECONDS and not self.stopped_by:
            self._start(arm, until)

    def _settle(self, target: str, variant: str) -> None:
        """A plant is one bug: once found, the others need the time more. Other code may have any number."""
        for arm in self.arms if variant != CLEAN else []:
            if (arm.target, arm.variant) == (target, variant):
                self._share.settle(arm)

    def _problem(self, arm: Job, text: str) -> None:
        line = f"{arm.target} {arm.title}: {text}"
        if line not in self.problems:
            self.problems.append(line)

    def _keep(self, turn: Turn) -> None:
        """All a turn brought, in the order that loses nothing: finding, inputs, counters; then its folder goes."""
        arm = turn.job
        if turn.sighting:
            number = self.store.add(self._explained(turn.sighting), self.number)
            self.seen[number] = self.seen.get(number, 0) + 1
            self._settle(arm.target, arm.variant)
            self._journal.write(
                "finding", id=number, arm=arm.title, target=arm.target, signature=turn.sighting.signature
            )
        corpus = self._corpora.get(arm) or Corpus(self.settings.folder / "corpus", arm)
        corpus.take(turn.new_inputs)
        gain = max(0, turn.features - turn.first_features)
        self._share_reward(arm, gain, turn.seconds)
        row = TurnRow(
            arm.target, arm.variant, arm.flavour, arm.profile, time.time() - turn.seconds, round(turn.seconds, 2),
            turn.executions, turn.coverage, turn.features, turn.outcome.kind or turn.outcome.state, turn.origin,
        )  # fmt: skip
        self.store.add_turn(self.number, row)
        self._journal.write(
            "turn", target=arm.target, arm=arm.title, seconds=row.seconds, executions=row.executions,
            coverage=row.coverage, features=row.features, outcome=row.outcome, problem=turn.outcome.problem,
        )  # fmt: skip
        shutil.rmtree(turn.scratch, ignore_errors=True)

    def _explained(self, sighting: Sighting) -> Sighting:
        """With its place, if it is the first of its signature: a run tells. Who stops a night does not wait for it."""
        if self.stopped_by or sighting.cause or self.store.has(sighting.target, sighting.variant, sighting.signature):
            return sighting
        told = behind(sighting, self._work / "behind")
        return replace(sighting, behind=told or sighting.behind)

    def _share_reward(self, arm: Job, gain: int, seconds: float) -> None:
        if arm in self._corpora:
            self._share.reward(arm, gain, seconds)

    def _end_turns(self) -> None:
        for turn in list(self._active):
            turn.finish()
            self._active.pop(turn)
            self._keep(turn)
            self._lines[turn.job].done(_end_text(turn))

    def _finish(self) -> None:
        try:
            self._end_turns()
            self.store.end_night(self.number, time.time())
            self._journal.write("end", stopped_by=self.stopped_by, findings=len(self.seen))
        finally:
            for turn in self._active:
                turn.stop("the night ended")
            with suppress(OSError):
                os.sync()


def _live_text(turn: Turn) -> str:
    return f"{turn.executions} executions, {turn.rate}/s, coverage {turn.coverage}"


def _end_text(turn: Turn) -> str:
    state = turn.outcome.state
    what = {"finding": f"found {turn.outcome.kind}", "clean": "nothing found"}.get(state, state)
    if state in ("finding", "passed over") and turn.executions == 0:
        what += " while it loaded,"
    return f"{what} in {turn.executions} executions, coverage {turn.coverage} {turn.outcome.problem}".rstrip()
