"""Files and folders that appear whole or not at all: written beside, then renamed.

Example:

    write_whole(folder / "finding.json", text)
    with folder_beside(final) as part: ...fill part...      # renamed to `final` at the end, or removed
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(content, encoding="utf-8")
    os.replace(part, path)


def link_whole(link: Path, destination: str) -> None:
    """Points the symbolic link `link` at `destination` in one step, whether or not it existed."""
    part = link.with_name(f".{link.name}.{os.getpid()}.part")
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
    part = final.with_name(f".{final.name}.{os.getpid()}.part")
    remove(part)
    part.mkdir()
    try:
        yield part
        replace_folder(part, final)
    finally:
        remove(part)


def replace_folder(part: Path, final: Path) -> None:
    """Renames `part` to `final`; what was there steps aside first, as a folder cannot be renamed over a full one."""
    old = final.with_name(f".{final.name}.{os.getpid()}.old")
    if final.exists():
        os.rename(final, old)
    os.rename(part, final)
    remove(old)


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
