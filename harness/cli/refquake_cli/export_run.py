"""Runs an exported script under a flavour's own interpreter and says what happened.

where = place(job, "asan", "3.14.7")
outcomes = run_script(path, where, times=5)
describe(outcomes)                              # "address sanitizer report in 5 of 5 runs"
"""

import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from refquake_cli import child
from refquake_cli.export_script import PROBE_MARK
from refquake_cli.place import Place, command, environment
from refquake_cli.reports import find_report

RUN_SECONDS = 60
_RAISED = re.compile(rf"^{PROBE_MARK} (\d+) ([\w.]+)$", re.MULTILINE)
_CHECK_FAILED = re.compile(r"^AssertionError(?:: (.*))?$", re.MULTILINE)


@dataclass(frozen=True)
class ScriptRun:
    outcome: str  # "nothing happens", "fails its check", "data-race report", "dies of SIGSEGV", ...
    output: str


def run_once(path: Path, where: Place) -> ScriptRun:
    try:
        done = subprocess.run(
            [*command(where), str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=RUN_SECONDS, env=environment(where), cwd=path.parent,
            preexec_fn=child.die_with_parent, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
        return ScriptRun("does not end", output.decode(errors="replace") if isinstance(output, bytes) else output)
    return ScriptRun(_outcome(done.returncode, done.stdout), done.stdout)


def _outcome(code: int, output: str) -> str:
    if code == 0:
        return "nothing happens"
    if report := find_report(output):
        return f"reports {report.kind}"
    if _CHECK_FAILED.search(output):
        return "fails its check"
    if "SystemError" in output:
        return "raises SystemError"
    if code < 0:
        return f"dies of {signal.Signals(-code).name}"
    last = [line for line in output.splitlines() if line.strip()]
    return f"stops with {last[-1].strip()[:100]}" if last else f"exits with {code}"


def run_script(path: Path, where: Place, times: int) -> list[ScriptRun]:
    return [run_once(path, where) for _ in range(times)]


def raised_in(run: ScriptRun) -> Iterator[tuple[int, str]]:
    """Which ops raised what, in a run of a probing script. A class that a script has no name for is an Exception."""
    for number, error in _RAISED.findall(run.output):
        module, _, name = error.rpartition(".")
        yield int(number), name if module == "builtins" else "Exception"


def describe(runs: list[ScriptRun]) -> str:
    counted = Counter(run.outcome for run in runs)
    return ", ".join(f"{outcome} in {count} of {len(runs)} runs" for outcome, count in counted.most_common())
