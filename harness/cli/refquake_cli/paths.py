"""Where everything lies: the repository, its build tree, and the cache outside it.

Example:

    build_folder("asan") / "fuzzers" / "fuzz_lifecycle"
    interpreters_folder() / "current-3.14.7-asan"
"""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
DEFAULT_OUT = "refquake-out"


def cache_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # A relative path is to be ignored (XDG Base Directory Specification).
    return (base if base.is_absolute() else Path.home() / ".cache") / "refquake"


def sources_folder() -> Path:
    return cache_folder() / "sources"


def interpreters_folder() -> Path:
    return cache_folder() / "interpreters"


def current_link(version: str, flavour: str) -> Path:
    """The stable name of a flavour's interpreter; CMake reads the same path."""
    return interpreters_folder() / f"current-{version}-{flavour}"


def logs_folder() -> Path:
    return cache_folder() / "logs"


def build_folder(flavour: str) -> Path:
    return REPOSITORY / "build" / flavour


def shown(path: Path) -> str:
    """`path` as a person types it: relative to the current folder where that is shorter."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
