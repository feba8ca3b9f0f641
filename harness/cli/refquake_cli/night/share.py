"""Whose turn it is: time goes to what still finds something new.

    share = Share(arms)
    arm = share.choose(running)            # None: all of them run already
    share.reward(arm, gain=12, seconds=60)
    share.settle(arm)                      # it has shown what it is there for

Each arm has a value: new coverage per second, older turns counting half as much as the next. A quarter of the time is
shared evenly, so that nothing starves; the rest in proportion to the values. Next is who is furthest behind its share.
An arm that is settled gets a tenth of its share, so that what has found nothing yet is looked at more.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import Generic, TypeVar

Arm = TypeVar("Arm", bound=Hashable)
DECAY = 0.5
EVEN = 0.25
SETTLED = 0.1


class Share(Generic[Arm]):
    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms = list(arms)
        self._value = dict.fromkeys(arms, 0.0)
        self._seconds = dict.fromkeys(arms, 0.0)
        self._settled: set[Arm] = set()

    def choose(self, running: Collection[Arm] = ()) -> Arm | None:
        free = [arm for arm in self._arms if arm not in running]
        return min(free, key=self._behind) if free else None

    def _behind(self, arm: Arm) -> float:
        total = sum(self._value.values())
        worth = self._value[arm] / total if total else 1 / len(self._arms)
        part = SETTLED if arm in self._settled else 1
        return self._seconds[arm] / (part * (EVEN / len(self._arms) + (1 - EVEN) * worth))

    def reward(self, arm: Arm, gain: float, seconds: float) -> None:
        now = gain / max(seconds, 0.1)
        first = self._seconds[arm] == 0
        self._value[arm] = now if first else DECAY * self._value[arm] + (1 - DECAY) * now
        self._seconds[arm] += max(seconds, 0.1)

    def settle(self, arm: Arm) -> None:
        self._settled.add(arm)
