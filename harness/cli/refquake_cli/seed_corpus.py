"""The programs of corpus/ as bytes, for a fuzz run to start from.

    folder = seed_folder(job, "3.14.7")         # None: the target has no programs for that profile

Seeds are for every variant. Regressions are for the clean variant and for targets without plants: on a plant they
would be the answer, and the time to find it would say nothing. Bytes follow the op table, so the fuzz binary encodes
them, anew when it or the extension changes: once for all variants, with the clean one, as any bytes are a program.
"""

import hashlib
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from refquake_cli import child, targets
from refquake_cli.files import folder_beside
from refquake_cli.paths import REPOSITORY, build_folder

if TYPE_CHECKING:
    from refquake_cli.job import Job

ENCODE_SECONDS = 60
_PROFILE = re.compile(r"^profile:\s*(\S+)\s*$", re.MULTILINE)


def programs_for(job: "Job") -> list[Path]:
    folders = ["seeds", *(["regressions"] if job.variant == targets.CLEAN else [])]
    found = [
        path for folder in folders for path in sorted((REPOSITORY / "corpus" / job.target / folder).glob("*.prog"))
    ]
    return [path for path in found if _profile_of(path) == job.profile]


def _profile_of(path: Path) -> str:
    match = _PROFILE.search(path.read_text(encoding="utf-8", errors="replace"))
    return match[1] if match else ""


def seed_folder(job: "Job", version: str) -> Path | None:
    programs = programs_for(job)
    if not programs:
        return None
    folder = build_folder(job.flavour) / "seeds" / f"{job.target}-{job.profile}-{_key(job, programs)}"
    if not folder.is_dir():
        with folder_beside(folder) as part:
            for program in programs:
                _encode(program, part / program.stem, job, version)
    return folder


def _key(job: "Job", programs: list[Path]) -> str:
    """Changes with the programs, the binary and the extension."""
    made = [targets.fuzz_binary(job.profile, job.flavour),
            targets.variant_folder(job.target, targets.CLEAN, job.flavour) / f"{job.target}.so"]  # fmt: skip
    facts = [f"{path}:{path.stat().st_mtime_ns}" for path in [*made, *programs] if path.exists()]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def _encode(program: Path, out: Path, job: "Job", version: str) -> None:
    """A program that the target cannot take (an op is gone, its import fails) is no seed; the tests tell of it."""
    command = targets.binary_command(replace(job, variant=targets.CLEAN), version)
    try:
        done = subprocess.run(
            [*command, "--self-proof=0", f"--encode={program},{out}"], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=ENCODE_SECONDS, env=child.child_environment(version), preexec_fn=child.die_with_parent,
            check=False,
        )  # fmt: skip
        failed = done.returncode != 0
    except subprocess.TimeoutExpired:
        failed = True
    if failed and out.exists():
        os.unlink(out)
