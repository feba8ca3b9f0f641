"""What the replays of an artefact showed, beside what it says that they show.

    tally = replay_until_shown(artefact, times=5, note=say)
    tally.reports         # of the replays that found anything; none: not even when they ran the program 200 times
    tally.text(file)      # "reproduced: 3 of 5; another finding 2 of 5: SIGNATURE"

Where the command line asks for another build or profile than the finding's, the same bug may show under another
signature: then what shows is told, and not judged.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from refquake_cli.artefact import Artefact
from refquake_cli.paths import shown
from refquake_cli.replay import REPEATS, replay, shows
from refquake_cli.reports import Report

_ADVICE = """\
It is another finding than the one this was kept for, or the same bug met elsewhere: freed memory is met by whoever
touches it next, a race has many places. If the stated one was mended, this one is new, and `./refquake minimize {file}`
makes it small. If not, this one may hide it: mend this one, then replay again."""


@dataclass(frozen=True)
class Tally:
    artefact: Artefact  # with how often each process ran it
    times: int
    reports: list[Report]
    tried: tuple[int, ...]  # how often each process ran it, in one attempt after the other

    @property
    def judged(self) -> bool:
        return bool(self.artefact.signature) and self.artefact.as_found

    @property
    def wanted(self) -> list[Report]:
        """Where there is nothing to compare with, any."""
        return [one for one in self.reports if not self.judged or shows(one, self.artefact.signature)]

    @property
    def others(self) -> list[Report]:
        return [one for one in self.reports if one not in self.wanted]

    @property
    def best(self) -> Report:
        return (self.wanted or self.reports)[0]

    def effort(self) -> str:
        return f"running the program {', then '.join(map(str, self.tried))} times in each process"

    def text(self, file: Path) -> str:
        if self.artefact.signature and not self.judged:
            return self._told()
        if self.wanted or not self.judged:
            return self._reproduced()
        advice = _ADVICE.format(file=shown(file))
        return f"{self._reproduced()}\nstated:     {self.artefact.signature}\n{advice}"

    def _reproduced(self) -> str:
        others = [f"another finding {self._of(count)}: {one}" for one, count in _counted(self.others)]
        lines = ["; ".join([f"reproduced: {self._of(len(self.wanted))}{self._each()}", *others])]
        if not self.judged:
            lines += [f"            {count} of them as: {one}" for one, count in _counted(self.reports)[1:]]
        return "\n".join(lines)

    def _told(self) -> str:
        found = [f"{self._of(count)}{self._each()}: {one}" for one, count in _counted(self.reports)]
        stated = f"stated:     {self.artefact.signature}, of another build or profile: not compared"
        return "seen:       " + "\n            ".join(found) + "\n" + stated

    def _of(self, count: int) -> str:
        return f"{count} of {self.times}"

    def _each(self) -> str:
        repeat = self.artefact.repeat
        return f", each running the program {repeat} times" if repeat > REPEATS[0] else ""


def _counted(reports: list[Report]) -> list[tuple[str, int]]:
    """In the order in which they first showed."""
    return list(Counter(report.signature for report in reports).items())


def replay_until_shown(artefact: Artefact, times: int, note: Callable[[str], None]) -> Tally:
    """Where no process shows the finding and some show nothing at all, they run it more often: under its own build."""
    first: Tally | None = None
    tried: tuple[int, ...] = ()
    for repeat in (artefact.repeat, *(more for more in REPEATS if more > artefact.repeat)):
        if tried:
            note(f"not seen in {times} processes; again, each running the program {repeat} times")
        tried = (*tried, repeat)
        again = replace(artefact, repeat=repeat)
        reports = [one.report for one in replay(again, times) if one.report]
        tally = Tally(again, times, reports, tried)
        if tally.wanted or not artefact.as_found:
            return tally
        if reports and not first:
            first = tally
        if len(reports) == times:  # each ends before it could show anything else
            break
    return first or tally
