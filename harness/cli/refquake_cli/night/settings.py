"""What a night fuzzes and how: the command line over refquake.toml over the defaults.

    settings = read_settings(Path("refquake.toml"))
    arms = plan_arms(settings)

refquake.toml, all of it optional:

    [nightly]
    time = "2h"              # s, m, h
    turn = "60s"             # how long one process runs before the next is chosen; default: turn_of
    jobs = 2
    folder = "refquake-nightly"
    memory = 4096            # MB for each process
    input_timeout = 20       # seconds for one input

    [[target]]
    name = "node"
    variants = ["clean"]     # "clean", plants by name, "plants" (each of them), or "all" (clean too)
    profiles = ["threads"]   # default: all
    flavours = ["tsan"]      # default: asan and tsan
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from refquake_cli.errors import WrongUse
from refquake_cli.flavours import DEFAULT_FLAVOURS, check_flavour
from refquake_cli.fuzz_plan import clean_jobs, plant_jobs
from refquake_cli.job import Job
from refquake_cli.sources import DEFAULT_VERSION
from refquake_cli.targets import CLEAN, check_profile, check_target, check_variant, known_profiles, known_targets

DEFAULT_CONFIG = "refquake.toml"
DEFAULT_FOLDER = "refquake-nightly"
ALL = "all"
PLANTS = "plants"
LONGEST_TURN, SHORTEST_TURN = 60, 10  # seconds; a process takes one to start
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_DURATION = re.compile(r"^(\d+)\s*([smh]?)$")
_KEYS = {"time", "turn", "jobs", "folder", "memory", "input_timeout"}
_TARGET_KEYS = {"name", "variants", "profiles", "flavours"}


@dataclass(frozen=True)
class TargetSettings:
    name: str
    variants: tuple[str, ...] = (CLEAN,)
    profiles: tuple[str, ...] = ()
    flavours: tuple[str, ...] = DEFAULT_FLAVOURS


@dataclass(frozen=True)
class Settings:
    seconds: int = 2 * 3600
    turn_seconds: int | None = None  # see turn_of
    jobs: int = 2
    folder: Path = Path(DEFAULT_FOLDER)
    memory: int = 4096
    input_timeout: int = 20
    version: str = DEFAULT_VERSION
    targets: tuple[TargetSettings, ...] = field(default=())


def seconds_of(text: str | int, what: str = "time") -> int:
    match = _DURATION.match(str(text).strip())
    seconds = int(match[1]) * _UNITS[match[2]] if match else 0
    if seconds < 1:
        raise WrongUse(f"{what} is '{text}': expected a number with s, m or h, such as 90s, 30m or 2h")
    return seconds


def read_settings(path: Path) -> Settings:
    """The defaults where there is no such file."""
    if not path.is_file():
        return Settings()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path}: {error}") from error
    nightly = content.get("nightly", {})
    _check_keys(path, "[nightly]", nightly, _KEYS)
    targets = tuple(_target(path, entry) for entry in content.get("target", []))
    default = Settings()
    return Settings(
        seconds=seconds_of(nightly.get("time", default.seconds), f"{path}: time"),
        turn_seconds=seconds_of(nightly["turn"], f"{path}: turn") if "turn" in nightly else None,
        jobs=_number(path, nightly, "jobs", default.jobs),
        folder=path.parent / nightly.get("folder", DEFAULT_FOLDER),
        memory=_number(path, nightly, "memory", default.memory),
        input_timeout=_number(path, nightly, "input_timeout", default.input_timeout),
        targets=targets,
    )


def _check_keys(path: Path, where: str, given: dict, known: set[str]) -> None:
    if unknown := sorted(set(given) - known):
        raise WrongUse(f"{path}: {where} has no '{unknown[0]}'; there are: {', '.join(sorted(known))}")


def _number(path: Path, given: dict, name: str, default: int) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or value < 1:
        raise WrongUse(f"{path}: {name} is {value!r}: expected a whole number from 1")
    return value


def _target(path: Path, entry: dict) -> TargetSettings:
    _check_keys(path, "[[target]]", entry, _TARGET_KEYS)
    if "name" not in entry:
        raise WrongUse(f"{path}: a [[target]] has no name")
    default = TargetSettings(entry["name"])
    lists = {key: tuple(entry.get(key, getattr(default, key))) for key in ("variants", "profiles", "flavours")}
    return TargetSettings(entry["name"], **lists)


def flavours_of(settings: Settings) -> list[str]:
    """What must be built; checked before anything is."""
    for target in settings.targets:
        check_target(target.name, settings.version)
    chosen = [check_flavour(name) for target in settings.targets for name in target.flavours]
    return list(dict.fromkeys(chosen or DEFAULT_FLAVOURS))


def turn_of(settings: Settings, arms: int) -> int:
    """The seconds of a turn: as given, else so that each arm has had one when half of the night is over."""
    each = settings.seconds * settings.jobs // (2 * max(arms, 1))
    return settings.turn_seconds or min(LONGEST_TURN, max(SHORTEST_TURN, each))


def plan_arms(settings: Settings) -> list[Job]:
    """Every (target, variant, profile, flavour); needs the build tree.

    The first arm of each variant comes before the second of any: a short night has then looked at each.
    """
    targets = settings.targets or tuple(TargetSettings(name) for name in known_targets())
    arms = [arm for target in targets for arm in _arms_of(target, settings.version)]
    if not arms:
        raise WrongUse("nothing to fuzz: the targets named have no variant under the flavours named")
    rank: dict[Job, int] = {}
    seen: dict[tuple[str, str], int] = {}
    for arm in dict.fromkeys(arms):
        rank[arm] = seen[arm.target, arm.variant] = seen.get((arm.target, arm.variant), -1) + 1
    return sorted(rank, key=lambda arm: rank[arm])


def _arms_of(target: TargetSettings, version: str) -> list[Job]:
    check_target(target.name, version)
    profiles = [check_profile(name) for name in target.profiles] or known_profiles()
    flavours = [check_flavour(name) for name in target.flavours]
    arms: list[Job] = []
    for variant in target.variants:
        if variant in (CLEAN, ALL):
            arms += [job for profile in profiles for job in clean_jobs(target.name, profile, flavours, version)]
        if variant != CLEAN:
            only = None if variant in (ALL, PLANTS) else variant
            for flavour in flavours if only else []:
                check_variant(target.name, only, flavour)
            arms += plant_jobs(target.name, target.profiles[0] if target.profiles else None, flavours, only)
    return arms
