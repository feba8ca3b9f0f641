"""The fuzz binary's contract: self-proof, replay, bad input, exit codes."""

import re
from pathlib import Path

import pytest
from conftest import FLAVOUR
from fuzz_once import binary, command, fuzz, replay, run

CYCLE = """target: node
profile: lifecycle
phase:
    lane:
        a = Node()
        b = Node(a)
        a.left = b
        del a
        gc.collect()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "cycle.prog"
    path.write_text(CYCLE, encoding="utf-8")
    return path


@pytest.mark.parametrize("canary", ["finding", "fatal", {"asan": "use-after-free", "tsan": "race"}[FLAVOUR]])
def test_canary_is_reported(canary: str) -> None:
    done = run([str(binary("lifecycle")), f"--canary={canary}"], timeout=120)
    assert done.code == 77, done.output


def test_start_fails_if_a_canary_stays_silent(tmp_path: Path) -> None:
    """A binary whose canaries cannot start (no interpreter there) says so and does not fuzz."""
    done = run(command("node", "clean", "lifecycle", f"--home={tmp_path}", "-runs=1"), timeout=120)
    assert done.code == 3
    assert "self-proof failed" in done.output


def test_finding_is_replayed(program: Path) -> None:
    done = replay("node", "missing_untrack", "lifecycle", program)
    assert done.code == 77
    assert done.kind == "still-tracked-at-free"
    assert "a.left = b" in done.output


def test_clean_build_replays_in_silence(program: Path) -> None:
    done = replay("node", "clean", "lifecycle", program, repeat=20)
    assert done.code == 0, done.output
    assert "NOTHING FOUND in 20 runs" in done.output


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"target: node\nphase:\n    lane:\n        a = Nude()\n", ":4:"),
        (b"target: ring\nphase:\n    lane:\n        pass\n", ":1:"),
        (b"# \xff\xfe\n", ":1:"),
    ],
)
def test_bad_program_is_wrong_use(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.prog"
    path.write_bytes(content)
    done = replay("node", "clean", "lifecycle", path)
    assert done.code == 2, done.output
    assert expected in done.output


def test_missing_file_is_wrong_use(tmp_path: Path) -> None:
    done = replay("node", "clean", "lifecycle", tmp_path / "none")
    assert done.code == 2
    assert "No such file" in done.output


def test_unknown_flag_is_wrong_use() -> None:
    assert run([str(binary("lifecycle")), "--modul=node"], timeout=60).code == 2


def test_missing_module_could_not_run() -> None:
    done = run([str(binary("lifecycle")), "--module=no_such_module", "--self-proof=0"], timeout=60)
    assert done.code == 3
    assert "no_such_module" in done.output


def test_random_bytes_never_crash_the_harness(tmp_path: Path) -> None:
    import random

    random.seed(7)
    for number in range(10):
        path = tmp_path / f"bytes-{number}"
        path.write_bytes(random.randbytes(random.randrange(1, 6000)))
        done = replay("node", "clean", "threads", path)
        assert done.code == 0, done.output


def test_sanitizer_finding_leaves_its_artefact(tmp_path: Path) -> None:
    done = fuzz("node", "size_left_behind", "lifecycle", 1, 60, f"-artifact_prefix={tmp_path}/")
    assert done.code == 77
    artefacts = [path for path in tmp_path.iterdir() if path.suffix != ".prog"]
    assert len(artefacts) == 1
    assert f"ARTEFACT: {artefacts[0]}" in done.output
    assert replay("node", "size_left_behind", "lifecycle", artefacts[0]).kind == done.kind
    assert replay("node", "clean", "lifecycle", artefacts[0]).code == 0


@pytest.mark.parametrize("flag", ["--show=", "--replay=", "--repeat=", "--canary="])
def test_flag_without_its_value_is_wrong_use(flag: str) -> None:
    assert run(command("node", "clean", "lifecycle", flag, "-runs=0"), timeout=60).code == 2


def test_replaying_no_times_is_wrong_use(program: Path) -> None:
    done = run(command("node", "clean", "lifecycle", f"--replay={program}", "--repeat=0"), timeout=60)
    assert done.code == 2
    assert "--repeat=0" in done.output


def test_a_device_is_no_program() -> None:
    done = replay("node", "clean", "lifecycle", Path("/dev/zero"))
    assert done.code == 2
    assert "not a regular file" in done.output


@pytest.mark.parametrize(
    "flag",
    [
        "--gil=xyz", "--judge=banana", "--feedback=banana", "--self-proof=x", "--list-ops=2", "--canary=none",
        "--repeat=many", "--deadline=0", "--op=foo", "--op==len", "--module", "--known=/nope", "--op-stats=/nope/stats.tsv", "--state=/nope/state",
        "--value=1/0", "--value=1 +", "--value=a", "--op=foo=nonsense",
    ],
)  # fmt: skip
def test_a_flag_that_cannot_be_meant_is_wrong_use(flag: str) -> None:
    done = run(command("node", "clean", "lifecycle", flag, "-runs=0"), timeout=60)
    assert done.code == 2, done.output
    (line,) = [line for line in done.output.splitlines() if line.startswith("refquake: ")]
    name = flag.split("=")[0].removeprefix("--")
    assert re.search(rf"(?<![\w/]){name}\b", line), line  # the flag, not a path in its value


@pytest.mark.parametrize("flag", ["--artefacts", "-artifact_prefix"])
def test_a_prefix_too_long_is_wrong_use(flag: str) -> None:
    done = run(command("node", "clean", "lifecycle", f"{flag}={'x' * 5000}", "-runs=0"), timeout=60)
    assert done.code == 2, done.output
    assert "--artefacts: a prefix of 50" in done.output and "at most 4000" in done.output


def test_no_module_is_wrong_use() -> None:
    done = run([str(binary("lifecycle")), "-runs=0"], timeout=60)
    assert done.code == 2
    assert "--module=NAME" in done.output


@pytest.mark.parametrize("flag", ["replay", "show"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hello\n", ":1:1: expected 'target:'"),
        ("profile: lifecycle\nphase:\n    lane:\n        a = Node()\n", ":2:1: expected 'target: node'"),
        ("target: node\nschedule: pct(depth=0, seed=1)\n", ":2:21: a depth"),
        ("target: node\nschedule: replay(9>0, 3>1)\n", ":2:23: the steps"),
    ],
)
def test_text_is_never_taken_as_bytes(tmp_path: Path, flag: str, content: str, expected: str) -> None:
    path = tmp_path / "bad.prog"
    path.write_text(content, encoding="utf-8")
    done = run(command("node", "clean", "lifecycle", f"--{flag}={path}"), timeout=60)
    assert done.code == 2, done.output
    assert f"{path}{expected}" in done.output


def test_encoding_to_a_folder_leaves_nothing_behind(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = run(command("node", "clean", "lifecycle", f"--encode={program},{folder}"), timeout=60)
    assert done.code == 2
    assert f"{folder}: is a directory" in done.output
    assert sorted(tmp_path.rglob("*")) == before


CACHE_HEAD = "target: cache\nphase:\n    lane:\n        "


def test_what_loading_shows_is_reported_by_a_campaign(tmp_path: Path) -> None:
    done = fuzz("cache", "state_not_visited", "lifecycle", 1, 60, f"-artifact_prefix={tmp_path}/")
    assert (done.code, done.kind) == (77, "leaked-type")


def test_what_loading_shows_is_reproduced_by_a_program_without_ops(tmp_path: Path) -> None:
    path = tmp_path / "empty.prog"
    path.write_text(CACHE_HEAD + "pass\n", encoding="utf-8")
    done = replay("cache", "state_not_visited", "lifecycle", path)
    assert (done.code, done.kind) == (77, "leaked-type")
    assert replay("cache", "clean", "lifecycle", path).code == 0


def test_what_loading_shows_does_not_hide_what_a_program_does(tmp_path: Path) -> None:
    path = tmp_path / "some.prog"
    path.write_text(CACHE_HEAD + "a = Cache()\n", encoding="utf-8")
    assert replay("cache", "state_not_visited", "lifecycle", path).code == 0


def module(folder: Path, source: str) -> list[str]:
    """A binary's arguments for a Python module of that source."""
    (folder / "sample.py").write_text(source, encoding="utf-8")
    return [str(binary("lifecycle")), "--module=sample", f"--path={folder}", "--self-proof=0"]


