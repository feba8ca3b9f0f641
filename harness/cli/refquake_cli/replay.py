"""Replays an artefact in fresh processes.

    replays = replay(artefact, times=5)
    [r.report.kind for r in replays if r.report]

A fresh process each time: shadow memory and specialised bytecode differ after thousands of inputs, so what a replay
says is the report that counts.
"""

import signal
import subprocess
from dataclasses import dataclass

from refquake_cli import child, targets
from refquake_cli.artefact import Artefact
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.program_text import complaint
from refquake_cli.reports import Report, find_report
from refquake_cli.scratch import scratch_folder

# For what the binary's own watchdog does not see; a process that runs its program often may take longer.
REPLAY_SECONDS = 120
SECONDS_A_RUN = 5
# What one execution seldom shows is run more often in each process, whose start is what costs: the second finds module
# and memory as the first left them, and a race may take many.
REPEATS = (2, 20, 200)


@dataclass(frozen=True)
class Replay:
    report: Report | None  # None: nothing was found


def replay(artefact: Artefact, times: int) -> list[Replay]:
    return [_replay_once(artefact) for _ in range(times)]


def replay_command(artefact: Artefact) -> list[str]:
    command = targets.binary_command(artefact.job, artefact.version)
    return [*command, f"--replay={artefact.path.resolve()}", f"--repeat={artefact.repeat}"]


def _replay_once(artefact: Artefact) -> Replay:
    seconds = REPLAY_SECONDS + SECONDS_A_RUN * (artefact.repeat - 1)
    code, output = run_once(replay_command(artefact), artefact.version, seconds)
    if code is None:
        return Replay(_plain_report("hang", "no end in time", output))
    return judge(code, output)


def run_once(command: list[str], version: str, seconds: int) -> tuple[int | None, str]:
    """A fuzz binary's exit code (none: it did not end in time) and all it said. Its artefacts go with its folder."""
    with scratch_folder("replay") as scratch:
        process = subprocess.Popen(
            [*command, f"--artefacts={scratch}/"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=scratch,
            env=child.child_environment(version),
            preexec_fn=child.die_with_parent,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return None, process.communicate()[0]
        except BaseException:
            process.kill()
            process.wait()
            raise
    return process.returncode, output


def judge(code: int, output: str) -> Replay:
    if code == 0:
        return Replay(None)
    if code == child.BINARY_WRONG_USE:
        raise WrongUse(complaint(output))
    if code == child.BINARY_COULD_NOT_RUN:
        raise CouldNotRun(complaint(output))
    report = find_report(output)
    if report is None:
        kind = {child.TIMED_OUT: "hang", child.OUT_OF_MEMORY: "out-of-memory"}.get(code, "crash")
        report = _plain_report(kind, _death(code), output)
    return Replay(report)


def shows(report: Report, signature: str) -> bool:
    """A process that died or hung without a word has but its kind: a campaign's watch has other words for it."""
    silent = find_report(report.text) is None
    return report.signature == signature or (silent and signature.split(" ")[0] == report.kind)


def _plain_report(kind: str, title: str, output: str) -> Report:
    return Report(kind, title, f"{kind} {title}", output)


def _death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit {code}"
