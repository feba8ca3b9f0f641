"""What a person sees while something takes long.

    with Progress() as progress:
        task = progress.task("asan interpreter")
        task.step("configure")
        task.note("checking for stdlib.h")
        task.done("built")

On a terminal: one live line per task that runs. Elsewhere (a CI log): a plain line whenever a step starts, and every
few seconds while it lasts. Progress goes to standard error, results to standard output. Tasks may be used from threads.
"""

import os
import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

PLAIN_INTERVAL = 10.0


def say(text: str) -> None:
    print(f"refquake: {text}", file=sys.stderr, flush=True)


def is_terminal() -> bool:
    return sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


def elapsed_text(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Task:
    """One line of progress: a title, the step it is at, a short note, the time since the step began."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.current = ""
        self.detail = ""
        self.finished = False
        self.idle = False
        self.started = self.step_started = self.last_line = time.monotonic()

    def step(self, name: str, idle: bool = False) -> None:
        """`idle`: it only waits, and one plain line says so."""
        self.current, self.detail, self.step_started, self.idle = name, "", time.monotonic(), idle
        self.last_line = 0.0

    def note(self, text: str) -> None:
        self.detail = text

    def done(self, text: str) -> None:
        self.step(text)
        self.finished = True

    def plain(self, now: float) -> str:
        lasted = now - (self.started if self.finished else self.step_started)
        detail = f"  {self.detail}" if self.detail else ""
        return f"{self.title}: {self.current}  [{elapsed_text(lasted)}]{detail}"


class Progress:
    """Shows its tasks until the block ends. A thread repaints, so that elapsed time moves while a step is silent."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._live: Live | None = None

    def task(self, title: str) -> Task:
        task = Task(title)
        with self._lock:
            self._tasks.append(task)
        return task

    def __enter__(self) -> "Progress":
        if is_terminal():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)
            self._live.start()
        self._thread.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self._paint()
        if self._live:
            self._live.stop()

    def _run(self) -> None:
        while not self._stop.wait(0.25):
            self._paint()

    def _paint(self) -> None:
        if self._live:
            with self._lock:
                finished = [task for task in self._tasks if task.finished]
                self._tasks = [task for task in self._tasks if task not in finished]
            self._live.update(self._rows())
            self._print_finished(self._live, finished)
        else:
            self._print_due_lines()

    def _print_finished(self, live: "Live", finished: list[Task]) -> None:
        """A finished task scrolls away above the live lines: a campaign has more of them than a screen has rows."""
        from rich.text import Text

        for task in finished:
            lasted = elapsed_text(task.step_started - task.started)
            line = Text.assemble(("✓ ", "green"), task.title, (f"  {lasted}  ", "dim"), task.current)
            live.console.print(line)

    def _rows(self) -> "Table":
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        now = time.monotonic()
        for task in list(self._tasks):
            lasted = elapsed_text(now - task.step_started)
            table.add_row(
                Spinner("dots"), Text(task.title), Text(task.current, "bold"), lasted, Text(task.detail, "dim")
            )
        return table

    def _print_due_lines(self) -> None:
        now = time.monotonic()
        for task in self._tasks:
            overdue = not task.finished and not task.idle and now - task.last_line > PLAIN_INTERVAL
            if task.current and (task.last_line == 0.0 or overdue):
                task.last_line = now
                say(task.plain(now))
