"""Builds a flavour's interpreter into the cache, whole or not at all.

    ensure_interpreters(["asan", "tsan"], "3.14.7")      # seconds when they exist, minutes when they do not

A build goes on in its keyed build folder where an interrupted one stopped. It is installed into a staging folder
there and then renamed into place; only then does `current-VERSION-FLAVOUR` point to it.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from refquake_cli import toolchain
from refquake_cli.console import Progress, Task
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import link_whole, remove
from refquake_cli.flavours import Recipe, build_environment, check_flavour, recipe_for
from refquake_cli.lock import builder_lock
from refquake_cli.logged import run_logged, stop_all
from refquake_cli.paths import cache_folder, current_link, interpreters_folder, logs_folder
from refquake_cli.sources import check_version, obtain_archive, unpack

# Standard-library folders no target needs; of the rest only what a fuzz binary or many a module imports is
# byte-compiled: under a sanitizer all of it takes minutes.
UNNEEDED_FOLDERS = ("test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "pydoc_data", "__pycache__")
BYTE_COMPILED = (
    "encodings.ascii", "encodings.latin_1", "argparse", "asyncio", "collections.abc", "contextlib", "copy", "ctypes",
    "dataclasses", "datetime", "decimal", "email.message", "enum", "functools", "importlib.metadata", "inspect", "json",
    "logging", "pathlib", "pickle", "re", "subprocess", "tempfile", "threading", "traceback", "typing", "unittest",
    "urllib.parse", "warnings", "weakref",
)  # fmt: skip
INSTALL_STEPS = ("altbininstall", "inclinstall", "libainstall", "sharedinstall")


def is_current(recipe: Recipe) -> bool:
    link = current_link(recipe.version, recipe.flavour)
    return link.is_symlink() and os.readlink(link) == recipe.name and Path(recipe.prefix).is_dir()


def ensure_interpreters(flavours: Sequence[str], version: str, source: str | None = None) -> bool:
    """Builds what is missing. Returns whether anything was built."""
    check_version(version)
    recipes = [recipe_for(version, check_flavour(flavour)) for flavour in dict.fromkeys(flavours)]
    if all(is_current(recipe) for recipe in recipes):
        return False
    toolchain.ensure_tools()
    with builder_lock(f"setup of CPython {version} {' '.join(flavours)}"):
        # The compiler may only just have been installed, or another process have built what we wait for.
        recipes = [recipe_for(version, recipe.flavour) for recipe in recipes]
        missing = [recipe for recipe in recipes if not is_current(recipe)]
        if missing:
            _build_all(missing, version, source)
    return bool(missing)


def _build_all(recipes: list[Recipe], version: str, source: str | None) -> None:
    with Progress() as progress:
        task = progress.task(f"CPython {version} source")
        task.step("obtain")
        archive = obtain_archive(version, source, task.note)
        task.step("unpack")
        tree = unpack(archive, version)
        task.done("ready")
        # configure keeps one core busy, make all of them: all configure at once, then one compiles at a time.
        compile_turn = threading.Lock()
        tasks = [progress.task(f"{recipe.flavour} interpreter") for recipe in recipes]
        with ThreadPoolExecutor(len(recipes)) as pool:
            jobs = [pool.submit(_build, *pair, tree, compile_turn) for pair in zip(recipes, tasks, strict=True)]
            try:
                for job in jobs:
                    job.result()
            except KeyboardInterrupt:
                stop_all()
                raise


def _build(recipe: Recipe, task: Task, tree: Path, compile_turn: threading.Lock) -> None:
    try:
        _build_steps(recipe, task, tree, compile_turn)
    except OSError as error:
        task.done("failed")
        raise CouldNotRun(
            f"{recipe.flavour} interpreter: {error}; free the disk or fix the folder, then run it again"
        ) from error
    except CouldNotRun:
        task.done("failed")
        raise


def _build_steps(recipe: Recipe, task: Task, tree: Path, compile_turn: threading.Lock) -> None:
    if Path(recipe.prefix).is_dir():
        _make_current(recipe)
        task.done("ready")
        return
    folder = cache_folder() / "build" / recipe.name
    log = logs_folder() / f"{recipe.name}.log"
    folder.mkdir(parents=True, exist_ok=True)
    environment = build_environment()
    configured = folder / ".configured"
    if not configured.exists():
        task.step("configure")
        log.unlink(missing_ok=True)
        command = [str(tree / "configure"), "-q", f"--prefix={recipe.prefix}", *recipe.configure]
        what = f"configuring the {recipe.flavour} interpreter"
        run_logged(command, log=log, cwd=folder, env=environment, on_line=task.note, what=what)
        configured.touch()
    task.step("wait for its turn to compile", idle=True)
    with compile_turn:
        task.step("compile")
        counter = _CompileCounter(task, _files_to_compile(folder, environment))
        what = f"compiling the {recipe.flavour} interpreter"
        run_logged(_make("all"), log=log, cwd=folder, env=environment, on_line=counter, what=what)
    task.step("install")
    _install(recipe, folder, tree, log)
    _make_current(recipe)
    remove(folder)
    task.done("built")


def _make(*targets: str) -> list[str]:
    return ["make", f"-j{os.cpu_count() or 1}", *targets]


def _compiled_file(line: str) -> str | None:
    """The source that a line of make's output compiles."""
    words = line.split()
    if not words or words[0] != toolchain.CC or "-c" not in words:
        return None
    return next((os.path.basename(word) for word in words if word.endswith(".c")), None)


