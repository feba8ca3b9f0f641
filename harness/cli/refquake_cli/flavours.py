"""How each flavour of interpreter is configured; a change here changes the key, and so builds anew.

Example:

    recipe = recipe_for("3.14.7", "asan")
    recipe.key            # twelve hex digits: version, flavour, flags, compiler
"""

import hashlib
import os
from dataclasses import dataclass

from refquake_cli import toolchain
from refquake_cli.errors import WrongUse
from refquake_cli.paths import interpreters_folder

FLAVOURS = ("asan", "tsan", "plain")
DEFAULT_FLAVOURS = ("asan", "tsan")

# Extension modules no target needs; without them there is less to build and nothing to install first.
UNNEEDED_MODULES = ("_tkinter", "_curses", "_curses_panel", "_dbm", "_gdbm", "readline", "nis")
OPTIMISED = "-O2 -DNDEBUG -g1 -fno-omit-frame-pointer"

FLAGS = {
    # MI_TRACK_ASAN: objects live in mimalloc, which ASan does not see into unless mimalloc tells it.
    "asan": (
        "--with-pydebug",
        "--with-address-sanitizer",
        "CFLAGS=-DMI_TRACK_ASAN=1 -fno-omit-frame-pointer -g1",
        # For CPython itself, not for extensions: some of its reads of freed memory are allowed, and it must be able to
        # go on after them (harness/python/lock_free_reads.h). Checks inline everywhere, so that all come to one place.
        "CFLAGS_NODIST=-fsanitize-recover=address -mllvm -asan-instrumentation-with-call-threshold=1000000",
    ),
    "tsan": ("--with-thread-sanitizer", f"OPT={OPTIMISED}"),
    "plain": (f"OPT={OPTIMISED}",),
}


@dataclass(frozen=True)
class Recipe:
    version: str
    flavour: str
    configure: tuple[str, ...]
    key: str

    @property
    def name(self) -> str:
        return f"{self.version}-{self.flavour}-{self.key}"

    @property
    def prefix(self) -> str:
        return str(interpreters_folder() / self.name)


def check_flavour(flavour: str) -> str:
    if flavour not in FLAVOURS:
        raise WrongUse(f"no such flavour: {flavour}; choose one of {', '.join(FLAVOURS)}")
    return flavour


def recipe_for(version: str, flavour: str) -> Recipe:
    arguments = (
        "--disable-gil",
        "--without-ensurepip",
        "--disable-test-modules",
        *FLAGS[check_flavour(flavour)],
        f"LDFLAGS={toolchain.LINKER_FLAG}",
        *(f"py_cv_module_{name}=n/a" for name in UNNEEDED_MODULES),
    )
    identity = "\n".join((version, flavour, *arguments, toolchain.compiler_identity()))
    return Recipe(version, flavour, arguments, hashlib.sha256(identity.encode()).hexdigest()[:12])


def build_environment() -> dict[str, str]:
    """The interpreter runs during its own build: its sanitizers must not stop it there."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ASAN_", "TSAN_", "MAKE"))}
    return {
        **kept,
        "CC": toolchain.CC,
        "CXX": toolchain.CXX,
        "AR": toolchain.AR,
        "RANLIB": toolchain.RANLIB,
        "ASAN_OPTIONS": "detect_leaks=0",
        "TSAN_OPTIONS": "report_bugs=0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
