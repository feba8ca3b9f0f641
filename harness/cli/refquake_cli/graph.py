"""The object graph a program's text makes, as far as its text tells.

    graph, when = graph_before_last_phase(program, table)
    graph.listing()             # "a -> Node 1", "Node 1 .left -> Node 2", ...

No object exists here: ops are followed by their kind. An assignment to an attribute is a reference; what a method or a
constructor does with its arguments is not in the text, so those are references that may be there. Lanes are followed
one after the other and merged by the executor's rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from refquake_cli.op_list import OpList
from refquake_cli.program_model import Lane, Op, Phase, Program, is_slot

HELD, MAYBE, WEAK = "held", "maybe", "weak"


@dataclass(frozen=True)
class Edge:
    holder: int
    name: str
    target: int
    sort: str = HELD


@dataclass
class ObjectGraph:
    labels: dict[int, str] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    slots: dict[str, int] = field(default_factory=dict)

    def listing(self) -> list[str]:
        lines = [f"{slot} -> {self.labels[one]}" for slot, one in sorted(self.slots.items())]
        marks = {HELD: "", MAYBE: "  (may hold it)", WEAK: "  (weakly)"}
        for edge in self.edges:
            lines.append(f"{self.labels[edge.holder]} .{edge.name} -> {self.labels[edge.target]}{marks[edge.sort]}")
        garbage = self.labels.keys() - self.reachable()
        lines += [f"{self.labels[one]} is garbage: nothing reaches it" for one in sorted(garbage)]
        return lines or ["no objects"]

    def reachable(self, elsewhere: Iterable[int] = ()) -> set[int]:
        """From the slots, and from `elsewhere`."""
        found: set[int] = set()
        waiting = [*self.slots.values(), *elsewhere]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += [edge.target for edge in self.edges if edge.holder == one and edge.sort != WEAK]
        return found

    def keep(self, wanted: set[int]) -> None:
        self.labels = {one: label for one, label in self.labels.items() if one in wanted}
        self.edges = [edge for edge in self.edges if edge.holder in wanted and edge.target in wanted]


def graph_before_last_phase(program: Program, table: OpList) -> tuple[ObjectGraph, str]:
    """The graph, and the moment it is of; a program of one straight phase is drawn before its last op."""
    follower = _Follower(table)
    if len(program.phases) == 1 and len(program.phases[0]) == 1:
        follower.phase((program.phases[0][0][:-1],))
        return follower.graph, "before the last op"
    for phase in program.phases[:-1]:
        follower.phase(phase)
    return follower.graph, "before the last phase"


class _Follower:
    def __init__(self, table: OpList) -> None:
        self.graph = ObjectGraph()
        self._table = table
        self._made = 0
        self._elsewhere: set[int] = set()  # what other lanes hold, beside the one that is followed

    def phase(self, phase: Phase) -> None:
        before = dict(self.graph.slots)
        merged = dict(before)
        for lane in phase:
            self.graph.slots = dict(before)
            self._elsewhere = {*before.values(), *merged.values()}
            changed = self._lane(lane)
            for slot in changed:
                merged.pop(slot, None)
                if slot in self.graph.slots:
                    merged[slot] = self.graph.slots[slot]
        self.graph.slots = merged
        self._bury()

    def _lane(self, lane: Lane) -> set[str]:
        changed = set()
        for op in lane:
            if not op.reads <= self.graph.slots.keys():
                continue  # it finds no object, so it does nothing
            changed |= {op.result} if op.result else set()
            changed |= {op.args[0]} if op.form == "drop" else set()
            self._op(op)
        return changed

    def _op(self, op: Op) -> None:
        slots = self.graph.slots
        if op.form == "drop":
            del slots[op.args[0]]
        elif op.form == "set":
            self._link(slots[op.args[0]], op.name, op.args[1])
        elif op.form == "delete":
            self._unlink(slots[op.args[0]], op.name)
        elif self._table.kind(op) == "collect":
            self.graph.keep(self.graph.reachable(self._elsewhere))
        else:
            self._assign(op, self._result(op))

    def _assign(self, op: Op, result: int) -> None:
        if op.result:
            self.graph.slots[op.result] = result

    def _result(self, op: Op) -> int:
        """The object an op yields; what only the code of the target knows is an object of its own."""
        slots = self.graph.slots
        if op.form == "copy":
            return slots[op.args[0]]
        if op.form == "get":
            known = [e.target for e in self.graph.edges if e.holder == slots[op.args[0]] and e.name == op.name]
            return known[-1] if known else self._new(f"result of .{op.name}")
        if op.form == "method":
            for arg in op.args[1:]:
                self._link(slots[op.args[0]], op.name, arg, MAYBE)
            return self._new(f"result of .{op.name}()") if op.result else -1
        made = self._new(op.name if self._table.kind(op) == "create" else f"result of {op.name}()")
        for arg in op.args:
            self._link(made, "referent" if op.name == "weakref.ref" else "argument", arg,
                       WEAK if op.name == "weakref.ref" else MAYBE)  # fmt: skip
        return made

    def _new(self, label: str) -> int:
        self._made += 1
        self.graph.labels[self._made] = f"{label} {self._made}"
        return self._made

    def _unlink(self, holder: int, name: str) -> None:
        self.graph.edges = [e for e in self.graph.edges if (e.holder, e.name, e.sort) != (holder, name, HELD)]

    def _link(self, holder: int, name: str, arg: str, sort: str = HELD) -> None:
        if sort == HELD:
            self._unlink(holder, name)
        if arg == "None":
            return
        target = self.graph.slots[arg] if is_slot(arg) else self._new(arg)
        self.graph.edges.append(Edge(holder, name, target, sort))

    def _bury(self) -> None:
        """What nothing refers to dies at once, and what only it referred to; cycles stay until a collection."""
        while True:
            held = set(self.graph.slots.values()) | {e.target for e in self.graph.edges if e.sort != WEAK}
            if self.graph.labels.keys() <= held:
                return
            self.graph.keep(held & self.graph.labels.keys())
