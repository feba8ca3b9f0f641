"""What a person hands to `repro` and `show`: a finding's folder, a program text, or bytes.

    artefact = open_artefact(Path("refquake-out/node-..."), Overrides(flavour="tsan"))
    artefact.path, artefact.job, artefact.version

Folders know their target and how they were found. A program text names target and profile. Bytes know nothing,
unless they lie in a finding's folder or beside their text.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from refquake_cli.errors import WrongUse
from refquake_cli.findings import DESCRIPTION, INPUT, PROGRAM, load
from refquake_cli.flavours import check_flavour
from refquake_cli.sources import DEFAULT_VERSION
from refquake_cli.targets import CLEAN, check_profile, check_target, known_targets
from refquake_cli.variant_run import Job

DEFAULT_PROFILE = "threads"
DEFAULT_FLAVOUR = "asan"
# `minimize` writes the others as comments: a program text from it knows how it was found.
_HEADER = re.compile(r"^(?:(?=target|profile)|# (?=variant|flavour))(\w+):\s*(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Overrides:
    """What was given on the command line: it wins over what the artefact says."""

    target: str | None = None
    variant: str | None = None
    flavour: str | None = None
    profile: str | None = None


@dataclass(frozen=True)
class Artefact:
    path: Path
    job: Job
    version: str = DEFAULT_VERSION


def open_artefact(path: Path, overrides: Overrides) -> Artefact:
    try:
        if not path.exists():
            raise WrongUse(f"no such file: {path}")
    except OSError as error:  # a name too long
        raise WrongUse(f"no such file: {path}: {error.strerror}") from error
    if path.is_dir():
        return _from_finding(path, _input_of(path), overrides)
    content = read_input(path)
    if (path.parent / DESCRIPTION).is_file():
        return _from_finding(path.parent, path, overrides)
    stated = _header_of(path, content)
    job = _job(stated, overrides, stated.get("variant", CLEAN), stated.get("flavour", DEFAULT_FLAVOUR))
    return Artefact(path, job)


def _input_of(folder: Path) -> Path:
    """Bytes before text: they are what the fuzzer ran."""
    load(folder)
    for name in (INPUT, PROGRAM):
        if (folder / name).is_file():
            read_input(folder / name)
            return folder / name
    raise WrongUse(f"{folder} holds neither {INPUT} nor {PROGRAM}: this finding has no reproducer, only a report")


def read_input(path: Path) -> bytes:
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe or a device may never end
        raise WrongUse(f"cannot read {path}: not a regular file")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}") from error
    if not content:
        raise WrongUse(f"{path} is empty: there is nothing to replay")
    return content


def _from_finding(folder: Path, path: Path, overrides: Overrides) -> Artefact:
    finding = load(folder)
    stated = {"target": finding.target, "profile": finding.profile}
    job = _job(stated, overrides, finding.variant, finding.flavour)
    return Artefact(path, job, finding.version)


def _header_of(path: Path, content: bytes) -> dict[str, str]:
    if path.suffix == ".prog":
        return dict(_HEADER.findall(content.decode(errors="replace")))
    sidecar = path.with_name(path.name + ".prog")
    return dict(_HEADER.findall(sidecar.read_text(errors="replace"))) if sidecar.is_file() else {}


def _job(stated: dict[str, str], overrides: Overrides, variant: str = CLEAN, flavour: str = DEFAULT_FLAVOUR) -> Job:
    targets = known_targets()
    target = overrides.target or stated.get("target") or (targets[0] if len(targets) == 1 else None)
    if not target:
        raise WrongUse(f"these bytes do not say which target they are for: give --target ({', '.join(targets)})")
    return Job(
        check_target(target),
        overrides.variant or variant,
        check_flavour(overrides.flavour or flavour),
        check_profile(overrides.profile or stated.get("profile") or DEFAULT_PROFILE),
    )
