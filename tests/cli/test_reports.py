"""What the report reader makes of real reports (and of a few written after the engine's contract)."""

import re

import pytest

from conftest import LOGS
from refquake_cli.reports import find_report
from refquake_cli.reports.frames import normalise_function, parse_frame, parse_stack

EXPECTED = {
    "asan-use-after-free": ("use-after-free", "use-after-free node_len@uaf.c < node_repr@uaf.c"),
    "asan-use-after-poison": ("use-after-free", "use-after-free node_len@uaf.c < node_repr@uaf.c"),
    "asan-heap-buffer-overflow": ("heap-buffer-overflow", "heap-buffer-overflow node_len@uaf.c < node_repr@uaf.c"),
    "asan-double-free": ("double-free", None),
    "asan-segv": ("segv", "segv node_len@uaf.c < node_repr@uaf.c"),
    "asan-abort": ("abort", None),
    "asan-stack-overflow": ("stack-overflow", "stack-overflow wrapt_state_from_type@_wrappers.c"),
    "asan-use-after-poison-harness": ("use-after-free", "use-after-free in drop"),
    "cpython-broken-convention": ("fatal-error", "fatal-error _Py_CheckFunctionResult@call.c in node.Node.first"),
    "asan-use-after-poison-object": (
        "use-after-free",
        "use-after-free list_dealloc@listobject.c < delitem_common@dictobject.c"
        " < _PyDict_DelItem_KnownHash_LockHeld@dictobject.c",
    ),
    "cpython-assertion": (
        "assertion",
        "assertion _PyLong_Copy@longobject.c < _call_function_pointer@callproc.c < _ctypes_callproc@callproc.c",
    ),
    "cpython-fatal-error": ("fatal-error", None),
    "cpython-gc-assertion": (
        "gc-assertion",
        "gc-assertion validate_refcounts@gc_free_threading.c < gc_collect_main@gc_free_threading.c",
    ),
    "cpython-negative-refcount": ("negative-refcount", None),
    "libfuzzer-hang": ("hang", "hang node_wait@node.c < node_push@node.c"),
    "libfuzzer-timeout": ("hang", "hang i_setitem@arraymodule.c < array_array_extend@arraymodule.c.h"),
    "libfuzzer-out-of-memory": ("out-of-memory", "out-of-memory no frame of the target"),
    "libfuzzer-out-of-memory-profile": ("out-of-memory", "out-of-memory no frame of the target"),
    "libfuzzer-deadly-signal": ("crash", "crash node_dealloc@node.c"),
    "oracle-missed-visit": ("missed-visit", "missed-visit node.Node children"),
    "refquake-loading-hangs": ("hang", "hang in import sample"),
    "refquake-trial-hangs": ("hang", "hang in spin"),
    "tsan-data-race": ("data-race", "data-race node_get_next@race.c | node_set_next@race.c"),
    "tsan-lock-order-inversion": ("lock-order-inversion", "lock-order-inversion node_link@thr.c | node_unlink@thr.c"),
    "tsan-segv": ("segv", "segv node_len@thr.c"),
    "tsan-use-after-free": ("use-after-free", "use-after-free node_len@thr.c"),
    "ubsan-shift": ("undefined-behaviour", None),
}


def test_every_log_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in LOGS.glob("*.txt"))


@pytest.mark.parametrize("name", EXPECTED)
def test_kind_and_signature(name: str) -> None:
    report = find_report((LOGS / f"{name}.txt").read_text())
    kind, signature = EXPECTED[name]
    assert report.kind == kind
    if signature:
        assert report.signature == signature
    assert report.signature.startswith(kind)


@pytest.mark.parametrize("name", EXPECTED)
def test_signature_survives_addresses_processes_and_lines(name: str) -> None:
    text = (LOGS / f"{name}.txt").read_text()
    moved = re.sub(r"0x[0-9a-f]{6,}", "0x7ffedcba9870", text)
    moved = re.sub(r"==\d+==", "==31337==", re.sub(r"\(pid=\d+\)", "(pid=31337)", moved))
    moved = re.sub(r"(\.c:)\d+(:\d+)?", r"\g<1>901\2", moved)
    assert find_report(moved).signature == find_report(text).signature


def test_a_race_has_one_signature_whoever_came_second() -> None:
    text = (LOGS / "tsan-data-race.txt").read_text()
    swapped = text.replace("node_get_next", "X").replace("node_set_next", "node_get_next").replace("X", "node_set_next")
    assert find_report(swapped).signature == find_report(text).signature


def test_different_places_are_different_findings() -> None:
    text = (LOGS / "asan-use-after-free.txt").read_text()
    other = find_report(text.replace("node_repr", "node_hash"))
    assert other.signature != find_report(text).signature
    assert other.hash != find_report(text).hash


def test_text_before_the_report_is_left_out() -> None:
    text = (LOGS / "asan-use-after-free.txt").read_text()
    report = find_report("#2 INITED cov: 1\n#4 pulse cov: 2\n" + text)
    assert report.text.startswith("====")
    assert report.artefact == ""


