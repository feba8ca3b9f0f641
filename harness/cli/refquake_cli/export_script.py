"""A program as a script of plain Python: what `export` writes, without its header.

    script = Script(program, table)
    script.text(checks, raises={3: "IndexError"})
    script.probe()              # the same, saying on standard error which op raised what

A phase of one lane is straight code; a phase of more starts a thread per lane, released by a barrier. A lane's
variables are parameters: its own references, and no lock of a shared dictionary between an op and the next.
"""

from dataclasses import dataclass, field

from refquake_cli.export_python import Names, given_name, statement
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


def executed(lane: Lane, bound: set[str]) -> tuple[list[Op], set[str]]:
    """The ops that find what they read (the others do nothing), and the slots that hold something behind them."""
    ops, bound = [], set(bound)
    for op in lane:
        if not op.reads <= bound:
            continue
        ops.append(op)
        if op.result:
            bound.add(op.result)
        elif op.form == "drop":
            bound.discard(op.args[0])
    return ops, bound


def _changed(ops: list[Op]) -> set[str]:
    return {op.result for op in ops if op.result} | {op.args[0] for op in ops if op.form == "drop"}


class Script:
    def __init__(self, program: Program, table: OpList, rounds: int = 1) -> None:
        self.names = Names(program, table)
        self.rounds = rounds
        self._program = program
        used = {op.name for op in program.ops if op.form == "call"}
        # Expressions over the target's names, as the recipe has them.
        self._given = [
            f"{given_name(name)} = eval({expression!r}, dict(vars({program.target})))"
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
            later = {
                slot for other in self._program.phases[at + 1 :] for lane in other for op in lane for slot in op.reads
            }
            if len(phase) == 1:
                body += self._straight(phase[0], bound)
                bound = executed(phase[0], bound)[1]
            else:
                lines, bound = self._concurrent(at, phase, bound, later, lanes)
                body += lines
        return [*body, *checks.after] or ["pass"]

    def _straight(self, lane: Lane, bound: set[str]) -> list[str]:
        lines: list[str] = []
        for op in executed(lane, bound)[0]:
            lines += self._op(op, bound)
            bound = executed((op,), bound)[1]
        return lines

    def _op(self, op: Op, bound: set[str]) -> list[str]:
        number, line = self._numbers[id(op)], statement(op, self.names)
        first = [f"{self.names.variable(op.result)} = None"] if op.result and op.result not in bound else []
        if self._probing:
            mark = f'print(f"{PROBE_MARK} {number} {{type(error).__module__}}.{{type(error).__qualname__}}", file=sys.stderr, flush=True)'
            return [*first, "try:", INDENT + line, "except Exception as error:", INDENT + mark]
        if error := self._raises.get(number):
            return [*first, f"with contextlib.suppress({error}):", INDENT + line]
        return [line]

    def _concurrent(
        self, at: int, phase: Phase, bound: set[str], later: set[str], lanes: list[str]
    ) -> tuple[list[str], set[str]]:
        """The threads of a phase, and what is bound behind them: the highest-numbered lane to change a slot wins."""
        ran = [executed(lane, bound) for lane in phase]
        working = sum(bool(ops) for ops, _ in ran)
        start = [f"barrier = threading.Barrier({working})", "threads = ["]
        after, results, dropped = set(bound), set[str](), set[str]()
        for number, (ops, left) in enumerate(ran):
            if not ops:
                continue  # a thread with nothing to do
            own = _changed(ops) - {slot for others, _ in ran[number + 1 :] for slot in _changed(others)}
            given = own & left & later
            gone = own - left
            start.append(f"{INDENT}{self._lane(f'phase_{at + 1}_lane_{number + 1}', ops, bound, given, lanes)},")
            results |= given
            dropped |= gone & bound
            after = (after | given) - gone
        if not working:
            return [], bound
        lines = ["results = {}"] if results else []
        lines += [*start, "]", "for thread in threads:", INDENT + "thread.start()"]
        lines += ["for thread in threads:", INDENT + "thread.join()", "del threads, thread"]
        lines += [f'{name} = results["{name}"]' for name in map(self.names.variable, sorted(results))]
        return [*lines, *(f"del {self.names.variable(slot)}" for slot in sorted(dropped))], after

    def _lane(self, name: str, ops: list[Op], bound: set[str], given: set[str], lanes: list[str]) -> str:
        """Writes the lane's function; returns the thread that runs it."""
        used = sorted({slot for op in ops for slot in op.slots} & bound)
        arguments = ["barrier", *map(self.names.variable, used), *(["results"] if given else [])]
        lines = ["barrier.wait()", *self._straight(tuple(ops), bound)]
        lines += [f'results["{variable}"] = {variable}' for variable in map(self.names.variable, sorted(given))]
        lanes += [f"def {name}({', '.join(arguments)}):", *(INDENT + line for line in lines), "", ""]
        return f"threading.Thread(target={name}, args=({', '.join(arguments)}{',' if len(arguments) == 1 else ''}))"
