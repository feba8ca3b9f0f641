"""Asks a job's fuzz binary for a list: its types or its ops.

    done = run_listing(job, "3.14.7", "--list-ops")
    done.returncode, done.stdout, done.stderr

CouldNotRun where it does not end: discovery tries calls, and one of them may wait for ever.
"""

import subprocess

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.scratch import scratch_folder

LIST_SECONDS = 300


def run_listing(job: Job, version: str, flag: str) -> subprocess.CompletedProcess:
    command = [*targets.binary_command(job, version), "--self-proof=0", flag]
    with scratch_folder("list") as scratch:
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                timeout=LIST_SECONDS, cwd=scratch, env=child.child_environment(version),
                preexec_fn=child.die_with_parent, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise CouldNotRun(
                f"{job.target} {job.title}: {flag} did not end within {LIST_SECONDS} s; "
                "leave out what waits with a recipe (docs/any-extension.md)"
            ) from error
