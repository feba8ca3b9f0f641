"""What must be true of an added module before fuzzing it means anything.

proof = prove("asan", "3.14.7", site, "multidict", ["multidict._multidict"])
proof.uninstrumented       # extension modules without the flavour's sanitizer
proof.gil_off              # importing it leaves the GIL off
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from refquake_cli import child
from refquake_cli.added import shared_object
from refquake_cli.environments import build_environment_for, flavour_python
from refquake_cli.errors import CouldNotRun

SYMBOLS = {"asan": b"__asan_init", "tsan": b"__tsan_func_entry", "plain": b""}
COVERAGE_SYMBOL = b"__sanitizer_cov_"
IMPORT_SECONDS = 300
_PROBE = "import sys, importlib; importlib.import_module(sys.argv[1]); print('gil', sys._is_gil_enabled())"


@dataclass(frozen=True)
class Proof:
    uninstrumented: list[str]
    gil_off: bool


def prove(flavour: str, version: str, site: Path, module: str, extensions: list[str]) -> Proof:
    bare = [name for name in extensions if not _instrumented(shared_object(site, name), flavour)]
    return Proof(bare, _import_keeps_gil_off(flavour, version, site, module))


def _instrumented(path: Path, flavour: str) -> bool:
    content = path.read_bytes()
    return SYMBOLS[flavour] in content and COVERAGE_SYMBOL in content


def _import_keeps_gil_off(flavour: str, version: str, site: Path, module: str) -> bool:
    environment = build_environment_for(flavour, version) | {"PYTHONPATH": str(site)}
    command = [str(flavour_python(flavour, version)), "-S", "-W", "ignore", "-c", _PROBE, module]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=IMPORT_SECONDS,
            preexec_fn=child.die_with_parent, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise CouldNotRun(f"importing {module} did not end within {IMPORT_SECONDS} s") from error
    if done.returncode != 0:
        raise CouldNotRun(f"{module} was built but cannot be imported under {flavour}", details=done.stderr[-3000:])
    return "gil False" in done.stdout
