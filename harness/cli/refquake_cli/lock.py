"""One builder at a time, and a waiter that says whom it waits for.

    with builder_lock("setup of CPython 3.14.7 asan"): ...

The kernel holds the lock (flock), so it is gone when its holder is, however that died.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from refquake_cli.console import say
from refquake_cli.files import write_whole
from refquake_cli.paths import cache_folder


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
