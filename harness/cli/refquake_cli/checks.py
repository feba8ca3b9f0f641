"""What `doctor` looks at; each check answers with one line.

Example:

    for check in all_checks("3.14.7"): check.ok, check.what, check.advice
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from refquake_cli import toolchain
from refquake_cli.files import human_size
from refquake_cli.flavours import DEFAULT_FLAVOURS, FLAVOURS
from refquake_cli.paths import cache_folder, current_link
from refquake_cli.scratch import scratch_folder

NEEDED_BYTES = 4 * 1024**3
PROBE_SECONDS = 120
LAYOUT_ADVICE = "see `sysctl vm.mmap_rnd_bits`; 28 always works"
_RACE = """
#include <pthread.h>
static int shared;
static void *touch(void *ignored) { shared++; return ignored; }
int main(void) { pthread_t t; pthread_create(&t, 0, touch, 0); shared++; pthread_join(t, 0); return 0; }
"""
_USE_AFTER_FREE = """
#include <stdlib.h>
int main(void) { volatile int *p = malloc(4); free((void *)p); return *p; }
"""


@dataclass(frozen=True)
class Check:
    ok: bool
    what: str
    advice: str = ""


def all_checks(version: str) -> list[Check]:
    checks = [_python(), _tools(), _disk(), _address_layout()]
    if shutil.which(toolchain.CC):
        checks += [_probe("thread", _RACE, "data race"), _probe("address", _USE_AFTER_FREE, "heap-use-after-free")]
    return checks + [_interpreter(version, flavour) for flavour in FLAVOURS]


def _python() -> Check:
    return Check(True, f"command runs on Python {sys.version.split()[0]} in {sys.prefix}")


def _tools() -> Check:
    missing = toolchain.missing_needs()
    required = [need.package for need in missing if not need.optional]
    if not missing:
        return Check(True, f"tools: all there ({toolchain.compiler_identity()})")
    advice = "as root: " + " ".join(toolchain.install_command(missing))
    what = "tools missing: " + ", ".join(dict.fromkeys(need.package for need in missing))
    return Check(not required, what + ("" if required else " (optional)"), advice)


def _disk() -> Check:
    folder = cache_folder()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    what = f"disk: {human_size(free)} free for the cache, {cache_folder()}"
    return Check(free >= NEEDED_BYTES, what, f"free {human_size(NEEDED_BYTES)}, or set XDG_CACHE_HOME to another disk")


def _address_layout() -> Check:
    """More than 28 random bits: older sanitizer runtimes cannot map their shadow; clang 19's start themselves again."""
    path = Path("/proc/sys/vm/mmap_rnd_bits")
    if not os.access(path, os.R_OK):
        return Check(True, "address layout: the kernel does not say how random it is")
    bits = int(path.read_text())
    remark = ", sanitizers start again without them" if bits > 30 else ""
    return Check(True, f"address layout: {bits} random bits{remark}")


def _probe(sanitizer: str, source: str, expected: str) -> Check:
    """Does a bug planted in ten lines of C get reported? Then the sanitizer works on this kernel."""
    what = f"{sanitizer} sanitizer reports a planted {expected}"
    with scratch_folder("doctor") as folder:
        program = str(folder / "probe")
        flags = [f"-fsanitize={sanitizer}", "-g", "-O1", toolchain.LINKER_FLAG]
        command = [toolchain.CC, "-x", "c", "-", *flags, "-o", program]
        built = subprocess.run(command, input=source, capture_output=True, text=True)
        if built.returncode != 0:
            advice = f"install libclang-rt-{toolchain.LLVM}-dev"
            return Check(False, f"{sanitizer} sanitizer: a probe does not link", advice)
        try:
            ran = subprocess.run([program], capture_output=True, text=True, timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            return Check(False, f"{sanitizer} sanitizer: a probe hangs", LAYOUT_ADVICE)
    return Check(expected in ran.stderr, what, f"it did not: {LAYOUT_ADVICE}")


def _interpreter(version: str, flavour: str) -> Check:
    name = f"{flavour} interpreter {version}"
    link = current_link(version, flavour)
    build, again = f"./refquake setup {flavour}", f"./refquake clean --all && ./refquake setup {flavour}"
    if not link.is_dir():
        optional = flavour not in DEFAULT_FLAVOURS
        return Check(optional, f"{name}: not built" + (", which is optional" if optional else ""), build)
    python = next(iter(sorted((link / "bin").glob("python3.*t*"))), None)
    if python is None:
        return Check(False, f"{name}: no python in {link}/bin", again)
    code = "import sys; print(sys._is_gil_enabled())"
    quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=0"}
    ran = subprocess.run([python, "-I", "-S", "-c", code], capture_output=True, text=True, env=quiet)
    if ran.returncode != 0:
        return Check(False, f"{name}: does not start", again)
    gil = "off" if ran.stdout.strip() == "False" else "ON"
    return Check(gil == "off", f"{name}: GIL {gil}, {link}", again)
