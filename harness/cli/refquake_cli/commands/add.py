"""`refquake add`: builds a package for each flavour, proves it, and makes it a target of `refquake fuzz`."""

import re
from pathlib import Path

import click

from refquake_cli.errors import NOTHING_FOUND, CouldNotRun, WrongUse
from refquake_cli.flavours import DEFAULT_FLAVOURS, FLAVOURS, check_flavour
from refquake_cli.sources import DEFAULT_VERSION, check_version

_REQUIREMENT = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:==(?P<release>[\w.!+*-]+))?$")


@click.command("add")
@click.argument("what", required=False, metavar="[PACKAGE[==VERSION]|PATH]")
@click.option("--local", type=click.Path(path_type=Path), metavar="DIR",
              help="A folder with modules built already (see `refquake env`).")  # fmt: skip
@click.option("--with", "more", multiple=True, metavar="PACKAGE", help="A dependency to build from source as well.")
@click.option("--flavour", "flavours", multiple=True, metavar="|".join(FLAVOURS), help="May be given more than once.")
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="CPython.")
def command(
    what: str | None, local: Path | None, more: tuple[str, ...], flavours: tuple[str, ...], version: str
) -> int:
    """Build PACKAGE (or the project at PATH) from source under each flavour; then: refquake fuzz MODULE."""
    from refquake_cli.add import add_local, add_package
    from refquake_cli.interpreter import ensure_interpreters

    if (what is None) == (local is None):
        raise WrongUse("give one of: a package, a path, or --local DIR")
    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    check_version(version)
    ensure_interpreters(wanted, version)
    for flavour in wanted:
        if local:
            added = add_local(flavour, version, local)
        else:
            requirement, name, release = _requirement(what or "")
            added = add_package(flavour, version, requirement, name, release, list(more))
        _tell(flavour, added)
    return NOTHING_FOUND


def _requirement(what: str) -> tuple[str, str, str]:
    """What pip is asked for, the package's name ("" if pip shall tell), and its version ("" likewise)."""
    if Path(what).exists():
        return str(Path(what).resolve()), "", ""
    match = _REQUIREMENT.match(what)
    if not match:
        raise WrongUse(f"neither a package (NAME or NAME==VERSION) nor a path: {what}")
    return what, match["name"], match["release"] or ""


def _tell(flavour: str, added) -> None:
    gil = "keeps the GIL off" if added.gil_off else "asks for the GIL (no Py_MOD_GIL_NOT_USED): forced off"
    print(f"{added.name} for {flavour}: import {added.module}; {gil}")
    for name in added.uninstrumented:
        print(f"  {name} carries no instrumentation: its bugs will not be seen")
    if added.extensions and len(added.uninstrumented) == len(added.extensions):
        raise CouldNotRun(f"nothing of {added.name} is instrumented for {flavour}: its build ignores CFLAGS")
