"""`refquake bench`: a wrong plant is told before anything is built, and an interruption leaves what there is."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from refquake_cli import build, earnings, fuzz_plan, truth
from refquake_cli.commands.bench import command
from refquake_cli.earnings import Row, Try
from refquake_cli.errors import WrongUse


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the command with nothing to build; the exit code."""
    monkeypatch.setattr(build, "build", lambda *_, **__: None)
    monkeypatch.setattr(fuzz_plan, "plan", lambda *_: [])

    def run(*arguments: str) -> int:
        given = [*arguments, f"--out={tmp_path}"]
        return CliRunner().invoke(command, given, standalone_mode=False, catch_exceptions=False).return_value

    return run


@pytest.mark.parametrize("given", ["node", "node/", "node/all", "node/none", "node/clean", "node/nope", "math/all"])
def test_a_wrong_plant_is_told_before_the_build(bench, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setattr(build, "build", lambda *_, **__: pytest.fail("it was built"))
    with pytest.raises(WrongUse, match=f"{given} is not TARGET/PLANT; the plants of "):
        bench("schedule", "node/setter_race", given)


@pytest.mark.parametrize(("tries", "written"), [([Try(7, 1.0, True)], True), ([], False)], ids=["one", "none"])
def test_an_interrupted_comparison_writes_what_is_whole(
    bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tries: list[Try], written: bool
) -> None:
    rows = [Row("mixed", {"node/setter_race": tries} if tries else {}, [1] if tries else [])]
    monkeypatch.setattr(earnings, "measure", lambda *_: (rows, True))
    assert bench("schedule", "node/setter_race") == 130
    assert (tmp_path / "schedule.md").exists() == (tmp_path / "schedule.json").exists() == written
    assert not written or "Interrupted before the last." in (tmp_path / "schedule.md").read_text()


def test_an_interrupted_truth_writes_what_there_is_and_tries_no_rival(
    bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Campaign:
        def __init__(self, jobs: list, *_: object) -> None:
            self.interrupted = jobs != [truth.control_job("asan")]
            outcome = SimpleNamespace(state="stopped" if self.interrupted else "clean")
            self.runs = [SimpleNamespace(job=job, outcome=outcome, planted=0) for job in jobs]

        def run(self) -> None:
            pass

    monkeypatch.setattr(truth, "Campaign", Campaign)
    monkeypatch.setattr(truth, "add_rivals", lambda *_: pytest.fail("rivals were tried"))
    assert bench("truth", "node", "--rivals", "2") == 130
    assert "Interrupted before the last." in (tmp_path / "ground-truth.md").read_text()
    assert "The control was silent" in (tmp_path / "ground-truth.md").read_text()
    assert (tmp_path / "ground-truth.json").exists()


def test_every_plant_of_a_sample_is_known_before_it_is_built() -> None:
    """The names in the sources, as the command reads them, are those that the build reads out of them."""
    from refquake_cli.errors import WrongUse
    from refquake_cli.targets import check_plant_name, plants_in_sources

    assert {"check_then_access", "rotate_race", "exhausted_twice"} <= set(plants_in_sources("ring"))
    assert check_plant_name("ring", "rotate_race") == "rotate_race"
    with pytest.raises(WrongUse, match="ring has no plant nope; there are: partner_not_visited"):
        check_plant_name("ring", "nope")
