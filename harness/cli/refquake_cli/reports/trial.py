"""What discovery was at when a process ended, as its output names it.

    trial_of("==refquake== TRIAL HANGS: Pit(None)\\n")     # Trial(call="Pit(None)", hangs=True), its name is "Pit"
    step_of("==refquake== LOADING HANGS: import pit\\n")   # "import pit": a step before any call

A trial is a call that was tried; it can be left out by its name. Nothing can be left out of the steps of loading.
"""

import re
from dataclasses import dataclass

# The line that starts a report of what did not end: a marker of kinds.py.
HANGS = re.compile(r"^==refquake== (?:TRIAL|LOADING) HANGS: (.*)")
_TRIAL = re.compile(r"^==refquake== TRIAL(?P<hangs> HANGS)?: (?P<call>(?P<name>[\w.]*).*)$", re.MULTILINE)
_STEP = re.compile(r"^==refquake== LOADING HANGS: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Trial:
    call: str
    name: str
    hangs: bool


def trial_of(output: str) -> Trial | None:
    match = _TRIAL.search(output)
    return Trial(match["call"], match["name"] or match["call"], match["hangs"] is not None) if match else None


def step_of(output: str) -> str:
    """Empty: none was named."""
    match = _STEP.search(output)
    return match[1] if match else ""
