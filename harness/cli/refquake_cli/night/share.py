"""Whose turn it is: time goes to what still finds something new.

    share = Share(arms)
    arm = share.choose(running)            # None: all of them run already
    share.reward(arm, gain=12, seconds=60)

Each arm has a value: new coverage per second, older turns counting half as much as the next. Arms never tried come
first, then those whose value, plus a bonus for having waited long, is highest; so nothing starves.
"""

import math
from collections.abc import Collection, Hashable, Sequence
from typing import Generic, TypeVar

Arm = TypeVar("Arm", bound=Hashable)
DECAY = 0.5
CURIOSITY = 0.7


class Share(Generic[Arm]):
    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms = list(arms)
        self._value = dict.fromkeys(arms, 0.0)
        self._seconds = dict.fromkeys(arms, 0.0)
        self._turns = dict.fromkeys(arms, 0)

    def choose(self, running: Collection[Arm] = ()) -> Arm | None:
        free = [arm for arm in self._arms if arm not in running]
        return max(free, key=self._score) if free else None

    def _score(self, arm: Arm) -> float:
        if self._turns[arm] == 0:
            return math.inf
        best = max(self._value.values()) or 1.0
        spent = sum(self._seconds.values())
        waited = math.sqrt(math.log(1 + spent) / (1 + self._seconds[arm]))
        return self._value[arm] / best + CURIOSITY * waited

    def started(self, arm: Arm) -> None:
        self._turns[arm] += 1

    def reward(self, arm: Arm, gain: float, seconds: float) -> None:
        now = gain / max(seconds, 0.1)
        self._value[arm] = now if self._turns[arm] <= 1 else DECAY * self._value[arm] + (1 - DECAY) * now
        self._seconds[arm] += seconds
