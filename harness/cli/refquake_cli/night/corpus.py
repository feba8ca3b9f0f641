"""A corpus kept between nights: one folder an arm, each file named after its content.

    corpus = Corpus(folder / "corpus", arm)
    corpus.take(scratch / "corpus")             # moves new inputs in
    corpus.minimise(scratch, known, version, bounds)    # keeps what together reaches everything reached

Files come by rename and go by unlink, one at a time: stopped anywhere, or used by several campaigns at once, it is a
corpus that reaches all it reached before.
"""

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from refquake_cli import targets
from refquake_cli.job import Job
from refquake_cli.night.bounded import Bounds, run_bounded

MERGE_SECONDS = 900
# Below this a merge costs more than it saves.
WORTH_MINIMISING = 50


class Corpus:
    def __init__(self, root: Path, arm: Job) -> None:
        self.arm = arm
        self.folder = root / "-".join((arm.target, arm.variant, arm.flavour, arm.profile))
        self.folder.mkdir(parents=True, exist_ok=True)

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> set[str]:
        return {entry.name for entry in os.scandir(self.folder) if not entry.name.startswith(".")}

    def take(self, source: Path) -> int:
        """Moves inputs in; returns how many were new."""
        if not source.is_dir():
            return 0
        new = 0
        for entry in list(source.iterdir()):
            # A process killed while it wrote leaves a short file: as good an input as any.
            name = hashlib.sha1(entry.read_bytes(), usedforsecurity=False).hexdigest()
            new += not (self.folder / name).exists()
            os.replace(entry, self.folder / name)
        return new

    def minimise(self, scratch: Path, known: list[str], version: str, bounds: Bounds) -> tuple[int, int]:
        """libFuzzer's merge, which drops what dies: known findings do not. Returns the inputs before and after."""
        before = self._names()
        if len(before) < WORTH_MINIMISING:
            return len(before), len(before)
        kept = scratch / "merged"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        if not self._merge(kept, scratch, known, version, bounds):
            return len(before), len(before)
        keep = {entry.name for entry in kept.iterdir()}
        self.take(kept)
        for name in before - keep:
            with suppress(FileNotFoundError):  # another campaign minimises the same corpus
                (self.folder / name).unlink()
        return len(before), len(self)

    def _merge(self, kept: Path, scratch: Path, known: list[str], version: str, bounds: Bounds) -> bool:
        """Whether it came to its end and kept something; a merge that breaks changes nothing."""
        arm = self.arm
        (scratch / "known.txt").write_text("".join(line + "\n" for line in known), encoding="utf-8")
        command = [
            *targets.binary_command(arm, version),
            "--self-proof=0", f"--known={scratch / 'known.txt'}", f"--artefacts={scratch}/",
            f"-artifact_prefix={scratch}/", "-merge=1", str(kept), str(self.folder),
        ]  # fmt: skip
        code = run_bounded(command, scratch, version, bounds.within(MERGE_SECONDS))
        return code == 0 and any(kept.iterdir())
