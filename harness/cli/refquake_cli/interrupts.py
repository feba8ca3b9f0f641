"""What ends the command before its end: Ctrl-C, SIGTERM, a terminal that closes. Each is a KeyboardInterrupt in the
main thread, so that whoever cleans up for one of them does so for all.

    hold()      # before anything slow is imported: what arrives now waits
    take()      # from here on it is raised

One that comes soon after another is dropped: it would cut short the cleaning up that the first began. What was ignored
when the command was started (nohup) stays ignored.
"""

import signal
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLEANING_SECONDS = 10  # cleaning up that takes longer may be interrupted too


def hold() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def heeded() -> list[signal.Signals]:
    return [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


def take() -> None:
    raised = -float("inf")

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal raised
        now = time.monotonic()
        if now - raised > CLEANING_SECONDS:
            raised = now
            raise KeyboardInterrupt

    for number in heeded():
        signal.signal(number, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
