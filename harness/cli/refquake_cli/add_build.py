"""Builds a package for a flavour from its source, with pip running on the flavour's own interpreter.

    site = build_package("asan", "3.14.7", "multidict==6.4.3", ["multidict"], folder, log, task)

pip runs there because a build asks its interpreter for the compiler, the headers and the suffix. It comes from the
cache: the flavours have none. Build isolation is kept; only the packages named are built from source, so build
requirements may be wheels. Wheels are cached per flavour: one built for another sanitizer has the same name.
"""

import subprocess
import sys
from pathlib import Path

from refquake_cli.console import Task
from refquake_cli.environments import build_environment_for, flavour_python
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import folder_beside
from refquake_cli.logged import run_logged
from refquake_cli.paths import cache_folder

PIP = "pip>=25"


def pip_folder() -> Path:
    """A pip that any Python can run, installed once."""
    folder = cache_folder() / "pip" / "tool"
    if not folder.is_dir():
        with folder_beside(folder) as part:
            command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(part), PIP]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise CouldNotRun("cannot install pip into the cache", details=done.stderr[-2000:])
    return folder


def build_package(
    flavour: str, version: str, requirement: str, from_source: list[str], folder: Path, log: Path, task: Task
) -> Path:
    """Installs `requirement` into FOLDER/site; the log says everything."""
    environment = build_environment_for(flavour, version) | {"PYTHONPATH": str(pip_folder())}
    log.unlink(missing_ok=True)
    site = folder / "site"
    command = [
        str(flavour_python(flavour, version)),
        # -v: a package may go on without its extension where that does not compile; only the log tells.
        *("-m", "pip", "install", "-v", "--no-compile", "--disable-pip-version-check", "--root-user-action=ignore"),
        *("--cache-dir", str(cache_folder() / "pip" / flavour)),
        *(f"--no-binary={name}" for name in from_source),
        *("--target", str(site), requirement),
    ]
    what = f"building {requirement} for {flavour}"
    run_logged(command, log=log, env=environment, on_line=lambda line: task.note(line.strip()), what=what)
    return site
