"""What a person hands to `repro` and `show`: a finding's folder, a program text, or bytes.

    artefact = open_artefact(Path("refquake-out/node-..."), Overrides(flavour="tsan"))
    artefact.path, artefact.job, artefact.version
    artefact.signature, artefact.as_found      # what it is kept for, and whether it runs as it did when that was seen

Folders know their target and how they were found, the recipe too: bytes mean another program under another op table. A
program text names target and profile, and in comments what else it knows, also in a finding's folder. Bytes know
nothing, unless they lie in a finding's folder or beside their text.
"""

import codecs
import re
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli.errors import WrongUse
from refquake_cli.files import recover
from refquake_cli.findings import DESCRIPTION, INPUT, PROGRAM, load
from refquake_cli.flavours import check_flavour
from refquake_cli.job import Job
from refquake_cli.recipe import Recipe, recipe_in_comments
from refquake_cli.sources import DEFAULT_VERSION, check_version
from refquake_cli.targets import CLEAN, check_profile, check_target, known_targets, recipe_of

DEFAULT_PROFILE = "threads"
DEFAULT_FLAVOUR = "asan"
# As a fuzz binary reads them (harness/core/text_parse.cc): at the start of a line, which may end in a comment and CRLF.
_HEADER = re.compile(r"^(target|profile):[ \t]*([^\s\0#]+)[ \t]*(?:#.*)?\r?$", re.MULTILINE)
# `minimize` writes these: a program text from it knows how it was found.
_FACT = re.compile(r"^# (variant|flavour|version|release):[ \t]*([^\s\0]+)[ \t]*\r?$", re.MULTILINE)
_FINDING = re.compile(r"^# finding:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_REPEAT = re.compile(r"^# repeat:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
# The second time, the module has what the first left in it: a campaign's programs find it so.
_WARM = 2
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
    version: str
    repeat: int = _WARM  # how often a process runs it
    signature: str = ""  # of the finding it shows, as it says itself
    as_found: bool = True  # nothing on the command line makes another build or profile of it


def open_artefact(path: Path, overrides: Overrides) -> Artefact:
    try:
        if not path.exists():
            recover(path)
        if not path.exists():
            raise WrongUse(f"no such file: {path}")
    except OSError as error:  # a name too long
        raise WrongUse(f"no such file: {path}: {error.strerror}") from error
    if path.is_dir():
        return _from_finding(path, _input_of(path), overrides)
    content = read_input(path)
    if (path.parent / DESCRIPTION).is_file():
        return _from_finding(path.parent, path, overrides)
    text = _text_of(path, content)
    facts = dict(_HEADER.findall(text) + _FACT.findall(text))
    artefact = _artefact(path, facts, overrides, _recipe_in(path, text))
    return replace(artefact, repeat=_repeat_in(path, text), signature=_signature_in(text))


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
    if path.suffix == ".prog" and content.startswith(_BYTE_ORDER_MARKS):
        raise WrongUse(f"{path} begins with a byte order mark (BOM): save it as UTF-8 without one")
    return content


def _from_finding(folder: Path, path: Path, overrides: Overrides) -> Artefact:
    finding = load(folder)
    names = ("target", "variant", "flavour", "profile", "version", "release")
    stated = {name: getattr(finding, name) for name in names}
    # One that was minimised or written there may show something else than its finding, elsewhere, and less often.
    text = read_input(path).decode(errors="replace") if path.suffix == ".prog" else ""
    artefact = _artefact(path, stated | dict(_FACT.findall(text)), overrides, finding.recipe)
    return replace(artefact, repeat=_repeat_in(path, text), signature=_signature_in(text) or finding.signature)


def _text_of(path: Path, content: bytes) -> str:
    """The program itself, or what lies beside bytes."""
    if path.suffix == ".prog":
        return content.decode(errors="replace")
    sidecar = path.with_name(path.name + ".prog")
    return sidecar.read_text(errors="replace") if sidecar.is_file() else ""


def _signature_in(text: str) -> str:
    stated = _FINDING.search(text)
    return stated[1] if stated else ""


def _repeat_in(path: Path, text: str) -> int:
    stated = list(_REPEAT.finditer(text))
    for one in stated:
        line = f"{path}:{text.count(chr(10), 0, one.start()) + 1}: '{one[0].strip()}'"
        if not re.fullmatch(r"[1-9]\d{0,5}", one[1]):
            raise WrongUse(f"{line}: how often to repeat is a number from 1 to 999999")
        if one is not stated[0]:
            raise WrongUse(f"{line}: how often to repeat is said twice: keep one")
    return int(stated[0][1]) if stated else _WARM


def _recipe_in(path: Path, text: str) -> Recipe | None:
    """None where the text has none: then the current folder's holds, as for a new run."""
    try:
        return recipe_in_comments(text)
    except ValueError as error:
        raise WrongUse(f"{path}: its comments hold no recipe: {error}") from error


def _artefact(path: Path, stated: dict[str, str], overrides: Overrides, recipe: Recipe | None) -> Artefact:
    targets = known_targets()
    target = overrides.target or stated.get("target") or (targets[0] if len(targets) == 1 else None)
    if not target:
        raise WrongUse(
            f"{path} does not say which target it is for (a program's text begins with 'target: NAME'): give --target "
            f"({', '.join(targets)}, or a module of yours or of CPython)"
        )
    version = check_version(stated.get("version", DEFAULT_VERSION))
    flavour = check_flavour(overrides.flavour or stated.get("flavour", DEFAULT_FLAVOUR))
    job = Job(
        check_target(target, version),
        overrides.variant or stated.get("variant", CLEAN),
        flavour,
        check_profile(overrides.profile or stated.get("profile") or DEFAULT_PROFILE),
        # Another target than the artefact's own has neither its recipe nor its release.
        recipe=recipe_of(target, flavour, version) if recipe is None or overrides.target else recipe,
        release="" if overrides.target else stated.get("release", ""),
    )
    given = {name: value for name, value in vars(overrides).items() if value is not None}
    return Artefact(path, job, version, as_found=given.items() <= stated.items())
