"""Whose turn it is in a night, in which order at first, and how long a turn takes."""

import pytest

from refquake_cli.job import Job
from refquake_cli.night import settings as settings_module
from refquake_cli.night.settings import PLANTS, Settings, TargetSettings, plan_arms, turn_of
from refquake_cli.night.share import Share


def test_time_goes_to_what_still_finds_something_new() -> None:
    share = Share(["rich", "poor", "empty"])
    spent = dict.fromkeys(("rich", "poor", "empty"), 0)
    for _ in range(100):
        arm = share.choose()
        share.reward(arm, gain={"rich": 100, "poor": 10, "empty": 0}[arm], seconds=10)
        spent[arm] += 1
    assert spent["rich"] > 2 * spent["poor"] >= 2 * spent["empty"]
    assert spent["empty"] >= 3, "an arm that found nothing is tried again now and then"
    assert share.choose(("rich", "poor", "empty")) is None


def test_what_is_settled_gets_its_first_turn_and_then_little() -> None:
    share = Share(["found", "open"])
    share.settle("found")
    order = []
    for _ in range(40):
        order.append(share.choose())
        share.reward(order[-1], gain=5, seconds=10)
    assert set(order[:2]) == {"found", "open"}
    assert 1 <= order.count("found") <= 5


def test_a_turn_lets_each_arm_have_one_in_half_of_the_night() -> None:
    night = Settings(seconds=1800, jobs=2)
    assert turn_of(night, 104) == 17
    assert turn_of(night, 10) == 60
    assert turn_of(night, 1000) == 10
    assert turn_of(Settings(seconds=1800, jobs=2, turn_seconds=33), 1000) == 33


def test_each_variant_has_an_arm_before_any_has_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    def plants(target: str, profile: str | None, flavours: list[str], only: str | None) -> list[Job]:
        assert only is None
        return [Job(target, name, flavour, "threads") for name in ("one", "two") for flavour in flavours]

    monkeypatch.setattr(settings_module, "plant_jobs", plants)
    monkeypatch.setattr(settings_module, "check_target", lambda name, version: name)
    targets = tuple(TargetSettings(name, variants=(PLANTS,)) for name in ("node", "ring"))
    arms = [(arm.target, arm.variant, arm.flavour) for arm in plan_arms(Settings(targets=targets))]
    variants = [(target, variant) for target in ("node", "ring") for variant in ("one", "two")]
    assert arms == [(*variant, flavour) for flavour in ("asan", "tsan") for variant in variants]
