"""Runs an exported script under a flavour's own interpreter and says what happened.

    where = place(job, "asan", "3.14.7")            # None: that interpreter is not installed
    outcomes = run_script(path, where, times=5)
    describe(outcomes)                              # "address sanitizer report in 5 of 5 runs"

The samples are compiled for a fuzz binary, with coverage hooks that an ordinary interpreter does not have: they are
preloaded, as functions that do nothing.
"""

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.export_script import PROBE_MARK
from refquake_cli.job import Job
from refquake_cli.paths import REPOSITORY, cache_folder, current_link
from refquake_cli.reports import find_report
from refquake_cli.toolchain import CC

RUN_SECONDS = 60
HOOKS_SOURCE = REPOSITORY / "tests" / "samples" / "hooks.c"
_RAISED = re.compile(rf"^{PROBE_MARK} (\d+) (\w+)$", re.MULTILINE)
_CHECK_FAILED = re.compile(r"^AssertionError(?:: (.*))?$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """An interpreter and the folder of an extension built for it; None: the interpreter has it."""

    interpreter: Path
    extension: Path | None
    hooks: Path
    version: str


@dataclass(frozen=True)
class ScriptRun:
    outcome: str  # "nothing happens", "fails its check", "data-race report", "dies of SIGSEGV", ...
    output: str


def place(job: Job, flavour: str, version: str) -> Place | None:
    try:
        extension = targets.import_folder(replace(job, flavour=flavour), version)
    except CouldNotRun:  # not added for that flavour
        return None
    found = sorted((current_link(version, flavour) / "bin").glob("python3.*t*"))
    interpreters = [path for path in found if not path.name.endswith("-config")]
    if not interpreters or (extension and not extension.is_dir()):
        return None
    return Place(interpreters[0], extension, _hooks(), version)


def _hooks() -> Path:
    built = cache_folder() / "coverage-hooks.so"
    if built.exists() and built.stat().st_mtime > HOOKS_SOURCE.stat().st_mtime:
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    part = built.with_name(f".{built.name}.{os.getpid()}.part")
    command = [CC, "-shared", "-fPIC", "-o", str(part), str(HOOKS_SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CouldNotRun(f"{HOOKS_SOURCE.name} does not compile", details=done.stderr)
    os.replace(part, built)
    return built


def _environment(where: Place) -> dict[str, str]:
    environment = child.child_environment(where.version)
    path = {"PYTHONPATH": str(where.extension)} if where.extension else {}
    return {
        **environment,
        **path,
        "PYTHON_GIL": "0",
        # The installed standard library has no byte code: compiling it anew in each run would take most of the time.
        "PYTHONPYCACHEPREFIX": str(cache_folder() / "script-bytecode"),
        "LD_PRELOAD": str(where.hooks),
    }


def run_once(path: Path, where: Place) -> ScriptRun:
    command = [str(where.interpreter), "-S", str(path)]
    # Fixed addresses: a sanitizer's shadow memory may not find its place otherwise.
    if setarch := shutil.which("setarch"):
        command = [setarch, "-R", *command]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", timeout=RUN_SECONDS, env=_environment(where), cwd=path.parent, check=False,
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
    """Which ops raised what, in a run of a probing script."""
    for number, error in _RAISED.findall(run.output):
        yield int(number), error


def describe(runs: list[ScriptRun]) -> str:
    counted = Counter(run.outcome for run in runs)
    return ", ".join(f"{outcome} in {count} of {len(runs)} runs" for outcome, count in counted.most_common())