def _files_to_compile(folder: Path, environment: dict[str, str]) -> int:
    """How many make has before it; 0 if it does not say."""
    planned = subprocess.run(
        [*_make("all"), "--dry-run"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return sum(_compiled_file(line) is not None for line in planned.stdout.splitlines())


class _CompileCounter:
    """Turns make's output into "n of m files, last one"."""

    def __init__(self, task: Task, files: int) -> None:
        self._task = task
        self._files = files
        self._count = 0

    def __call__(self, line: str) -> None:
        if name := _compiled_file(line):
            self._count += 1
            # What make finds out on the way is not in its plan.
            of = f" of {self._files}" if self._count <= self._files else ""
            self._task.note(f"{self._count}{of} files  {name}")


def _install(recipe: Recipe, folder: Path, tree: Path, log: Path) -> None:
    staging = folder / "staging"
    remove(staging)
    what = f"installing the {recipe.flavour} interpreter"
    command = ["make", f"DESTDIR={staging}", *INSTALL_STEPS]
    run_logged(command, log=log, cwd=folder, env=build_environment(), what=what)
    staged = Path(f"{staging}{recipe.prefix}")
    library = _library_folder(staged)
    ignore = shutil.ignore_patterns(*UNNEEDED_FOLDERS)
    shutil.copytree(tree / "Lib", library, ignore=ignore, dirs_exist_ok=True)
    for data in (folder / (folder / "pybuilddir.txt").read_text().strip()).glob("_sysconfig*"):
        shutil.copy(data, library)
    _byte_compile(staged, folder, log)
    interpreters_folder().mkdir(parents=True, exist_ok=True)
    os.rename(staged, recipe.prefix)


_IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # this build has no such module
"""


def _byte_compile(staged: Path, folder: Path, log: Path) -> None:
    """Imports what is worth it once, with writing allowed."""
    environment = {**build_environment(), "PYTHONHOME": str(staged)}
    del environment["PYTHONDONTWRITEBYTECODE"]
    python = next(path for path in sorted((staged / "bin").glob("python3.*")) if "-" not in path.name)
    what = "starting the interpreter that was built"
    run_logged([str(python), "-c", _IMPORT_ALL, *BYTE_COMPILED], log=log, cwd=folder, env=environment, what=what)


def _library_folder(prefix: Path) -> Path:
    folders = sorted((prefix / "lib").glob("python3.*t"))
    if len(folders) != 1:
        raise CouldNotRun(
            f"{prefix}/lib holds {len(folders)} folders python3.*t, not one: is this a free-threaded build?"
        )
    return folders[0]


def _make_current(recipe: Recipe) -> None:
    link_whole(current_link(recipe.version, recipe.flavour), recipe.name)