def test_an_import_that_hangs_is_ended_and_named(tmp_path: Path) -> None:
    done = run([*module(tmp_path, "while True: pass\n"), "--deadline=1", "-runs=1"], timeout=60)
    assert done.code == 70, done.output
    assert "==refquake== LOADING HANGS: import sample" in done.output
    assert "did not end within 3 s" in done.output


def test_a_trial_call_that_hangs_is_ended_and_named(tmp_path: Path) -> None:
    source = "def spin():\n    while True: pass\n"
    done = run([*module(tmp_path, source), "--op=spin=spin", "--deadline=1", "-runs=1"], timeout=60)
    assert done.code == 70, done.output
    assert "==refquake== TRIAL HANGS: spin()" in done.output


def test_a_slow_import_is_no_finding(tmp_path: Path) -> None:
    """The guard looks several times while it lasts, also at what it notes of the calls that follow."""
    source = "import time\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass\ndef call(): pass\n"
    done = run([*module(tmp_path, source), "--op=call=call", "--deadline=1", "-runs=1"], timeout=60)
    assert done.code == 0, done.output


LIBC_EXITS = [f"ctypes.CDLL(None).{name}(0)" for name in ("exit", "_Exit", "quick_exit")]


@pytest.mark.parametrize("end", ["os._exit(0)", *LIBC_EXITS])
def test_an_import_that_ends_the_process_is_not_green(tmp_path: Path, end: str) -> None:
    done = run([*module(tmp_path, f"import {end.split('.')[0]}\n{end}\n"), "-runs=1"], timeout=60)
    assert done.code == 3, done.output
    assert "could not run sample: import sample ended the process" in done.output


