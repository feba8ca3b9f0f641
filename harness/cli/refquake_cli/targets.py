"""What there is to fuzz: sample targets and their variants, modules added from outside, CPython's own; the fuzz binaries.

Example:

    check_target("node")                       # WrongUse names the targets there are
    variants = plants_of("node", "asan")       # [Plant("missing_untrack", finds=("still-tracked-at-free",), ...)]
    binary = fuzz_binary("lifecycle", "asan")
"""

import json
from dataclasses import dataclass
from pathlib import Path

from refquake_cli.added import find_added, is_standard
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.flavours import FLAVOURS
from refquake_cli.paths import REPOSITORY, build_folder
from refquake_cli.recipe import recipe_for_module

CLEAN = "clean"


@dataclass(frozen=True)
class Plant:
    name: str
    finds: tuple[str, ...]
    profile: str
    flavours: tuple[str, ...]


def known_targets() -> list[str]:
    folder = REPOSITORY / "targets"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith((".", "_")))


def check_target(name: str) -> str:
    if name in known_targets() or is_standard(name) or any(find_added(name, flavour) for flavour in FLAVOURS):
        return name
    raise WrongUse(
        f"no such target: {name}; there are: {', '.join(known_targets())}, modules added with ./refquake add, "
        "and CPython's own modules"
    )


def known_profiles() -> list[str]:
    """A profile has a fuzz binary, and that a source file: the build tree need not exist."""
    return sorted(path.stem.removeprefix("fuzz_") for path in (REPOSITORY / "fuzzers").glob("fuzz_*.cc"))


def check_profile(name: str) -> str:
    if name not in known_profiles():
        raise WrongUse(f"no such profile: {name}; there are: {', '.join(known_profiles())}")
    return name


def variant_folder(target: str, variant: str, flavour: str) -> Path:
    return build_folder(flavour) / "targets" / target / variant


def plants_of(target: str, flavour: str) -> list[Plant]:
    path = build_folder(flavour) / "targets" / target / "plants.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [Plant(e["plant"], tuple(e["finds"]), e["profile"], tuple(e["flavours"])) for e in entries]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise CouldNotRun(f"{path} is not a list of plants: {error!r}; build again after ./refquake clean") from error


def check_variant(target: str, variant: str, flavour: str) -> str:
    if variant == CLEAN and target not in known_targets():
        return variant  # an added or standard module: the build tree has none of it
    if variant_folder(target, variant, flavour).is_dir():
        return variant
    names = [plant.name for plant in plants_of(target, flavour)]
    raise WrongUse(f"{target} has no plant {variant}; there are: {', '.join(names) or 'none'}")


def fuzz_binary(profile: str, flavour: str) -> Path:
    path = build_folder(flavour) / "fuzzers" / f"fuzz_{profile}"
    if not path.exists():
        raise CouldNotRun(f"no fuzz binary {path}; build again after ./refquake clean")
    return path


def binary_command(binary: Path, target: str, variant: str, flavour: str, profile: str) -> list[str]:
    return [str(binary), *_module_arguments(target, variant, flavour), f"--profile={profile}"]


def _module_arguments(target: str, variant: str, flavour: str) -> list[str]:
    if target in known_targets():
        return [f"--module={target}", f"--path={variant_folder(target, variant, flavour)}"]
    added = find_added(target, flavour)
    if not added and not is_standard(target):
        raise CouldNotRun(f"{target} was not added for {flavour}: ./refquake add {target} --flavour {flavour}")
    gil = [] if added and added.gil_off else ["--gil=off"]
    recipe = recipe_for_module(added.module if added else target)
    if not added:
        return [f"--module={target}", *gil, *recipe.arguments()]
    # A module's own name, where that was asked for: a package may hold several.
    module = target if target in added.extensions else added.module
    return [f"--module={module}", f"--path={added.site}", *gil, *recipe.arguments()]
