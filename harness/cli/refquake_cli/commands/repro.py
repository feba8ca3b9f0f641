"""`refquake repro`: does it happen again?"""

import re
from collections import Counter
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

    Exits 1 if it happened again, 0 if not.
    """
    from refquake_cli.artefact import open_artefact

    if overrides.variant and clean:
        raise WrongUse("--plant and --clean: choose one")
    artefact = open_artefact(file, replace(overrides, variant=CLEAN) if clean else overrides)
    build_to_replay(artefact)
    return _replay_and_tell(artefact, times)


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


def _replay_and_tell(artefact, times: int) -> int:
    from refquake_cli.console import say
    from refquake_cli.program_text import require_text
    from refquake_cli.replay import replay
    from refquake_cli.switch_places import told_switches

    job = artefact.job
    print(require_text(artefact.path, job, artefact.version).rstrip() + "\n")
    say(f"replaying {times} times: {job.target} {job.variant}, {job.flavour}, profile {job.profile}")
    reports = [one.report for one in replay(artefact, times) if one.report]
    if not reports:
        print(f"not reproduced: 0 of {times} replays of {job.target} {job.variant} under {job.flavour}")
        return NOTHING_FOUND
    print(report_on_screen(reports[0].text) + "\n")
    print(f"kind:       {reports[0].kind}\nsignature:  {reports[0].signature}")
    for number, switch in enumerate(told_switches(reports[0].text)):
        print(f"{'switches:   ' if number == 0 else '            '}{switch}")
    print(f"reproduced: {len(reports)} of {times}")
    for signature, count in list(Counter(report.signature for report in reports).items())[1:]:
        print(f"            {count} of them as: {signature}")
    return FINDINGS
