"""Where a command is told to write: looked at before the work, not after it.

    check_destination(out)       # WrongUse: its folder is not there or not ours to write in, or it is a folder
"""

import os
from pathlib import Path

from refquake_cli.errors import WrongUse


def check_destination(out: Path) -> None:
    folder = out.parent
    if not folder.is_dir():
        raise WrongUse(f"cannot write {out}: {folder} is no folder")
    if out.is_dir():
        raise WrongUse(f"cannot write {out}: it is a folder")
    if not os.access(folder, os.W_OK):
        raise WrongUse(f"cannot write {out}: {folder} is read-only")
