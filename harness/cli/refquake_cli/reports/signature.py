"""What makes two sanitizer reports the same finding: where it happened, in the words of the target.

    signature_of("segv", title, body)                # "segv list_dealloc@listobject.c < ... < node_pop@node.c"
    signature_of("hang", title, body)                # "hang node_wait@node.c < node_push@node.c"
    signature_of("use-after-free", title, body)      # "use-after-free in drop": no frame but the harness's own

The top frames of the stack of the death; among them the first of the target, wherever it is. Where there is none, the
op that ran. A kind that may strike anywhere below one op (a time-out, the end of memory or of the stack) is told by the
target's frames alone.
"""

import re

from refquake_cli.reports.frames import Frame, all_stacks, telling_frames
from refquake_cli.reports.layers import Layer, layer_of
from refquake_cli.reports.op import op_of

TOP_FRAMES = 3
# Kinds whose stacks have no order, and how many of the stacks count: the two accesses of a race, which come first.
_SYMMETRIC_KINDS = {"data-race": 2, "lock-order-inversion": None}
# Kinds whose top frames are chance, and which of the target's frames say something: from where to where.
_CHANCE_KINDS = {"hang": (0, -1), "out-of-memory": (0, -1), "stack-overflow": (0,)}
UNPLACED = "no frame of the target"


def signature_of(kind: str, title: str, body: str, telling_title: bool = False) -> str:
    """`telling_title`: where no frame tells, the title does."""
    stacks = all_stacks(body)
    if kind in _SYMMETRIC_KINDS:
        return f"{kind} " + " | ".join(_sites(stacks, _SYMMETRIC_KINDS[kind]))
    if kind == "out-of-memory":
        stacks = [_without_harness(stack) for stack in stacks]
    own = _targets_frames(stacks)
    # The stack of the death itself comes first; those of free and allocation count only where it tells nothing, as when
    # the harness drops the last reference to what is already gone.
    told = next((frames for stack in stacks if (frames := telling_frames(stack))), [])[:TOP_FRAMES]
    if kind in _CHANCE_KINDS:
        told = list(dict.fromkeys(own[at] for at in _CHANCE_KINDS[kind])) if own else []
    elif own and not set(told) & set(own):
        told = [*told[: TOP_FRAMES - 1], own[0]]
    return f"{kind} {_place(kind, told, '' if own else op_of(body, stacks), _stable_title(title), telling_title)}"


def function_of(kind: str, body: str) -> str:
    """The target's function that a death is in, whatever it had called. "": none, or it may strike anywhere."""
    if kind in _SYMMETRIC_KINDS or kind in _CHANCE_KINDS:
        return ""
    return next(iter(_targets_frames(all_stacks(body))), "")


def _place(kind: str, told: list[str], op: str, title: str, telling_title: bool) -> str:
    if not told and telling_title:
        return title
    if not told and not op:
        return UNPLACED if kind in _CHANCE_KINDS else title
    return " ".join(filter(None, [" < ".join(told), f"in {op}" if op else ""]))


def _targets_frames(stacks: list[list[Frame]]) -> list[str]:
    """Of the first stack that has any: of the death, then of the free, then of the allocation."""
    for layer in (Layer.TARGET, Layer.MODULE):
        for stack in stacks:
            if sites := telling_frames([frame for frame in stack if layer_of(frame) is layer]):
                return sites
    return []


def _without_harness(stack: list[Frame]) -> list[Frame]:
    """Up to the harness's first frame: libFuzzer lists who owns what memory, and much of it is the harness's."""
    return stack[: next((at for at, frame in enumerate(stack) if frame.function.startswith("refquake::")), None)]


def _sites(stacks: list[list[Frame]], count: int | None) -> list[str]:
    """Where each stack is: TSan prints them in an order that depends on which thread came second."""
    return sorted({sites[0] for stack in stacks[:count] if (sites := telling_frames(stack))}) or ["?"]


def _stable_title(title: str) -> str:
    """A title without what changes from run to run: addresses, numbers of processes, lines."""
    title = re.sub(r"==\d+==|\(pid=\d+\)| (?:at pc|\(pc) .*|0x[0-9a-fA-F]+", "", title)
    return re.sub(r"\s+", " ", re.sub(r"\d+", "N", title)).strip()
