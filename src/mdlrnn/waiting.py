"""What a user waits for. Code that takes a while says so with `doing`; the command line shows it
on a terminal with a moving mark, and elsewhere nothing is shown.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MARKS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PAUSE = 1.0
"""Seconds without output before something is shown."""
TICK = 0.1
_doing: list[str] = []
_mark: _Mark | None = None


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say what goes on inside; also a decorator of a function."""
    _doing.append(what)
    try:
        yield
    finally:
        _doing.remove(what)


@contextmanager
def shown() -> Iterator[None]:
    """Show it while it lasts, where there is a terminal to show it on."""
    global _mark
    if _mark is not None or not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield
        return
    _mark = _Mark()
    _mark.start()
    try:
        yield
    finally:
        mark, _mark = _mark, None
        mark.stop()


def is_shown() -> bool:
    return _mark is not None


def clear() -> None:
    """Take the mark away, before something else is written."""
    if _mark is not None:
        _mark.clear()


@contextmanager
def hidden() -> Iterator[None]:
    """Show nothing inside."""
    if _mark is None:
        yield
        return
    mark = _mark
    mark.hide(True)
    try:
        yield
    finally:
        mark.hide(False)


class _Mark(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._hidden = 0
        self._is_drawn = False
        self._since = time.monotonic()

    def run(self) -> None:
        what, began, turn = "", 0.0, 0
        while not self._ends.wait(TICK):
            now = time.monotonic()
            latest = "".join(_doing[-1:])
            if latest != what:
                what, began = latest, now
            turn += 1
            with self._lock, suppress(OSError, ValueError):
                if not what or self._hidden or now - self._since < PAUSE:
                    continue
                self._is_drawn = True
                passed = f" {int(now - began)} s" if now - began >= PAUSE else ""
                width = shutil.get_terminal_size((80, 24)).columns - 1
                line = f"{MARKS[turn % len(MARKS)]} {what} ...{passed}"[:width]
                sys.stderr.write(f"\r{line}\x1b[K")
                sys.stderr.flush()

    def clear(self) -> None:
        with self._lock, suppress(OSError, ValueError):
            self._since = time.monotonic()
            if self._is_drawn:
                self._is_drawn = False
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    def hide(self, is_hidden: bool) -> None:
        self.clear()
        self._hidden += 1 if is_hidden else -1

    def stop(self) -> None:
        self._ends.set()
        self.join()
        self.clear()
