"""Which functions of the module under test a corpus enters, and which it never does.

    functions = functions_of(arm, corpus_folder, known, version, scratch, bounds)

libFuzzer prints them for every instrumented module when it ends; the arm's corpus is run once more for it.
"""

import re
from pathlib import Path

from refquake_cli import targets
from refquake_cli.job import Job
from refquake_cli.night.bounded import Bounds, run_bounded
from refquake_cli.store import Function

COVERAGE_SECONDS = 120
# "UNCOVERED_FUNC: hits: 0 edges: 0/3 node_swap /src/node.c:88", "COVERED_FUNC: hits: 12 edges: 2/3 node_swap ..."
_LINE = re.compile(r"^(UN)?COVERED_FUNC: hits: \d+ edges: \d+/\d+ (\S+) (\S+):(\d+)")


def parse_functions(output: str, arm: Job) -> list[Function]:
    found = []
    for line in output.splitlines():
        if match := _LINE.match(line):
            reached, name, file, number = not match[1], match[2], match[3], int(match[4])
            found.append(Function(arm.target, arm.variant, arm.flavour, arm.profile, name, file, number, reached))
    return found


def functions_of(
    arm: Job, corpus: Path, known: list[str], version: str, scratch: Path, bounds: Bounds
) -> list[Function]:
    """Empty where the binary does not come to its end: an input of the corpus has become a finding."""
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "known.txt").write_text("".join(line + "\n" for line in known), encoding="utf-8")
    command = [
        *targets.binary_command(arm, version),
        "--self-proof=0", f"--known={scratch / 'known.txt'}", f"--artefacts={scratch}/", f"-artifact_prefix={scratch}/",
        "-runs=0", "-print_coverage=1", str(corpus),
    ]  # fmt: skip
    output = scratch / "coverage.txt"
    if run_bounded(command, scratch, version, bounds.within(COVERAGE_SECONDS), output) is None:
        return []
    return parse_functions(output.read_text(encoding="utf-8", errors="replace"), arm)
