"""The replay benchmark tells runs that differ from runs that do not."""

from collections import Counter
from pathlib import Path

from refquake_cli.replays import Tally, most_lanes, outcome_of, summary

RUN = "==refquake== SCHEDULE: replay(3>1) steps 7 hash 00ff\n==refquake== NOTHING FOUND in 1 runs\n"


def test_schedule_and_hash_are_the_outcome() -> None:
    assert outcome_of(RUN) == ("replay(3>1) steps 7 hash 00ff", "")
    assert outcome_of(RUN.replace("00ff", "00fe")) != outcome_of(RUN)
    assert outcome_of("nothing of the kind") == ("", "")


def test_one_run_in_ten_that_differs_is_told() -> None:
    same, other = outcome_of(RUN), outcome_of(RUN.replace("steps 7", "steps 8"))
    text = summary([Tally(Path("a.prog"), Counter({same: 10})), Tally(Path("b.prog"), Counter({same: 9, other: 1}))])
    assert text.startswith("19 of 20 runs as the program's others; 1 of 2 programs the same each time\nb.prog:")
    assert "1 x replay(3>1) steps 8 hash 00ff" in text


def test_lanes_are_counted_within_a_phase() -> None:
    assert most_lanes("phase:\n    lane:\n    lane:\nphase:\n    lane:\n    lane:\n    lane:\n") == 3
