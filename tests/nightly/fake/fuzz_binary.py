"""A fuzz binary's contract without a fuzzer, for campaigns: bugs in a row, one behind the other.

The variant's name says what it does: `bugs` has twenty bugs found at random, `chain` has three, each reached only past
the one before (--known), `clean` has none, `broken` cannot start, `barren` dies while it loads. With FAKE_ENDLESS=FLAG a run with that flag says that
it began in the file FAKE_REACHED, and does not end.
"""

import contextlib
import hashlib
import os
import random
import signal
import struct
import sys
import time
from pathlib import Path

flags = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if word.startswith("-") and "=" in word)
folders = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
variant = Path(flags["path"]).name
known = Path(flags["known"]).read_text().splitlines() if "known" in flags else []
PROGRAM = "target: node\nprofile: threads\nphase:\n    lane:\n        a = Node()\n        a.left = a\n"


def leave(code: int, text: str = "") -> None:
    os.write(2, text.encode())
    sys.stdout.flush()
    os._exit(code)


def record(inputs: int, content: bytes = b"PROGRAM") -> None:
    if "state" not in flags:
        return
    head = struct.pack("=8sIIQQQQQ", b"refquake", 2, len(content), inputs, 7 * inputs, 1, 2, 0)
    part = Path(flags["state"] + ".part")
    part.write_bytes(head + content.ljust(8192, b"\0"))
    part.replace(flags["state"])  # who reads it while it is written reads the one before


def note(moment: str, member: str) -> None:
    """What is about to be reported, and what has been: the test holds the store against both."""
    if journal := os.environ.get("FAKE_FOUND"):
        with open(f"{journal}.{moment}", "a") as stream:
            stream.write(f"missed-visit node.Node {member}\n")


def find(member: str, inputs: int) -> None:
    content = b"PROGRAM " + member.encode() + b"x" * random.randrange(40)
    record(inputs, content)
    artefact = Path(flags["artefacts"]) / ("crash-" + hashlib.sha1(content).hexdigest()[:16])
    artefact.write_bytes(content)
    Path(f"{artefact}.prog").write_text(PROGRAM)
    note("begun", member)
    report = (
        f"==refquake== ERROR: missed-visit: node.Node: member not visited\n==refquake==   member:   {member}\n"
        f"==refquake== PROGRAM:\n{PROGRAM}==refquake== ARTEFACT: {artefact}\n"
        f"==refquake== SUMMARY: missed-visit node.Node {member}\n"
    )
    os.write(2, report.encode())
    note("done", member)
    os._exit(77)


if "show" in flags:
    print(PROGRAM, end="")
    leave(0)
if "replay" in flags:
    content = Path(flags["replay"]).read_bytes()
    leave(0, "==refquake== NOTHING FOUND\n") if b"bug" not in content else find("bug", 1)
if (endless := os.environ.get("FAKE_ENDLESS")) in ("merge", "print_coverage") and flags.get(endless) == "1":
    Path(os.environ["FAKE_REACHED"]).touch()
    signal.pause()
if flags.get("merge") == "1":
    kept, corpus = folders
    for entry in sorted(corpus.iterdir())[::2]:
        (kept / hashlib.sha1(entry.read_bytes()).hexdigest()).write_bytes(entry.read_bytes())
    leave(0)
if flags.get("print_coverage") == "1":
    leave(0, "COVERED_FUNC: hits: 3 edges: 2/2 node_push /src/node.c:10\n"
             "UNCOVERED_FUNC: hits: 0 edges: 0/4 node_swap /src/node.c:88\n")  # fmt: skip
if variant == "broken":
    leave(3, "refquake: could not import node: no such module\n")
if variant == "barren":
    find("load", 0)

seconds = float(flags["max_total_time"])
end = time.monotonic() + seconds * float(os.environ.get("FAKE_SPEED", "1"))
random.seed(int(flags["seed"]))
os.write(2, b"#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 40Mb\n")
inputs = 0
while time.monotonic() < end:
    inputs += 100
    with contextlib.suppress(OSError):  # on a full disk libFuzzer goes on as well
        record(inputs)
        content = random.randbytes(8)
        (folders[0] / hashlib.sha1(content).hexdigest()).write_bytes(content)
    os.write(
        2, f"#{inputs}\tNEW    cov: {10 + inputs // 100} ft: {20 + inputs} corp: 2/3b exec/s: 9 rss: 1Mb\n".encode()
    )
    if variant == "bugs":
        find(f"member{random.randrange(20)}", inputs)
    if variant == "chain":
        for member in ("first", "second", "third"):
            signature = f"missed-visit node.Node {member}"
            if signature not in known:
                find(member, inputs)
            os.write(2, f"==refquake== KNOWN: input {inputs}: {signature}\n".encode())
    time.sleep(0.02)  # the pace of the fake, not a synchronisation
leave(0)
