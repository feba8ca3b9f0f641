"""A recipe: what steers the fuzzing of a module nobody prepared. `refquake.toml` in the current folder, one table for
each module; everything is optional:

    [multidict]
    leave-out = ["istr", "MultiDict.clear"]        # functions, types, methods
    arguments = ["[('a', 1)]"]                     # argument values, as Python expressions over the built-in names

    [multidict.ops]                                # more ops: expressions over the module's names that give a callable
    pair = "lambda: MultiDict([('a', 1)])"

    recipe = recipe_for_module("multidict")
    recipe.arguments()                             # the fuzz binary's flags
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from refquake_cli.errors import WrongUse

RECIPE = "refquake.toml"
_KEYS = {"leave-out": list, "arguments": list, "ops": dict}


@dataclass(frozen=True)
class Recipe:
    leave_out: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    ops: dict[str, str] = field(default_factory=dict)

    def arguments(self) -> list[str]:
        return [
            *(f"--deny={name}" for name in self.leave_out),
            *(f"--value={expression}" for expression in self.values),
            *(f"--op={name}={expression}" for name, expression in sorted(self.ops.items())),
        ]


def recipe_for_module(module: str, folder: Path | None = None) -> Recipe:
    path = (folder or Path.cwd()) / RECIPE
    if not path.is_file():
        return Recipe()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {error}") from error
    table = tables.get(module, {})
    if not isinstance(table, dict):
        raise WrongUse(f"{path}: [{module}] must be a table")
    for key, value in table.items():
        if key not in _KEYS:
            raise WrongUse(f"{path}: unknown key {key} in [{module}]; there are: {', '.join(_KEYS)}")
        entries = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(value, _KEYS[key]) or not all(isinstance(entry, str) for entry in entries):
            raise WrongUse(f"{path}: {key} in [{module}] must be a {_KEYS[key].__name__} of strings")
    return Recipe(table.get("leave-out", []), table.get("arguments", []), table.get("ops", {}))
