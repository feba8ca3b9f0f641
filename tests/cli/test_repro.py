"""`refquake repro` and `show`: every form of artefact, and every way a file can be wrong."""

import json
from pathlib import Path

import pytest

from refquake_cli import replay as replaying
from refquake_cli.artefact import Overrides, open_artefact, read_input
from refquake_cli.errors import WrongUse
from refquake_cli.replay import replay_command

PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"


@pytest.fixture
def finding(command, tmp_path: Path) -> Path:
    command("fuzz", "node", "--plant", "setter_race")
    return next((tmp_path / "refquake-out").iterdir())


def test_a_finding_reproduces(command, finding: Path) -> None:
    done = command("repro", finding, "--times", "3")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("target: node")
    assert "WARNING: ThreadSanitizer: data race" in done.stdout
    assert "kind:       data-race" in done.stdout
    assert "signature:  data-race node_get_next@race.c | node_set_next@race.c" in done.stdout
    assert "reproduced: 3 of 3" in done.stdout


def test_the_screen_shows_the_program_once_and_no_path_that_is_gone(command, tmp_path: Path) -> None:
    command("fuzz", "node", "--plant", "oracle", "--flavour", "asan")
    done = command("repro", next((tmp_path / "refquake-out").iterdir()), "--times", "1")
    assert done.stdout.count("target: node") == 1
    assert "ARTEFACT" not in done.stdout
    assert "==refquake== SUMMARY: missed-visit node.Node children" in done.stdout


def test_the_clean_build_does_not_reproduce(command, finding: Path) -> None:
    done = command("repro", finding, "--clean")
    assert done.returncode == 0, done.stderr
    assert "not reproduced: 0 of 5" in done.stdout


def test_k_of_n(command, finding: Path) -> None:
    done = command("repro", finding, "--plant", "flaky", "--times", "4")
    assert done.returncode == 1
    assert "seen:       2 of 4: data-race node_get_next@race.c | node_set_next@race.c" in done.stdout


@pytest.mark.parametrize("name", ["input.bin", "program.prog"])
def test_a_file_in_a_finding_knows_its_finding(command, finding: Path, name: str) -> None:
    done = command("repro", finding / name, "--times", "1")
    assert done.returncode == 1
    assert "setter_race, tsan, profile threads" in done.stderr


def test_a_program_text_names_its_target(command, tmp_path: Path) -> None:
    path = tmp_path / "mine.prog"
    path.write_text(PROGRAM)
    done = command("repro", path, "--plant", "missing_incref", "--times", "1")
    assert done.returncode == 1, done.stderr
    assert "missing_incref, asan, profile lifecycle" in done.stderr


def test_show(command, finding: Path, tmp_path: Path) -> None:
    assert command("show", finding).stdout == PROGRAM
    raw = tmp_path / "crash-abc"
    raw.write_text("PROGRAM")
    assert command("show", raw).stdout == PROGRAM


