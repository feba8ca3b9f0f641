"""A fuzz binary's contract without a fuzzer: the variant's name says what it does.

Its artefacts are text: `PROGRAM <text>`, `FLAKY`, or anything else, which is malformed.
"""

import os
import signal
import struct
import sys
import time
from pathlib import Path

LOGS = Path(__file__).parent / "logs"
REPORTS = {
    "setter_race": "tsan-data-race.txt",
    "missing_incref": "asan-use-after-poison.txt",
    "oracle": "oracle-missed-visit.txt",
    "needs_push": "oracle-missed-visit.txt",
    "shy": "oracle-missed-visit.txt",
}

flags = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if word.startswith("-") and "=" in word)
PROGRAM = f"target: {flags['module']}\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"
variant = Path(flags["path"]).name if "path" in flags else "oracle"  # a module of CPython's own has none
if log := os.environ.get("FAKE_ARGUMENTS"):
    with open(log, "a") as stream:
        stream.write("\t".join(sys.argv[1:]) + "\n")


def leave(code: int, text: str = "") -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
    sys.exit(code)


def read_program(path: str) -> None:
    content = Path(path).read_bytes()
    if not content.startswith((b"PROGRAM", b"target:", b"# ")):
        leave(2, f"refquake: {path}:3:9: expected an op, not 'bad'\n")


def find(report: str) -> None:
    artefact = Path(flags.get("artefacts", ".")) / "crash-0123"
    artefact.write_text("PROGRAM")
    leave(77, (LOGS / report).read_text())


if variant == "killed":  # while the target is loaded, whatever is asked
    signal.raise_signal(signal.SIGKILL)
if variant == "dies_early":
    find("asan-use-after-free.txt")
if "--list-ops" in sys.argv:
    print("call\tcreate\tNode\t0\t\nmethod\tcall\tpush\t2\tNode\ndrop\tdrop\t\t1\t")
    leave(0)
if "show" in flags:
    read_program(flags["show"])
    content = Path(flags["show"]).read_text(errors="replace")
    print(content[content.index("target:") :] if "target:" in content else PROGRAM, end="")
    leave(0)
if "replay" in flags:
    read_program(flags["replay"])
    if variant == "endless":
        time.sleep(600)
    if variant == "flaky":
        counter = Path(__file__).parent / "flaky-count"
        count = int(counter.read_text()) if counter.exists() else 0
        counter.write_text(str(count + 1))
        leave(0) if count % 2 else find("tsan-data-race.txt")
    if variant == "two_faces":  # by turns
        counter = Path(__file__).parent / "faces-count"
        count = int(counter.read_text()) if counter.exists() else 0
        counter.write_text(str(count + 1))
        find("asan-use-after-free.txt" if count % 2 else "oracle-missed-visit.txt")
    if variant == "shy" and int(flags.get("repeat", 1)) < 20:  # only after others of its kind
        leave(0)
    if variant == "needs_push" and "push" not in Path(flags["replay"]).read_text():
        leave(0)
    leave(0) if variant == "clean" else find(REPORTS[variant])


def record(inputs: int) -> None:
    content = b"PROGRAM"
    head = struct.pack("=8sIIQQQQQ", b"refquake", 2, len(content), inputs, 7 * inputs, 1, 2, 0)
    Path(flags["state"]).write_bytes(head + content.ljust(8192, b"\0"))


record(4096)
print("#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 40Mb", file=sys.stderr, flush=True)
print("#4096\tpulse  cov: 120 ft: 300 corp: 7/99b exec/s: 2048 rss: 44Mb", file=sys.stderr, flush=True)
if variant in REPORTS:
    find(REPORTS[variant])
if variant == "cannot_import":
    leave(3, "refquake: could not import node: no such module\n")
if variant == "shot":
    signal.raise_signal(signal.SIGKILL)
if variant == "endless":
    time.sleep(600)
record(0 if variant == "idle" else 5000)
leave(0)
