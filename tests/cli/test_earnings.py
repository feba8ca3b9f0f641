"""What each mutator earns: the table is right about who costs what, and names every mutator there is."""

import re
from pathlib import Path

from refquake_cli.earnings import MUTATOR_ARMS, MUTATORS, Row, markdown

MUTATE = Path(__file__).resolve().parents[2] / "harness" / "core" / "mutate.cc"


def test_every_mutator_is_left_out_once() -> None:
    named = tuple(re.findall(r'^    \{"(\w+)", \w+, \d+\},', MUTATE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == MUTATORS
    assert [arm.name for arm in MUTATOR_ARMS] == ["all", *(f"without {name}" for name in named), "without feedback"]


def test_ratio_is_above_one_where_leaving_out_costs() -> None:
    base = Row("all", {"node/p": [10, 40]}, {"node/p": [1.0, 1.0]}, {"node/p": 2}, [100])
    worse = Row("without insert", {"node/p": [20, 80]}, {"node/p": [1.0, 4.0]}, {"node/p": 1}, [90])
    assert round(worse.ratio(base), 6) == 2
    lines = markdown("Title", [base, worse], "asan, 2 seeds.").splitlines()
    assert lines[-2:] == ["| all | 1.00 | 1.00 | 100 | 25, 1.0 s (2) |", "| without insert | 2.00 | 2.00 | 90 | 50, 2.5 s (1) |"]
