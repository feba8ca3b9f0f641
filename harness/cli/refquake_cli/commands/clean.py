"""`refquake clean`: give the disk back."""

import click

from refquake_cli.errors import NOTHING_FOUND


@click.command("clean")
@click.option(
    "--all", "everything", is_flag=True, help="The cache too: interpreters, sources, the command's environment."
)
def command(everything: bool) -> int:
    """Remove the build tree and the findings of this folder; with --all the cache too. Says what and how much."""
    from contextlib import ExitStack
    from pathlib import Path

    from refquake_cli.files import human_size, remove, size_of
    from refquake_cli.lock import build_lock_name, builder_lock, known_build_locks
    from refquake_cli.paths import DEFAULT_OUT, REPOSITORY, cache_folder

    folders = [REPOSITORY / "build", Path.cwd() / DEFAULT_OUT]
    with ExitStack() as locks:
        locks.enter_context(builder_lock("clean"))
        # The cache is what every checkout builds with.
        for name in sorted({build_lock_name(), *(known_build_locks() if everything else [])}):
            locks.enter_context(builder_lock("clean", name=name))
        if everything:
            # What holds the locks stays until the end.
            folders += sorted(entry for entry in cache_folder().iterdir() if entry.suffix not in (".lock", ".owner"))
        for folder in folders:
            if folder.exists() or folder.is_symlink():
                size = size_of(folder)
                remove(folder)
                print(f"removed {folder}  {human_size(size)}")
    return NOTHING_FOUND
