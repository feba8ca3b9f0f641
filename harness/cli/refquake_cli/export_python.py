"""One op as a line of ordinary Python.

    statement(Op("method", "__len__", ("a",), "b"), names)      # "result_b = len(node_a)"

Names come from the op table and values from the text the table's binary printed; both are checked here again, so that
nothing a program says can become anything but a name or a literal.
"""

import ast
import keyword
from collections.abc import Callable

from refquake_cli.errors import WrongUse
from refquake_cli.op_list import OpList
from refquake_cli.program_model import Op, Program, is_slot

_BINARY = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__matmul__": "@", "__truediv__": "/", "__floordiv__": "//",
    "__mod__": "%", "__pow__": "**", "__lshift__": "<<", "__rshift__": ">>", "__and__": "&", "__or__": "|",
    "__xor__": "^", "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=",
}  # fmt: skip
_UNARY = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}
_BUILTIN = {
    "__len__": "len", "__iter__": "iter", "__next__": "next", "__repr__": "repr", "__str__": "str", "__bool__": "bool",
    "__hash__": "hash", "__bytes__": "bytes", "__int__": "int", "__float__": "float", "__abs__": "abs",
    "__reversed__": "reversed", "__divmod__": "divmod", "__format__": "format",
}  # fmt: skip
_TWO_ARGUMENTS: dict[str, Callable[[str, str], str]] = {
    "__getitem__": lambda own, other: f"{own}[{other}]",
    "__delitem__": lambda own, other: f"del {own}[{other}]",
    "__contains__": lambda own, other: f"{other} in {own}",
    "__radd__": lambda own, other: f"{other} + {own}",
    "__rmul__": lambda own, other: f"{other} * {own}",
}
# What the arguments of discovery are made of (trial_values.cc).
_BUILTINS = {"bytearray", "complex", "dict.fromkeys", "int", "iter", "len", "map", "memoryview", "range", "slice"}
_FILES = {'__import__("_io").BytesIO(b"bytes")', '__import__("_io").StringIO("text")'}
OWN_MODULES = ("gc", "weakref")  # what programs name besides the target


def check_name(name: str) -> str:
    if all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split(".")):
        return name
    raise WrongUse(f"{name!r} is no name: this program cannot be exported")


def check_value(text: str, types: set[str], given: tuple[str, ...] = ()) -> str:
    """A literal, one of the recipe's own expressions, or calls of the target's types and of harmless built-ins."""
    if text in given or text in _FILES or text == "Value()":
        return text
    try:
        harmless = _is_harmless(ast.parse(text, mode="eval"), types)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise WrongUse(f"{text!r} is no value: this program cannot be exported") from error
    if harmless:
        return text
    raise WrongUse(f"{text!r} is no value: this program cannot be exported")


def _is_harmless(node: ast.AST, types: set[str]) -> bool:
    if name := _dotted(node):
        return name in types or name in _BUILTINS
    if isinstance(node, ast.Attribute):  # of a list or another literal, never of a name
        return node.attr == "append" and isinstance(node.value, ast.List) and _is_harmless(node.value, types)
    if isinstance(node, ast.Call) and node.keywords:
        return False
    literal = (ast.Expression, ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.Set, ast.UnaryOp, ast.USub, ast.BinOp,
               ast.Pow, ast.Load, ast.Call)  # fmt: skip
    return isinstance(node, literal) and all(_is_harmless(child, types) for child in ast.iter_child_nodes(node))


def _dotted(node: ast.AST) -> str:
    """`a.b.C` as text; empty if it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner else ""


class _Qualified(ast.NodeTransformer):
    """The target's types under the target's name."""

    def __init__(self, target: str, types: set[str]) -> None:
        self._target, self._types = target, types

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._qualified(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._qualified(node) if _dotted(node) else self.generic_visit(node)

    def _qualified(self, node: ast.expr) -> ast.AST:
        name = _dotted(node)
        return ast.parse(f"{self._target}.{name}", mode="eval").body if name in self._types else node


def check_program(program: Program, table: OpList) -> None:
    """WrongUse unless every word of the program is a name or a value of the target."""
    table.check(program)
    types = type_names(table)
    check_name(program.target)
    for op in program.ops:
        if op.name:
            check_name(op.name)
        for arg in op.args:
            if not is_slot(arg):
                check_value(arg, types, table.recipe.values)


def type_names(table: OpList) -> set[str]:
    return {entry.name for entry in table.entries if entry.kind == "create" and entry.name != "Value"}


def given_name(name: str) -> str:
    """What the script calls an op of the recipe: by itself, the name might be one of the script's own."""
    return f"op_{name}"


class Names:
    """A variable per slot, named after what is first put into it: `node_a`, `left_b`."""

    def __init__(self, program: Program, table: OpList) -> None:
        self._target = program.target
        self._types = type_names(table)
        self._values = table.recipe.values
        self._given = {name for name, _ in table.recipe.ops}
        self._words: dict[str, str] = {}
        for op in program.ops:
            if op.result and op.result not in self._words:
                self._words[op.result] = self._word(op, table)

    def _word(self, op: Op, table: OpList) -> str:
        if op.form == "copy":
            return self._words.get(op.args[0], "object")
        if op.form == "get" or table.kind(op) == "create":
            return op.name.rpartition(".")[2].lower()
        return {"weakref.ref": "ref"}.get(op.name, "result")

    def variable(self, slot: str) -> str:
        return f"{self._words.get(slot, 'object')}_{slot}"

    def argument(self, arg: str) -> str:
        if is_slot(arg):
            return self.variable(arg)
        if arg in self._values or arg in _FILES or "(" not in arg:
            return arg
        return ast.unparse(_Qualified(self._target, self._types).visit(ast.parse(arg, mode="eval")))

    def called(self, name: str) -> str:
        if name in self._given:
            return given_name(name)
        own_module = name.partition(".")[0] in OWN_MODULES and "." in name
        return name if own_module or name == "Value" else f"{self._target}.{name}"


def statement(op: Op, names: Names) -> str:
    start = f"{names.variable(op.result)} = " if op.result else ""
    if op.form == "call":
        return f"{start}{names.called(op.name)}({', '.join(map(names.argument, op.args))})"
    own, *rest = map(names.argument, op.args)
    match op.form:
        case "method":
            return _method(start, op.name, own, rest)
        case "get":
            return f"{start}{own}.{op.name}"
        case "set":
            return f"{own}.{op.name} = {rest[0]}"
        case "delete":
            return f"del {own}.{op.name}"
        case "copy":
            return f"{start}{own}"
    return f"del {own}"


def _method(start: str, name: str, own: str, rest: list[str]) -> str:
    if name == "__call__":
        return f"{start}{own}({', '.join(rest)})"
    if name in _BUILTIN:
        return f"{start}{_BUILTIN[name]}({', '.join([own, *rest])})"
    if name in _UNARY and not rest:
        return f"{start}{_UNARY[name]}{own}"
    if len(rest) == 1 and name in _BINARY:
        return f"{start}{own} {_BINARY[name]} {rest[0]}"
    if len(rest) == 1 and name in _TWO_ARGUMENTS:
        text = _TWO_ARGUMENTS[name](own, rest[0])
        return text if text.startswith("del ") else start + text
    if len(rest) == 2 and name == "__setitem__":
        return f"{own}[{rest[0]}] = {rest[1]}"
    return f"{start}{own}.{name}({', '.join(rest)})"
