"""Any artefact as text, by asking a fuzz binary: only it knows the target's op table.

Example:

    text = text_of(path, job, "3.14.7")        # "" when the binary cannot: a finding is stored without it
    text = require_text(path, job, version)    # WrongUse with the binary's own line
"""

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun, WrongUse

if TYPE_CHECKING:
    from refquake_cli.job import Job

SHOW_SECONDS = 120


def empty_program(job: "Job") -> str:
    """For what dies before its first input, while the target is loaded: any program reproduces that."""
    return f"target: {job.target}\nprofile: {job.profile}\nphase:\n    lane:\n        pass\n"


def _show(path: Path, job: "Job", version: str) -> subprocess.CompletedProcess:
    command = targets.binary_command(job, version)
    command += ["--self-proof=0", f"--show={path.resolve()}"]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SHOW_SECONDS,
        env=child.child_environment(version),
        preexec_fn=child.die_with_parent,
    )


def text_of(path: Path, job: "Job", version: str) -> str:
    sidecar = path.with_name(path.name + ".prog")
    if sidecar.is_file():
        return sidecar.read_text(encoding="utf-8")
    try:
        done = _show(path, job, version)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout if done.returncode == 0 else ""


def complaint(output: str) -> str:
    """The binary's own line about what is wrong: the last that is not a blank or a stack frame."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [line for line in lines if "refquake" in line.lower() or "error" in line.lower()]
    line = (named or lines or ["it said nothing"])[-1]
    return line.removeprefix("==refquake== ").removeprefix("refquake: ").removeprefix("ERROR: ").removeprefix("error: ")


def dies_early(job: "Job") -> CouldNotRun:
    what = f"{job.target} {job.variant} dies under {job.flavour} while its ops are tried, before any program runs"
    return CouldNotRun(f"{what}: there is no program to show or to make smaller")


def require_text(path: Path, job: "Job", version: str) -> str:
    try:
        done = _show(path, job, version)
    except subprocess.TimeoutExpired as error:
        raise CouldNotRun(f"{path}: the fuzz binary did not show it within {SHOW_SECONDS} s") from error
    if done.returncode == child.BINARY_WRONG_USE:
        raise WrongUse(complaint(done.stderr))
    if done.returncode != 0 and path.suffix == ".prog":
        return path.read_text(encoding="utf-8", errors="replace")  # it dies while loading the target: replaying tells
    if done.returncode == child.FOUND:
        raise dies_early(job)
    if done.returncode != 0:
        raise CouldNotRun(f"{path}: {complaint(done.stderr)} (exit {done.returncode})")
    return done.stdout
