"""`refquake minimize`: the smallest program that still shows the finding."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from refquake_cli.errors import INTERRUPTED, NOTHING_FOUND
from refquake_cli.replay_options import build_to_replay, replay_options

if TYPE_CHECKING:
    from refquake_cli.artefact import Overrides


@click.command("minimize")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where the program goes (default: beside FILE).")
@click.option("--times", type=click.IntRange(2), default=5, show_default=True, help="Replays that measure a rate.")
@replay_options()
def command(file: Path, out: Path | None, times: int, overrides: "Overrides") -> int:
    """Make the program of FILE (a finding's folder, a .prog, or bytes) as small as it gets.

    Each candidate runs in a fresh process; it is taken when it shows the signature that FILE states (where no process
    shows that, the one they show), at no less than half the original's rate. Interrupting it leaves the best so far in
    the file.
    """
    from refquake_cli.artefact import open_artefact
    from refquake_cli.destination import check_destination
    from refquake_cli.minimize import MARK

    artefact = open_artefact(file, overrides)
    destination = check_destination(out or default_out(file), own=MARK)
    build_to_replay(artefact)
    return _minimize_and_tell(artefact, destination, times)


def default_out(file: Path) -> Path:
    if file.is_dir():
        return file / "minimized.prog"
    return file.with_name(f"{file.name.removesuffix('.prog')}.min.prog")


def _age(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def _minimize_and_tell(artefact, out: Path, times: int) -> int:
    from refquake_cli.console import Progress, say
    from refquake_cli.minimize import minimize
    from refquake_cli.paths import shown

    job = artefact.job
    before = _age(out)
    try:
        with Progress() as progress:
            task = progress.task(f"{job.target} {job.title}")
            result = minimize(artefact, out, times, task)
            task.done(f"{len(result.program.ops)} ops")
    except KeyboardInterrupt:
        say(
            f"interrupted; the best so far is in {shown(out)}"
            if _age(out) != before
            else "interrupted before anything was written"
        )
        return INTERRUPTED
    print(out.read_text(encoding="utf-8"), end="")
    print(f"\nsignature:  {result.before.signature}")
    if result.unseen:
        print(f"stated:     {result.unseen}; no process showed it, so the program is of what they showed instead")
    print(f"ops:        {len(result.original.ops)} -> {len(result.program.ops)}")
    print(f"reproduced: {result.measured} fresh processes (before: {result.before})" + _repeat_text(result.repeat))
    print(f"tried:      {result.tried} candidates in {result.processes} processes")
    print(f"written:    {shown(out)}")
    return NOTHING_FOUND


def _repeat_text(repeat: int) -> str:
    return f", each running the program {repeat} times" if repeat > 1 else ""
