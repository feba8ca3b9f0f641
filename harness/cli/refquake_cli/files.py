"""Files and folders that appear whole or not at all: written beside, then renamed.

Example:

    write_whole(folder / "finding.json", text)
    with folder_beside(final) as part: ...fill part...      # swapped with `final` at the end, or removed
    recover(final)                                          # what a process killed in the middle of it left

A file is on the disk before it has its name, and its name before the call returns: power loss changes nothing of that.
"""

import ctypes
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_libc = ctypes.CDLL(None, use_errno=True)


def write_whole(path: Path, content: str) -> None:
    """Names of files in it may be no UTF-8: then as an escape, so that nothing else is lost."""
    with _file_beside(path) as part, part.open("w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def copy_whole(source: Path, path: Path) -> None:
    """A copy of `source`, written as write_whole() writes."""
    with _file_beside(path) as part:
        shutil.copyfile(source, part)
        with part.open("rb") as stream:
            os.fsync(stream.fileno())


@contextmanager
def _file_beside(path: Path) -> Iterator[Path]:
    """Gets its name when the block ends well; nothing of it stays otherwise. A full disk says for which file."""
    part = _beside(path, "part")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _beside(path: Path, sort: str) -> Path:
    """A name that no other thread of any process takes: threads are numbered like processes."""
    return path.with_name(f".{path.name}.{threading.get_native_id()}.{sort}")


def _sync_folder(folder: Path) -> None:
    """The names in it; what the files hold is theirs to sync."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link_whole(link: Path, destination: str) -> None:
    """Points the symbolic link `link` at `destination` in one step, whether or not it existed."""
    part = _beside(link, "part")
    part.unlink(missing_ok=True)
    part.symlink_to(destination)
    os.replace(part, link)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def folder_beside(final: Path) -> Iterator[Path]:
    """A folder to fill; becomes `final` when the block ends well. A folder already there is replaced."""
    final.parent.mkdir(parents=True, exist_ok=True)
    recover(final)
    part = _beside(final, "part")
    remove(part)
    part.mkdir()
    try:
        yield part
        replace_folder(part, final)
    finally:
        remove(part)


def replace_folder(part: Path, final: Path) -> None:
    """Gives `part` the name `final`; what was there is removed.

    Both swap their names in one step where the file system can. Elsewhere the old one steps aside first, as a folder
    cannot be renamed over a full one: killed between the two steps, recover() brings it back.
    """
    if not final.exists():
        os.rename(part, final)
    elif _exchange(part, final):
        remove(part)
    else:
        old = _beside(final, "old")
        os.rename(final, old)
        os.rename(part, final)
        remove(old)
    _sync_folder(final.parent)


def _exchange(one: Path, other: Path) -> bool:
    """False where the kernel, the C library or the file system cannot."""
    rename = getattr(_libc, "renameat2", None)
    if rename is None:
        return False
    return rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0


def recover(final: Path) -> None:
    """Brings back what a thread killed in replace_folder() had set aside, and removes what dead threads left."""
    pattern = re.compile(rf"\.{re.escape(final.name)}\.(\d+)\.(old|part)")
    if not final.parent.is_dir():
        return
    for entry in sorted(final.parent.iterdir()):
        match = pattern.fullmatch(entry.name)
        if not match or _is_alive(int(match[1])):
            continue
        if match[2] == "old" and not final.exists():
            os.rename(entry, final)
        else:
            remove(entry)


def recover_all(parent: Path) -> None:
    """The same for every folder in `parent`."""
    found = (re.fullmatch(r"\.(.+)\.\d+\.old", entry.name) for entry in parent.iterdir()) if parent.is_dir() else ()
    for name in {match[1] for match in found if match}:
        recover(parent / name)


def _is_alive(thread: int) -> bool:
    """This thread is not at it when it asks: what carries its number is of an earlier one."""
    if thread == threading.get_native_id():
        return False
    try:
        os.kill(thread, 0)  # Linux takes the number of any thread
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # somebody else's
    return True


def size_of(path: Path) -> int:
    """Bytes below `path`, links not followed."""
    if path.is_symlink() or not path.exists():
        return 0
    if path.is_file():
        return path.stat().st_size
    seen = 0
    for entry in path.rglob("*"):
        if not entry.is_symlink() and entry.is_file():
            seen += entry.stat().st_size
    return seen


def human_size(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"
