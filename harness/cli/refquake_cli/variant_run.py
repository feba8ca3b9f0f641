"""One fuzz process at work on one variant: started, watched, stopped; its finding stored.

    run = VariantRun(job, options, scratch)
    run.start()
    while not run.poll(): ...            # True once, when it ended; then run.outcome says how
    run.stop("interrupted")              # at any time

The process writes to a file, not to a pipe: it never waits for us, and what it said survives it.
"""

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.findings import INPUT, Finding, store
from refquake_cli.flight_record import read_record
from refquake_cli.job import Job
from refquake_cli.program_text import empty_program, text_of
from refquake_cli.reports import Report, find_report
from refquake_cli.reports.trial import trial_of
from refquake_cli.seed_corpus import seed_folder

STOP_GRACE_SECONDS = 30
DEADLINE_SECONDS = 30  # the binary's own for one input, where it is given no other
LOADING_DEADLINES = 3  # after which it names a step of loading that hangs
INPUT_TIMEOUT_SECONDS = 90  # behind the harness's own deadline, which tells more
_COVERAGE = re.compile(r"^#\d+\s.*?\bcov: (\d+) ft: (\d+)", re.MULTILINE)


WAITING = "waiting"


@dataclass(frozen=True)
class Options:
    seconds: int
    seed: int
    version: str
    out: Path
    corpus: Path | None = None
    known: Path | None = None  # signatures to go on past, one a line
    flags: tuple[str, ...] = ()  # more of the binary's, for measuring


@dataclass
class Outcome:
    state: str  # "waiting", "finding", "clean", "known", "could not run", "stopped"
    kind: str = ""
    finding: Finding | None = None
    folder: Path | None = None
    problem: str = ""
    trial: str = ""  # the name of the call in discovery that could not run it


