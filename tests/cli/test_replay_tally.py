"""What `repro` says of what it saw: the finding or another, at once or after many runs."""

from pathlib import Path

import pytest

from refquake_cli import replay_tally
from refquake_cli.artefact import Artefact, Overrides, open_artefact
from refquake_cli.job import Job
from refquake_cli.replay import Replay, judge
from refquake_cli.replay_tally import Tally, replay_until_shown
from refquake_cli.reports import Report

PROGRAM = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n        a.push(a)\n"
RACE = "data-race node_get_next@race.c | node_set_next@race.c"
VISIT = "missed-visit node.Node children"


def test_another_finding_than_the_stated_one_is_no_reproduction(command, finding_that_says) -> None:
    folder = finding_that_says(signature=RACE)
    done = command("repro", folder, "--times", "2")
    assert done.returncode == 1
    assert f"\nreproduced: 0 of 2; another finding 2 of 2: {VISIT}\nstated:     {RACE}\nIt is another" in done.stdout
    assert f"`./refquake minimize refquake-out/{folder.name}`" in done.stdout.replace("\n", " ")
    assert "again" not in done.stderr  # each process ended: running it more often shows nothing else


def test_the_stated_one_is_counted_apart_and_shown(command, finding_that_says) -> None:
    shown = command("repro", finding_that_says(variant="two_faces", signature=VISIT), "--times", "4")
    assert "\nreproduced: 2 of 4; another finding 2 of 4: use-after-free " in shown.stdout
    assert f"signature:  {VISIT}\n" in shown.stdout
    assert "stated:" not in shown.stdout


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("needs_push", ("--plant", "oracle")),
        ("oracle", ("--flavour", "tsan")),
        ("oracle", ("--profile", "threads")),
    ],
)
def test_what_another_build_shows_is_told_and_not_judged(command, finding_that_says, variant: str, words) -> None:
    done = command("repro", finding_that_says(variant=variant, signature=RACE), "--times", "2", *words)
    assert done.returncode == 1, done.stderr
    stated = f"stated:     {RACE}, of another build or profile: not compared"
    assert f"\nseen:       2 of 2: {VISIT}\n{stated}\n" in done.stdout
    assert "reproduced" not in done.stdout


def test_its_own_build_named_again_is_no_other(finding_that_says) -> None:
    folder = finding_that_says()
    assert open_artefact(folder, Overrides(variant="oracle", flavour="asan")).as_found
    assert not open_artefact(folder, Overrides(variant="clean")).as_found


def test_what_a_program_says_of_itself_counts_also_in_a_findings_folder(finding_that_says) -> None:
    path = finding_that_says(variant="clean") / "minimized.prog"
    path.write_text(f"# finding: {RACE}\n# variant: oracle\n# flavour: tsan\n# repeat: 40\n{PROGRAM}")
    artefact = open_artefact(path, Overrides())
    assert (artefact.signature, artefact.repeat, artefact.job.flavour) == (RACE, 40, "tsan")
    assert artefact.as_found
    assert open_artefact(path.parent, Overrides()).signature == VISIT


def test_what_needs_many_runs_is_run_more_often(command, tmp_path: Path) -> None:
    (tmp_path / "a.prog").write_text(f"# variant: shy\n{PROGRAM}")
    done = command("repro", "a.prog", "--times", "3")
    assert done.returncode == 1
    assert "\nreproduced: 3 of 3, each running the program 20 times\n" in done.stdout
    assert "not seen in 3 processes; again, each running the program 20 times" in done.stderr


def test_what_never_shows_was_run_often(command, tmp_path: Path) -> None:
    (tmp_path / "a.prog").write_text(PROGRAM)
    done = command("repro", "a.prog", "--times", "1")
    assert done.returncode == 0
    what = "0 of 1 replays of node clean under asan, running the program 2, then 20, then 200 times in each process"
    assert f"not reproduced: {what}\n" in done.stdout


def tally(monkeypatch: pytest.MonkeyPatch, shown: dict[int, list[str]], signature: str = VISIT) -> Tally:
    """Of an artefact whose three processes show these signatures, by how often they run it; "" is nothing."""

    def replay(artefact: Artefact, times: int) -> list[Replay]:
        return [Replay(Report(one.split()[0], "", one, "") if one else None) for one in shown[artefact.repeat]]

    monkeypatch.setattr(replay_tally, "replay", replay)
    artefact = Artefact(Path("a.prog"), Job("node", "clean", "asan", "threads"), "3.14.7", signature=signature)
    return replay_until_shown(artefact, 3, lambda _: None)


def test_another_one_that_shows_now_and_then_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tally(monkeypatch, {2: ["", RACE, ""], 20: [VISIT, RACE, ""]})
    assert seen.text(Path("a.prog")) == (
        f"reproduced: 1 of 3, each running the program 20 times; another finding 1 of 3: {RACE}"
    )


def test_another_one_that_showed_before_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = ["", "", ""]
    seen = tally(monkeypatch, {2: ["", RACE, ""], 20: nothing, 200: nothing})
    assert seen.text(Path("a.prog")).startswith(f"reproduced: 0 of 3; another finding 1 of 3: {RACE}\nstated:")


def test_without_anything_stated_all_that_shows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tally(monkeypatch, {2: [RACE, VISIT, RACE]}, signature="")
    assert seen.text(Path("a.prog")) == f"reproduced: 3 of 3\n            1 of them as: {VISIT}"


@pytest.mark.parametrize(
    ("code", "stated", "same"),
    [(-9, "crash exit -9", True), (70, "hang did not stop 30 s after its time was up", True), (-9, RACE, False)],
)
def test_a_death_without_a_word_is_known_by_its_kind(code: int, stated: str, same: bool) -> None:
    assert replay_tally.shows(judge(code, "").report, stated) == same
