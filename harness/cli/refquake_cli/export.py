"""A finding as a script of plain Python that needs no refquake, with what it did when it was run in its header.

    exported = export(artefact, Path("finding.py"), times=5, note=say)
    exported.lines          # {"asan": "reports use-after-free in 5 of 5 runs", "plain": "not installed: ..."}

The script is run under the flavour the finding is of and under the ordinary interpreter. A check that Python can make
stays only if it fails on the finding's variant and holds on the clean one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli import targets
from refquake_cli.artefact import Artefact
from refquake_cli.errors import CouldNotRun
from refquake_cli.export_checks import Plan, plan_checks
from refquake_cli.export_python import check_program
from refquake_cli.export_run import ScriptRun, describe, raised_in, run_once, run_script
from refquake_cli.export_script import Checks, Script
from refquake_cli.files import write_whole
from refquake_cli.minimize_trial import Measured, Replayer
from refquake_cli.op_list import OpList, op_list
from refquake_cli.place import Place, place
from refquake_cli.program_model import Program, parse_program
from refquake_cli.program_text import require_text
from refquake_cli.scratch import scratch_folder

PLAIN = "plain"
MARK = "Found by refquake in"  # in every script: what carries it may be written over
ROUNDS = 100  # of a program with lanes
PROBES = 3
_NAME_ERRORS = ("NameError", "UnboundLocalError")
_FLAVOURS = {
    "asan": "a debug build with address sanitizer",
    "tsan": "a build with thread sanitizer",
    "plain": "an ordinary optimised build",
}


@dataclass(frozen=True)
class Exported:
    path: Path
    lines: dict[str, str]  # flavour: what happened there
    reproduced: bool  # under the finding's own flavour


def export(artefact: Artefact, out: Path, times: int, note: Callable[[str], None]) -> Exported:
    with scratch_folder("export") as scratch:
        return _Exporter(artefact, out, times, note, scratch).run()


class _Exporter:
    def __init__(self, artefact: Artefact, out: Path, times: int, note: Callable[[str], None], scratch: Path) -> None:
        self._artefact = artefact
        self._job = artefact.job
        self._out = out
        self._times = times
        self._note = note
        self._scratch = scratch

    def run(self) -> Exported:
        job, version = self._job, self._artefact.version
        self._note("read the program")
        program = parse_program(require_text(self._artefact.path, job, version))
        table = op_list(job, version)
        check_program(program, table)
        where = place(job, job.flavour, version)
        if not where:
            raise CouldNotRun(f"no {job.flavour} interpreter {version}; build it with ./refquake setup {job.flavour}")
        self._note("replay")
        measured = self._measure(program)
        plan, script, raises = self._plan(program, table, measured, where)
        text = script.text(plan.checks, raises)
        lines, seen = self._try_everywhere(text)
        write_whole(self._out, self._header(program, measured, plan, lines, where) + text)
        return Exported(self._out, lines, seen)

    def _measure(self, program: Program) -> Measured:
        replayer = Replayer(self._artefact, self._scratch / "replays")
        replayer.repeat = self._artefact.repeat
        measured = replayer.measure(str(program), self._times, 2)
        if not measured.hits:
            raise CouldNotRun(f"not reproduced in {self._times} fresh processes: there is nothing to show in a script")
        return measured

    def _plan(
        self, program: Program, table: OpList, measured: Measured, where: Place
    ) -> tuple[Plan, Script, dict[int, str]]:
        """With the check, if it tells the variant from the clean build; else without."""
        rounds = ROUNDS if program.max_lanes > 1 else 1
        kind, _, rest = measured.signature.partition(" ")
        plan = plan_checks(program, table, kind, rest.partition(" ")[0])
        for candidate in (plan, Plan(program, Checks())) if plan.seen else (Plan(program, Checks()),):
            script = Script(candidate.program, table, rounds)
            self._note("see which ops raise")
            raises = self._raises(script, where)
            if not candidate.seen or self._tells(script.text(candidate.checks, raises), where):
                break
        return candidate, script, raises

    def _raises(self, script: Script, where: Place) -> dict[int, str]:
        """What each op raised when the script was run; SystemError is for the reader to see."""
        found: dict[int, set[str]] = {}
        for _ in range(PROBES if script.rounds > 1 else 1):
            for number, error in raised_in(run_once(self._file("probe.py", script.probe()), where)):
                found.setdefault(number, set()).add("NameError" if error in _NAME_ERRORS else error)
        return {number: ", ".join(sorted(errors - {"SystemError"})) for number, errors in found.items() if errors}

    def _tells(self, text: str, where: Place) -> bool:
        path = self._file("check.py", text)
        self._note("see whether the check tells")
        if run_once(path, where).outcome == "nothing happens":
            return False
        if self._job.variant == targets.CLEAN:
            return True  # there is no build without the bug to hold it against
        clean = place(replace(self._job, variant=targets.CLEAN), self._job.flavour, self._artefact.version)
        return not clean or run_once(path, clean).outcome == "nothing happens"

    def _try_everywhere(self, text: str) -> tuple[dict[str, str], bool]:
        path, lines, seen = self._file("script.py", text), {}, False
        for flavour in dict.fromkeys((self._job.flavour, PLAIN)):
            self._note(f"run the script under {flavour}")
            where = place(self._job, flavour, self._artefact.version)
            if not where:
                lines[flavour] = f"not tried: not installed or not built (./refquake setup {flavour})"
                continue
            runs: list[ScriptRun] = run_script(path, where, self._times)
            lines[flavour] = describe(runs)
            if flavour == self._job.flavour:
                seen = any(run.outcome != "nothing happens" for run in runs)
        return lines, seen

    def _file(self, name: str, text: str) -> Path:
        path = self._scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def _header(self, program: Program, measured: Measured, plan: Plan, lines: dict[str, str], where: Place) -> str:
        job = self._job
        path = f"PYTHONPATH=<folder of {program.target}> " if where.extension else ""
        visible = f"What Python can see of it: {plan.seen}." if plan.seen else ""
        rows = [
            f"{measured.signature}",
            "",
            f"{MARK} `{job.target}`" + (f", plant {job.variant}" if job.variant != targets.CLEAN else "")
            + f": in {measured} fresh processes under CPython {self._artefact.version}, free-threaded, {job.flavour}.",
            *([visible] if visible else []),
            f"To run it: {path}python3 {self._out.name}",
            "",
            "What this script did:",
            *(f"    {flavour} ({_FLAVOURS[flavour]}): {line}" for flavour, line in lines.items()),
        ]  # fmt: skip
        return '"""' + "\n".join(row.replace("\\", "/").replace('"""', "'''") for row in rows) + '\n"""\n\n'
