"""What a run says of its stepped lanes: the switches that were made, how many steps, and the trace hash.

    schedule_line(text)         # "replay(12>1) steps 80 hash 00ff..."; "": lanes ran free, or it said nothing
    recorded_schedule(text)     # "replay(12>1)", as a program's `schedule:` has it
"""

import re

_LINE = re.compile(r"^==refquake== SCHEDULE: ((.*) steps \d+ hash [0-9a-f]+)$", re.MULTILINE)


def schedule_line(text: str) -> str:
    match = _LINE.search(text)
    return match[1] if match else ""


def recorded_schedule(text: str) -> str:
    match = _LINE.search(text)
    return match[2] if match else ""
