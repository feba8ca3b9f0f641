"""`refquake test` and `bench`: passed, failed and nothing to run are three different exits."""

import re
from pathlib import Path

import pytest

from conftest import make_repository

TESTS = """
enable_testing()
add_test(NAME good COMMAND cmake -E true)
add_test(NAME bad COMMAND cmake -E false)
add_test(NAME speed COMMAND cmake -E echo 1000 ops)
set_tests_properties(speed PROPERTIES LABELS bench)
"""


@pytest.fixture
def run(command, tmp_path: Path):
    root = tmp_path / "repository"
    make_repository(root)
    with (root / "CMakeLists.txt").open("a") as stream:
        stream.write(TESTS)
    return lambda *arguments: command(*arguments, PYTHONPATH=str(root / "harness" / "cli"))


def test_a_failing_test_is_exit_1_and_its_name_is_seen(run) -> None:
    done = run("test", "--flavour", "asan", "--flavour", "tsan")
    assert done.returncode == 1, done.stderr
    assert len(re.findall(r"50% tests passed, 1 tests failed out of 2", done.stdout)) == 2
    assert "bad (Failed)" in done.stdout
    assert "tests in tsan: FAILED" in done.stderr


def test_passing_is_exit_0(run) -> None:
    done = run("test", "--flavour", "asan", "-k", "good")
    assert done.returncode == 0, done.stderr
    assert "100% tests passed, 0 tests failed out of 1" in done.stdout


def test_no_match_is_not_a_pass(run) -> None:
    assert run("test", "--flavour", "asan", "-k", "nothing-like-it").returncode == 3


def test_bench_runs_only_the_benchmarks(run) -> None:
    done = run("bench", "--flavour", "asan")
    assert done.returncode == 0, done.stderr
    assert "1000 ops" in done.stdout
    assert "bad" not in done.stdout
