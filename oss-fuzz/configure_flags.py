"""Prints how CPython is configured for a flavour, one argument a line; the flags are the command's own.

python3 configure_flags.py asan
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness" / "cli"))

from refquake_cli.flavours import FLAGS, UNNEEDED_MODULES  # noqa: E402  (the path comes first)

for argument in (
    "--disable-gil", "--without-ensurepip", "--disable-test-modules", *FLAGS[sys.argv[1]],
    *(f"py_cv_module_{name}=n/a" for name in UNNEEDED_MODULES),
):  # fmt: skip
    print(argument)
