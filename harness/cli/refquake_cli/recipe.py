"""A recipe: what steers the fuzzing of a module nobody prepared. `refquake.toml` in the current folder, one table for
each module; everything is optional:

    [multidict]
    leave-out = ["istr", "MultiDict.clear"]        # functions, types, methods
    arguments = ["[('a', 1)]"]                     # argument values, as Python expressions over the built-in names

    [multidict.ops]                                # more ops: expressions over the module's names that give a callable
    pair = "lambda: MultiDict([('a', 1)])"

    recipe = recipe_for_module("multidict")
    recipe.flags()                                 # the fuzz binary's
    recipe.comments()                              # as lines above a program's text; recipe_in_comments() reads them

A finding keeps the recipe it was found with: bytes mean another program under another op table.
"""

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli.argument_text import check_argument_text
from refquake_cli.errors import WrongUse

RECIPE = "refquake.toml"
_KEYS = {"leave-out": list, "arguments": list, "ops": dict}
# Expressions may hold anything, a line end too: they are written as JSON.
_COMMENT = re.compile(r'^# (leave-out|argument|op): (".*")[ \t]*\r?$', re.MULTILINE)


@dataclass(frozen=True)
class Recipe:
    leave_out: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    ops: tuple[tuple[str, str], ...] = ()  # name and expression, sorted

    def without(self, names: Iterable[str]) -> "Recipe":
        """The same, leaving out more."""
        return replace(self, leave_out=tuple(dict.fromkeys((*self.leave_out, *names))))

    def flags(self) -> list[str]:
        return [
            *(f"--deny={name}" for name in self.leave_out),
            *(f"--value={expression}" for expression in self.values),
            *(f"--op={name}={expression}" for name, expression in self.ops),
        ]

    def comments(self) -> str:
        lines = [
            *(f"# leave-out: {json.dumps(name)}\n" for name in self.leave_out),
            *(f"# argument: {json.dumps(expression)}\n" for expression in self.values),
            *(f"# op: {json.dumps(f'{name}={expression}')}\n" for name, expression in self.ops),
        ]
        return "".join(lines)

    def to_json(self) -> dict[str, object]:
        return {"leave-out": list(self.leave_out), "arguments": list(self.values), "ops": dict(self.ops)}

    @staticmethod
    def from_json(content: dict) -> "Recipe":
        """ValueError where it is none."""
        if not isinstance(content, dict):
            raise ValueError(f"a recipe is a table, not {content!r}")
        for key, value in content.items():
            if key not in _KEYS:
                raise ValueError(f"unknown key {key}; there are: {', '.join(_KEYS)}")
            entries = list(value.values()) if isinstance(value, dict) else value
            if not isinstance(value, _KEYS[key]) or not all(isinstance(entry, str) for entry in entries):
                raise ValueError(f"{key} must be a {_KEYS[key].__name__} of strings")
            for text in (*value, *entries):  # of ops, the names too
                check_argument_text(text)
        leave_out, values, ops = (content.get(key, ()) for key in _KEYS)
        return Recipe(tuple(leave_out), tuple(values), tuple(sorted(dict(ops).items())))


def recipe_in_comments(text: str) -> Recipe | None:
    """None where there is none; ValueError where it cannot be read, with the line."""
    found = [(match[1], _value_in(match)) for match in _COMMENT.finditer(text)]
    names = ("leave-out", "argument", "op")
    leave_out, values, ops = ([value for what, value in found if what == name] for name in names)
    if not found:
        return None
    pairs = (op.partition("=") for op in ops)
    return Recipe(tuple(leave_out), tuple(values), tuple(sorted((name, expression) for name, _, expression in pairs)))


def _value_in(comment: re.Match) -> str:
    try:
        value = json.loads(comment[2])
        check_argument_text(value)
    except ValueError as error:
        line = comment.string.count("\n", 0, comment.start()) + 1
        raise ValueError(f"line {line}: {comment[1]}: {error}") from error
    return value


def recipe_for_module(module: str, folder: Path | None = None) -> Recipe:
    path = (folder or Path.cwd()) / RECIPE
    if not path.is_file():
        return Recipe()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {error}") from error
    try:
        return Recipe.from_json(tables.get(module, {}))
    except ValueError as error:
        raise WrongUse(f"{path}: [{module}]: {error}") from error
