"""The example project builds outside the repository, and its fuzz target runs."""

import os
import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).parent / "project"
EXECUTIONS = 200


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace")


def test_builds_with_find_package_and_runs(tmp_path: Path) -> None:
    source, build = tmp_path / "project", tmp_path / "build"
    shutil.copytree(PROJECT, source)
    configured = run(
        "cmake", "-S", str(source), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        f"-DCMAKE_C_COMPILER={os.environ['REFQUAKE_CC']}", f"-DCMAKE_CXX_COMPILER={os.environ['REFQUAKE_CXX']}",
        f"-Drefquake_DIR={os.environ['REFQUAKE_BUILD']}", cwd=tmp_path,
    )  # fmt: skip
    assert configured.returncode == 0, configured.stdout + configured.stderr
    built = run("cmake", "--build", str(build), cwd=tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    binary = [str(build / "fuzz_tally"), "--module=tally", f"--path={build}"]
    listed = run(*binary, "--list-ops", cwd=tmp_path)
    assert "call\tcall\tcount\t1\t" in listed.stdout, listed.stdout + listed.stderr
    ran = run(*binary, f"-runs={EXECUTIONS}", "-seed=1", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert f"Done {EXECUTIONS} runs" in ran.stderr


def test_a_missing_build_tree_is_named(tmp_path: Path) -> None:
    failed = run("cmake", "-S", str(PROJECT), "-B", str(tmp_path / "build"), f"-Drefquake_DIR={tmp_path}", cwd=tmp_path)
    assert failed.returncode != 0
    assert "refquake" in failed.stderr
