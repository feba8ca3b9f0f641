"""What the commands that replay an artefact have in common: their options, and what they need built.

@replay_options()
def command(file: Path, overrides: Overrides) -> int:
    artefact = open_artefact(file, overrides)
    build_to_replay(artefact)
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from refquake_cli.flavours import FLAVOURS
from refquake_cli.option_checks import not_empty

if TYPE_CHECKING:
    from refquake_cli.artefact import Artefact


def replay_options(plant: bool = True) -> Callable[[Callable], Callable]:
    """What an artefact says of itself, or does not, as options; the command gets them as one `overrides`."""
    named = functools.partial(click.option, callback=not_empty)
    options = [
        named("--flavour", metavar="|".join(FLAVOURS), help="Default: the one it was found under."),
        named("--target", metavar="NAME", help="For bytes that do not say."),
        named("--profile", metavar="NAME", help="For bytes that do not say."),
    ]
    if plant:
        options.insert(1, named("--plant", metavar="NAME", help="Replay against this variant."))

    def decorate(command: Callable) -> Callable:
        @functools.wraps(command)
        def wrapped(*arguments, flavour: str | None, target: str | None, profile: str | None, **more):
            from refquake_cli.artefact import Overrides

            overrides = Overrides(target, more.pop("plant", None), flavour, profile)
            return command(*arguments, overrides=overrides, **more)

        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate


def build_to_replay(artefact: "Artefact") -> None:
    """The one fuzz binary and the one target that a replay runs, and no more."""
    from refquake_cli.build import build, own_products
    from refquake_cli.targets import check_variant

    job = artefact.job
    build([job.flavour], artefact.version, [*own_products(job.target), f"fuzz_{job.profile}"])
    check_variant(job.target, job.variant, job.flavour)
