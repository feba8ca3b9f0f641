"""`refquake repro`: does it happen again?"""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from refquake_cli.errors import FINDINGS, NOTHING_FOUND, WrongUse
from refquake_cli.replay_options import build_to_replay, replay_options
from refquake_cli.targets import CLEAN

if TYPE_CHECKING:
    from refquake_cli.artefact import Overrides

_BUILD_ID = re.compile(r" \(BuildId: [0-9a-f]+\)")


@click.command("repro")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--times", type=click.IntRange(1), default=5, show_default=True, help="Fresh processes.")
@click.option("--clean", is_flag=True, help="Replay against the clean build.")
@replay_options()
def command(file: Path, times: int, clean: bool, overrides: "Overrides") -> int:
    """Replay FILE in fresh processes: a finding's folder, a .prog, or the bytes of a crash.

    What does not show is run up to 200 times in each process. Exits 1 if anything was found, also where that is another
    finding than FILE's, and 0 if not.
    """
    from refquake_cli.artefact import open_artefact

    if overrides.variant and clean:
        raise WrongUse("--plant and --clean: choose one")
    artefact = open_artefact(file, replace(overrides, variant=CLEAN) if clean else overrides)
    build_to_replay(artefact)
    return _replay_and_tell(artefact, file, times)


# Told in other words, or gone by now.
_NOT_SHOWN = ("==refquake== ARTEFACT:", "==refquake== SWITCH:", "==refquake== ORDER:", "artifact_prefix=")


def report_on_screen(text: str) -> str:
    """Without the program, which is printed above, the artefact of a replay, which is gone by now, and build ids."""
    kept, in_program = [], False
    for line in text.rstrip().splitlines():
        ours = line.startswith("==refquake== ")
        in_program = line.startswith("==refquake== PROGRAM:") or (in_program and not ours)
        if not in_program and not line.startswith(_NOT_SHOWN):
            kept.append(_BUILD_ID.sub("", line))
    return "\n".join(kept)


def _replay_and_tell(artefact, file: Path, times: int) -> int:
    from refquake_cli.console import say
    from refquake_cli.program_text import require_text
    from refquake_cli.replay_tally import replay_until_shown
    from refquake_cli.switch_places import told_switches

    job = artefact.job
    print(require_text(artefact.path, job, artefact.version).rstrip() + "\n")
    say(f"replaying {times} times: {job.target} {job.variant}, {job.flavour}, profile {job.profile}")
    tally = replay_until_shown(artefact, times, say)
    if not tally.reports:
        what = f"{job.target} {job.variant} under {job.flavour}"
        print(f"not reproduced: 0 of {times} replays of {what}, {tally.effort()}")
        return NOTHING_FOUND
    report = tally.best
    print(report_on_screen(report.text) + "\n")
    print(f"kind:       {report.kind}\nsignature:  {report.signature}")
    for number, switch in enumerate(told_switches(report.text)):
        print(f"{'switches:   ' if number == 0 else '            '}{switch}")
    print(tally.text(file))
    return FINDINGS
