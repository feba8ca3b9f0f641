"""What there is to fuzz: sample targets and their variants, modules from outside, CPython's own; the fuzz binaries.

Example:

    check_target("node")                       # WrongUse names the targets there are
    variants = plants_of("node", "asan")       # [Plant("missing_untrack", finds=("still-tracked-at-free",), ...)]
    binary = fuzz_binary("lifecycle", "asan")
    command = binary_command(job, "3.14.7")    # that binary on the job's module, under the job's op table
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from refquake_cli.added import Added, find_added, is_standard, shared_object
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.flavours import FLAVOURS
from refquake_cli.job import Job
from refquake_cli.paths import REPOSITORY, build_folder, current_link
from refquake_cli.recipe import Recipe, recipe_for_module

CLEAN = "clean"
_PLANT = re.compile(r"\bPLANT(?:_WINDOW)?\((\w+)\)")


@dataclass(frozen=True)
class Plant:
    name: str
    finds: tuple[str, ...]
    profile: str
    flavours: tuple[str, ...]
    tells: bool = True  # when it is triggered, where that is more than to be reached


def known_targets() -> list[str]:
    folder = REPOSITORY / "targets"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith((".", "_")))


def check_target(name: str, version: str) -> str:
    if name in known_targets() or is_standard(name) or any(find_added(name, flavour, version) for flavour in FLAVOURS):
        return name
    raise WrongUse(
        f"no such target: {name}; there are: {', '.join(known_targets())}, modules added with ./refquake add "
        f"for CPython {version}, and CPython's own modules"
    )


def known_profiles() -> list[str]:
    """A profile has a fuzz binary, and that a source file: the build tree need not exist."""
    return sorted(path.stem.removeprefix("fuzz_") for path in (REPOSITORY / "fuzzers").glob("fuzz_*.cc"))


def check_profile(name: str) -> str:
    if name not in known_profiles():
        raise WrongUse(f"no such profile: {name}; there are: {', '.join(known_profiles())}")
    return name


def variant_folder(target: str, variant: str, flavour: str) -> Path:
    if not re.fullmatch(r"\w+", variant):  # a path would name code outside the build tree
        raise WrongUse(f"'{variant}' is no name of a plant")
    return build_folder(flavour) / "targets" / target / variant


def plants_of(target: str, flavour: str) -> list[Plant]:
    path = build_folder(flavour) / "targets" / target / "plants.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [
            Plant(e["plant"], tuple(e["finds"]), e["profile"], tuple(e["flavours"]), e.get("tells", True))
            for e in entries
        ]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise CouldNotRun(f"{path} is not a list of plants: {error!r}; build again after ./refquake clean") from error


def plants_in_sources(target: str) -> list[str]:
    """Names only, of a sample that need not be built."""
    sources = [path for path in sorted((REPOSITORY / "targets" / target).glob("*")) if path.is_file()]
    found = (_PLANT.findall(path.read_text(encoding="utf-8", errors="replace")) for path in sources)
    return list(dict.fromkeys(name for names in found for name in names))


def check_plant_name(target: str, plant: str) -> str:
    """From what the sources say: a wrong name is told before anything is set up and built."""
    names = plants_in_sources(target) if target in known_targets() else []
    if names and plant not in names:
        raise WrongUse(f"{target} has no plant {plant}; there are: {', '.join(names)}")
    return plant


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


def added_of(job: Job, version: str) -> Added | None:
    """None: a sample, or CPython's own."""
    if job.target in known_targets():
        return None
    return find_added(job.target, job.flavour, version, job.release)


def recipe_of(target: str, flavour: str, version: str) -> Recipe:
    """The current folder's, for a module that is no sample: what a new run starts with."""
    if target in known_targets():
        return Recipe()
    added = find_added(target, flavour, version)
    return recipe_for_module(added.module if added else target)


def binary_command(job: Job, version: str) -> list[str]:
    """The job's fuzz binary, its module and what determines its op table."""
    binary = fuzz_binary(job.profile, job.flavour)
    return [str(binary), *_module_arguments(job, version), *job.recipe.flags(), f"--profile={job.profile}"]


def _module_arguments(job: Job, version: str) -> list[str]:
    folder = import_folder(job, version)
    added = added_of(job, version)
    # A module's own name, where that was asked for: a package may hold several.
    module = added.module if added and job.target not in added.extensions else job.target
    by_itself = added.gil_off if added else folder is not None
    return [f"--module={module}", *([f"--path={folder}"] if folder else []), *([] if by_itself else ["--gil=off"])]


def import_folder(job: Job, version: str) -> Path | None:
    """What goes on sys.path for the job's module; None: nothing, the interpreter has it."""
    if job.target in known_targets():
        return variant_folder(job.target, job.variant, job.flavour)
    if added := added_of(job, version):
        return Path(added.site)
    if is_standard(job.target) and not job.release:
        return None
    what = job.release or job.target
    raise CouldNotRun(
        f"{what} was not added for {job.flavour} and CPython {version}: "
        f"./refquake add {what} --flavour {job.flavour} --version {version}"
    )


def module_file(job: Job, version: str) -> str:
    """The file with the module's code; "built in" where that is the interpreter itself."""
    if job.target in known_targets():
        return str(variant_folder(job.target, job.variant, job.flavour) / f"{job.target}.so")
    if added := added_of(job, version):
        return str(shared_object(Path(added.site), added.extension_of(job.target)))
    library = current_link(version, job.flavour) / "lib"
    place = job.target.replace(".", "/")
    for pattern in (f"lib-dynload/{job.target}.*so", f"{place}.py", f"{place}/__init__.py"):
        if found := sorted(library.glob(f"python3.*/{pattern}")):
            return str(found[0])
    return "built in"
