"""Standard output that takes any text, and says so where it cannot be written.

open_standard_output()      # CouldNotRun where there is none
print(path)                 # of a file's name that is no UTF-8, each odd byte as \\udcNN
sys.stdout.flush()          # CouldNotRun: "cannot write standard output: No space left on device"
"""

import io
import sys

from refquake_cli.errors import CouldNotRun


class _Descriptor(io.FileIO):
    def write(self, data) -> int | None:
        try:
            return super().write(data)
        except OSError as error:
            raise CouldNotRun(f"cannot write standard output: {error.strerror}") from error


def open_standard_output() -> None:
    """In place of Python's own, which has written nothing yet."""
    if sys.stdout is None:
        raise CouldNotRun("standard output is closed: nothing could be told")
    buffer = io.BufferedWriter(_Descriptor(sys.stdout.fileno(), "w", closefd=False))
    sys.stdout = io.TextIOWrapper(
        buffer, encoding=sys.stdout.encoding, errors="backslashreplace", line_buffering=sys.stdout.line_buffering
    )
