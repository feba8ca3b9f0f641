"""A scratch folder of the command: gone with the block, and gone with the next command where this one was killed.

    with scratch_folder("minimize") as folder: ...      # /tmp/refquake-minimize-k2v8q1xz

Its process keeps a file in it locked. The kernel lets go of the lock however that process ends, so the first scratch
folder of a process begins with removing those that nobody holds.
"""

import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from refquake_cli.files import remove

# A name that nothing else has which lies in /tmp and is called refquake-something.
_LOCK = ".refquake-scratch"


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    from filelock import FileLock

    _remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=f"refquake-{purpose}-"))
    taking = folder / f"{_LOCK}.part"
    lock = FileLock(taking)
    try:
        lock.acquire()
        # Locked before it has the name that others look for: they never see a folder in use that nobody holds.
        os.rename(taking, folder / _LOCK)
        yield folder
    finally:
        _remove(folder)
        lock.release()


@functools.cache  # once in each process
def _remove_abandoned() -> None:
    from filelock import FileLock, Timeout

    for folder in Path(tempfile.gettempdir()).glob("refquake-*"):
        try:
            if folder.lstat().st_uid != os.getuid() or not (folder / _LOCK).is_file():
                continue
            with FileLock(folder / _LOCK, timeout=0):
                _remove(folder)
        except (Timeout, OSError):
            continue  # in use; or another process has just removed it


def _remove(folder: Path) -> None:
    """The lock last: what is left when this is cut short is still known as a scratch folder."""
    with suppress(OSError):
        for entry in folder.iterdir():
            if entry.name != _LOCK:
                remove(entry)
    shutil.rmtree(folder, ignore_errors=True)
