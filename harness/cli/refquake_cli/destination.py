"""Where a command is told to write: looked at before the work, not after it.

    destination = check_destination(out, own="# finding: ")

WrongUse: its folder is not there or not ours to write in; something else than a file is there, or a file that this
command did not write, which holds none of `own` in its first lines. A symbolic link is followed.
"""

import os
from pathlib import Path

from refquake_cli.errors import WrongUse

_HEAD = 4096


def check_destination(out: Path, own: str) -> Path:
    destination = out.resolve()
    folder = destination.parent
    if not folder.is_dir():
        raise WrongUse(f"cannot write {out}: {folder} is no folder")
    if destination.is_dir():
        raise WrongUse(f"cannot write {out}: it is a folder")
    if destination.exists() and not destination.is_file():
        raise WrongUse(f"cannot write {out}: it is no regular file")
    if not os.access(folder, os.W_OK):
        raise WrongUse(f"cannot write {out}: {folder} is read-only")
    if destination.exists() and not _holds(destination, own):
        raise WrongUse(f"{out} is there already, and nothing that this command wrote: give another name")
    return destination


def _holds(path: Path, own: str) -> bool:
    try:
        with path.open("rb") as stream:
            return own.encode() in stream.read(_HEAD)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from error
