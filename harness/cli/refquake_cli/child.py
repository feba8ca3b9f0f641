"""The environment of a fuzz binary: its sanitizers' options, and nothing of ours that would change what it does.

Example:

    subprocess.Popen(command, env=child_environment("3.14.7"))
"""

import ctypes
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from refquake_cli.paths import REPOSITORY
from refquake_cli.toolchain import SYMBOLIZER

FOUND = 77
TIMED_OUT = 70
OUT_OF_MEMORY = 71
KNOWN = 78
BINARY_WRONG_USE = 2
BINARY_COULD_NOT_RUN = 3

_COMMON = {"exitcode": str(FOUND)}
_ASAN = {
    **_COMMON,
    "detect_leaks": "0",
    "abort_on_error": "0",
    "allocator_may_return_null": "1",
    "handle_abort": "1",
}
# report_signal_unsafe=0: without it an abort inside the process under libFuzzer hangs. history_size: a report loses
# the other thread's stack once its history is gone.
_TSAN = {**_COMMON, "halt_on_error": "1", "history_size": "4", "report_signal_unsafe": "0"}
_UBSAN = {"print_stacktrace": "1", "halt_on_error": "1"}

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Runs in the child before exec: nothing goes on fuzzing when the command is gone."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def kill_group(process: subprocess.Popen) -> None:
    """Of a process that began a session, with the children it has: libFuzzer's merge runs in some."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def suppressions_file(version: str) -> Path:
    """CPython's own known races, per version."""
    series = ".".join(version.split(".")[:2])
    return REPOSITORY / "harness" / "driver" / "suppressions" / f"tsan-{series}.supp"


def _joined(options: dict[str, str]) -> str:
    return ":".join(f"{name}={value}" for name, value in options.items())


def child_environment(version: str) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ASAN_", "TSAN_", "UBSAN_"))}
    symbolizer = shutil.which(SYMBOLIZER)
    common = {"external_symbolizer_path": symbolizer} if symbolizer else {}
    tsan = {**_TSAN, **common}
    if (suppressions := suppressions_file(version)).exists():
        tsan["suppressions"] = str(suppressions)
    return {
        **inherited,
        "ASAN_OPTIONS": _joined({**_ASAN, **common}),
        "TSAN_OPTIONS": _joined(tsan),
        "UBSAN_OPTIONS": _joined({**_UBSAN, **common}),
    }
