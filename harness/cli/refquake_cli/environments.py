"""What a build of an extension for a flavour needs: its interpreter, and the compilers' variables.

    environment = build_environment_for("asan", "3.14.7")       # CC, CFLAGS, ..., sanitizer options, PATH
    python = flavour_python("asan", "3.14.7")
    site = environment_folder("asan", "3.14.7", "multidict==6.4.3")

Extensions are linked without a sanitizer runtime of their own: the interpreter and the fuzz binaries carry it, and
export it. setuptools, scikit-build-core, meson-python and plain make read CFLAGS, CXXFLAGS and LDFLAGS. rustc has no
sanitizers on its stable channel: crates come out uninstrumented, which the proof behind a build says.
"""

import os
from pathlib import Path

from refquake_cli import toolchain
from refquake_cli.errors import CouldNotRun
from refquake_cli.flavours import build_environment
from refquake_cli.paths import cache_folder, current_link

SANITIZERS = {"asan": "address", "tsan": "thread", "plain": ""}
# Edges for libFuzzer, loads and stores for the token scheduler's yield points.
COVERAGE = "-fsanitize=fuzzer-no-link -fsanitize-coverage=trace-loads,trace-stores"
DEBUGGING = "-g -O1 -fno-omit-frame-pointer"


def environments_folder(flavour: str, version: str) -> Path:
    return cache_folder() / "envs" / f"{version}-{flavour}"


def environment_folder(flavour: str, version: str, name: str) -> Path:
    return environments_folder(flavour, version) / name


def flavour_python(flavour: str, version: str) -> Path:
    link = current_link(version, flavour)
    python = next(iter(sorted((link / "bin").glob("python3.*[0-9]"))), None)
    if python is None:
        raise CouldNotRun(f"no {flavour} interpreter {version}: build it with ./refquake setup {flavour}")
    return python


def compile_flags(flavour: str) -> str:
    sanitizer = SANITIZERS[flavour]
    return " ".join(filter(None, [f"-fsanitize={sanitizer}" if sanitizer else "", COVERAGE, DEBUGGING]))


def link_flags(flavour: str) -> str:
    sanitizer = SANITIZERS[flavour]
    return " ".join(filter(None, [f"-fsanitize={sanitizer}" if sanitizer else "", toolchain.LINKER_FLAG]))


def build_environment_for(flavour: str, version: str) -> dict[str, str]:
    """On top of what building an interpreter needs: flags for the extension, the interpreter first on PATH."""
    python = flavour_python(flavour, version)
    environment = build_environment()
    flags = compile_flags(flavour)
    return {
        **environment,
        "CFLAGS": flags,
        "CXXFLAGS": flags,
        "LDFLAGS": link_flags(flavour),
        "PATH": os.pathsep.join([str(python.parent), environment.get("PATH", "")]),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }
