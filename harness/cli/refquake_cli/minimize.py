"""Makes a finding's program small: measures the finding, searches, verifies what it hands back.

    result = minimize(artefact, Path("small.prog"), times=5, task=task)
    result.program, result.measured         # what was written to the file, and how often it shows

The file holds the best so far from the first improvement on, also when the search is interrupted.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli.artefact import Artefact
from refquake_cli.console import Task, say
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import write_whole
from refquake_cli.minimize_search import Search
from refquake_cli.minimize_trial import HANG_DEADLINE, HANG_SECONDS, Goal, Measured, Replayer
from refquake_cli.op_list import OpList, op_list
from refquake_cli.program_model import FREE, Program, parse_program
from refquake_cli.program_text import require_text
from refquake_cli.replay import REPEATS, shows
from refquake_cli.scratch import scratch_folder
from refquake_cli.switch_places import told_switches

MARK = "# finding: "  # how a file begins that was minimised
SIDE_BY_SIDE = 2
OFTEN = 0.8
SCHEDULES = 60  # that are tried on a program whose free lanes seldom show it


@dataclass(frozen=True)
class Minimized:
    original: Program
    program: Program
    before: Measured
    measured: Measured
    repeat: int
    tried: int
    processes: int
    unseen: str = ""  # the signature that the artefact states, where no process showed it


class _Writer:
    """The best so far on disk, with what is known of it in comments."""

    def __init__(self, out: Path, artefact: Artefact) -> None:
        self.signature = self.rate = ""
        self.switches: list[str] = []
        self.repeat = 1
        self._out = out
        self._job = artefact.job
        self._version = artefact.version

    def __call__(self, program: Program) -> None:
        job = self._job
        facts = [("finding", self.signature), ("variant", job.variant), ("flavour", job.flavour)]
        facts.append(("version", self._version))
        if job.release:
            facts.append(("release", job.release))
        facts.append(("repeat", str(self.repeat)))
        if self.rate:
            facts.append(("seen", f"{self.rate} fresh processes"))
        facts += [("switch", switch) for switch in self.switches]
        head = "".join(f"# {name}: {fact}\n" for name, fact in facts)
        write_whole(self._out, head + job.recipe.comments() + str(program))


def minimize(artefact: Artefact, out: Path, times: int, task: Task) -> Minimized:
    with scratch_folder("minimize") as scratch:
        return _Minimizer(artefact, out, times, task, Replayer(artefact, scratch)).run()


class _Minimizer:
    def __init__(self, artefact: Artefact, out: Path, times: int, task: Task, replayer: Replayer) -> None:
        self._artefact = artefact
        self._times = times
        self._task = task
        self._replayer = replayer
        self._write = _Writer(out, artefact)

    def run(self) -> Minimized:
        artefact, replayer = self._artefact, self._replayer
        self._task.step("measure")
        original = parse_program(require_text(artefact.path, artefact.job, artefact.version))
        table = op_list(artefact.job, artefact.version)
        self._expect_hang(artefact.signature)
        before = self._measure_original(str(original))
        if unseen := self._unseen(before):
            say(f"no process shows {unseen}: minimising what they show instead, {before.signature}")
        goal = Goal(before.signature, before.rate)
        self._expect_hang(before.signature)
        self._write.signature, self._write.repeat = before.signature, replayer.repeat
        self._task.step("minimize")
        search = Search(replayer, goal, table, self._write, self._task.note, SIDE_BY_SIDE)
        search.run(original)
        self._task.step("verify")
        program, measured = self._verified([original, *search.accepted], before)
        self._write_measured(program, measured)
        if certain := self._made_certain(program, measured, table):
            program, measured = certain
            self._write_measured(program, measured)
        return Minimized(original, program, before, measured, replayer.repeat, search.tried, replayer.processes, unseen)

    def _write_measured(self, program: Program, measured: Measured) -> None:
        self._write.repeat, self._write.rate = self._replayer.repeat, str(measured)
        self._write.switches = told_switches(measured.report.text) if measured.report else []
        self._write(program)

    def _made_certain(self, program: Program, measured: Measured, table: OpList) -> tuple[Program, Measured] | None:
        """Lanes that run free show a race now and then; under the right schedule they show it each time."""
        replayer, repeat = self._replayer, self._replayer.repeat
        seldom = repeat > 1 or measured.rate < OFTEN
        if not seldom or program.schedule != FREE or program.max_lanes < 2:
            return None
        self._task.step("look for a schedule that shows it each time")
        replayer.repeat = 1
        goal = Goal(measured.signature, 1)
        search = Search(replayer, goal, table, lambda _: None, self._task.note, SIDE_BY_SIDE)
        tries = (replace(program, schedule=f"random(seed={seed})") for seed in range(1, SCHEDULES + 1))
        if stepped := search.first(tries):
            stepped = search.run(stepped)
            again = replayer.measure(str(stepped), self._times, SIDE_BY_SIDE, goal.signature)
            if again.hits == again.runs:
                return stepped, again
        replayer.repeat = repeat
        return None

    def _expect_hang(self, signature: str) -> None:
        if signature.startswith("long-run"):
            self._replayer.seconds = HANG_SECONDS
        elif signature.startswith("hang"):
            self._replayer.deadline = HANG_DEADLINE

    def _measure_original(self, text: str) -> Measured:
        """Of what the artefact states, if any process shows that: else what fresh ones show is what counts."""
        wanted = self._artefact.signature

        def is_it(measured: Measured) -> bool:
            return measured.hits > 0 and wanted in ("", measured.signature)

        best, repeat = Measured("", 0, 0), 1
        for more in (1, *REPEATS):
            self._replayer.repeat = more
            measured = self._replayer.measure(text, self._times, SIDE_BY_SIDE, wanted, or_other=True)
            if (is_it(measured), measured.rate) > (is_it(best), best.rate):
                best, repeat = measured, more
            # Another that ends each process leaves nothing to see, however often that would run the program.
            if best.rate >= (OFTEN if is_it(best) else 1):
                break
        self._replayer.repeat = repeat
        if not best.hits:
            raise CouldNotRun(
                f"not reproduced in {self._times} fresh processes of {REPEATS[-1]} executions each: nothing to minimise"
            )
        return best

    def _unseen(self, before: Measured) -> str:
        stated = self._artefact.signature
        return stated if stated and before.report and not shows(before.report, stated) else ""

    def _verified(self, steps: list[Program], before: Measured) -> tuple[Program, Measured]:
        """The smallest whose rate is at least half the original's: a sequential test may have been lucky."""
        for program in reversed(steps[1:]):
            measured = self._replayer.measure(str(program), self._times, SIDE_BY_SIDE, before.signature)
            if measured.rate >= before.rate / 2:
                return program, measured
        return steps[0], before
