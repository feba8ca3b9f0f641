"""A CPython source archive that configures and builds in no time, and stops at a gate where a test wants it to.

    archive = make_archive(folder, "3.14.7")
    process = start_setup(archive, environment, "asan")       # `refquake setup` with this archive's SHA-256 pinned

With REFQUAKE_TEST_GATE=STEP (configure, all, install or start), that step writes a word to the FIFO `reached` in the
folder named by REFQUAKE_TEST_FOLDER, then waits for a word from the FIFO `gate`. With REFQUAKE_TEST_FAIL=STEP, that
step fails; with REFQUAKE_TEST_FAIL_IN=FLAVOUR too, only in that flavour's build.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

CONFIGURE = r"""#!/bin/sh
set -e
source=$(dirname "$0")
for argument in "$@"; do case $argument in --prefix=*) prefix=${argument#--prefix=} ;; esac; done
cat > pass <<'EOF'
#!/bin/sh
echo "$1" >> "$REFQUAKE_TEST_FOLDER/steps"
case $PWD in
    *"$REFQUAKE_TEST_FAIL_IN"*) [ "$1" != "$REFQUAKE_TEST_FAIL" ] || { echo "the $1 step broke here"; exit 1; } ;;
esac
[ "$1" = "$REFQUAKE_TEST_GATE" ] || exit 0
echo here > "$REFQUAKE_TEST_FOLDER/reached"
read word < "$REFQUAKE_TEST_FOLDER/gate"
EOF
chmod +x pass
./pass configure
echo build/lib > pybuilddir.txt
cat > Makefile <<EOF
all: python
python:
	./pass all
	mkdir -p build/lib && touch build/lib/_sysconfigdata_t_linux.py
	printf '#!/bin/sh\\nexec ./pass start\\n' > python && chmod +x python
altbininstall: all
	mkdir -p \$(DESTDIR)$prefix/bin \$(DESTDIR)$prefix/lib/python3.14t
	cp python \$(DESTDIR)$prefix/bin/python3.14t
inclinstall libainstall:
sharedinstall:
	./pass install
	mkdir -p \$(DESTDIR)$prefix/lib/python3.14t/lib-dynload
.PHONY: all altbininstall inclinstall libainstall sharedinstall
EOF
"""

SETUP = """
import sys
from refquake_cli import sources, toolchain
sources.RELEASES["3.14.7"] = sys.argv.pop(1)
toolchain.ensure_tools = lambda: None
from refquake_cli.app import main
main()
"""


def make_archive(folder: Path, version: str = "3.14.7", extra: str = "") -> Path:
    tree = folder / f"Python-{version}"
    for name in ("Lib/json", "Lib/test", "Lib/idlelib"):
        (tree / name).mkdir(parents=True, exist_ok=True)
        (tree / name / "__init__.py").touch()
    (tree / "Lib" / "os.py").write_text(f"# {extra}")
    (tree / "configure").write_text(CONFIGURE)
    (tree / "configure").chmod(0o755)
    archive = folder / f"Python-{version}.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tree, tree.name)
    return archive


def setup_command(sha256: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", SETUP, sha256, "setup", *arguments]


def make_gate(folder: Path) -> None:
    for name in ("reached", "gate"):
        os.mkfifo(folder / name)


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
