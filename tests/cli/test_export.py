"""`refquake export`: ordinary Python out of programs, names from the op table only, and what a run of it says."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import CLI
from refquake_cli.errors import WrongUse
from refquake_cli.export_checks import plan_checks
from refquake_cli.export_python import Names, check_program, statement
from refquake_cli.export_run import ScriptRun, describe, raised_in
from refquake_cli.export_script import PROBE_MARK, Checks, Script
from refquake_cli.op_list import OpList, parse_op_list
from refquake_cli.program_model import Op, Program, parse_op, parse_program

METHODS = {"push": 2, "pop": 1, "__len__": 1, "__getitem__": 2, "__setitem__": 3, "__delitem__": 2, "__contains__": 2,
           "__add__": 2, "__neg__": 1, "__next__": 1, "__call__": 1, "__iadd__": 2, "__eq__": 2}  # fmt: skip
OPS = (
    "call\tcreate\tValue\t0\t\ncall\tcreate\tNode\t0\t\ncall\tcreate\tNode\t1\t\ncall\tcall\tjoin\t2\t\n"
    "set\tlink\tleft\t2\tNode\ndelete\tunlink\tleft\t1\tNode\nget\tread\tleft\t1\tNode\n"
    "call\tread\tweakref.ref\t1\tNode\ncall\tcollect\tgc.collect\t0\t\ncopy\tcopy\t\t1\t\ndrop\tdrop\t\t1\t\n"
    + "".join(f"method\tcall\t{name}\t{nargs}\tNode\n" for name, nargs in METHODS.items())
)
# What the scripts need of an extension: `broken` makes each of the checks fail.
EXTENSION = """
import gc, os
BROKEN = bool(os.environ.get("BROKEN"))
kept = []
class Node:
    def __init__(self, left=None):
        self.children = []
        if BROKEN:
            kept.append(self)
    def push(self, child):
        self.children.append(child)
        return child
    def pop(self):
        return self.children.pop()
