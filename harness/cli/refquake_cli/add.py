"""Adds a package, or a folder of modules, to a flavour's environments.

added = add_package("asan", "3.14.7", "multidict==6.4.3", "multidict", "6.4.3", [])
added = add_local("asan", "3.14.7", Path("build/asan"))
"""

import os
import re
from contextlib import AbstractContextManager
from importlib.metadata import Distribution, distributions
from pathlib import Path

from refquake_cli.add_build import build_package
from refquake_cli.add_proof import prove
from refquake_cli.added import Added, main_module, modules_of, store_manifest
from refquake_cli.console import Progress
from refquake_cli.environments import environments_folder
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.files import folder_beside, recover, remove, replace_folder
from refquake_cli.lock import builder_lock
from refquake_cli.paths import logs_folder

LOCAL = "local"


def add_package(flavour: str, version: str, requirement: str, name: str, release: str, more: list[str]) -> Added:
    """Builds beside the environment's final folder, whose name (the version) pip tells only afterwards."""
    parent = environments_folder(flavour, version)
    parent.mkdir(parents=True, exist_ok=True)
    what = name or Path(requirement).name
    with _only_one(flavour, version, what), Progress() as progress:
        recover(parent / what)  # removes what an `add` that was killed has built
        part = parent / f".{what}.{os.getpid()}.part"
        part.mkdir()
        task = progress.task(f"{requirement} {flavour}")
        task.step("build")
        try:
            log = logs_folder() / f"add-{flavour}-{what}{release}.log"
            # A path is built from source anyway.
            from_source = [*([name] if name else []), *more]
            site = build_package(flavour, version, requirement, from_source, part, log, task)
            task.step("prove")
            found = _distribution(site, name)
            added = _describe(flavour, version, part, found.metadata["Name"], found.version, log)
            final = parent / added.name
            added = Added(**{**vars(added), "site": str(final / "site")})
            store_manifest(part, added)  # before the rename: the environment appears whole
            replace_folder(part, final)
        except BaseException:
            task.done("failed")
            remove(part)
            raise
        task.done("added")
    return added


def _only_one(flavour: str, version: str, what: str) -> AbstractContextManager[None]:
    """Of two that add the same, the second waits."""
    key = re.sub(r"[^a-z0-9]+", "-", what.lower())
    return builder_lock(f"add of {what} for {flavour}", name=f"add-{version}-{flavour}-{key}")


def _describe(flavour: str, version: str, folder: Path, package: str, release: str, log: Path) -> Added:
    site = folder / "site"
    extensions = modules_of(site)
    if not extensions:
        why = f"it did not compile: {failed}" if (failed := _compiler_error(log)) else "there is nothing to fuzz"
        raise CouldNotRun(f"{package} {release} holds no extension module: {why}")
    module = main_module(extensions, package)
    proof = prove(flavour, version, site, module, extensions)
    return Added(package, release, module, extensions, proof.uninstrumented, proof.gil_off, str(site))


def _compiler_error(log: Path) -> str:
    """The first one; empty if there is none, or the wheel was built by an earlier call."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    found = re.search(r"^\s*(\S+\.(?:c|cc|cpp|cxx|h|hpp|pyx):\d+(?::\d+)?: (?:fatal )?error: .*)$", text, re.MULTILINE)
    return found[1] if found else ""


def _distribution(site: Path, name: str) -> Distribution:
    """The one asked for; of a path, the one with extension modules that nothing else requires is named first by pip."""
    found = list(distributions(path=[str(site)]))
    for one in found:
        if name and one.metadata["Name"].lower().replace("_", "-") == name.lower().replace("_", "-"):
            return one
    requested = [one for one in found if one.read_text("REQUESTED") is not None]
    if not requested:
        raise CouldNotRun(f"pip installed nothing into {site}")
    return requested[0]


def add_local(flavour: str, version: str, folder: Path) -> Added:
    if not folder.is_dir():
        raise WrongUse(f"no such folder: {folder}")
    site = folder.resolve()
    extensions = modules_of(site)
    if not extensions:
        raise WrongUse(f"{folder} holds no extension module (*.so)")
    module = main_module(extensions, site.name)
    proof = prove(flavour, version, site, module, extensions)
    added = Added(module, LOCAL, module, extensions, proof.uninstrumented, proof.gil_off, str(site))
    with _only_one(flavour, version, module):
        with folder_beside(environments_folder(flavour, version) / added.name) as part:
            store_manifest(part, added)
    return added
