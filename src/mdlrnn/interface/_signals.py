"""How a run is stopped from outside: the first signal asks, the second insists."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

EXIT_CODE = 130
ASKING = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP")
"""Ctrl-C, a scheduler's word, Ctrl-\\, a terminal that is closed; where the system has them."""
_SHOW_CURSOR = b"\x1b[?25h"


class StopSignals:
    """While it is entered, signals that ask a process to end set `asked`; a second one ends it at
    once, but for a closed terminal, of which one is told several times.

    Files are written atomically, so that even then what was saved last is whole.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.asked = False
        self._say = say
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in ASKING if hasattr(signal, name)):
                # A process that was started with the signal ignored, as by nohup, is to ignore it.
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if self.asked and number == getattr(signal, "SIGHUP", None):
            return
        if self.asked:
            if sys.__stdout__ is not None and sys.__stdout__.isatty():
                os.write(1, _SHOW_CURSOR)
            say_now("stopped at once; what was saved last is whole.")
            os._exit(EXIT_CODE)
        self.asked = True
        self._say("stopping at the next pause; once more stops at once.")


def say_now(message: str) -> None:
    """A line on standard error, past Python's buffers: a signal handler may not enter those."""
    with suppress(OSError):
        os.write(2, f"\nmdlrnn: {message}\n".encode())
