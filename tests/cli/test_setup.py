"""`refquake setup` on a fake source: whole or not at all, resumed, locked, and clear when it fails."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import CLI
from fake_source import make_archive, make_gate, setup_command, start
from refquake_cli.sources import sha256_of


class Bench:
    """A cache, an archive, and a way to run set-up with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "xdg" / "refquake"
        (folder / "source").mkdir()
        self.archive = make_archive(folder / "source")
        self.sha256 = sha256_of(self.archive)
        self.environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(folder / "xdg"),
            "PYTHONPATH": str(CLI),
            "REFQUAKE_NO_INSTALL": "1",
            "REFQUAKE_TEST_FOLDER": str(folder),
            "CI": "1",
        }

    def command(self, *arguments: str) -> list[str]:
        return setup_command(self.sha256, *arguments, "--source", str(self.archive))

    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess:
        environment = {**self.environment, **extra}
        return subprocess.run(self.command(*arguments), env=environment, capture_output=True, text=True, timeout=120)

    def stopped_at(self, step: str, *arguments: str) -> subprocess.Popen:
        """A set-up that waits inside `step`."""
        make_gate(self.folder)
        process = start(self.command(*arguments), {**self.environment, "REFQUAKE_TEST_GATE": step})
        with (self.folder / "reached").open() as reached:
            reached.readline()
        return process

    def open_gate(self) -> None:
        with (self.folder / "gate").open("w") as gate:
            gate.write("go\n")

    def steps(self) -> list[str]:
        return (self.folder / "steps").read_text().split()

    def installed(self) -> list[str]:
        folder = self.cache / "interpreters"
        return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_two_flavours_from_nothing(bench: Bench) -> None:
    done = bench.run("asan", "tsan")
    assert done.returncode == 0, done.stderr
    for flavour in ("asan", "tsan"):
        link = bench.cache / "interpreters" / f"current-3.14.7-{flavour}"
        assert link.is_symlink()
        assert not os.path.isabs(os.readlink(link))
        library = link / "lib" / "python3.14t"
        assert (library / "json" / "__init__.py").exists()
        assert (library / "_sysconfigdata_t_linux.py").exists()
        assert (link / "bin" / "python3.14t").exists()
        assert not (library / "test").exists()
        assert not (library / "idlelib").exists()
        assert f"{flavour} interpreter: built" in done.stderr
    assert not any((bench.cache / "build").iterdir())


def test_warm_does_nothing(bench: Bench) -> None:
    bench.run("asan")
    before = bench.steps()
    assert bench.run("asan").returncode == 0
    assert bench.steps() == before


@pytest.mark.parametrize("step", ["configure", "all", "install", "start"])
def test_kill_9_leaves_nothing_half_and_the_next_run_goes_on(bench: Bench, step: str) -> None:
    process = bench.stopped_at(step, "asan")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert bench.installed() == []
    done = bench.run("asan")
    assert done.returncode == 0, done.stderr
    assert [name for name in bench.installed() if name.startswith("current-")] == ["current-3.14.7-asan"]
    # What was finished is not done again.
    assert bench.steps().count("configure") == (2 if step == "configure" else 1)
    assert bench.steps().count("all") == (2 if step == "all" else 1)


def test_ctrl_c_stops_the_tools_and_exits_130(bench: Bench) -> None:
    process = bench.stopped_at("all", "asan")
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert bench.installed() == []


def test_the_second_builder_says_whom_it_waits_for_and_builds_nothing_twice(bench: Bench) -> None:
    first = bench.stopped_at("all", "asan")
    second = start(bench.command("asan"), bench.environment)
    line = second.stderr.readline()
    assert f"waiting for process {first.pid} (setup of CPython 3.14.7 asan)" in line
    bench.open_gate()
    assert first.wait(60) == 0
    assert second.wait(60) == 0
    assert bench.steps().count("all") == 1


def test_a_failing_step_names_the_log_and_shows_its_last_lines(bench: Bench) -> None:
    done = bench.run("asan", REFQUAKE_TEST_FAIL="all")
    assert done.returncode == 3
    assert "the all step broke here" in done.stderr
    log = next((bench.cache / "logs").iterdir())
    assert f"compiling the asan interpreter failed (exit 2); the whole log: {log}" in done.stderr
    assert bench.installed() == []
    assert bench.run("asan").returncode == 0


def test_an_interpreter_that_does_not_start_is_not_installed(bench: Bench) -> None:
    done = bench.run("asan", REFQUAKE_TEST_FAIL="start")
    assert done.returncode == 3
    assert "starting the interpreter that was built failed (exit 1)" in done.stderr
    assert bench.installed() == []


@pytest.mark.parametrize("broken", ["asan", "tsan"])
def test_one_flavour_failing_does_not_spoil_the_other(bench: Bench, broken: str) -> None:
    done = bench.run("asan", "tsan", REFQUAKE_TEST_FAIL="all", REFQUAKE_TEST_FAIL_IN=broken)
    assert done.returncode == 3
    (good,) = {"asan", "tsan"} - {broken}
    assert [name for name in bench.installed() if name.startswith("current-")] == [f"current-3.14.7-{good}"]


def test_another_compiler_is_another_interpreter(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from refquake_cli import flavours, toolchain

    keys = set()
    for compiler in ("clang 19.1.0", "clang 19.1.7"):
        monkeypatch.setattr(toolchain, "compiler_identity", lambda compiler=compiler: compiler)
        keys |= {flavours.recipe_for(version, "asan").key for version in ("3.13.5", "3.14.7")}
        keys.add(flavours.recipe_for("3.14.7", "tsan").key)
    assert len(keys) == 6
