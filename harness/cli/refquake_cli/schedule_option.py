"""How lanes run, as the command line has it and as a process is told.

@schedule_option
def command(schedule: str): Options(..., flags=schedule_flags(schedule))
"""

import click

_AS_THE_PROGRAM_HAS_IT = "mixed"

schedule_option = click.option(
    "--schedule", type=click.Choice((_AS_THE_PROGRAM_HAS_IT, "free", "stepped")), default=_AS_THE_PROGRAM_HAS_IT,
    show_default=True, help="Lanes run as each program has it, or all one way.",
)  # fmt: skip


def schedule_flags(schedule: str) -> tuple[str, ...]:
    return () if schedule == _AS_THE_PROGRAM_HAS_IT else (f"--schedule={schedule}",)
