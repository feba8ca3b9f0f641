"""`refquake clean`: give the disk back."""

import click

from refquake_cli.errors import NOTHING_FOUND


@click.command("clean")
@click.option(
    "--all", "everything", is_flag=True, help="The cache too: interpreters, sources, the command's environment."
)
def command(everything: bool) -> int:
    """Remove the build tree and the findings of this folder; with --all the cache too. Says what and how much."""
    from pathlib import Path

    from refquake_cli.files import human_size, remove, size_of
    from refquake_cli.lock import builder_lock
    from refquake_cli.paths import DEFAULT_OUT, REPOSITORY, cache_folder

    folders = [REPOSITORY / "build", Path.cwd() / DEFAULT_OUT]
    with builder_lock("clean"), builder_lock("clean", name="build"):
        if everything:
            # What holds the locks stays until the end.
            folders += sorted(entry for entry in cache_folder().iterdir() if entry.suffix not in (".lock", ".owner"))
        for folder in folders:
            if folder.exists() or folder.is_symlink():
                size = size_of(folder)
                remove(folder)
                print(f"removed {folder}  {human_size(size)}")
    return NOTHING_FOUND
