"""The search for a smaller program that still shows the finding.

    search = Search(replayer, goal, table, on_better=write, note=task.note)
    smallest = search.run(program)

Candidates run side by side, the first that shows the finding becomes the best so far, and the pass goes on from where
it was. Rounds of all passes repeat until one changes nothing. No text is run twice.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from refquake_cli.console import elapsed_text
from refquake_cli.minimize_passes import EditPass, one_switch, passes, renamed, switches_of
from refquake_cli.minimize_serial import serialised
from refquake_cli.minimize_trial import Goal, Replayer, Trial, wait_for
from refquake_cli.op_list import OpList
from refquake_cli.program_model import FREE, Program
from refquake_cli.reports.schedule import order_in, recorded_schedule

RECORDINGS = 10  # of a finding that does not show each time
MEETINGS, SEEDS = 3, 25  # that are tried of the ways to put what came before before


class Search:
    def __init__(
        self,
        replayer: Replayer,
        goal: Goal,
        table: OpList,
        on_better: Callable[[Program], None],
        note: Callable[[str], None],
        side_by_side: int,
    ) -> None:
        self.tried = 0
        self.accepted: list[Program] = []  # each better than the one before it
        self._replayer = replayer
        self._goal = goal
        self._table = table
        self._on_better = on_better
        self._note = note
        self._side_by_side = side_by_side
        self._seen: set[str] = set()
        self._started = time.monotonic()

    def run(self, program: Program) -> Program:
        self._seen.add(str(program))
        best = self._settle(self._untangled(program))
        # What a policy chose is a list of switches now, each of which may turn out not to matter.
        if recorded := self._recorded(best):
            best = self._settle(recorded)
        fewer = self._sweep(EditPass("one switch for several", one_switch), best)
        if fewer != best:
            best = self._settle(fewer)
        return self._first([renamed(best)]) or best

    def first(self, candidates: Iterable[Program]) -> Program | None:
        """The first of them that shows the finding."""
        waiting = iter(candidates)
        while window := list(islice(waiting, self._side_by_side)):
            if found := self._first(window):
                return found
        return None

    def _settle(self, best: Program) -> Program:
        while True:
            before = best
            for edit_pass in passes(self._table):
                best = self._sweep(edit_pass, best)
            if best == before:
                return best

    def _recorded(self, program: Program) -> Program | None:
        """With the switches that its policy chose, if it still shows the finding with them."""
        if program.schedule == FREE or switches_of(program) is not None:
            return None
        schedule = recorded_schedule(self._shown(program))
        return self._first([replace(program, schedule=schedule)]) if schedule else None

    def _untangled(self, program: Program) -> Program:
        """With its history before the lanes, if it was stepped: ops can then be dropped and the steps stay."""
        if program.schedule == FREE:
            return program
        exact = self._recorded(program) or program
        if switches_of(exact) is None:
            return program
        self._note(f"{len(exact.ops)} ops left, what came before goes before")
        serial = list(serialised(exact, order_in(self._shown(exact))))
        # A lane that had waited for a lock cannot wait again where nobody holds it: then another schedule must do.
        meetings = list(dict.fromkeys(replace(one, schedule="replay()") for one in serial if one.max_lanes > 1))
        others = (
            replace(meeting, schedule=f"random(seed={seed})")
            for meeting in meetings[:MEETINGS]
            for seed in range(1, SEEDS + 1)
        )
        found = self.first(serial)
        if not found and self._goal.always:  # what shows seldom would take many runs of each
            found = self.first(others)
        return found or exact

    def _shown(self, program: Program) -> str:
        """What a run says that shows the finding; nothing where none did."""
        times = 1 if self._goal.always else RECORDINGS
        report = self._replayer.measure(str(program), times, self._side_by_side, self._goal.signature).report
        return report.text if report else ""

    def _sweep(self, edit_pass: EditPass, best: Program) -> Program:
        """From the end of the program to its front: what stands behind a place taken is settled already."""
        edits = edit_pass.edits(best)
        at = len(edits)
        while at > 0:
            self._tell(edit_pass, best)
            window: list[Program] = []
            start = at
            while at > 0 and len(window) < self._side_by_side:
                at -= 1
                if self._is_new(edits[at]) and edits[at] not in window:
                    window.append(edits[at])
            better = self._first(window)
            if better:
                best = better
                edits = edit_pass.edits(best)
                at = min(start, len(edits))
        return best

    def _is_new(self, program: Program) -> bool:
        return bool(program.phases) and str(program) not in self._seen

    def _first(self, window: Sequence[Program]) -> Program | None:
        """The first of them to show the finding; the others are stopped, and may be tried again."""
        pending = {
            program: Trial(self._replayer, str(program), self._goal) for program in window if self._is_new(program)
        }
        try:
            for trial in pending.values():
                trial.start()
            while pending:
                wait_for(list(pending.values()))
                for program, trial in list(pending.items()):
                    trial.poll()
                    if trial.answer is None:
                        continue
                    del pending[program]
                    self.tried += 1
                    self._seen.add(str(program))
                    if trial.answer:
                        self.accepted.append(program)
                        self._on_better(program)
                        return program
            return None
        finally:
            for trial in pending.values():
                trial.stop()

    def _tell(self, edit_pass: EditPass, best: Program) -> None:
        passed = elapsed_text(time.monotonic() - self._started)
        self._note(f"{len(best.ops)} ops left, {self.tried} candidates tried, {passed}, {edit_pass.name}")
