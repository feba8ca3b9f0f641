"""`refquake show --graph`: what the text makes of the object graph, and how it is drawn."""

import sys
from pathlib import Path

import pytest
from test_export import program_of
from test_minimize import OPS

from refquake_cli import graph_draw, op_list
from refquake_cli.artefact import Artefact
from refquake_cli.commands.show import _show_graph
from refquake_cli.graph import graph_before_last_phase
from refquake_cli.graph_draw import dot_text, draw
from refquake_cli.job import Job
from refquake_cli.op_list import parse_op_list

TABLE = parse_op_list("node", OPS)


def listing(*phases: list[str]) -> list[str]:
    return graph_before_last_phase(program_of(*phases), TABLE)[0].listing()


@pytest.mark.parametrize(
    ("setup", "lines"),
    [
        ("a = Node(); b = a", ["a -> Node 1", "b -> Node 1"]),
        ("a = Node(); a.left = a; b = a.left", ["a -> Node 1", "b -> Node 1", "Node 1 .left -> Node 1"]),
        ("a = Node(); b = Node(); a.left = b; a.left = None", ["a -> Node 1", "b -> Node 2"]),
        ("a = Node(); a.push(Value())", ["a -> Node 1", "Node 1 .push -> Value() 2  (may hold it)"]),
        ("a = Node(); a.left = a; del a", ["Node 1 .left -> Node 1", "Node 1 is garbage: nothing reaches it"]),
        ("a = Node(); a.left = a; del a; gc.collect()", ["no objects"]),
        ("a = Node(); b = Node(); a.left = b; del b; del a", ["no objects"]),
        ("b.left = a", ["no objects"]),
    ],
)
def test_the_graph_of_the_text(setup: str, lines: list[str]) -> None:
    assert listing([setup], ["gc.collect()"]) == lines


def test_lanes_merge_by_the_executors_rule() -> None:
    assert listing(["a = Node()"], ["b = Node(); del a", "b = a; a.pop()"], ["gc.collect()"]) == ["b -> Node 1"]


def test_a_collection_in_one_lane_leaves_what_another_made() -> None:
    assert listing(["a = Node()"], ["b = Node(); b.left = b", "gc.collect()"], ["del b"]) == [
        "a -> Node 1", "b -> Node 2", "Node 2 .left -> Node 2"
    ]  # fmt: skip


def test_one_straight_phase_is_drawn_before_its_last_op() -> None:
    graph, when = graph_before_last_phase(program_of(["a = Node(); a.left = a; del a"]), TABLE)
    assert when == "before the last op"
    assert graph.listing() == ["a -> Node 1", "Node 1 .left -> Node 1"]


def test_labels_cannot_end_the_picture() -> None:
    graph, _ = graph_before_last_phase(program_of(['a = Node(); a.left = "x\\"] y"'], ["gc.collect()"]), TABLE)
    assert 'label="\\"x\\\\\\"] y\\" 2"' in dot_text(graph, "caption")


def test_without_graphviz_nothing_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    graph, _ = graph_before_last_phase(program_of(["a = Node()"], ["del a"]), TABLE)
    assert draw(graph, "caption", tmp_path / "graph.svg").startswith("dot is not installed")
    assert not (tmp_path / "graph.svg").exists()


def test_a_picture_that_does_not_end_is_a_listing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "dot").write_text(f"#!{sys.executable}\nimport signal\nsignal.pause()\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(graph_draw, "DOT_SECONDS", 0.2)
    monkeypatch.setattr(op_list, "op_list", lambda *_: TABLE)
    artefact = Artefact(tmp_path / "a.prog", Job("node", "clean", "asan", "threads"), "3.14.7")
    _show_graph(artefact, str(program_of(["a = Node()"], ["del a"])), tmp_path / "graph.svg")
    output, errors = capsys.readouterr()
    assert errors == "refquake: dot did not end within 0.2 s: a listing instead\n"
    assert output.endswith("a -> Node 1\n")
    assert not (tmp_path / "graph.svg").exists()


def test_the_command_shows_lanes_and_objects(command, tmp_path: Path) -> None:
    path = tmp_path / "two.prog"
    path.write_text("target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n        a.push(a)\n")
    done = command("show", path, "--graph")
    assert done.returncode == 0, done.stderr
    assert "lane 0" in done.stdout
    assert "a.push(a)" in done.stdout
    assert "as the program's text makes them, not as a run saw them" in done.stdout
    assert "a -> Node 1" in done.stdout
