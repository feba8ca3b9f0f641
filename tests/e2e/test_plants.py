"""Each plant is found as the kind its comment names, from an empty corpus; each clean build is silent."""

import pytest
from conftest import plants, targets
from fuzz_once import fuzz

SEEDS = (1, 2)
PLANT_SECONDS = 60
CLEAN_SECONDS = 10
PROFILES = ("lifecycle", "threads")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("target", "plant"), plants(), ids=lambda value: value if isinstance(value, str) else value["plant"])
def test_plant_is_found(target: str, plant: dict, seed: int) -> None:
    run = fuzz(target, plant["plant"], plant["profile"], seed, PLANT_SECONDS)
    assert run.code == 77, f"{plant['plant']} was not found in {PLANT_SECONDS} s:\n{run.output[-2000:]}"
    assert run.kind in plant["finds"], run.output[-4000:]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("target", targets())
def test_clean_build_is_silent(target: str, profile: str) -> None:
    run = fuzz(target, "clean", profile, 1, CLEAN_SECONDS)
    assert run.code == 0, run.output[-6000:]
    assert "DONE" in run.output  # libFuzzer's last status line: it did run


def test_a_plant_that_nothing_finds_fails_the_check() -> None:
    """The check above can fail: a clean build in a plant's place is not taken for found."""
    run = fuzz("node", "clean", "lifecycle", 1, 2)
    assert run.code != 77
    assert run.kind == ""
