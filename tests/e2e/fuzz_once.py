"""One fuzz process from an empty corpus, its end and what it reported.

    run = fuzz("node", "missing_untrack", "lifecycle", seed=1, seconds=60)
    run.code, run.kind          # 77, "still-tracked-at-free"
"""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from conftest import BUILD
from refquake_cli.child import child_environment
from refquake_cli.reports import find_report
from refquake_cli.sources import DEFAULT_VERSION


@dataclass
class Run:
    code: int
    output: str

    @property
    def kind(self) -> str:
        report = find_report(self.output)
        return report.kind if report else ""


def binary(profile: str) -> Path:
    return BUILD / "fuzzers" / f"fuzz_{profile}"


def command(target: str, variant: str, profile: str, *flags: str) -> list[str]:
    folder = BUILD / "targets" / target / variant
    return [str(binary(profile)), f"--module={target}", f"--path={folder}", *flags]


def run(arguments: list[str], timeout: int) -> Run:
    """`timeout` only keeps a broken build from holding the suite up; no test's verdict depends on it."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=scratch,
            env=child_environment(DEFAULT_VERSION),
            timeout=timeout,
        )
    return Run(done.returncode, done.stdout.decode(errors="replace"))


def fuzz(target: str, variant: str, profile: str, seed: int, seconds: int, *flags: str) -> Run:
    limits = [f"-max_total_time={seconds}", f"-seed={seed}", "--self-proof=0"]
    return run(command(target, variant, profile, *limits, *flags), timeout=seconds + 300)


def replay(target: str, variant: str, profile: str, program: Path, repeat: int = 1) -> Run:
    return run(command(target, variant, profile, f"--replay={program}", f"--repeat={repeat}"), timeout=300)
