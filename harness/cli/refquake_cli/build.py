"""Configures and builds a flavour's tree.

Example:

    build(["asan"], "3.14.7")                                    # everything: what the tests need
    build(["asan"], "3.14.7", products=to_fuzz("node"))          # a target's variants and the fuzz binaries
"""

import os
import re
import sys
from collections.abc import Sequence

from refquake_cli import toolchain
from refquake_cli.console import Progress, Task
from refquake_cli.interpreter import ensure_interpreters
from refquake_cli.lock import build_lock_name, builder_lock
from refquake_cli.logged import run_logged
from refquake_cli.paths import REPOSITORY, build_folder, logs_folder
from refquake_cli.sources import DEFAULT_VERSION
from refquake_cli.targets import known_profiles, known_targets

DEV = "dev"  # core and scheduler only, no interpreter
_NINJA_STEP = re.compile(r"^\[(\d+/\d+)\] (.*)$")


def to_fuzz(target: str) -> list[str]:
    """What a fuzz run needs built; the rest of the tree is for the tests."""
    return [*own_products(target), *(f"fuzz_{profile}" for profile in known_profiles())]


def own_products(target: str) -> list[str]:
    """A sample's variants; other modules lie outside the tree."""
    return [f"target_{target}"] if target in known_targets() else []


def build(flavours: list[str], version: str = DEFAULT_VERSION, products: Sequence[str] = ("all",)) -> None:
    """Sets up what the flavours need and builds their trees, one after the other: a compiler uses every core."""
    needing = [flavour for flavour in flavours if flavour != DEV]
    if needing:
        ensure_interpreters(needing, version)
    if not all((build_folder(flavour) / "build.ninja").exists() for flavour in flavours):
        toolchain.ensure_tools()
    with builder_lock(f"build of {' '.join(flavours)}", name=build_lock_name()), Progress() as progress:
        for flavour in flavours:
            _build_tree(flavour, version, products, progress.task(f"{flavour} tree"))


def _configure_command(flavour: str, version: str) -> list[str]:
    command = ["cmake", "--preset", flavour, f"-DREFQUAKE_VENV_PYTHON={sys.executable}"]
    if flavour != DEV:
        command.append(f"-DREFQUAKE_PYTHON_VERSION={version}")
    return command


def _build_tree(flavour: str, version: str, products: Sequence[str], task: Task) -> None:
    log = logs_folder() / f"{build_lock_name()}-{flavour}.log"
    log.unlink(missing_ok=True)
    folder = build_folder(flavour)
    wanted = "\n".join(_configure_command(flavour, version))
    stamp = folder / "refquake-configured"
    if not (folder / "CMakeFiles" / "rules.ninja").exists() or not stamp.exists() or stamp.read_text() != wanted:
        task.step("configure")
        # Afresh: CMake drops half of what it knows when the compiler's path changes, and is then at odds with the rest.
        stamp.unlink(missing_ok=True)
        (folder / "CMakeCache.txt").unlink(missing_ok=True)
        command = _configure_command(flavour, version)
        run_logged(command, log=log, cwd=REPOSITORY, on_line=task.note, what=f"configuring the {flavour} tree")
        stamp.write_text(wanted)
    task.step("compile")
    # Not through `cmake --build`: the compiler would go on, unlocked, if this process were killed.
    command = ["ninja", "-C", str(folder), "-j", str(os.cpu_count() or 1), *products]
    what = f"building the {flavour} tree"
    run_logged(command, log=log, cwd=REPOSITORY, on_line=lambda line: _note(task, line), what=what)
    task.done("ready")


def _note(task: Task, line: str) -> None:
    if match := _NINJA_STEP.match(line):
        task.note(f"{match[1]} {os.path.basename(match[2].split(' ')[-1])}")
