"""One process's turn in a night: a VariantRun on a kept corpus, that goes on past what is known.

turn = Turn(arm, limits, scratch, corpus_folder, known_lines)
turn.start()
while not turn.poll(): ...
turn.sighting                    # what it found, or None
Turn.abandoned(scratch)          # the same for a turn whose campaign was killed
turn.origin                      # the same in every process that takes it in
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.files import write_whole
from refquake_cli.flight_record import read_record
from refquake_cli.ingest import cause_of, echo_of, pass_over_line
from refquake_cli.job import Job
from refquake_cli.program_text import text_of
from refquake_cli.reports import Report, find_report
from refquake_cli.reports.bug import death_in
from refquake_cli.store import Sighting
from refquake_cli.variant_run import WAITING, Options, Outcome, VariantRun

DESCRIPTION = "turn.json"
BACKSTOP = 3  # libFuzzer's own time-out, in deadlines: for what keeps the harness's watchdog from reporting


@dataclass(frozen=True)
class Limits:
    seconds: int
    seed: int
    version: str
    memory: int
    input_timeout: int
    prove: bool  # the binary's self-proof; once a night is enough


class Turn(VariantRun):
    def __init__(self, arm: Job, limits: Limits, scratch: Path, corpus: Path, known: list[str]) -> None:
        super().__init__(arm, Options(limits.seconds, limits.seed, limits.version, scratch, corpus), scratch)
        self.limits = limits
        self.deadline = limits.input_timeout
        self.scratch = scratch
        self.sighting: Sighting | None = None
        self._known = known

    @property
    def origin(self) -> str:
        return f"{self.scratch.parent.name}/{self.scratch.name}"

    @property
    def new_inputs(self) -> Path:
        return self.scratch / "corpus"

    def start(self) -> None:
        self.scratch.mkdir(parents=True, exist_ok=True)
        write_whole(self.scratch / "known.txt", "".join(line + "\n" for line in self._known))
        description = {"job": self.job.to_json(), "limits": asdict(self.limits), "started": time.time()}
        write_whole(self.scratch / DESCRIPTION, json.dumps(description))
        super().start()

    def _command(self, artefacts: Path, corpus: Path) -> list[str]:
        binary, *rest = super()._command(artefacts, corpus)
        own = [
            f"--known={self.scratch / 'known.txt'}",
            f"--self-proof={int(self.limits.prove)}",
            f"-rss_limit_mb={self.limits.memory}",
            f"-malloc_limit_mb={self.limits.memory}",
            f"--deadline={self.limits.input_timeout}",
            f"-timeout={BACKSTOP * self.limits.input_timeout}",
            "-reload=0",
        ]
        # libFuzzer takes the last of a flag given twice, so ours follow; the corpora are the last words.
        return [binary, *(word for word in rest if word.startswith("-")), *own,
                *(word for word in rest if not word.startswith("-"))]  # fmt: skip

    def _judge(self, code: int) -> Outcome:
        if code == child.KNOWN:
            return Outcome("passed over")
        return super()._judge(code)

    def _found(self, report: Report) -> Outcome:
        artefact = self._artefact(report)
        output = self._output()
        record = read_record(self._state)
        inputs = record.inputs if record else 0
        program = text_of(artefact, self.job, self.limits.version) if artefact else ""
        job = self.job
        added = targets.added_of(job, self.limits.version)
        self.sighting = Sighting(
            job.target, job.variant, job.flavour, job.profile, self.limits.version,
            report.kind, report.signature, time.time(), artefact.read_bytes() if artefact else b"", program,
            report.text, pass_over_line(output, report.signature),
            echo_of(output, report, inputs), origin=self.origin, recipe=job.recipe,
            release=added.name if added else "", cause=cause_of(output, report, inputs),
            behind=death_in(report.kind, report.function),
        )  # fmt: skip
        return Outcome("finding", report.kind)

    @classmethod
    def abandoned(cls, scratch: Path) -> "Turn | None":
        """A turn whose campaign is gone, with its sighting if its process had one; None: it never started.

        ValueError where its description cannot be read.
        """
        path = scratch / DESCRIPTION
        if not path.is_file():
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            job, limits = Job.from_json(content["job"]), Limits(**content["limits"])
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"{path.name} does not describe a turn: {error!r}") from error
        turn = cls(job, limits, scratch, scratch / "corpus", [])
        turn.outcome = Outcome("stopped", problem="its campaign was killed")
        if turn._log.exists():
            turn._read_status()
            report = find_report(turn._output())
            if report:
                turn.outcome = turn._found(report)
        return turn

    def finish(self) -> None:
        """Ends it now; what it found before counts."""
        if self.outcome.state == WAITING:
            self.poll()
        self.stop("the night ended")