@pytest.mark.parametrize("verb", ["repro", "show"])
def test_wrong_files_are_one_line_and_exit_2(command, verb: str, tmp_path: Path) -> None:
    empty, bad, other = tmp_path / "empty", tmp_path / "bad.prog", tmp_path / "other.prog"
    empty.touch()
    bad.write_text("phase:\n    lane:\n        bad\n")
    other.write_text(PROGRAM.replace("node", "nope"))
    (tmp_path / "folder").mkdir()
    cases = {
        "missing": "no such file: missing",
        "empty": "empty is empty",
        "bad.prog": "bad.prog:3:9: expected an op",
        "other.prog": "no such target: nope; there are: node",
        "folder": "folder is not a finding",
    }
    for name, words in cases.items():
        done = command(verb, name)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_a_finding_described_wrongly(command, tmp_path: Path) -> None:
    folder = tmp_path / "finding"
    folder.mkdir()
    (folder / "finding.json").write_text("{}")
    done = command("repro", folder)
    assert done.returncode == 2
    assert "does not describe a finding" in done.stderr


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([], "it holds no table"),
        ({"target": 5}, "target is '5', which is no str"),
        ({"version": []}, "version is '[]', which is no str"),
        ({"variant": None}, "variant is 'None', which is no str"),
        ({"seconds": "long"}, "seconds is 'long', which is no float"),
        ({"target": "no\0de"}, "holds a NUL character"),
        ({"release": "\ud800"}, "holds half of a surrogate pair"),
        ({"recipe": {"arguments": ["\0"]}}, "holds a NUL character"),
        ({"recipe": {"ops": {"\ud800": "len"}}}, "holds half of a surrogate pair"),
    ],
)
def test_a_finding_with_a_wrong_field(command, finding: Path, wrong: dict | list, words: str) -> None:
    path = finding / "finding.json"
    content = wrong and json.loads(path.read_text()) | wrong
    path.write_text(json.dumps(content))
    for verb in ("repro", "show"):
        done = command(verb, finding)
        assert done.returncode == 2, done.stderr
        assert done.stderr.splitlines()[-1].startswith(f"refquake: {path} does not describe a finding: ")
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("value", "words"), [("\\u0000", "NUL character"), ("\\ud800", "half of a surrogate pair")])
def test_a_recipe_that_no_process_can_take(command, tmp_path: Path, value: str, words: str) -> None:
    (tmp_path / "a.prog").write_text(f'# variant: oracle\n# argument: "{value}"\n{PROGRAM}')
    done = command("repro", "a.prog")
    assert done.returncode == 2
    assert done.stderr.startswith("refquake: a.prog: its comments hold no recipe: line 2: argument: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


HEADED = "# argument: \"'x'\"\n# variant: oracle\n# flavour: tsan\ntarget: node  # mine\nprofile:\tlifecycle# too\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_headers_are_read_as_the_binary_reads_them(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a.prog"
    path.write_text(HEADED + "phase:\n    lane:\n        pass\n", newline=end)
    artefact = open_artefact(path, Overrides())
    job = artefact.job
    assert (job.target, job.variant, job.flavour, job.profile) == ("node", "oracle", "tsan", "lifecycle")
    assert job.recipe.values == ("'x'",)


@pytest.fixture
def without_binaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a checkout that was never built."""
    monkeypatch.setattr(replaying.targets, "binary_command", lambda *_: ["fuzz_threads"])


@pytest.mark.parametrize(("stated", "repeat"), [("", 2), ("# repeat: 40\n", 40), ("# repeat: 1 \r\n", 1)])
@pytest.mark.usefixtures("without_binaries")
def test_a_program_runs_again_in_a_process_that_it_has_warmed(tmp_path: Path, stated: str, repeat: int) -> None:
    path = tmp_path / "a.prog"
    path.write_bytes((stated + "target: node\nphase:\n    lane:\n        a = Node()\n").encode())
    artefact = open_artefact(path, Overrides())
    assert artefact.repeat == repeat
    assert f"--repeat={repeat}" in replay_command(artefact)


@pytest.mark.usefixtures("without_binaries")
def test_a_process_that_runs_its_program_often_may_take_longer(tmp_path: Path, monkeypatch) -> None:
    given = []
    monkeypatch.setattr(replaying, "run_once", lambda command, version, seconds: given.append(seconds) or (None, ""))
    for repeat in (1, 200):
        path = tmp_path / "a.prog"
        path.write_text(f"# repeat: {repeat}\ntarget: node\nphase:\n    lane:\n        a = Node()\n")
        [one] = replaying.replay(open_artefact(path, Overrides()), 1)
        assert one.report.signature == "hang no end in time"
    assert given[1] > given[0] + 200


@pytest.mark.parametrize("stated", ["0", "-1", "often", "", "1234567"])
def test_how_often_is_a_number(command, tmp_path: Path, stated: str) -> None:
    path = tmp_path / "a.prog"
    path.write_text(f"# repeat: {stated}\ntarget: node\nphase:\n    lane:\n        a = Node()\n")
    done = command("repro", path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"refquake: {path}:1: '# repeat:")
    assert "how often to repeat is a number from 1 to 999999" in done.stderr


def test_how_often_is_said_once(command, tmp_path: Path) -> None:
    (tmp_path / "a.prog").write_text("# repeat: 2\n# seen: 5 of 5\n# repeat: 2\n" + PROGRAM)
    done = command("repro", "a.prog")
    assert done.returncode == 2
    assert done.stderr == "refquake: a.prog:3: '# repeat: 2': how often to repeat is said twice: keep one\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_named(command, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.prog").write_text(PROGRAM, encoding=encoding)
    done = command("show", "a.prog")
    assert done.returncode == 2
    assert done.stderr == "refquake: a.prog begins with a byte order mark (BOM): save it as UTF-8 without one\n"


def test_an_unreadable_artefact(tmp_path: Path) -> None:
    """A folder where a file should be: root may read every file, so permissions prove nothing."""
    with pytest.raises(WrongUse, match="cannot read .*: Is a directory"):
        read_input(tmp_path)


def test_a_finding_without_reproducer_says_so(command, finding: Path) -> None:
    for name in ("input.bin", "program.prog"):
        (finding / name).unlink()
    done = command("repro", finding)
    assert done.returncode == 2
    assert "has no reproducer, only a report" in done.stderr


def test_plant_and_clean_exclude_each_other(command, tmp_path: Path) -> None:
    (tmp_path / "p.prog").write_text(PROGRAM)
    assert command("repro", "p.prog", "--plant", "oracle", "--clean").returncode == 2
    done = command("repro", "p.prog", "--plant", "nope")
    assert done.returncode == 2
    assert "node has no plant nope" in done.stderr
