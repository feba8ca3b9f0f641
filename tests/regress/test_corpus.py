"""Replays corpus/: each regression is still found on its plant, and each program is silent on the clean variant.

Run by ctest, which names the build tree: REFQUAKE_BUILD (a folder) and REFQUAKE_FLAVOUR. A regression's comments say
what it is: finding (its signature), variant (its plant), flavour, and how often a process runs it. A sanitizer's
is one flavour's: it is asked for there only. An oracle's holds under both, unless a plant has a regression for
each flavour: a debug interpreter's own assertions may come first.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "harness" / "cli"))

from refquake_cli.child import FOUND, child_environment  # noqa: E402
from refquake_cli.reports import find_report  # noqa: E402
from refquake_cli.sources import DEFAULT_VERSION  # noqa: E402

FLAVOUR = os.environ.get("REFQUAKE_FLAVOUR", "")
BUILD = Path(os.environ.get("REFQUAKE_BUILD", ""))
CORPUS = REPOSITORY / "corpus"
SECONDS = 300
_FACT = re.compile(r"^(?:# )?(finding|variant|flavour|repeat|target|profile): (.+)$", re.MULTILINE)
_OF_A_SANITIZER = re.compile(r"@| < | \| | in |no frame|Sanitizer")
# What a race shows in most processes, it shows in one of so many: 0.5 ** 8 is one failure in 256.
ATTEMPTS = 8


@dataclass(frozen=True)
class Entry:
    path: Path
    target: str
    profile: str
    finding: str = ""
    variant: str = ""
    flavour: str = ""
    repeat: str = "1"

    @property
    def name(self) -> str:
        return str(self.path.relative_to(CORPUS).with_suffix(""))


def read(path: Path) -> Entry:
    facts = dict(_FACT.findall(path.read_text(encoding="utf-8")))
    return Entry(path, **facts)


def entries(folder: str) -> list[Entry]:
    return [read(path) for path in sorted(CORPUS.glob(f"*/{folder}/*.prog"))]


SEEDS, REGRESSIONS = entries("seeds"), entries("regressions")
OWN = {(one.target, one.variant) for one in REGRESSIONS if one.flavour == FLAVOUR}
HERE = [
    one
    for one in REGRESSIONS
    if one.flavour == FLAVOUR or not (_OF_A_SANITIZER.search(one.finding) or (one.target, one.variant) in OWN)
]


def replay(entry: Entry, variant: str, folder: Path) -> subprocess.CompletedProcess:
    command = [
        str(BUILD / "fuzzers" / f"fuzz_{entry.profile}"),
        f"--module={entry.target}",
        f"--path={BUILD / 'targets' / entry.target / variant}",
        "--self-proof=0",
        f"--artefacts={folder}/",
        f"--repeat={entry.repeat}",
        f"--replay={entry.path}",
    ]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", timeout=SECONDS, cwd=folder, env=child_environment(DEFAULT_VERSION), check=False,
    )  # fmt: skip


def test_there_is_a_corpus() -> None:
    assert FLAVOUR in ("asan", "tsan"), "run by ctest: REFQUAKE_FLAVOUR and REFQUAKE_BUILD name the build tree"
    assert SEEDS
    assert HERE


@pytest.mark.parametrize("entry", SEEDS + REGRESSIONS, ids=lambda one: one.name)
def test_silent_on_clean(entry: Entry, tmp_path: Path) -> None:
    done = replay(entry, "clean", tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("entry", HERE, ids=lambda one: one.name)
def test_found_on_its_plant(entry: Entry, tmp_path: Path) -> None:
    """What always shows is asked once; of what a race shows, one hit among a stated number of processes counts.

    The kind must be the same. A sanitizer's frames need not be: they change with the interpreter and the compiler.
    """
    kind = entry.finding.split()[0]
    attempts = ATTEMPTS if entry.profile == "threads" else 1
    seen = []
    for _ in range(attempts):
        done = replay(entry, entry.variant, tmp_path)
        report = find_report(done.stdout) if done.returncode == FOUND else None
        seen.append(report.signature if report else f"exit {done.returncode}")
        if report and report.kind == kind:
            return
    pytest.fail(f"{entry.finding!r} was not found; instead: {seen}\n{done.stdout[-3000:]}")
