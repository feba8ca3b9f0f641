"""The command's table of contents; each subcommand is imported only when it is used, so that `--help` is quick.

Example:

    ./refquake --help
"""

import importlib
import os
import sys
import traceback

import click

from refquake_cli import interrupts
from refquake_cli.errors import COULD_NOT_RUN, INTERRUPTED, RefquakeError
from refquake_cli.standard_output import open_standard_output

COMMANDS = {
    "fuzz": "Set up, build, and fuzz a target; print a table of findings.",
    "add": "Build an extension from source under each flavour, to fuzz it.",
    "env": "Run a command with a flavour's interpreter, compilers and flags.",
    "discover": "Print what is found in a module: types, ops, and what is suspicious.",
    "realworld": "Fuzz a list of packages and standard modules; print a table.",
    "repro": "Replay a finding in fresh processes.",
    "minimize": "Make a finding's program as small as it gets.",
    "export": "Turn a finding into a script of plain Python.",
    "show": "Print any artefact as program text, or draw it.",
    "nightly": "Fuzz everything, night after night, past what is known.",
    "triage": "List, show and mark the findings of all nights.",
    "report": "Write HTML, JSON, JUnit XML and SARIF of a campaign.",
    "smoke": "Replay regressions, then fuzz what changed: two minutes, for pull requests.",
    "setup": "Build the interpreters that are missing.",
    "test": "Build and run all tests.",
    "bench": "Run the benchmarks.",
    "doctor": "Check this machine, and say what to do.",
    "clean": "Remove build tree and findings, or the cache too.",
}


class LazyGroup(click.Group):
    """A group whose commands live in refquake_cli.commands.NAME, each as `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return importlib.import_module(f"refquake_cli.commands.{name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def refquake() -> None:
    """Find reference-count races, dealloc-order bugs and traverse errors in CPython C extensions.

    Start with `./refquake fuzz`: it sets up what is missing, builds, and fuzzes the sample extension.

    Exit codes: 0 nothing found, 1 findings, 2 wrong use, 3 could not run, 130 interrupted.
    """


def main() -> None:
    # Python's own exit code for whatever goes wrong is 1, which says "findings" here: also where the words about it, or
    # those still in a buffer, cannot be written.
    code = COULD_NOT_RUN
    try:
        code = _run()
    except (OSError, ValueError, AttributeError):
        pass
    except KeyboardInterrupt:  # while words about something else were written
        code = INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except (OSError, ValueError, RefquakeError):
            code = code or COULD_NOT_RUN
        except KeyboardInterrupt:
            code = INTERRUPTED
    os._exit(code)


def _run() -> int:
    try:
        interrupts.take()
        open_standard_output()
        code = refquake.main(prog_name="refquake", standalone_mode=False) or 0
        sys.stdout.flush()
        return code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RefquakeError as error:
        if error.details:
            print(error.details, file=sys.stderr)
        print(f"refquake: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"refquake: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except (KeyboardInterrupt, click.exceptions.Abort):
        print("refquake: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except SystemExit:  # click's and rich's, where nobody reads standard error any more
        return COULD_NOT_RUN
    except Exception:
        traceback.print_exc()
        return COULD_NOT_RUN
