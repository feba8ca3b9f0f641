"""The command's exit codes, and the two errors that carry them.

Example:

    raise WrongUse("no such file: x.prog")                    # one line, exit 2
    raise CouldNotRun("no compiler", details="last lines")    # one line and details, exit 3
"""

NOTHING_FOUND = 0
FINDINGS = 1
WRONG_USE = 2
COULD_NOT_RUN = 3
INTERRUPTED = 130


class RefquakeError(Exception):
    """One clear line: what, where, what to do; `details` (a log's last lines) go above it."""

    exit_code = COULD_NOT_RUN

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class WrongUse(RefquakeError):
    exit_code = WRONG_USE


class CouldNotRun(RefquakeError):
    exit_code = COULD_NOT_RUN