"""


@pytest.fixture
def table() -> OpList:
    return parse_op_list("node", OPS)


def program_of(*phases: list[str]) -> Program:
    lines = ["target: node", "profile: threads"]
    for phase in phases:
        lines.append("phase:")
        for lane in phase:
            lines += ["    lane:", *(f"        {op}" for op in lane.split("; "))]
    return parse_program("\n".join(lines) + "\n")


def run(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess:
    (folder / "node.py").write_text(EXTENSION)
    (folder / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-S", "script.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("op", "line"),
    [
        ("a = Node()", "node_a = node.Node()"),
        ("b = a.__len__()", "result_b = len(node_a)"),
        ("a.__getitem__(None)", "node_a[None]"),
        ("a.__setitem__(0, Value())", "node_a[0] = Value()"),
        ("a.__delitem__(0)", "del node_a[0]"),
        ("a.__contains__(a)", "node_a in node_a"),
        ("a.__add__(1)", "node_a + 1"),
        ("a.__neg__()", "-node_a"),
        ("a.__next__()", "next(node_a)"),
        ("a.__call__()", "node_a()"),
        ("a.__iadd__(1)", "node_a.__iadd__(1)"),
        ("a.left = Node()", "node_a.left = node.Node()"),
        ("del a.left", "del node_a.left"),
        ("join(a, None)", "node.join(node_a, None)"),
        ("gc.collect()", "gc.collect()"),
        ("weakref.ref(a)", "weakref.ref(node_a)"),
        ("del a", "del node_a"),
        ('b = Node({"i": Node(2)})', "result_b = node.Node({'i': node.Node(2)})"),
        ("b = Node(map(complex, range(3)))", "result_b = node.Node(map(complex, range(3)))"),
    ],
)
def test_ops_print_as_python(table: OpList, op: str, line: str) -> None:
    names = Names(program_of(["a = Node(); b = a.__len__()"]), table)
    assert statement(parse_op(op), names) == line


@pytest.mark.parametrize(
    "op",
    [
        Op("call", "os.system", ('"true"',)),  # no op of the table
        Op("call", "Node", ("__import__('os')",)),
        Op("call", "Node", ("Other()",)),
        Op("call", "Node", ("[x for x in ()]",)),
        Op("call", "Node", ("Node(exit)",)),
        Op("call", "Node", ("[Node().__class__]",)),
        Op("call", "Node", ('map(eval, ["1"])',)),
        Op("call", "Node", ("1)\nimport os\n(",)),
        Op("set", "left", ("a", "lambda: 0")),
    ],
)
def test_nothing_but_names_and_values_gets_through(table: OpList, op: Op) -> None:
    with pytest.raises(WrongUse):
        check_program(Program("node", "threads", (((op,),),)), table)


@pytest.mark.parametrize(
    "value",
    [
        "[].append",
        "len",
        'dict.fromkeys("ab", 1)',
        "iter([1, 2, 3])",
        "{1, 2}",
        "[Node(2)]",
        '__import__("_io").BytesIO(b"bytes")',
    ],
)
def test_what_discovery_passes_can_be_exported(table: OpList, value: str) -> None:
    check_program(Program("node", "threads", (((Op("call", "Node", (value,)),),),)), table)


def test_a_name_that_is_no_name_is_refused_even_if_the_table_has_it() -> None:
    table = parse_op_list("node", "call\tcall\tx);import os;(\t0\t")
    with pytest.raises(WrongUse, match="is no name"):
        check_program(Program("node", "threads", (((Op("call", "x);import os;(", ()),),),)), table)


def test_a_straight_program_runs(table: OpList, tmp_path: Path) -> None:
    program = program_of(["a = Node(); b = a.push(Value()); c = a.pop(); del b; gc.collect()"])
    done = run(Script(program, table).text(Checks(), {}), tmp_path)
    assert done.returncode == 0, done.stderr


def test_lanes_hand_back_what_is_read_later(table: OpList, tmp_path: Path) -> None:
    program = program_of(
        ["a = Node(); b = Node()"], ["c = a.push(b); del b", "c = b.push(a); a.push(None)"], ["d = c.pop(); c.push(b)"]
    )
    text = Script(program, table).text(Checks(), {})
    assert "threading.Barrier(2)" in text
    assert 'results["result_c"]' in text.partition("def phase_2_lane_2")[2]  # the highest-numbered lane wins
    assert "node_b" not in text.partition("thread.join()")[2].replace("del node_b", "")  # lane 1 dropped it
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_op_that_finds_no_object_changes_no_slot(table: OpList, tmp_path: Path) -> None:
    program = program_of(["a = Node()"], ["b = Node()", "b = c.left; d = c.push(a)"], ["b.push(a)"])
    text = Script(program, table).text(Checks(), {})
    assert "threading.Barrier(1)" in text
    assert "lane_2" not in text  # it has nothing to do
    assert "node_b.push(node_a)" in text
    assert run(text, tmp_path).returncode == 0


def test_an_exception_without_a_name_of_its_own_is_suppressed_as_one(table: OpList) -> None:
    probe = ScriptRun("", f"{PROBE_MARK} 3 builtins.ValueError\n{PROBE_MARK} 5 node.Odd\n")
    assert dict(raised_in(probe)) == {3: "ValueError", 5: "Exception"}


def test_what_an_op_raised_is_suppressed(table: OpList, tmp_path: Path) -> None:
    script = Script(program_of(["a = Node(); b = a.pop(); a.push(None)"]), table)
    probe = run(script.probe(), tmp_path)
    raised = dict(raised_in(ScriptRun("", probe.stderr)))
    assert raised == {1: "IndexError"}
    text = script.text(Checks(), raised)
    assert "with contextlib.suppress(IndexError):\n        result_b = node_a.pop()" in text
    assert run(text, tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("ops", "kind", "type_name", "broken_fails"),
    [
        ("a = Node(); a.push(Value())", "leaked-instance", "node.Node", True),
        ("Node()", "leaked-reference", "node.Node", True),
        ("Node()", "never-tracked", "node.Node", False),
    ],
)
def test_checks_hold_on_what_is_right(
    table: OpList, tmp_path: Path, ops: str, kind: str, type_name: str, broken_fails: bool
) -> None:
    plan = plan_checks(program_of([ops]), table, kind, type_name)
    assert plan.seen
    text = Script(plan.program, table).text(plan.checks, {})
    assert run(text, tmp_path).returncode == 0, text
    done = run(text, tmp_path, BROKEN="1")
    assert (done.returncode == 1 and "AssertionError" in done.stderr) == broken_fails


@pytest.mark.parametrize("kind", ["missed-visit", "extra-visit", "type-not-visited", "missing-incref", "leaked-type"])
def test_each_check_is_python(table: OpList, kind: str) -> None:
    plan = plan_checks(program_of(["a = Node(); b = Value(); a.left = b"]), table, kind, "node.Node")
    assert plan.seen
    compile(Script(plan.program, table).text(plan.checks, {}), "script.py", "exec")


def test_no_check_for_what_python_cannot_see(table: OpList) -> None:
    plan = plan_checks(program_of(["Node()"]), table, "still-tracked-at-free", "node.Node")
    assert not plan.seen and not plan.checks.after


def test_what_happened_is_told_in_numbers() -> None:
    runs = [ScriptRun("dies of SIGSEGV", ""), ScriptRun("nothing happens", ""), ScriptRun("dies of SIGSEGV", "")]
    assert describe(runs) == "dies of SIGSEGV in 2 of 3 runs, nothing happens in 1 of 3 runs"


def test_a_killed_export_takes_its_script_along(tmp_path: Path) -> None:
    """The script holds the pipe open for as long as it lives."""
    os.mkfifo(tmp_path / "alive")
    script = "import signal\nsignal.alarm(300)\npipe = open('alive', 'w')\nsignal.pause()\n"
    (tmp_path / "script.py").write_text(script)
    code = (
        "import sys\nfrom pathlib import Path\nfrom refquake_cli import export_run\n"
        "from refquake_cli.place import Place\n"
        "export_run.run_once(Path('script.py').resolve(), Place(Path(sys.executable), None, Path('/none'), '3.14.7'))"
    )
    exporting = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(CLI)})
    with (tmp_path / "alive").open("rb") as pipe:
        exporting.kill()
        exporting.wait()
        ended, _, _ = select.select([pipe], [], [], 60)
        assert ended
        assert pipe.read() == b""
