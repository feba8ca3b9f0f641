"""One builder at a time, and a waiter that says whom it waits for.

    with builder_lock("setup of CPython 3.14.7 asan"): ...                   # of what is in the cache
    with builder_lock("build of asan", name=build_lock_name()): ...          # of this checkout's build tree

The kernel holds the lock (flock), so it is gone when its holder is, however that died. All locks lie in the cache: a
build tree may be removed while somebody waits for it.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from refquake_cli.console import say
from refquake_cli.files import write_whole
from refquake_cli.paths import REPOSITORY, cache_folder

_BUILD = "build-"


def build_lock_name() -> str:
    """Each checkout has a build tree of its own: they need not wait for each other."""
    return _BUILD + hashlib.sha256(os.fsencode(REPOSITORY)).hexdigest()[:8]


def known_build_locks() -> list[str]:
    """Of every checkout that was ever built with this cache: all of them use what is in it."""
    return sorted(path.stem for path in cache_folder().glob(f"{_BUILD}*.lock"))


@contextmanager
def builder_lock(purpose: str, name: str = "setup") -> Iterator[None]:
    from filelock import FileLock, Timeout

    cache_folder().mkdir(parents=True, exist_ok=True)
    owner = cache_folder() / f"{name}.owner"
    lock = FileLock(cache_folder() / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        holder = owner.read_text() if owner.exists() else "another process"
        say(f"waiting for {holder}")
        lock.acquire()
    try:
        write_whole(owner, f"process {os.getpid()} ({purpose})")
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()
