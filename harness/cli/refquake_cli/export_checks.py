"""What Python itself can see of a finding of an oracle, as lines of an exported script.

    plan = plan_checks(program, table, "leaked-instance", "node.Node")
    plan.program        # the program, with a variable for each object the check is about
    plan.checks         # lines before and behind the ops
    plan.seen           # what the check says; "" when Python cannot see it

The checks are weaker than refquake's: it sees every instance and the moment of each event, a script sees its variables.
"""

from dataclasses import dataclass, replace

from refquake_cli.export_python import type_names
from refquake_cli.export_script import Checks, Script
from refquake_cli.op_list import OpList
from refquake_cli.program_model import SLOTS, Op, Program, is_slot

LIVE_KINDS = ("type-not-visited", "type-visited-twice", "never-tracked")
MEMBER_KINDS = ("missed-visit", "extra-visit")
DEATH_KINDS = ("leaked-instance", "leaked-reference")
TYPE_KINDS = ("leaked-type", "type-reference-kept")


@dataclass(frozen=True)
class Plan:
    program: Program
    checks: Checks
    seen: str = ""


def plan_checks(program: Program, table: OpList, kind: str, type_name: str) -> Plan:
    short = type_name.rpartition(".")[2]
    if kind in LIVE_KINDS:
        return _live(_named(program, table, {short}), table, kind, short)
    if kind in MEMBER_KINDS:
        return _member(_named(program, table, type_names(table) | {"Value"}), table, kind)
    if kind in DEATH_KINDS:
        return _death(_named(program, table, {short}), table, kind, short)
    if kind in TYPE_KINDS and short in type_names(table):
        return _type_death(program, table, short)
    if kind == "missing-incref":
        return _balance(_named(program, table, type_names(table) | {"Value"}), table)
    return Plan(program, Checks())


def _named(program: Program, table: OpList, types: set[str]) -> Program:
    """Gives a variable to each object of these types that the program makes without one, where slots are left."""
    free = [slot for slot in SLOTS if all(slot not in op.slots for op in program.ops)]
    phases = []
    for phase in program.phases:
        lanes = []
        for lane in phase:
            ops: list[Op] = []
            for op in lane:
                args = list(op.args)
                for place, arg in enumerate(args):
                    if arg.endswith("()") and arg[:-2] in types and free:
                        args[place] = free.pop(0)
                        ops.append(Op("call", arg[:-2], (), args[place]))
                op = replace(op, args=tuple(args))
                if table.kind(op) == "create" and op.name in types and not op.result and free:
                    op = replace(op, result=free.pop(0))
                ops.append(op)
            lanes.append(ops)
        phases.append(lanes)
    return program.with_phases(phases)


def _variables(program: Program, table: OpList, types: set[str]) -> list[str]:
    """Slots that hold an object of these types when the last op is done, as far as the text tells."""
    held: dict[str, bool] = {}
    for op in program.ops:
        if op.result:
            held[op.result] = table.kind(op) == "create" and op.name in types
        if op.form == "drop":
            held.pop(op.args[0], None)
    return [slot for slot, wanted in held.items() if wanted]


def _live(program: Program, table: OpList, kind: str, short: str) -> Plan:
    names = Script(program, table).names
    slots = [names.variable(slot) for slot in _variables(program, table, {short})]
    if not slots:
        return Plan(program, Checks())
    if kind == "never-tracked":
        lines = [f'assert gc.is_tracked({name}), "{name} is not tracked by the collector"' for name in slots]
        return Plan(program, Checks(after=lines), "gc.is_tracked is false")
    lines = [
        line
        for name in slots
        for line in (
            f"times = gc.get_referents({name}).count(type({name}))",
            f'assert times == 1, f"tp_traverse of {name} visits its type {{times}} times, not once"',
        )
    ]
    return Plan(program, Checks(after=lines), "gc.get_referents does not hold the type once")


