"""An extension under a flavour's own interpreter, without the harness: command line and environment.

    where = place(job, "asan", "3.14.7")            # None: the interpreter or the build is not there
    subprocess.run([*command(where), "script.py"], env=environment(where))

The samples are compiled for a fuzz binary, with coverage hooks that an ordinary interpreter does not have: they are
preloaded, as functions that do nothing.
"""

import functools
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli import child, targets
from refquake_cli.errors import CouldNotRun
from refquake_cli.job import Job
from refquake_cli.lock import builder_lock
from refquake_cli.paths import REPOSITORY, cache_folder, current_link
from refquake_cli.toolchain import CC

HOOKS_SOURCE = REPOSITORY / "tests" / "samples" / "hooks.c"
# libstdc++ from the start: a sanitizer's runtime that does not find it there dies when a C++ extension throws.
_HOOKS_FLAGS = ("-shared", "-fPIC", "-Wl,--no-as-needed", "-lstdc++")


@dataclass(frozen=True)
class Place:
    """An interpreter and the folder of an extension built for it; None: the interpreter has it."""

    interpreter: Path
    extension: Path | None
    hooks: Path
    version: str


def place(job: Job, flavour: str, version: str) -> Place | None:
    try:
        extension = targets.import_folder(replace(job, flavour=flavour), version)
    except CouldNotRun:  # not added for that flavour
        return None
    found = sorted((current_link(version, flavour) / "bin").glob("python3.*t*"))
    interpreters = [path for path in found if not path.name.endswith("-config")]
    if not interpreters or (extension and not extension.is_dir()):
        return None
    return Place(interpreters[0], extension, coverage_hooks(), version)


def coverage_hooks() -> Path:
    identity = HOOKS_SOURCE.read_bytes() + " ".join([CC, *_HOOKS_FLAGS]).encode()
    built = cache_folder() / f"coverage-hooks-{hashlib.sha256(identity).hexdigest()[:12]}.so"
    if built.exists():
        return built
    with builder_lock("coverage hooks", name="coverage-hooks"):
        if not built.exists():
            _compile_hooks(built)
    return built


def _compile_hooks(built: Path) -> None:
    part = built.with_name(f".{built.name}.part")
    done = subprocess.run(
        [CC, "-o", str(part), str(HOOKS_SOURCE), *_HOOKS_FLAGS], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CouldNotRun(f"{HOOKS_SOURCE.name} does not compile", details=done.stderr)
    os.replace(part, built)


def environment(where: Place, *more: Path) -> dict[str, str]:
    """With the extension importable, and what the folders `more` hold."""
    folders = [*([where.extension] if where.extension else []), *more]
    return {
        **child.child_environment(where.version),
        **({"PYTHONPATH": os.pathsep.join(map(str, folders))} if folders else {}),
        "PYTHON_GIL": "0",
        # The installed standard library has no byte code: compiling it anew in each run would take most of the time.
        "PYTHONPYCACHEPREFIX": str(cache_folder() / "script-bytecode"),
        "LD_PRELOAD": str(where.hooks),
    }


def command(where: Place) -> list[str]:
    return [*fixed_addresses(), str(where.interpreter), "-S"]


@functools.cache
def fixed_addresses() -> tuple[str, ...]:
    """What to put before a command for the same addresses each time: a sanitizer's shadow memory may not find its place
    otherwise. Nothing where a container refuses personality(2): then the sanitizer's own choice has to do.
    """
    setarch = shutil.which("setarch")
    if not setarch or subprocess.run([setarch, "-R", "true"], capture_output=True, check=False).returncode:
        return ()
    return setarch, "-R"
