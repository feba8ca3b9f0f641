"""An extension under an ordinary interpreter: hooks compiled once, fixed addresses where the kernel grants them."""

import contextlib
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refquake_cli import place

MEETING_SECONDS = 1  # how long a compilation waits for another that must not come


def test_two_threads_compile_the_hooks_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    begin, both_compile = threading.Barrier(2), threading.Barrier(2)
    compiled: list[str] = []

    def compile_hooks(command: list[str], **_: object) -> subprocess.CompletedProcess:
        compiled.append(command[2])
        with contextlib.suppress(threading.BrokenBarrierError):
            both_compile.wait(MEETING_SECONDS)
        Path(command[2]).write_text("hooks")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(place.subprocess, "run", compile_hooks)

    def ask(_: int) -> Path:
        begin.wait()
        return place.coverage_hooks()

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(ask, range(2))
    assert one == other
    assert one.read_text() == "hooks"
    assert len(compiled) == 1


@pytest.mark.parametrize(("answer", "prefix"), [(0, ["-R"]), (1, [])], ids=["granted", "refused"])
def test_fixed_addresses_are_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int, prefix: list[str]
) -> None:
    setarch = tmp_path / "setarch"
    setarch.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexit {answer}\n")
    setarch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    place.fixed_addresses.cache_clear()
    try:
        where = place.Place(Path("python"), None, Path("hooks.so"), "3.14.7")
        commands = [place.command(where) for _ in range(2)]
    finally:
        place.fixed_addresses.cache_clear()
    assert commands == [[*([str(setarch)] if prefix else []), *prefix, "python", "-S"]] * 2
    assert (tmp_path / "asked").read_text() == "asked\n"
