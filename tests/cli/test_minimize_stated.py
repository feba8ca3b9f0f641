"""Which finding `minimize` is about: the one that the artefact states, or the one that fresh processes show instead."""

from pathlib import Path

import pytest

from refquake_cli.artefact import Artefact
from refquake_cli.console import Task
from refquake_cli.job import Job
from refquake_cli.minimize import _Minimizer
from refquake_cli.minimize_trial import Measured, _counted
from refquake_cli.reports import Report

RACE = "data-race node_get_next@race.c | node_set_next@race.c"
VISIT = "missed-visit node.Node children"


def test_minimize_says_that_it_is_of_another_finding(command, finding_that_says, tmp_path: Path) -> None:
    done = command("minimize", finding_that_says(signature=RACE), "--out", tmp_path / "small.prog")
    assert done.returncode == 0, done.stderr
    assert f"signature:  {VISIT}\nstated:     {RACE}; no process showed it" in done.stdout
    assert f"no process shows {RACE}: minimising what they show instead, {VISIT}" in done.stderr


def test_minimize_says_nothing_of_what_it_saw(command, finding_that_says, tmp_path: Path) -> None:
    done = command("minimize", finding_that_says(), "--out", tmp_path / "small.prog")
    assert done.returncode == 0, done.stderr
    assert "stated:" not in done.stdout + done.stderr


class Faces:
    """Shows by how often a process runs the program: what, and in how many of five processes."""

    seconds = deadline = 0

    def __init__(self, shown: dict[int, dict[str, int]]) -> None:
        self.repeat = 1
        self._shown = shown

    def measure(self, text: str, times: int, side_by_side: int, wanted: str, or_other: bool) -> Measured:
        seen = self._shown.get(self.repeat, {})
        reports = [Report("", "", one, "") for one, count in seen.items() for _ in range(count)]
        return _counted([*reports, *[None] * (times - len(reports))], wanted, or_other)


@pytest.mark.parametrize(
    ("shown", "signature", "repeat"),
    [
        ({1: {RACE: 4}, 2: {RACE: 4, VISIT: 1}, 20: {RACE: 5}}, VISIT, 2),
        ({1: {RACE: 4, VISIT: 1}, 2: {VISIT: 4}}, VISIT, 2),
        ({1: {RACE: 5}, 2: {VISIT: 5}}, RACE, 1),
        ({1: {RACE: 1}, 200: {RACE: 2}}, RACE, 200),
    ],
)
def test_minimize_takes_the_stated_one_if_any_process_shows_it(
    shown: dict[int, dict[str, int]], signature: str, repeat: int, tmp_path: Path
) -> None:
    artefact = Artefact(tmp_path / "a.prog", Job("node", "clean", "asan", "threads"), "3.14.7", signature=VISIT)
    replayer = Faces(shown)
    measured = _Minimizer(artefact, tmp_path / "out.prog", 5, Task("x"), replayer)._measure_original("")
    assert (measured.signature, replayer.repeat) == (signature, repeat)
