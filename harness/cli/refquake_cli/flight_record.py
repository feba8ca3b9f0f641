"""The fuzz binary's flight record: its current input and counters, in a file that survives any death of it.

Example:

    record = read_record(path)      # None: not there yet
    record.inputs, record.ok, record.input

The layout is FlightRecord in harness/driver/flight_recorder.h.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

_HEAD = struct.Struct("=8sIIQQQQQ")
_MAGIC = b"refquake"
_VERSION = 2


@dataclass(frozen=True)
class FlightRecord:
    inputs: int  # begun so far
    ok: int  # ops that succeeded
    errors: int  # ops that raised
    skipped: int  # ops that found no fitting object
    planted: int  # 1: a program reached a sample's planted bug; 2: triggered it
    input: bytes  # of the input that runs, or ran last


def read_record(path: Path) -> FlightRecord | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(content) < _HEAD.size:
        return None
    magic, version, size, inputs, ok, errors, skipped, planted = _HEAD.unpack_from(content)
    if magic != _MAGIC or version != _VERSION:
        return None
    return FlightRecord(inputs, ok, errors, skipped, planted, content[_HEAD.size : _HEAD.size + size])
