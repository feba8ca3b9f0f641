"""Which functions of the module under test a corpus enters, and which it never does.

    functions = functions_of(arm, corpus_folder, version, scratch)

libFuzzer prints them for every instrumented module when it ends; the arm's corpus is run once more for it.
"""

import re
import subprocess
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.store import Function
from refquake_cli.variant_run import Job

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


def functions_of(arm: Job, corpus: Path, known: list[str], version: str, scratch: Path) -> list[Function]:
    """Empty where the binary does not come to its end: an input of the corpus has become a finding."""
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "known.txt").write_text("".join(line + "\n" for line in known), encoding="utf-8")
    binary = targets.fuzz_binary(arm.profile, arm.flavour)
    command = [
        *targets.binary_command(binary, arm.target, arm.variant, arm.flavour, arm.profile),
        "--self-proof=0", f"--known={scratch / 'known.txt'}", f"--artefacts={scratch}/", f"-artifact_prefix={scratch}/",
        "-runs=0", "-print_coverage=1", str(corpus),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=scratch, env=child.child_environment(version), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=COVERAGE_SECONDS,
            preexec_fn=child.die_with_parent,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return []
    return parse_functions(done.stdout, arm)