def test_a_trial_call_that_ends_the_process_is_named(tmp_path: Path) -> None:
    source = "import os\ndef leave():\n    os._exit(0)\n"
    done = run([*module(tmp_path, source), "--op=leave=leave", "--list-ops"], timeout=60)
    assert done.code == 3, done.output
    assert "==refquake== TRIAL: leave()" in done.output


# The harness switches the automatic collector off when discovery is over.
LEAVES_LATER = "import gc, os\ndef leave():\n    if not gc.isenabled(): os._exit(0)\n"


def test_a_program_that_ends_the_process_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "leave.prog"
    path.write_text("target: sample\nphase:\n    lane:\n        leave()\n", encoding="utf-8")
    done = run([*module(tmp_path, LEAVES_LATER), "--op=leave=leave", f"--replay={path}"], timeout=60)
    assert (done.code, done.kind) == (77, "exit"), done.output
    assert "ended the process with exit status 0" in done.output


def test_a_module_with_nothing_to_fuzz_could_not_run(tmp_path: Path) -> None:
    done = run([*module(tmp_path, "NUMBER = 1\n"), "-runs=10"], timeout=60)
    assert done.code == 3, done.output
    assert "sample has nothing to fuzz" in done.output


CONTEXT = """target: _contextvars
profile: lifecycle
phase:
    lane:
        a = ContextVar("text")
        c = a.set([])
        d = copy_context()
        c = a.set(d)
"""


def test_what_a_context_variable_holds_goes_with_the_program(tmp_path: Path) -> None:
    """The thread's context is no slot, and outlives a program; nothing set in it does, and no two programs share it."""
    path = tmp_path / "context.prog"
    path.write_text(CONTEXT, encoding="utf-8")
    flags = ["--module=_contextvars", f"--replay={path}", "--repeat=3"]
    done = run([str(binary("lifecycle")), *flags], timeout=300)
    assert done.code == 0, done.output


STUCK = {
    "long-run": "all(zero == 0 for zero in iter(int, 1))",  # computes for ever
    "deadlock": "__import__('threading').Event().wait()",  # for another thread, and there is none
    "hang": "__import__('os').read(__import__('os').pipe()[0], 1)",  # for something from outside
}
TRIALS = 20  # more calls than discovery makes: it would not take an op that hangs


@pytest.mark.parametrize("kind", STUCK)
def test_computing_for_ever_is_told_from_waiting_for_ever(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "stuck.prog"
    path.write_text("target: node\nprofile: lifecycle\nphase:\n    lane:\n        stay()\n", encoding="utf-8")
    op = f"(lambda calls: lambda: next(calls) > {TRIALS} and {STUCK[kind]})(iter(range(1000)))"
    flags = [f"--replay={path}", f"--repeat={TRIALS + 2}", "--deadline=3", f"--op=stay={op}"]
    done = run(command("node", "clean", "lifecycle", *flags), timeout=300)
    assert done.code == 77, done.output
    assert done.kind == kind, done.output


def test_a_forked_child_does_not_go_on_fuzzing(tmp_path: Path) -> None:
    """The child would run the rest of the programs too: each line of the parent's output would come again."""
    op = "(lambda os: lambda: os.fork())(__import__('os'))"
    path = tmp_path / "fork.prog"
    path.write_text("target: node\nprofile: lifecycle\nphase:\n    lane:\n        part()\n", encoding="utf-8")
    done = run(command("node", "clean", "lifecycle", f"--replay={path}", "--repeat=3", f"--op=part={op}"), timeout=300)
    assert done.code == 0, done.output
    assert done.output.count("NOTHING FOUND in 3 runs") == 1


def test_what_is_no_module_could_not_run(tmp_path: Path) -> None:
    done = run([*module(tmp_path, "import sys\nsys.modules[__name__] = 42\n"), "-runs=1"], timeout=60)
    assert done.code == 3, done.output
    assert "gives no module but int" in done.output


def test_an_artefact_lies_where_it_was_asked_for(tmp_path: Path) -> None:
    """Whatever folder the module makes the working one."""
    away = tmp_path / "away"
    away.mkdir()
    done = fuzz("node", "missing_untrack", "lifecycle", 1, 60, f"--value=__import__('os').chdir({str(away)!r})")
    assert done.code == 77, done.output
    assert not list(away.iterdir())
