"""Runs a tool with its output in a log, and fails with the log's path and last lines.

    run_logged(["make", "-j2"], log=path, cwd=folder, on_line=task.note)

The tool runs in a process group of its own. It gets SIGTERM when this process dies or is interrupted: make then
removes the file it was writing, so that the next run goes on from whole files.
"""

import ctypes
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from refquake_cli.errors import CouldNotRun

TAIL_LINES = 25
_PR_SET_PDEATHSIG = 1
_GRACE_SECONDS = 5
_libc = ctypes.CDLL(None, use_errno=True)
_running: set[subprocess.Popen] = set()
_stopping = threading.Event()  # for good: the process is about to end


def die_with_parent() -> None:
    """Runs in the child before exec: the kernel stops it when the thread that started it ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def stop_group(process: subprocess.Popen) -> None:
    """SIGTERM to the whole group, SIGKILL if that does not do."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(_GRACE_SECONDS)
            return
        except ProcessLookupError:
            process.wait()
            return
        except subprocess.TimeoutExpired:
            continue


def stop_all() -> None:
    """Stops every tool that runs, also those that other threads started: their run_logged() then fails."""
    _stopping.set()
    for process in list(_running):
        stop_group(process)


def last_lines(log: Path, count: int = TAIL_LINES) -> str:
    with log.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(0, stream.tell() - 64 * 1024))
        lines = stream.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-count:])


def run_logged(
    command: Sequence[str],
    *,
    log: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
    what: str = "",
) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8", errors="backslashreplace") as sink:
        sink.write(f"\n$ {' '.join(command)}\n")
        sink.flush()
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        except OSError as error:
            raise CouldNotRun(f"{what or command[0]}: could not start `{command[0]}`: {error.strerror}") from error
        _running.add(process)
        try:
            if _stopping.is_set():  # it was started too late to be among those that were stopped
                stop_group(process)
            assert process.stdout
            for line in process.stdout:
                sink.write(line)
                if on_line:
                    on_line(line.rstrip())
            process.wait()
        except BaseException:
            stop_group(process)
            raise
        finally:
            _running.discard(process)
    if process.returncode != 0:
        raise CouldNotRun(
            f"{what or command[0]} failed (exit {process.returncode}); the whole log: {log}", details=last_lines(log)
        )
