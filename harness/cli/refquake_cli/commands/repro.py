"""`refquake repro`: does it happen again?"""

import re
from collections import Counter
from pathlib import Path

import click

from refquake_cli.errors import FINDINGS, NOTHING_FOUND, WrongUse
from refquake_cli.flavours import FLAVOURS
from refquake_cli.targets import CLEAN

_BUILD_ID = re.compile(r" \(BuildId: [0-9a-f]+\)")


@click.command("repro")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--flavour", metavar="|".join(FLAVOURS), help="Default: the one it was found under.")
@click.option("--times", type=click.IntRange(1), default=5, show_default=True, help="Fresh processes.")
@click.option("--plant", metavar="NAME", help="Replay against this variant.")
@click.option("--clean", is_flag=True, help="Replay against the clean build.")
@click.option("--target", metavar="NAME", help="For bytes that do not say.")
@click.option("--profile", metavar="NAME", help="For bytes that do not say.")
def command(
    file: Path, flavour: str | None, times: int, plant: str | None, clean: bool, target: str | None, profile: str | None
) -> int:
    """Replay FILE in fresh processes: a finding's folder, a .prog, or the bytes of a crash.

    Exits 1 if it happened again, 0 if not.
    """
    from refquake_cli.artefact import Overrides, open_artefact
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.targets import check_variant

    if plant and clean:
        raise WrongUse("--plant and --clean: choose one")
    artefact = open_artefact(file, Overrides(target, CLEAN if clean else plant, flavour, profile))
    build([artefact.job.flavour], artefact.version, to_fuzz(artefact.job.target))
    check_variant(artefact.job.target, artefact.job.variant, artefact.job.flavour)
    return _replay_and_tell(artefact, times)


def report_on_screen(text: str) -> str:
    """Without the program, which is printed above, the artefact of a replay, which is gone by now, and build ids."""
    kept, in_program = [], False
    for line in text.rstrip().splitlines():
        ours = line.startswith("==refquake== ")
        in_program = line.startswith("==refquake== PROGRAM:") or (in_program and not ours)
        if not in_program and not line.startswith(("==refquake== ARTEFACT:", "artifact_prefix=")):
            kept.append(_BUILD_ID.sub("", line))
    return "\n".join(kept)


def _replay_and_tell(artefact, times: int) -> int:
    from refquake_cli.console import say
    from refquake_cli.program_text import require_text
    from refquake_cli.replay import replay

    job = artefact.job
    print(require_text(artefact.path, job, artefact.version).rstrip() + "\n")
    say(f"replaying {times} times: {job.target} {job.variant}, {job.flavour}, profile {job.profile}")
    reports = [one.report for one in replay(artefact, times) if one.report]
    if not reports:
        print(f"not reproduced: 0 of {times} replays of {job.target} {job.variant} under {job.flavour}")
        return NOTHING_FOUND
    print(report_on_screen(reports[0].text) + "\n")
    print(f"kind:       {reports[0].kind}\nsignature:  {reports[0].signature}")
    print(f"reproduced: {len(reports)} of {times}")
    for signature, count in list(Counter(report.signature for report in reports).items())[1:]:
        print(f"            {count} of them as: {signature}")
    return FINDINGS
