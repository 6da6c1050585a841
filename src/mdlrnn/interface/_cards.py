"""Runs on several cards: each worker of a cluster has a card, and one run at a time.

A run's folder lies where the client says, if the worker sees that place; a run whose worker is lost
goes on from it. Else the run is kept on the worker while it lasts and its files are sent here at
the end; if the worker is lost, it begins again. The networks are the same either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import uuid4

from ..errors import ClusterError, InputError
from ..files import make_folder, save
from ..runs import LOCK, acquire, begin, holds_run, reopen, write
from ..search import (
    CARD,
    Frozen,
    Line,
    Packed,
    Piece,
    Progress,
    Run,
    Spread,
    freeze,
    naming_the_worker,
    thaw,
    workers_with_cards,
)
from ._carry_out import Request, carry_out
from ._progress import LINE_SECONDS, Quiet
from ._text import bits_text, say, time_text

LOCK_SECONDS = 60.0
"""How long a worker waits for one that was lost to let its run go."""


class Outcome(NamedTuple):
    """A run as it comes back from a worker."""

    run: Run
    islands: tuple[Frozen, ...]
    files: dict[str, bytes]
    """Of its folder, where that lay on the worker."""


def run_on_cards(
    asked: Mapping[int, Request],
    folder: Path | None,
    cluster: object,
    shown: bool,
    is_stopped: Callable[[], bool],
) -> Iterator[Run]:
    """A run for each seed, as they end; those that are stopped on their way come too."""
    homes = {seed: None if folder is None else folder / f"seed-{seed}" for seed in asked}
    for home in homes.values():
        if home is not None and holds_run(home):
            raise InputError(f"{home} already holds a run; choose another folder.")
    with workers_with_cards(cluster) as workers, _marked(folder) as mark:
        pieces = [
            Piece(f"seed-{seed}", run_on_worker, (one, _text_of(homes[seed]), mark))
            for seed, one in asked.items()
        ]
        spread = Spread(workers, pieces)
        display = _Lines() if shown else _Nothing()
        asked_to_stop = False

        def look(news: list[tuple[str, Any]]) -> None:
            nonlocal asked_to_stop
            display(news)
            if not asked_to_stop and is_stopped():
                asked_to_stop = True
                spread.ask_to_stop()

        try:
            for name, outcome in spread.results(look):
                home = homes[int(name.removeprefix("seed-"))]
                yield _received(outcome, home)
        except ClusterError as error:
            raise ClusterError(error.what, _remedy(folder)) from None


def run_on_worker(line: Line, asked: Request, home: str, mark: str) -> Outcome:
    """On a worker: the run, begun or gone on with."""
    with TemporaryDirectory() as aside, naming_the_worker():
        place = Path(home) if home else None
        is_here = place is None or (place.parent / mark).exists()
        folder = place if is_here or place is None else Path(aside, place.name)
        run = _run(line, asked, folder)
        files = {}
        if folder is not None and not is_here:
            files = {p.name: p.read_bytes() for p in folder.iterdir() if p.name != LOCK}
    islands = tuple(freeze(Packed(state)) for state in run.archipelago.islands)
    bare = replace(run, archipelago=replace(run.archipelago, islands=()), out=None)
    return Outcome(bare, islands, files)


def _run(line: Line, asked: Request, folder: Path | None) -> Run:
    # Imported here: only a worker needs CUDA.
    from ..kernels import gpu

    gpu.require_card()

    def tell(progress: Progress) -> bool:
        return line.tell(
            {
                "generation": progress.generation,
                "g": progress.g,
                "d_given_g": progress.d_given_g,
                "speed": progress.steps_per_second,
                "seconds": progress.seconds,
            }
        )

    if folder is not None and holds_run(folder):
        _wait_for_lock(folder / LOCK)
        opened = reopen(folder)
    else:
        opened = begin(folder, asked.problem, asked.stop, asked.about, asked.held_out, CARD)
    return carry_out(opened, nullcontext, asked.language, asked.prove, Quiet(), tell)


def _wait_for_lock(path: Path) -> None:
    """A worker that has lost its way to the scheduler may need a moment to end."""
    until = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < until:
        with suppress(OSError):
            file = acquire(path)
            if file is not None:
                file.close()
                return
        time.sleep(0.2)


@contextmanager
def _marked(folder: Path | None) -> Iterator[str]:
    """The name of a file by which workers see whether they share this folder."""
    mark = f".seeds-{uuid4().hex}"
    if folder is None:
        yield mark
        return
    make_folder(folder)
    save(folder / mark, "")
    try:
        yield mark
    finally:
        with suppress(OSError):
            (folder / mark).unlink()


def _received(outcome: Outcome, home: Path | None) -> Run:
    """The run with its islands, its folder where it belongs."""
    if home is not None and outcome.files:
        make_folder(home)
        for name, data in outcome.files.items():
            write(home / Path(name).name, data)
    islands = tuple(thaw(frozen).state() for frozen in outcome.islands)
    archipelago = replace(outcome.run.archipelago, islands=islands)
    return replace(outcome.run, archipelago=archipelago, out=home)


def _text_of(home: Path | None) -> str:
    return "" if home is None else str(home.absolute())


def _remedy(folder: Path | None) -> str:
    if folder is None:
        return "start the runs again, with a folder to keep them in"
    return f"mdlrnn evolve --resume goes on with each run that {folder} holds"


class _Nothing:
    def __call__(self, news: list[tuple[str, Any]]) -> None: ...


class _Lines(_Nothing):
    """A line on standard error for each run, now and then."""

    def __init__(self) -> None:
        self._latest: dict[str, Any] = {}
        self._said_at = time.monotonic()

    def __call__(self, news: list[tuple[str, Any]]) -> None:
        self._latest.update(news)
        at = time.monotonic()
        if self._latest and at - self._said_at >= LINE_SECONDS:
            self._said_at = at
            for name, said in sorted(self._latest.items()):
                with suppress(OSError):
                    say(f"{name}: {_line(said)}", err=True)
            self._latest.clear()


def _line(said: Mapping[str, Any]) -> str:
    return (
        f"generation {said['generation']:,}, |G| {said['g']:,}, "
        f"|D:G| {bits_text(said['d_given_g'])}, {said['speed']:,.0f} steps/s, "
        f"{time_text(said['seconds'])}"
    )
