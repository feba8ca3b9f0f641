"""Which targets a change concerns.

changed_targets("origin/main")      # ["node"]; all of them if the harness itself changed
changed_targets(None)               # all of them
"""

import subprocess

from refquake_cli.errors import WrongUse
from refquake_cli.paths import REPOSITORY
from refquake_cli.targets import known_targets

# What every target is built with or run by.
SHARED = ("harness/", "fuzzers/", "CMakeLists.txt", "targets/CMakeLists.txt", "targets/plant.h")


def changed_targets(base: str | None) -> list[str]:
    if base is None:
        return known_targets()
    git = ["git", "-C", str(REPOSITORY), "diff", "--name-only", f"{base}...HEAD"]
    done = subprocess.run(git, capture_output=True, text=True)
    if done.returncode != 0:
        raise WrongUse(f"--base {base}: {done.stderr.strip() or 'git does not know it'}; is the history fetched?")
    return targets_of(done.stdout.splitlines(), known_targets())


def targets_of(files: list[str], names: list[str]) -> list[str]:
    if any(file.startswith(SHARED) for file in files):
        return names
    return [name for name in names if any(file.startswith((f"targets/{name}/", f"corpus/{name}/")) for file in files)]
