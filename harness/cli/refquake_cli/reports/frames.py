"""Stack frames as the sanitizers print them, and what of them makes two stacks the same.

Example:

    frames = parse_stack(lines)                 # the frames printed at the head of `lines`
    telling_frames(frames)[:3]                  # ["node_set_next@node.c", ...]: ours, no addresses, no plumbing
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

# "#0 0x55d1 in func file.c:12:3" (ASan, UBSan, libFuzzer) and "#0 func file.c:12:3 (module+0x1234)" (TSan)
# A line of libFuzzer's status is none: "#10<TAB>NEW ...".
_FRAME = re.compile(r"^\s*#\d+(?!\t)\s+(?:0x[0-9a-fA-F]+\s+(?:in\s+)?)?(?P<rest>.*)$")
_MODULE = re.compile(r"\s*\((?P<module>[^()\s]+)\+0x[0-9a-fA-F]+\)(?:\s+\(BuildId: [0-9a-f]+\))?\s*$")
_PLACE = re.compile(r"\s+(?P<file>/\S*?|<null>|\S+\.\w+)(?::(?P<line>\d+))?(?::\d+)?$")
_CLONE = re.compile(r"\.(?:constprop|part|isra|cold|llvm|specialized|__uniq)(?:\.\d+)*")

_PLUMBING_FUNCTION = re.compile(
    r"^(?:__asan|asan_thread_start|__tsan|__ubsan|__msan|__sanitizer|__interceptor|___interceptor|__interception|__lsan|__sancov"
    r"|__cxa|__GI_|fuzzer::|refquake::|LLVMFuzzer|std::|operator (?:new|delete)|__libc_start|__pthread|start_thread"
    r"|pthread_|clone3?$|_start$|main$|abort$|raise$|gsignal$|ffi_call|__assert|memcpy$|memmove$|memset$|malloc$|calloc$|realloc$|free$)"
)
_PLUMBING_PATH = re.compile(
    r"compiler-rt|/harness/(?:core|driver|python|sched)/|libc\.so|libpthread|libffi|crtstuff|^(?:nptl|csu|signal|stdlib|assert)/"
)
# CPython's reference counting, its way of calling anything and of dying: in every stack, telling nothing.
_PLUMBING_CPYTHON = re.compile(
    r"^(?:Py_(?:SET_REFCNT|X?INCREF|X?DECREF|CLEAR|X?SETREF|IncRef|DecRef|X?NewRef|TYPE|SIZE|REFCNT|IS_TYPE|FatalError\w*)"
    r"|_Py_(?:X?NewRef|IncRef|DecRef|Dealloc|NewReference\w*|NegativeRefcount|MergeZeroLocalRefcount|DecRef\w*"
    r"|ExplicitMergeRefcount|IsImmortal\w*|IsOwnedByCurrentThread|ThreadId|TryIncref\w*|TryXGetRef|brc_\w+"
    r"|FatalError\w*|atomic_\w+|REFCNT|TYPE|SIZE|RefcntAdd|INCREF\w*|DECREF\w*)"
    r"|_PyObject_(?:AssertFailed|ASSERT\w*)|fatal_error\w*|_Py_FatalErrorFunc|_PyErr_CheckSignals\w*"
    r"|_?PyObject_Vectorcall\w*|_PyObject_MakeTpCall|_?PyObject_Call\w*|method_vectorcall_\w+|cfunction_vectorcall_\w+"
    r"|PyObject_(?:Malloc|Free|Realloc|Calloc)|PyMem_\w+|_PyMem_\w+|_mi_\w+|mi_\w+)$"
)


@dataclass(frozen=True)
class Frame:
    function: str
    file: str = ""
    line: int = 0
    module: str = ""

    @property
    def plumbing(self) -> bool:
        return bool(
            not self.function
            or _PLUMBING_FUNCTION.match(self.function)
            or _PLUMBING_CPYTHON.match(self.function)
            or _PLUMBING_PATH.search(self.file)
        )

    @property
    def site(self) -> str:
        """The function and its file's name: what survives a rebuild."""
        place = os.path.basename(self.file) or os.path.basename(self.module)
        return f"{self.function}@{place}" if place else self.function


def strip_brackets(name: str, opening: str, closing: str) -> str:
    """`a<b<c>>::d` is `a::d`: what stands between brackets goes, nested ones too."""
    depth, kept = 0, []
    for character in name:
        if character == opening:
            depth += 1
        elif character == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return "".join(kept)


def normalise_function(name: str) -> str:
    if name.startswith("operator"):
        return name
    name = name.replace("(anonymous namespace)::", "")
    name = strip_brackets(strip_brackets(name, "(", ")"), "<", ">")
    return _CLONE.sub("", name).removesuffix(" const").strip()


def parse_frame(line: str) -> Frame | None:
    match = _FRAME.match(line)
    if not match:
        return None
    rest, module, file, number = match["rest"], "", "", 0
    if found := _MODULE.search(rest):
        module, rest = found["module"], rest[: found.start()]
    if found := _PLACE.search(rest):
        file, number = found["file"], int(found["line"] or 0)
        rest = rest[: found.start()]
    file = "" if file == "<null>" else file
    return Frame(normalise_function(rest.strip()), file, number, module)


def parse_stack(lines: Iterable[str]) -> list[Frame]:
    """The frames at the head of `lines`, up to the first line that is none."""
    frames = []
    for line in lines:
        frame = parse_frame(line)
        if frame is None:
            break
        frames.append(frame)
    return frames


def all_stacks(text: str) -> list[list[Frame]]:
    stacks, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        stack = parse_stack(lines[at:])
        if stack:
            stacks.append(stack)
        at += len(stack) or 1
    return stacks


def telling_frames(stack: list[Frame]) -> list[str]:
    sites = [frame.site for frame in stack if not frame.plumbing]
    return list(dict.fromkeys(sites))
