"""A night's log for machines: one JSON object a line, each written whole.

journal = Journal(folder / "logs" / "night-7.jsonl")
journal.write("turn", arm="node clean asan threads", executions=12345)
"""

import json
import os
import time
from pathlib import Path


class Journal:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def write(self, event: str, **fields: object) -> None:
        line = json.dumps({"time": round(time.time(), 3), "event": event, **fields}) + "\n"
        os.write(self._fd, line.encode())

    def close(self) -> None:
        os.close(self._fd)
