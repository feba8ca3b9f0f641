"""read_plants.py: what it reads, and that each wrong comment is one line that names its place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

READER = Path(__file__).parents[2] / "harness" / "cmake" / "read_plants.py"


def read(folder: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    source = folder / "x.c"
    source.write_text("\n".join(lines) + "\n")
    command = [sys.executable, str(READER), "--root", str(folder), "--out", str(folder / "plants.json"), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_reads_kinds_profile_flavours_and_rare(tmp_path: Path) -> None:
    done = read(
        tmp_path,
        "/* PLANT(in_a_comment) is none */",
        "if (!PLANT(one)) f();  // finds: leaked-type",
        "if (PLANT(two) && !PLANT(one)) g();  // finds: hang, segv; with: threads, tsan; rare",
        "if (PLANT_WINDOW(one)) h();",
        "PLANT_TRIGGERED(one, x != y);",
        "if (PLANT_WINDOW(three)) h();  # finds: hang; with: asan",
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["one", "two", "three"], "")
    one, two, three = json.loads((tmp_path / "plants.json").read_text())
    assert one == {
        "plant": "one",
        "finds": ["leaked-type"],
        "profile": "lifecycle",
        "flavours": ["asan", "tsan"],
        "rare": False,
        "window": True,
        "tells": True,
        "line": 2,
        "source": "x.c",
    }
    assert (two["finds"], two["profile"], two["flavours"], two["rare"]) == (["hang", "segv"], "threads", ["tsan"], True)
    assert [(plant["window"], plant["tells"]) for plant in (two, three)] == [(False, True), (True, False)]
    assert (three["profile"], three["flavours"], three["line"]) == ("lifecycle", ["asan"], 6)


def test_a_source_without_plants_has_none(tmp_path: Path) -> None:
    done = read(tmp_path, "int x;")
    assert (done.returncode, done.stdout.strip()) == (0, "")
    assert json.loads((tmp_path / "plants.json").read_text()) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("PLANT(a)", "plant a has no '// finds: KIND'"),
        ("PLANT(a)  // finds: nonsense", "'nonsense' is no kind of finding"),
        ("PLANT(a)  // finds:", "'' is no kind of finding"),
        ("PLANT(a)  // finds: hang; with: threads, reentry", "takes one profile"),
        ("PLANT(a)  // finds: hang; seldom", "expected 'with: ...' or 'rare'"),
        ("f();  // finds: hang", "on a line without PLANT(name)"),
        ("PLANT(clean)  // finds: hang", "'clean' is no name for a plant"),
        ("PLANT(B)  // finds: hang", "'B' is no name for a plant"),
        ("PLANT(a)  // finds: hang\nPLANT(a)  // finds: hang", "states its 'finds:' twice"),
    ],
)
def test_a_wrong_comment_names_its_place(tmp_path: Path, line: str, complaint: str) -> None:
    done = read(tmp_path, "int x;", line)
    assert done.returncode == 2 and not (tmp_path / "plants.json").exists()
    assert complaint in done.stderr and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"{tmp_path / 'x.c'}:{3 if chr(10) in line else 2}: ")


def test_a_missing_source_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, str(READER), "--root", str(tmp_path), "--out", str(tmp_path / "p.json"), "/nonexistent.c"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "/nonexistent.c" in done.stderr