def _member(program: Program, table: OpList, kind: str) -> Plan:
    """The last op that links an object into another: the one that the other must visit, once."""
    names = Script(program, table).names
    makes = type_names(table)
    live = _variables(program, table, makes | {"Value"})
    for op in reversed(program.ops):
        own = op.result if table.kind(op) == "create" else op.args[0] if op.form in ("method", "set") else ""
        rest = op.args if op.form == "call" else op.args[1:]
        linked = [arg for arg in rest if is_slot(arg) and arg in live]
        if own in live and linked:
            holder, member = names.variable(own), names.variable(linked[0])
            return _member_check(program, holder, member, kind)
    return Plan(program, Checks())


def _member_check(program: Program, holder: str, member: str, kind: str) -> Plan:
    count = f"times = sum(referent is {member} for referent in gc.get_referents({holder}))"
    if kind == "missed-visit":
        line = f'assert times, "tp_traverse of {holder} does not visit {member}"'
        return Plan(program, Checks(after=[count, line]), "gc.get_referents does not hold the member")
    line = f'assert times <= 1, f"tp_traverse of {holder} visits {member} {{times}} times, not once"'
    return Plan(program, Checks(after=[count, line]), "gc.get_referents holds the member more than once")


def _forget(program: Program, script: Script) -> list[str]:
    """Lets go of every variable."""
    slots = dict.fromkeys(op.result for op in program.ops if op.result)
    return [f"{' = '.join(map(script.names.variable, slots))} = None"] if slots else []


def _death(program: Program, table: OpList, kind: str, short: str) -> Plan:
    """A reference too many keeps a weak reference alive; a collector that cannot free an object has cleared its weak
    references before, but still lists it."""
    script = Script(program, table)
    slots = _variables(program, table, {short})
    forget = _forget(program, script)
    weak = short == "Value" or any(e.name == "weakref.ref" and short in e.owners for e in table.entries)
    if kind == "leaked-reference" and weak and slots:
        names = [script.names.variable(slot) for slot in slots]
        refs = [f"references = [{', '.join(f'weakref.ref({name})' for name in names)}]"]
        check = 'assert not any(reference() for reference in references), "an object outlives all references to it"'
        return Plan(program, Checks(after=[*refs, *forget, "gc.collect()", check]), "a weak reference never dies")
    if short not in type_names(table):
        return Plan(program, Checks())
    type_name = f"{program.target}.{short}"
    count = f"alive = sum(type(one) is {type_name} for one in gc.get_objects())"
    check = f'assert not alive, f"{{alive}} objects of {type_name} outlive all references to them"'
    return Plan(program, Checks(after=[*forget, "gc.collect()", count, check]), "gc.get_objects still holds it")


def _type_death(program: Program, table: OpList, short: str) -> Plan:
    script = Script(program, table)
    lines = [
        *_forget(program, script),
        f"reference = weakref.ref({program.target}.{short})",
        f'del globals()["{program.target}"], sys.modules["{program.target}"]',
        "gc.collect()",
        f'assert reference() is None, "the type {short} outlives its module"',
    ]
    return Plan(program, Checks(after=lines, modules={"sys"}), "the type outlives its module")


def _balance(program: Program, table: OpList) -> Plan:
    """Around the last op that links: an object gains a reference for each place that holds it."""
    names = Script(program, table).names
    live = _variables(program, table, type_names(table) | {"Value"})
    for op in reversed(program.ops):
        rest = op.args if op.form == "call" else op.args[1:]
        linked = [arg for arg in rest if is_slot(arg) and arg in live]
        if linked and op.form in ("set", "method", "call"):
            member = names.variable(linked[0])
            lines = [
                f"counted = sys.getrefcount({member}) - sys.getrefcount(Value())  # beyond the variable that holds it",
                f'assert counted > 0, "{member} does not count the reference that an object holds"',
            ]
            return Plan(program, Checks(after=lines, modules={"sys"}), "sys.getrefcount is too low")
    return Plan(program, Checks())
