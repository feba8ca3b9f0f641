"""pytest and pytest-run-parallel for the flavours' interpreters, which have no packages: a folder in the cache.

    environment["PYTHONPATH"] = str(rivals_folder())      # installed on first use

Pure Python, so one folder serves every flavour; pinned in harness/cli/rivals.txt, whose contents name the folder.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from refquake_cli.console import say
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import folder_beside
from refquake_cli.lock import builder_lock
from refquake_cli.paths import REPOSITORY, cache_folder

PINS = REPOSITORY / "harness" / "cli" / "rivals.txt"


def rivals_folder() -> Path:
    folder = cache_folder() / f"rivals-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        with builder_lock(f"installing {PINS.name}", name="rivals"):
            if not folder.is_dir():
                _install(folder)
    return folder


def _install(folder: Path) -> None:
    say(f"first use: installing what {PINS.name} lists into {folder}")
    with folder_beside(folder) as part:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check"]
        command = [*pip, "--no-deps", "--only-binary=:all:", "--target", str(part), "-r", str(PINS)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise CouldNotRun(f"pip cannot install what {PINS} lists", details=done.stderr[-2000:])
