"""`refquake realworld`: packages and CPython's own modules, one after the other, summed up in a table."""

from pathlib import Path

import click

from refquake_cli.errors import FINDINGS, NOTHING_FOUND
from refquake_cli.flavours import FLAVOURS, check_flavour
from refquake_cli.paths import DEFAULT_OUT
from refquake_cli.sources import DEFAULT_VERSION, check_version
from refquake_cli.targets import check_profile


@click.command("realworld")
@click.argument("names", nargs=-1, metavar="[packages|standard|known-bugs|NAME...]")
@click.option("--flavour", default="asan", show_default=True, metavar="|".join(FLAVOURS))
@click.option("--profile", default="lifecycle", show_default=True, metavar="NAME")
@click.option("--time", "seconds", type=click.IntRange(2), default=30, show_default=True, metavar="S",
              help="Seconds for each.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, show_default=True)
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(names: tuple[str, ...], flavour: str, profile: str, seconds: int, out: Path, version: str) -> int:
    """Fuzz a list of modules (default: all) for a while each; print a table as Markdown."""
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.console import say
    from refquake_cli.realworld import Settings, run_subject
    from refquake_cli.realworld_table import load_verdicts, table

    check_version(version)
    subjects = _subjects(names or ("packages", "standard"))
    build([check_flavour(flavour)], version, to_fuzz(""))
    out.mkdir(parents=True, exist_ok=True)
    settings = Settings(flavour, check_profile(profile), seconds, version, out.resolve())
    rows = []
    for subject in subjects:
        row = run_subject(subject, settings)
        rows.append(row)
        found = ", ".join(seen.signature for seen in row.findings) or "nothing"
        say(f"{row.target}: {row.state}, {row.executions} executions, {row.success:.0%} of ops succeed, found {found}")
    print(table(rows, load_verdicts()), end="")
    return FINDINGS if any(row.findings for row in rows) else NOTHING_FOUND


def _subjects(names: tuple[str, ...]):
    from refquake_cli.added import is_standard
    from refquake_cli.realworld_list import KNOWN_BUGS, PACKAGES, STANDARD, Subject

    groups = {"packages": PACKAGES, "standard": STANDARD, "known-bugs": KNOWN_BUGS}
    known = {subject.target: subject for group in groups.values() for subject in group}
    subjects = []
    for name in names:
        if name in groups:
            subjects += groups[name]
        else:
            subjects.append(known.get(name) or Subject(name, "" if is_standard(name) else name))
    return subjects
