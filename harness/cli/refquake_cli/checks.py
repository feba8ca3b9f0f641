"""What `doctor` looks at; each check answers with one line.

    for check in all_checks("3.14.7"): check.ok, check.what, check.advice
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from refquake_cli import toolchain
from refquake_cli.files import human_size
from refquake_cli.flavours import FLAVOURS
from refquake_cli.paths import cache_folder, current_link

NEEDED_BYTES = 4 * 1024**3
PROBE_SECONDS = 120
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
    return Check(True, f"address layout: {bits} random bits" + (", sanitizers restart without them" if bits > 30 else ""))


def _probe(sanitizer: str, source: str, expected: str) -> Check:
    """Does a bug planted in ten lines of C get reported? Then the sanitizer works on this kernel."""
    what = f"{sanitizer} sanitizer reports a planted {expected}"
    with tempfile.TemporaryDirectory(prefix="refquake-doctor-") as folder:
        program = os.path.join(folder, "probe")
        command = [toolchain.CC, "-x", "c", "-", f"-fsanitize={sanitizer}", "-g", "-O1", toolchain.LINKER_FLAG, "-o", program]
        built = subprocess.run(command, input=source, capture_output=True, text=True)
        if built.returncode != 0:
            return Check(False, f"{sanitizer} sanitizer: a probe does not link", "install " + toolchain.NEEDS[5].package)
        try:
            ran = subprocess.run([program], capture_output=True, text=True, timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            return Check(False, f"{sanitizer} sanitizer: a probe hangs", "see `sysctl vm.mmap_rnd_bits`; 28 always works")
    return Check(expected in ran.stderr, what, "it did not: see `sysctl vm.mmap_rnd_bits`; 28 always works")


def _interpreter(version: str, flavour: str) -> Check:
    link = current_link(version, flavour)
    advice = f"./refquake setup {flavour}"
    if not link.is_dir():
        optional = flavour == "plain"
        return Check(optional, f"{flavour} interpreter {version}: not there" + (" (optional)" if optional else ""), advice)
    python = next(iter(sorted((link / "bin").glob("python3.*t*"))), None)
    if python is None:
        return Check(False, f"{flavour} interpreter {version}: no python in {link}/bin", f"./refquake clean --all && {advice}")
    code = "import sys; print(sys.version.split()[0], sys._is_gil_enabled())"
    quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=0"}
    ran = subprocess.run([python, "-I", "-S", "-c", code], capture_output=True, text=True, env=quiet)
    if ran.returncode != 0:
        return Check(False, f"{flavour} interpreter {version}: does not start", f"./refquake clean --all && {advice}")
    gil_off = ran.stdout.split()[1] == "False"
    return Check(gil_off, f"{flavour} interpreter {version}: GIL {'off' if gil_off else 'ON'}, {link}", advice)
