"""A recipe stays with what was found under it: bytes and text mean what they meant, wherever they are replayed."""

import json
import sys
from pathlib import Path

import pytest
from refquake_cli import environments, targets
from refquake_cli.added import Added, store_manifest
from refquake_cli.artefact import Artefact, Overrides, open_artefact
from refquake_cli.commands.triage import _save as save_as_folder
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.export_python import check_program
from refquake_cli.export_script import Checks, Script
from refquake_cli.findings import Finding, load, store
from refquake_cli.job import Job
from refquake_cli.minimize import _Writer
from refquake_cli.op_list import parse_op_list
from refquake_cli.program_model import parse_program
from refquake_cli.publish.gather import _graph
from refquake_cli.recipe import Recipe, recipe_in_comments
from refquake_cli.store import Sighting, Store

RECIPE = Recipe(("f", "Box.clear"), ("[('a', 1)]", 'b"\\n"'), (("pair", "lambda: Box([1, '=']) "),))
FLAGS = ["--deny=f", "--deny=Box.clear", "--value=[('a', 1)]", '--value=b"\\n"', "--op=pair=lambda: Box([1, '=']) "]
PROGRAM = "target: foo\nprofile: lifecycle\nphase:\n    lane:\n        a = pair()\n        b = Box([('a', 1)])\n"
OPS = "call\tcreate\tBox\t1\t\ncall\tcall\tpair\t0\t\n"
VERSION = "3.15.0rc2"  # not the default


def add(release: str, version: str = VERSION) -> Added:
    folder = environments.environment_folder("asan", version, f"foo=={release}")
    folder.mkdir(parents=True)
    added = Added("foo", release, "foo", ["foo"], [], True, str(folder / "site"))
    store_manifest(folder, added)
    return added


@pytest.fixture(autouse=True)
def _fake_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "fuzz_binary", lambda *_: Path("fuzz"))


@pytest.fixture
def finding(tmp_path: Path) -> Path:
    """Found with foo 1 under a recipe; since then foo 2 was added, and the current folder has no recipe."""
    add("1")
    folder = tmp_path / "out" / "finding"
    description = Finding(
        "segv", "segv f@foo.c", "0", "foo", "clean", "asan", "lifecycle", VERSION, 1, 2, 3.0, "foo.so", RECIPE, "foo==1"
    )
    artefact = tmp_path / "bytes"
    artefact.write_bytes(b"x")
    store(folder, description, artefact, PROGRAM, "a report")
    add("2")
    return folder


def check(artefact: Artefact) -> None:
    command = targets.binary_command(artefact.job, artefact.version)
    assert [flag for flag in command if flag.startswith(("--deny", "--value", "--op"))] == FLAGS
    assert any(flag.endswith(f"/{VERSION}-asan/foo==1/site") for flag in command)
    assert artefact.version == VERSION


def test_a_finding_is_replayed_as_it_was_found(finding: Path) -> None:
    assert load(finding).recipe == RECIPE
    for path in (finding, finding / "input.bin", finding / "program.prog"):
        check(open_artefact(path, Overrides()))


def test_the_current_folder_s_recipe_is_another_run_s(finding: Path, tmp_path: Path) -> None:
    (tmp_path / "refquake.toml").write_text('[foo]\nleave-out = ["g"]\n')
    check(open_artefact(finding, Overrides()))
    by_hand = tmp_path / "mine.prog"
    by_hand.write_text(f"# version: {VERSION}\n{PROGRAM}")
    assert open_artefact(by_hand, Overrides()).job.recipe == Recipe(("g",))


def test_another_target_has_another_recipe(finding: Path) -> None:
    job = open_artefact(finding, Overrides(target="node")).job
    assert (job.target, job.recipe, job.release) == ("node", Recipe(), "")


def test_a_page_s_graph_is_of_the_release_it_was_found_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Store(tmp_path / "store.sqlite")
    job = ("foo", "clean", "asan", "threads", VERSION)
    number = database.add(Sighting(*job, "segv", "segv f", 1.0, program=PROGRAM, recipe=RECIPE, release="foo==1"))
    asked: list[Job] = []

    def op_list(job: Job, _version: str) -> None:
        asked.append(job)
        raise CouldNotRun("no binary")

    monkeypatch.setattr("refquake_cli.op_list.op_list", op_list)
    _graph(parse_program(PROGRAM), database.finding(number))
    assert [(job.recipe, job.release) for job in asked] == [(RECIPE, "foo==1")]


def test_a_program_text_keeps_it_outside_its_folder(finding: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.prog"
    copy.write_text(f"# version: {VERSION}\n# release: foo==1\n" + (finding / "program.prog").read_text())
    check(open_artefact(copy, Overrides()))


def test_a_minimised_program_keeps_it(finding: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.prog"
    _Writer(out, open_artefact(finding, Overrides()))(parse_program(PROGRAM))
    check(open_artefact(out, Overrides()))


def test_a_release_that_is_gone_is_named(finding: Path) -> None:
    artefact = open_artefact(finding, Overrides(flavour="tsan"))
    with pytest.raises(CouldNotRun, match=f"foo==1 was not added for tsan and CPython {VERSION}"):
        targets.binary_command(artefact.job, artefact.version)


def test_comments_that_hold_no_recipe(tmp_path: Path) -> None:
    path = tmp_path / "bad.prog"
    path.write_text('# leave-out: "\\x"\n' + PROGRAM)
    with pytest.raises(WrongUse, match="its comments hold no recipe"):
        open_artefact(path, Overrides())
    assert recipe_in_comments(PROGRAM) is None
    assert recipe_in_comments(RECIPE.comments()) == RECIPE


def test_a_job_survives_json() -> None:
    job = Job("foo", "clean", "asan", "threads", ("segv",), RECIPE, "foo==1")
    assert Job.from_json(json.loads(json.dumps(job.to_json()))) == job


def test_the_store_keeps_it(tmp_path: Path) -> None:
    database = Store(tmp_path / "store.sqlite")
    job = ("foo", "clean", "asan", "threads", VERSION)
    number = database.add(Sighting(*job, "segv", "segv f", 1.0, recipe=RECIPE, release="foo==1"))
    row = database.finding(number)
    assert (row.recipe, row.release) == (RECIPE, "foo==1")
    save_as_folder(row, tmp_path / "saved")
    assert (load(tmp_path / "saved").recipe, load(tmp_path / "saved").release) == (RECIPE, "foo==1")


def test_a_script_has_the_recipe_s_ops_and_values(tmp_path: Path) -> None:
    table = parse_op_list("foo", OPS, RECIPE)
    program = parse_program(PROGRAM)
    check_program(program, table)
    text = Script(program, table).text(Checks(), {})
    (tmp_path / "foo.py").write_text("class Box(list):\n    pass\n")
    names: dict[str, object] = {}
    sys.path.insert(0, str(tmp_path))
    try:
        exec(compile(text, "script", "exec"), names)
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("foo", None)
    assert list(names["op_pair"]()) == [1, "="]
    with pytest.raises(WrongUse, match="is no value"):
        check_program(parse_program(PROGRAM.replace("('a', 1)", "print()")), table)
