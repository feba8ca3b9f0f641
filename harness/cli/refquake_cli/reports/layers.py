"""Whose code a stack frame is: the target's, CPython's, the harness's, or another's.

    layer_of(parse_frame("    #1 0x2 in node_pop /src/node.c:9:3"))     # Layer.TARGET

A path tells. CPython's own extension modules (Modules/) may be the target of a run: they are a layer of their own, for
a stack without a frame of anything else. What says neither file nor module, or is a library of the system, is OTHER.
"""

import enum
import re

from refquake_cli.reports.frames import Frame

CPYTHON_PATH = re.compile(r"/(?:Objects|Python|Modules|Parser|Include)/|/lib-dynload/|/include/python3")
HARNESS_PATH = re.compile(r"/harness/(?:core|driver|python|sched)/|crtstuff|fuzzer")
_HARNESS_FUNCTION = re.compile(r"^(?:refquake|fuzzer)::|^LLVMFuzzer")
# The collector and the interpreter's start are called on behalf of everybody.
_OWN_MODULE = re.compile(r"/Modules/(?!(?:clinic/)?gcmodule|main\.|getpath)|/lib-dynload/")
_SYSTEM_PATH = re.compile(
    r"^(?:/usr)?/(?:lib|include)|^(?:csu|nptl|signal|stdlib|assert|misc|sysdeps|string|\.\.)/|compiler-rt"
)


class Layer(enum.Enum):
    TARGET = "target"
    MODULE = "module"  # of CPython's own
    CPYTHON = "CPython"
    HARNESS = "harness"
    OTHER = "other"


def layer_of(frame: Frame) -> Layer:
    if _HARNESS_FUNCTION.match(frame.function) or HARNESS_PATH.search(frame.file):
        return Layer.HARNESS
    place = frame.file or frame.module
    if CPYTHON_PATH.search(place):
        return Layer.MODULE if _OWN_MODULE.search(place) else Layer.CPYTHON
    if frame.plumbing or not place or _SYSTEM_PATH.search(place):
        return Layer.OTHER
    # Without its source a frame is the target's only where it lies in a shared object: the rest is the fuzz binary.
    return Layer.TARGET if frame.file or ".so" in place else Layer.OTHER
