"""What is seen while a run goes on: nothing, lines, or a live view, all told of `Progress`; and how
a run is stopped from outside: the first signal asks, the second insists.

A screen that has gone away must not end a run, so what it refuses to show is not shown.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from ..network import summary
from ..search import UNLIMITED
from ..waiting import clear, hidden
from ._text import bits_text, count_text, curve_text, say, terminal_width, time_text, wrapped

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.table import Table

    from ..search import Progress

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
    clear()
    with suppress(OSError):
        os.write(2, f"\nmdlrnn: {message}\n".encode())


LINE_SECONDS = 10.0
NEWS_SECONDS = 2.0
SHADES = "█▓▒░"
"""From the best island to the worst."""
ROW = 50
"""Islands a row. A view as wide as the terminal would be torn by the ^C that it echoes."""


class Display(Protocol):
    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...

    def announce(self, title: str) -> None: ...

    def __call__(self, progress: Progress) -> None: ...

    def say(self, message: str) -> None:
        """Tell something in passing. Signal handlers call this."""

    is_stopped: Callable[[], bool]
    """Whether who looks on has asked the run to stop."""


def display_for(quiet: bool, as_json: bool) -> Display:
    """What the command line shows."""
    if quiet:
        return Quiet()
    return Live() if _is_screen(sys.stdout) and not as_json else Lines()


def display_in_python(shown: bool | Display | None) -> Display:
    """What `evolve` shows in Python: by default a live view, where there is somebody to see it."""
    if not isinstance(shown, bool | None):
        return shown
    if shown is False:
        return Quiet()
    if _in_notebook():
        return Notebook()
    if _is_screen(sys.stderr):
        return Live(stderr=True)
    return Lines() if shown else Quiet()


def _is_screen(stream: Any) -> bool:
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


class Quiet:
    is_stopped: Callable[[], bool] = staticmethod(bool)

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def announce(self, title: str) -> None: ...

    def __call__(self, progress: Progress) -> None: ...

    def say(self, message: str) -> None:
        say_now(message)


class Lines(Quiet):
    """A line on standard error now and then."""

    def __init__(self) -> None:
        self._said_at = -math.inf

    def announce(self, title: str) -> None:
        with suppress(OSError):
            say(title, err=True)

    def __call__(self, progress: Progress) -> None:
        at = time.monotonic()
        if at - self._said_at >= (NEWS_SECONDS if progress.improved else LINE_SECONDS):
            self._said_at = at
            with suppress(OSError):
                say(_line(progress), err=True)


class Notebook(Quiet):
    """A few lines under the cell that are replaced as the run goes on."""

    def __init__(self) -> None:
        self._title = ""
        self._handle: Any = None

    def announce(self, title: str) -> None:
        self._title, self._handle = title, None

    def __call__(self, progress: Progress) -> None:
        from IPython.display import display  # only where a notebook has loaded it

        shown = {"text/plain": f"{self._title}\n{_line(progress)}\n(interrupt: stop here)"}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


class Live(Quiet):
    """A view that is redrawn several times a second and goes when the run ends."""

    def __init__(self, stderr: bool = False) -> None:
        from rich.console import Console

        self._message = "Ctrl-C stops and saves"
        self._console = Console(highlight=False, stderr=stderr)
        self._live: RichLive | None = None
        self._hidden = ExitStack()

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            with suppress(OSError):
                self._live.stop()
            self._hidden.close()
        self._live = None

    def announce(self, title: str) -> None:
        clear()
        with suppress(OSError):
            self._console.print(title, markup=False)

    def __call__(self, progress: Progress) -> None:
        from rich.live import Live as RichLive

        if self._live is None or progress.improved:
            self._network = summary(progress.best())
        self._latest, self._told_at = progress, time.monotonic()
        if self._live is None:
            self._first = progress
            self._hidden.enter_context(hidden())
            self._live = RichLive(
                console=self._console,
                get_renderable=self._view,
                refresh_per_second=4,
                transient=True,
            )
            with suppress(OSError):
                self._live.start()

    def say(self, message: str) -> None:
        if self._live is None:
            say_now(message)
        self._message = message

    def _view(self) -> Table:
        from rich.table import Table

        now, since = self._latest, time.monotonic() - self._told_at
        seconds = now.seconds + since
        left = _time_left(self._first, now, since)
        passed = time_text(seconds) if seconds >= 10 else f"{int(seconds)} s"
        view = Table.grid(padding=(0, 2))
        view.add_column(style="dim", no_wrap=True)
        view.add_column(overflow="fold")
        view.add_row("best", _score_text(now))
        view.add_row("network", self._network)
        if curve := _curve(now):
            view.add_row("MDL", curve)
        view.add_row("islands", _shades(now.island_values))
        view.add_row("", f"[dim]{_legend(now.island_values)}[/dim]")
        view.add_row("generation", _generation_text(now, seconds))
        view.add_row(
            "steps", f"{count_text(now.steps)}, {count_text(now.steps_per_second)} a second"
        )
        view.add_row("workers", _workers_text(now))
        if now.proving:
            view.add_row("proof", now.proving)
        view.add_row("time", passed + ("" if left is None else f", at most {time_text(left)} left"))
        view.add_row("", f"[dim]{self._message}[/dim]")
        return view


def _generation_text(now: Progress, seconds: float) -> str:
    """With how much is done: of the generations, or where these have no limit, of the time."""
    limit = now.stop.seconds
    if now.generations < UNLIMITED:
        done = now.generation / now.generations if now.generations else 1.0
        return f"{now.generation:,} of {now.generations:,}  {_bar(done)}"
    return f"{now.generation:,}" + ("" if limit is None else f"  {_bar(min(1.0, seconds / limit))}")


def _workers_text(now: Progress) -> str:
    if now.is_waiting:
        return f"{now.workers}; the run waits for one"
    return f"{now.workers}, {math.floor(now.busy * 100)} % of their time on islands"


def _line(now: Progress) -> str:
    """All that fits on a line; where it is too much, first MDL goes that is not minimised, then the
    speed."""
    head, passed = f"generation {now.generation:,}: ", time_text(now.seconds)
    scores = _score_text(now)
    if now.is_waiting:
        waits = f"{_workers_text(now)}, {passed}"
        return _fitting(f"{head}{scores}, {waits}", head + waits)
    speed = f"{count_text(now.steps_per_second)} steps a second"
    shorter = scores.replace(f"  MDL {bits_text(now.mdl)}  ", "  ")
    return _fitting(
        f"{head}{scores}, {speed}, {passed}",
        f"{head}{shorter}, {speed}, {passed}",
        f"{head}{shorter}, {passed}",
    )


def _fitting(*lines: str) -> str:
    """The first of these that is no wider than the terminal, or else the last."""
    return next((line for line in lines if len(line) <= terminal_width()), lines[-1])


def _score_text(now: Progress) -> str:
    text = f"|G| {now.g:,}  |D:G| {bits_text(now.d_given_g)}  MDL {bits_text(now.mdl)}"
    return text if now.value == now.mdl else f"{text}  objective {bits_text(now.value)}"


def _time_left(first: Progress, now: Progress, since: float) -> float | None:
    """The soonest end that is certain to come; None while nothing can be said."""
    ends = []
    if now.stop.seconds is not None:
        ends.append(now.stop.seconds - now.seconds)
    if now.generation > first.generation and now.generations < UNLIMITED:
        each = (now.seconds - first.seconds) / (now.generation - first.generation)
        ends.append((now.generations - now.generation) * each)
    return max(0.0, min(ends) - since) if ends else None


def _bar(done: float, width: int = 20) -> str:
    full = min(width, int(done * width))
    return "━" * full + f"[dim]{'─' * (width - full)}[/dim]  {math.floor(done * 100)} %"


def _curve(now: Progress) -> str:
    """The best MDL from the start of the run, or of the one it goes on from, to here."""
    known = [
        (int(entry["generation"]), entry["g"] + entry["d_given_g"])
        for entry in (
            *now.standing.history,
            {"generation": now.generation, "g": now.g, "d_given_g": now.d_given_g},
        )
    ]
    known = [(generation, mdl) for generation, mdl in known if math.isfinite(mdl)]
    return curve_text([at for at, _ in known], [mdl for _, mdl in known], ROW)


def _legend(values: tuple[float, ...]) -> str:
    """What the signs of `_shades` mean, those that are there."""
    finite = [value for value in values if math.isfinite(value)]
    signs = []
    if len(set(finite)) > 1:
        signs.append(f"{SHADES[0]} best to {SHADES[-1]} worst")
    elif finite:
        signs.append(f"{SHADES[0]} {'best' if len(finite) == 1 else 'equally good'}")
    if len(finite) < len(values):
        signs.append("· infinite |D:G|")
    return f"one sign an island: {', '.join(signs)}"


def _shades(values: tuple[float, ...]) -> str:
    """One block an island, the fuller the better; one that explains nothing yet is a dot."""
    finite = [value for value in values if math.isfinite(value)]
    best = min(finite, default=0.0)
    span = max(finite, default=0.0) - best

    def shade(value: float) -> str:
        if not math.isfinite(value):
            return "·"
        return SHADES[min(3, int(4 * (value - best) / span))] if span else SHADES[0]

    return "\n".join(wrapped("".join(map(shade, values)), ROW))
