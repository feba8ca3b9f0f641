"""A program as a script of plain Python: what `export` writes, without its header.

    script = Script(program, table)
    script.text(checks, raises={3: "IndexError"})
    script.probe()              # the same, saying on standard error which op raised what

A phase of one lane is straight code; a phase of more starts a thread per lane, released by a barrier. A lane's
variables are parameters: its own references, and no lock of a shared dictionary between an op and the next.
"""

from dataclasses import dataclass, field

from refquake_cli.export_python import Names, statement
from refquake_cli.op_list import OpList
from refquake_cli.program_model import Lane, Op, Phase, Program

PROBE_MARK = "refquake-export raised"
INDENT = "    "
VALUE_CLASS = '''class Value:
    """Any object: tracked by the collector, may be weakly referenced."""

    __slots__ = ("__weakref__",)'''


@dataclass
class Checks:
    """What Python can see of the finding: lines before the first op, and behind the last."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)


def bound_after(lane: Lane, bound: set[str]) -> set[str]:
    """The slots that may hold something behind the lane's ops."""
    bound = set(bound)
    for op in lane:
        if not op.reads <= bound:
            continue  # it finds no object, so it does nothing
        if op.result:
            bound.add(op.result)
        elif op.form == "drop":
            bound.discard(op.args[0])
    return bound


def _changed(lane: Lane, bound: set[str]) -> set[str]:
    """The slots that its ops write, as far as they find what they read."""
    changed, bound = set[str](), set(bound)
    for op in lane:
        if op.reads <= bound:
            changed |= {op.result} if op.result else {op.args[0]} if op.form == "drop" else set()
            bound = bound_after((op,), bound)
    return changed


class Script:
    def __init__(self, program: Program, table: OpList, rounds: int = 1) -> None:
        self.names = Names(program, table)
        self.rounds = rounds
        self._program = program
        used = {op.name for op in program.ops if op.form == "call"}
        # Expressions over the target's names, as the recipe has them.
        self._given = [
            f"{name} = eval({expression!r}, dict(vars({program.target})))"
            for name, expression in table.recipe.ops
            if name in used
        ]
        self._numbers = {id(op): number for number, op in enumerate(program.ops)}
        self._raises: dict[int, str] = {}
        self._probing = False

    def probe(self) -> str:
        self._probing = True
        try:
            return self.text(Checks(), {})
        finally:
            self._probing = False

    def text(self, checks: Checks, raises: dict[int, str]) -> str:
        self._raises = raises
        lanes: list[str] = []
        body = self._body(lanes, checks)
        run = ["def run():", *(INDENT + line for line in body)]
        code = "\n".join([*lanes, *run])
        head = self._imports(code, checks) + "\n\ngc.disable()  # collections happen where the script says so"
        value = [VALUE_CLASS] if "Value()" in code else []
        given = ["\n".join(self._given)] if self._given else []
        return "\n\n\n".join([head, *value, *given, code, self._main()]) + "\n"

    def _imports(self, code: str, checks: Checks) -> str:
        wanted = {"gc", *checks.modules} | ({"sys"} if self._probing else set())
        wanted |= {module for module in ("weakref", "contextlib", "threading") if f"{module}." in code}
        return "\n".join([*(f"import {module}" for module in sorted(wanted)), "", f"import {self._program.target}"])

    def _main(self) -> str:
        if self.rounds == 1:
            return "run()"
        return f"for _ in range({self.rounds}):  # what threads do at the same time shows only now and then\n    run()"

    def _body(self, lanes: list[str], checks: Checks) -> list[str]:
        body: list[str] = list(checks.before)
        bound: set[str] = set()
        for at, phase in enumerate(self._program.phases):
            later = {slot for other in self._program.phases[at + 1 :] for lane in other for op in lane for slot in op.reads}
            if len(phase) == 1:
                body += self._straight(phase[0], bound)
                bound = bound_after(phase[0], bound)
            else:
                lines, bound = self._concurrent(at, phase, bound, later, lanes)
                body += lines
        return [*body, *checks.after] or ["pass"]

    def _straight(self, lane: Lane, bound: set[str]) -> list[str]:
        lines: list[str] = []
        for op in lane:
            if op.reads <= bound:
                lines += self._op(op, bound)
                bound = bound_after((op,), bound)
        return lines

    def _op(self, op: Op, bound: set[str]) -> list[str]:
        number, line = self._numbers[id(op)], statement(op, self.names)
        first = [f"{self.names.variable(op.result)} = None"] if op.result and op.result not in bound else []
        if self._probing:
            mark = f'print(f"{PROBE_MARK} {number} {{type(error).__name__}}", file=sys.stderr, flush=True)'
            return [*first, "try:", INDENT + line, "except Exception as error:", INDENT + mark]
        if error := self._raises.get(number):
            return [*first, f"with contextlib.suppress({error}):", INDENT + line]
        return [line]

    def _concurrent(
        self, at: int, phase: Phase, bound: set[str], later: set[str], lanes: list[str]
    ) -> tuple[list[str], set[str]]:
        """The threads of a phase, and what is bound when they are done: the highest-numbered lane to change a slot wins."""
        start = [f"barrier = threading.Barrier({len(phase)})", "threads = ["]
        after, results, dropped = set(bound), set[str](), set[str]()
        for number, lane in enumerate(phase):
            own = _changed(lane, bound) - {slot for other in phase[number + 1 :] for slot in _changed(other, bound)}
            given = own & bound_after(lane, bound) & later
            gone = own - bound_after(lane, bound)
            start.append(f"{INDENT}{self._lane(f'phase_{at + 1}_lane_{number + 1}', lane, bound, given, lanes)},")
            results |= given
            dropped |= gone & bound
            after = (after | given) - gone
        lines = ["results = {}"] if results else []
        lines += [*start, "]", "for thread in threads:", INDENT + "thread.start()"]
        lines += ["for thread in threads:", INDENT + "thread.join()", "del threads, thread"]
        lines += [f'{name} = results["{name}"]' for name in map(self.names.variable, sorted(results))]
        return [*lines, *(f"del {self.names.variable(slot)}" for slot in sorted(dropped))], after

    def _lane(self, name: str, lane: Lane, bound: set[str], given: set[str], lanes: list[str]) -> str:
        """Writes the lane's function; returns the thread that runs it."""
        used = sorted({slot for op in lane for slot in op.slots} & bound)
        arguments = ["barrier", *map(self.names.variable, used), *(["results"] if given else [])]
        lines = ["barrier.wait()", *self._straight(lane, bound)]
        lines += [f'results["{variable}"] = {variable}' for variable in map(self.names.variable, sorted(given))]
        lanes += [f"def {name}({', '.join(arguments)}):", *(INDENT + line for line in lines), "", ""]
        return f"threading.Thread(target={name}, args=({', '.join(arguments)}{',' if len(arguments) == 1 else ''}))"
