"""Reads the plants out of a sample extension's sources.

    python3 read_plants.py --root DIR --out plants.json targets/node/node.c ...

Prints the plants' names, one a line, and writes plants.json (docs/plants.md describes both the
comments it reads and the file). A wrong comment is one line on standard error, `FILE:LINE: what`,
and exit code 2. CMake runs it at configure time; it needs nothing but the standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

KINDS = frozenset(
    """
    missed-visit extra-visit leaked-reference missing-incref
    type-not-visited type-visited-twice traverse-side-effect
    still-tracked-at-free still-tracked-in-dealloc weakrefs-left dict-left no-free wrong-free
    type-reference-kept type-reference-early lost-exception finalizer-skipped
    never-tracked tracked-too-early leaked-instance leaked-type
    use-after-free hang bad-return data-race heap-buffer-overflow double-free
    negative-refcount gc-assertion fatal-error assertion segv deadlock
    """.split()
)
FLAVOURS = ("asan", "tsan", "plain")
DEFAULT_PROFILE = "lifecycle"
DEFAULT_FLAVOURS = ("asan", "tsan")

PLANT = re.compile(r"\bPLANT(?:_WINDOW)?\((\w*)\)")
WINDOW = re.compile(r"\bPLANT_WINDOW\((\w*)\)")
TRIGGERED = re.compile(r"\bPLANT_TRIGGERED\((\w*),")
FINDS = re.compile(r"(?://|#)\s*finds:(.*)$")
COMMENT = re.compile(r"^\s*(?://|#|\*|/\*)")
WORD = re.compile(r"[a-z][a-z0-9_]*")


class Malformed(Exception):
    """A comment that does not follow the grammar, with its file and line."""


@dataclass(frozen=True)
class Plant:
    plant: str
    finds: list[str]
    profile: str
    flavours: list[str]
    rare: bool
    window: bool  # to be reached is not to be triggered
    tells: bool  # when it is triggered
    line: int
    source: str


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def parse_finds(name: str, comment: str, where: str, line: int, source: str) -> Plant:
    """`KIND, ...[; with: PROFILE, FLAVOUR, ...][; rare]`, what stands behind `finds:`."""
    kinds_part, *clauses = (part.strip() for part in comment.split(";"))
    kinds = words(kinds_part)
    for kind in kinds:
        if kind not in KINDS:
            raise Malformed(f"{where}: plant {name}: '{kind}' is no kind of finding")
    profile, flavours, rare = DEFAULT_PROFILE, [], False
    for clause in clauses:
        if clause == "rare":
            rare = True
        elif clause.startswith("with:"):
            for word in words(clause.removeprefix("with:")):
                if word in FLAVOURS:
                    flavours.append(word)
                elif not WORD.fullmatch(word) or profile != DEFAULT_PROFILE:
                    raise Malformed(f"{where}: plant {name}: 'with:' takes one profile and flavours, not '{word}'")
                else:
                    profile = word
        else:
            raise Malformed(f"{where}: plant {name}: expected 'with: ...' or 'rare' behind ';', not '{clause}'")
    return Plant(name, kinds, profile, flavours or list(DEFAULT_FLAVOURS), rare, False, True, line, source)


def read_plants(path: Path, source: str) -> list[Plant]:
    """All plants of one source, in the order of their lines. `source` is the name written down."""
    windows, told = set[str](), set[str]()
    stated: dict[str, Plant] = {}
    used: dict[str, int] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{path}:{number}"
        if COMMENT.match(text):
            continue
        code, finds = text, FINDS.search(text)
        if finds:
            code = text[: finds.start()]
        names = PLANT.findall(code)
        windows.update(WINDOW.findall(code))
        told.update(TRIGGERED.findall(code))
        for name in names:
            if not WORD.fullmatch(name) or name in ("clean", "none"):
                raise Malformed(f"{where}: '{name}' is no name for a plant: use lower case letters, digits and _")
            used.setdefault(name, number)
        if not finds:
            continue
        if not names:
            raise Malformed(f"{where}: 'finds:' on a line without PLANT(name)")
        # A line may ask for another plant as well; the comment belongs to the first that has none yet.
        name = next((n for n in names if n not in stated), None)
        if name is None:
            raise Malformed(f"{where}: plant {names[0]} states its 'finds:' twice")
        stated[name] = parse_finds(name, finds.group(1), where, number, source)
    for name, number in used.items():
        if name not in stated:
            raise Malformed(f"{path}:{number}: plant {name} has no '// finds: KIND' at the end of its line")
    return [
        replace(plant, window=plant.plant in windows, tells=plant.plant in told or plant.plant not in windows)
        for plant in stated.values()
    ]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, required=True, help="source names are written relative to this folder")
    parser.add_argument("--out", type=Path, required=True, help="plants.json")
    parser.add_argument("sources", type=Path, nargs="+")
    args = parser.parse_args(argv)
    plants: dict[str, Plant] = {}
    try:
        for path in args.sources:
            for plant in read_plants(path, os.path.relpath(path, args.root)):
                if plant.plant in plants:
                    raise Malformed(f"{path}:{plant.line}: plant {plant.plant} is in another source as well")
                plants[plant.plant] = plant
    except (OSError, UnicodeDecodeError, Malformed) as error:
        print(error, file=sys.stderr)
        return 2
    text = json.dumps([asdict(plant) for plant in plants.values()], indent=2) + "\n"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    beside = args.out.with_name(args.out.name + f".{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(args.out)
    print("\n".join(plants))
    return 0


if __name__ == "__main__":
    sys.exit(main())
