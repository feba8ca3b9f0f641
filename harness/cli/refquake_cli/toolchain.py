"""The compiler and the packages that building needs; what is missing is installed or named.

Example:

    ensure_tools()                   # installs with apt-get as root on Debian and Ubuntu, else CouldNotRun
    compiler_identity()              # part of an interpreter's key
"""

import os
import shutil
import subprocess
from dataclasses import dataclass

from refquake_cli.console import say
from refquake_cli.errors import CouldNotRun

LLVM = "19"
CC = f"clang-{LLVM}"
CXX = f"clang++-{LLVM}"
AR = f"llvm-ar-{LLVM}"
RANLIB = f"llvm-ranlib-{LLVM}"
LINKER_FLAG = f"-fuse-ld=lld-{LLVM}"
SYMBOLIZER = f"llvm-symbolizer-{LLVM}"


@dataclass(frozen=True)
class Need:
    """Something building needs: a program on PATH, a header, or a file of the compiler's own."""

    package: str
    program: str = ""
    header: str = ""
    runtime: str = ""
    optional: bool = False


NEEDS = (
    Need(f"clang-{LLVM}", program=CC),
    Need(f"clang-{LLVM}", program=CXX),
    Need(f"lld-{LLVM}", program=f"ld.lld-{LLVM}"),
    Need(f"llvm-{LLVM}", program=AR),
    Need(f"llvm-{LLVM}", program=SYMBOLIZER),
    Need(f"libclang-rt-{LLVM}-dev", runtime="fuzzer"),
    Need("cmake", program="cmake"),
    Need("ninja-build", program="ninja"),
    Need("make", program="make"),
    Need("pkg-config", program="pkg-config"),
    Need("xz-utils", program="xz"),
    Need("libc6-dev", header="stdlib.h"),
    Need("libstdc++-12-dev", header="vector"),
    Need("libgtest-dev", header="gtest/gtest.h"),
    Need("zlib1g-dev", header="zlib.h"),
    Need("libssl-dev", header="openssl/ssl.h", optional=True),
    Need("libffi-dev", header="ffi.h", optional=True),
    Need("libsqlite3-dev", header="sqlite3.h", optional=True),
    Need("libbz2-dev", header="bzlib.h", optional=True),
    Need("liblzma-dev", header="lzma.h", optional=True),
    Need("libexpat1-dev", header="expat.h", optional=True),
    Need("uuid-dev", header="uuid/uuid.h", optional=True),
    Need("graphviz", program="dot", optional=True),
    Need("chromium", program="chromium", optional=True),
)


def missing_headers(headers: list[str]) -> set[str]:
    """One preprocessor run answers for all of them. Without a compiler, all are missing."""
    if not shutil.which(CXX):
        return set(headers)
    source = "".join(f"#if !__has_include(<{h}>)\nrefquake_missing {h}\n#endif\n" for h in headers)
    done = subprocess.run([CXX, "-E", "-P", "-x", "c++", "-"], input=source, capture_output=True, text=True)
    return {line.split()[1] for line in done.stdout.splitlines() if line.startswith("refquake_missing")}


def has_runtime(name: str) -> bool:
    """Is the compiler's own library of that name there? Its folder has two layouts."""
    if not shutil.which(CC):
        return False
    machine = os.uname().machine
    for file in (f"libclang_rt.{name}-{machine}.a", f"libclang_rt.{name}.a"):
        # The compiler prints the bare name of a file it does not find.
        for option in (f"-print-file-name=lib/linux/{file}", f"-print-file-name={file}"):
            done = subprocess.run([CC, option], capture_output=True, text=True)
            if os.path.isabs(done.stdout.strip()) and os.path.exists(done.stdout.strip()):
                return True
    return False


def missing_needs() -> list[Need]:
    absent_headers = missing_headers([need.header for need in NEEDS if need.header])
    missing = []
    for need in NEEDS:
        absent = (
            (need.program and not shutil.which(need.program))
            or need.header in absent_headers
            or (need.runtime and not has_runtime(need.runtime))
        )
        if absent:
            missing.append(need)
    return missing


def install_command(needs: list[Need]) -> list[str]:
    packages = list(dict.fromkeys(need.package for need in needs))
    return ["apt-get", "install", "-y", "--no-install-recommends", *packages]


def can_install() -> bool:
    return os.geteuid() == 0 and bool(shutil.which("apt-get")) and not os.environ.get("REFQUAKE_NO_INSTALL")


def ensure_tools() -> None:
    missing = missing_needs()
    if not missing:
        return
    command = install_command(missing)
    if can_install():
        _install(command)
        missing = [need for need in missing_needs() if not need.optional]
    required = [need for need in missing if not need.optional]
    if required:
        raise CouldNotRun(
            "missing tools: "
            + ", ".join(dict.fromkeys(need.package for need in required))
            + f"; as root, on Debian or Ubuntu: apt-get update && {' '.join(command)}"
        )
    if missing:
        names = ", ".join(need.package for need in missing)
        say(f"going on without: {names} (to have them: {' '.join(command)})")


def _install(command: list[str]) -> None:
    from refquake_cli.console import Progress
    from refquake_cli.logged import run_logged
    from refquake_cli.paths import logs_folder

    log = logs_folder() / "apt.log"
    log.unlink(missing_ok=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with Progress() as progress:
        task = progress.task("tools")
        task.step("apt-get update")
        run_logged(["apt-get", "update", "-q"], log=log, env=environment, what="apt-get update")
        task.step("apt-get install " + " ".join(command[4:]))
        run_logged(command, log=log, env=environment, on_line=task.note, what="apt-get install")
        task.done("installed")


def compiler_identity() -> str:
    if not shutil.which(CC):
        return "none"
    return subprocess.run([CC, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