def test_the_artefact_is_read() -> None:
    assert find_report((LOGS / "oracle-missed-visit.txt").read_text()).artefact == "artefacts/crash-0123"
    assert find_report((LOGS / "libfuzzer-deadly-signal.txt").read_text()).artefact == "./crash-89abcdef"


@pytest.mark.parametrize(
    "text", ["", "#1 INITED cov: 3\nDone 1000 runs in 2 second(s)\n", "WARNING: no interesting inputs\n"]
)
def test_nothing_found(text: str) -> None:
    assert find_report(text) is None


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("node_push.constprop.0", "node_push"),
        ("node_len.specialized.1", "node_len"),
        ("Pool<int, Pair<long> >::take(int)::$_0", "Pool::take::$_0"),
        ("(anonymous namespace)::drop(Node*) const", "drop"),
    ],
)
def test_function_names(name: str, normal: str) -> None:
    assert normalise_function(name) == normal


def test_frames_of_both_sanitizers() -> None:
    asan = parse_frame("    #3 0x55d1c0 in node_push(Node*, int) /src/node.c:9:3")
    tsan = parse_frame("    #3 node_push(Node*, int) /src/node.c:9:3 (node.so+0x1234) (BuildId: 00ff)")
    assert (
        (asan.function, asan.file, asan.line)
        == (tsan.function, tsan.file, tsan.line)
        == ("node_push", "/src/node.c", 9)
    )
    assert parse_frame("    #0 free <null> (thr+0x9d562)").function == "free"
    assert parse_frame("    #8 0x7f9e  (/lib/libffi.so.8+0x6f79) (BuildId: 4b)").function == ""


def test_a_stack_ends_at_the_first_other_line() -> None:
    assert len(parse_stack(["    #0 a x.c:1", "    #1 b x.c:2", "", "    #0 c x.c:3"])) == 2


DEATH = "==1==ERROR: AddressSanitizer: use-after-poison on address 0x1 at pc 0x2\n"
LIST = "    #{} 0x1 in list_dealloc /src/Python-3.14.7/Objects/listobject.c:561:13\n"
DICT = "    #{} 0x1 in delitem_common /src/Python-3.14.7/Objects/dictobject.c:2828:5\n"
DELETE = "    #{} 0x1 in PyDict_DelItem /src/Python-3.14.7/Objects/dictobject.c:2843:12\n"
POP = "    #{} 0x1 in node_pop /src/targets/node/node.c:57:3\n"
METHOD = "    #{} 0x1 in PyObject_VectorcallMethod /src/Python-3.14.7/Objects/call.c:918:18\n"
RUN = "    #{} 0x1 in refquake::Executor::Execute(refquake::OpSpec const&) /src/harness/python/executor.cc:245:3\n"
ALARM = "==1== ERROR: libFuzzer: timeout after 21 seconds\n"
WAITS = "    #{} 0x1  (/lib/x86_64-linux-gnu/libc.so.6+0x3bfcf)\n"


def stack(*frames: str) -> str:
    return "".join(frame.format(number) for number, frame in enumerate(frames))


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (  # below CPython's frames, past where a signature ends
            DEATH + stack(LIST, DICT, DELETE, POP, METHOD, RUN),
            "use-after-free list_dealloc@listobject.c < delitem_common@dictobject.c < node_pop@node.c",
        ),
        (  # it freed what CPython then used
            DEATH + stack(LIST, DICT, METHOD, RUN) + "freed by thread T0 here:\n" + stack(LIST, POP, METHOD, RUN),
            "use-after-free list_dealloc@listobject.c < delitem_common@dictobject.c < node_pop@node.c",
        ),
        (DEATH + stack(LIST, METHOD, RUN), "use-after-free list_dealloc@listobject.c in method list_dealloc"),
        (ALARM + stack(LIST, DICT, METHOD, RUN), "hang in method delitem_common"),
        (ALARM + stack(LIST, DICT, POP, METHOD, RUN), "hang node_pop@node.c"),
        (ALARM + stack(WAITS, RUN), "hang no frame of the target"),
        (ALARM + stack(RUN) + "==refquake== TRIAL: Pit(None)\n", "hang in Pit"),
        (
            "==1== ERROR: libFuzzer: out-of-memory (malloc(4294967296))\n\n" + stack(POP, METHOD, RUN),
            "out-of-memory node_pop@node.c",
        ),
        (  # a line of libFuzzer's status between
            "==1== ERROR: libFuzzer: out-of-memory (used: 4195Mb; limit: 2048Mb)\n#10\tNEW    ft: 6 corp: 2/73b\n",
            "out-of-memory no frame of the target",
        ),
        (
            "Fatal Python error: _Py_Dealloc: Deallocator of type 'node.Node' raised an exception\n" + stack(RUN),
            "fatal-error Fatal Python error: _Py_Dealloc: Deallocator of type 'node.Node' raised an exception",
        ),
    ],
)
def test_a_signature_names_the_target_or_the_op(text: str, signature: str) -> None:
    assert find_report(text).signature == signature