class VariantRun:
    deadline = DEADLINE_SECONDS

    def __init__(self, job: Job, options: Options, scratch: Path) -> None:
        self.job = job
        self.outcome = Outcome(WAITING)
        self.executions = self.operations = self.coverage = self.features = self.rate = 0
        self.first_features = 0  # what the corpus had before anything new was tried
        self.raised = self.skipped = 0  # ops, beside those that did something
        self.planted = 0  # 1: a program reached a sample's planted bug; 2: triggered it
        self._options = options
        self._scratch = scratch
        self._log = scratch / "output.txt"
        self._state = scratch / "run.state"
        self._read_to = 0
        self._process: subprocess.Popen | None = None
        self._started = 0.0
        self._first_execution: float | None = None  # in seconds from the start
        self.seconds = 0.0

    def start(self) -> None:
        artefacts, corpus = self._scratch / "artefacts", self._scratch / "corpus"
        artefacts.mkdir(parents=True)
        corpus.mkdir()
        command = self._command(artefacts, corpus)
        self._started = time.monotonic()
        with self._log.open("wb") as sink:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                cwd=self._scratch,
                env=child.child_environment(self._options.version),
                start_new_session=True,
                preexec_fn=child.die_with_parent,
            )

    def _command(self, artefacts: Path, corpus: Path) -> list[str]:
        given = [self._options.corpus, seed_folder(self.job, self._options.version)]
        folders = [str(corpus), *(str(folder) for folder in given if folder)]
        return [
            *targets.binary_command(self.job, self._options.version),
            *([f"--known={self._options.known}"] if self._options.known else []),
            *self._options.flags,
            f"--artefacts={artefacts}/",
            f"--state={self._state}",
            f"-artifact_prefix={artefacts}/",
            f"-max_total_time={self._options.seconds}",
            f"-seed={self._options.seed}",
            f"-timeout={INPUT_TIMEOUT_SECONDS}",
            "-print_final_stats=1",
            "-verbosity=1",
            *folders,
        ]

    def poll(self) -> bool:
        """Reads what is new; whether the run has just ended."""
        if self.outcome.state != WAITING or not self._process:
            return False
        self.seconds = time.monotonic() - self._started
        code = self._process.poll()
        self._read_status()
        if code is None and (overdue := self._overdue()):
            self._kill()
            self.outcome = self._found(overdue)
        elif code is not None:
            self.outcome = self._judge(code)
        return self.outcome.state != WAITING

    def stop(self, reason: str) -> None:
        if self._process and self._process.poll() is None:
            self._kill()
        if self.outcome.state == WAITING:
            self.outcome = Outcome("stopped", problem=reason)

    def _kill(self) -> None:
        if self._process:
            child.kill_group(self._process)

    def _read_status(self) -> None:
        with self._log.open("rb") as stream:
            stream.seek(self._read_to)
            new = stream.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for coverage, features in _COVERAGE.findall(whole.decode(errors="replace")):
            self.coverage, self.features = int(coverage), int(features)
            self.first_features = self.first_features or self.features
        if record := read_record(self._state):
            self.executions, self.operations = record.inputs, record.ok
            self.raised, self.skipped = record.errors, record.skipped
            self.planted = record.planted
            if record.inputs and self._first_execution is None:
                self._first_execution = self.seconds
            self.rate = int(record.inputs / max(self.seconds, 0.1))

    def _output(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _judge(self, code: int) -> Outcome:
        if code == 0:
            return self._judge_clean()
        if code == child.KNOWN:
            return Outcome("known")  # past the point where it could go on
        if code in (child.BINARY_WRONG_USE, child.BINARY_COULD_NOT_RUN):
            return self._could_not_run(code)
        report = find_report(self._output())
        if report is None:
            kind = {child.TIMED_OUT: "hang", child.OUT_OF_MEMORY: "out-of-memory"}.get(code, "crash")
            report = Report(kind, f"exit {code}", f"{kind} exit {code}", self._output())
        return self._found(report)

    def _judge_clean(self) -> Outcome:
        """Exit 0 with nothing executed is no clean run."""
        if self.executions == 0:
            return Outcome("could not run", problem="it ended without executing anything")
        return Outcome("clean")

    def _could_not_run(self, code: int) -> Outcome:
        lines = [line for line in self._output().splitlines() if line.strip()]
        named = [line for line in lines if "refquake" in line.lower()]
        trial = trial_of(self._output())
        problem = (named or lines or [f"exit {code}"])[-1].strip()
        return Outcome("could not run", problem=problem, trial=trial.name if trial else "")

    def _overdue(self) -> Report | None:
        """Its time starts with the first execution. Before, it loads: the binary watches that, and names what hangs."""
        if self._first_execution is None:
            allowed = LOADING_DEADLINES * self.deadline + STOP_GRACE_SECONDS
            late = self.seconds > allowed
            title = f"loading did not end within {allowed} s"
        else:
            late = self.seconds > self._first_execution + self._options.seconds + STOP_GRACE_SECONDS
            title = f"did not stop {STOP_GRACE_SECONDS} s after its time was up"
        return Report("hang", title, f"hang {title}", self._output()) if late else None

    def _found(self, report: Report) -> Outcome:
        job, options = self.job, self._options
        added = targets.added_of(job, options.version)
        finding = Finding(
            kind=report.kind,
            signature=report.signature,
            hash=report.hash,
            target=job.target,
            variant=job.variant,
            flavour=job.flavour,
            profile=job.profile,
            version=options.version,
            seed=options.seed,
            executions=self.executions,
            seconds=round(self.seconds, 2),
            module=targets.module_file(job, options.version),
            recipe=job.recipe,
            release=added.name if added else "",
        )
        artefact = self._artefact(report)
        program = text_of(artefact, job, options.version) if artefact else empty_program(job)
        folder = options.out / finding.folder_name
        # The scratch folder goes away: the report names the artefact where it stays.
        text = report.text.replace(report.artefact, str(folder / INPUT)) if report.artefact else report.text
        store(folder, finding, artefact, program, text)
        return Outcome("finding", report.kind, finding, folder)

    def _artefact(self, report: Report) -> Path | None:
        """The one the report names, else the newest libFuzzer wrote, else the input that ran last.

        None where there is none: the process died while it loaded the target, and the record holds a call of discovery.
        """
        if report.artefact and _has_content(named := self._scratch / report.artefact):
            return named
        written = [
            path
            for path in (self._scratch / "artefacts").iterdir()
            if path.suffix != ".prog"
            and path.name.startswith(("crash-", "timeout-", "oom-", "leak-"))
            and _has_content(path)
        ]
        if written:
            return max(written, key=lambda path: path.stat().st_mtime)
        record = read_record(self._state)
        if not record or not record.inputs or not record.input:
            return None
        last = self._scratch / "last-input"
        last.write_bytes(record.input)
        return last


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0
