"""Many runs side by side on the cores, with progress; interrupting it leaves what was found so far.

Example:

    campaign = Campaign(jobs, options, workers=2)
    campaign.run()                   # returns when all ended, or on Ctrl-C
    for run in campaign.runs: run.outcome
"""

import time
from contextlib import ExitStack

from refquake_cli.console import Progress, Task
from refquake_cli.job import Job
from refquake_cli.paths import shown
from refquake_cli.scratch import scratch_folder
from refquake_cli.variant_run import Options, VariantRun

POLL_SECONDS = 0.1


class Campaign:
    def __init__(self, jobs: list[Job], options: Options, workers: int) -> None:
        self._cleaning_up = ExitStack()
        scratch = self._cleaning_up.enter_context(scratch_folder("fuzz"))
        self._workers = workers
        self._lines: dict[VariantRun, Task] = {}
        self.interrupted = False
        self.runs = [VariantRun(job, options, scratch / str(number)) for number, job in enumerate(jobs)]

    def run(self) -> None:
        try:
            with Progress() as progress:
                self._run_all(progress)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            for run in self.runs:
                run.stop("interrupted")
            self._cleaning_up.close()

    def _run_all(self, progress: Progress) -> None:
        waiting, active = list(self.runs), list[VariantRun]()
        while waiting or active:
            while waiting and len(active) < self._workers:
                run = waiting.pop(0)
                run.start()
                line = self._lines[run] = progress.task(run.job.title)
                line.step("fuzzing")
                active.append(run)
            for run in list(active):
                if run.poll():
                    active.remove(run)
                    self._lines[run].done(outcome_text(run))
                else:
                    self._lines[run].note(live_text(run))
            time.sleep(POLL_SECONDS)


def live_text(run: VariantRun) -> str:
    if not run.executions:
        return "starting, proving itself"
    return f"{run.executions} executions, {run.rate}/s, coverage {run.coverage or 'not counted'}"


def outcome_text(run: VariantRun) -> str:
    outcome = run.outcome
    if outcome.folder:
        return f"{outcome.kind} after {run.executions} executions: {shown(outcome.folder)}"
    if outcome.state == "clean":
        return f"nothing found in {run.executions} executions"
    return f"{outcome.state}: {outcome.problem}"
