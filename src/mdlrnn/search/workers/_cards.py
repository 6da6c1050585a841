"""One run on the cards of several workers: each has a part of the islands, which stays there.

The parts go on side by side up to the next look. At a migration what they send each other comes
here and goes to those that receive it. A card has no lineage that Dask could repeat; so the islands
are kept here as they were when they were last asked for, with what has been done since, and when a
worker is lost all parts begin again from there, on the workers that are left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count, pairwise
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...checks import short
from ...errors import ClusterError, InputError, RunError
from ...kernels import State, Words
from .._archipelago import Packed, front_among
from .._evolve import DESERTED_SECONDS
from .._island import Problem
from ._card_migration import joined
from ._card_roles import parts_of, ring_givers
from ._spread import REPLENISH_SECONDS, Workers, gone, naming_the_worker, on_every_worker

LOOK_SECONDS = 0.01
"""Between two looks whether all parts are done."""
COUNT_SECONDS = 1.0
"""Between two looks whether their workers are still there."""
MOST_TRIES = 100
"""How often the parts begin again because a worker was lost."""

Found = tuple[NDArray[np.float64], int, float, Words]
Entries = list[tuple[int, float, Words]]


class _LostError(Exception):
    """A worker is gone, with its part of the islands."""


class _Part(NamedTuple):
    worker: str
    first: int
    after: int


class SeveralCards:
    """The islands of a run on the cards of a cluster, as `gpu._card` drives them."""

    def __init__(self, workers: Workers) -> None:
        self._client, self._replenish = workers
        self._name = f"mdlrnn-cards-{uuid4().hex[:8]}"
        self._numbers = count()
        self._problem: Problem | None = None
        self._parts: list[_Part] = []
        self._kept: tuple[Packed, ...] | None = None
        """The islands where they were last here; None for new ones."""
        self._since: list[tuple[str, int]] = []
        """What has been done since: `advance` or `migrate`, and how far."""

    def set_problem(self, problem: Problem) -> None:
        self._problem = problem

    def begin(self) -> None:
        self._keep(None)
        self._safely(self._place)

    def upload(self, states: Sequence[State]) -> None:
        self._keep(tuple(map(Packed, states)))
        self._safely(self._place)

    def get_ready(self) -> None:
        self._safely(lambda: self._on_all(_get_ready))

    def advance(self, generation: int) -> None:
        self._do("advance", generation)

    def migrate(self, turn: int) -> None:
        self._do("migrate", turn)

    def best(self) -> Found:
        """The best value of each island; |G|, |D:G| and the row of the best network of all."""
        found: list[Found] = self._safely(lambda: self._on_all(_best))
        values = np.concatenate([each[0] for each in found])
        best = min(found, key=lambda each: float(each[0].min()))
        return values, *best[1:]

    def front(self) -> Entries:
        """(|G|, |D:G|, row) of the networks that no other beats in both, shortest first."""
        found: list[Entries] = self._safely(lambda: self._on_all(_front))
        return front_among(entry for each in found for entry in each)

    def states(self) -> tuple[State, ...]:
        """All islands, here."""
        found: list[list[Packed]] = self._safely(lambda: self._on_all(_states))
        self._keep(tuple(packed for each in found for packed in each))
        assert self._kept is not None
        return tuple(packed.state() for packed in self._kept)

    def close(self) -> None:
        with suppress(Exception):
            there = self._there()
            held = [part.worker for part in self._parts if part.worker in there]
            self._client.run(_release, self._name, workers=held, on_error="return")

    def describe(self) -> str:
        cards = "1 card" if len(self._parts) == 1 else f"{len(self._parts)} cards"
        return f"{cards} of {getattr(self._client.scheduler, 'address', 'a scheduler')}"

    def _keep(self, islands: tuple[Packed, ...] | None) -> None:
        self._kept, self._since = islands, []

    def _do(self, what: str, how_far: int) -> None:
        self._safely(lambda: self._step(what, how_far))
        self._since.append((what, how_far))

    def _step(self, what: str, how_far: int) -> None:
        if what == "advance":
            self._on_all(_advance, how_far)
            return
        assert self._problem is not None
        left = [offers for offers in self._on_all(_depart) if offers is not None]
        givers = ring_givers(self._problem.search, how_far)
        if not left:
            self._on_all(_arrive, None)
            return
        offers = joined(left)
        ends = np.cumsum([0, *(len(each.values) for each in left)])
        own = [offers.taken(givers[a:b, 0]) for a, b in pairwise(ends)]
        self._on_each(_arrive, [(each,) for each in own])

    def _safely(self, work: Callable[[], Any]) -> Any:
        """The result of what is done on the cards, whatever workers are lost meanwhile."""
        for _ in range(MOST_TRIES):
            try:
                return work()
            except _LostError:
                self._begin_again()
        raise ClusterError(f"workers were lost {MOST_TRIES} times")

    def _begin_again(self) -> None:
        """From where the islands were last here, as far as they had come."""
        with suppress(_LostError):  # who calls tries again
            self._place()
            self._on_all(_get_ready)
            for what, how_far in self._since:
                self._step(what, how_far)

    def _place(self) -> None:
        """Put a part of the islands on every worker that is there."""
        assert self._problem is not None
        there = self._workers()
        parts = parts_of(self._problem.search.islands, len(there))
        self._parts = [_Part(w, *part) for w, part in zip(there, parts, strict=False)]
        kept = self._kept
        self._on_each(
            _place,
            [
                (self._problem, first, after, None if kept is None else kept[first:after])
                for _, first, after in self._parts
            ],
        )

    def _workers(self) -> list[str]:
        """The workers that are there, one for each card; it waits a while where there are none."""
        from ...kernels import gpu

        began = complete = time.monotonic()
        while not (there := list(self._there())):
            now = time.monotonic()
            if now - began > DESERTED_SECONDS:
                raise ClusterError("no worker is left")
            if now - complete > REPLENISH_SECONDS:
                complete = now
                with suppress(Exception):
                    self._replenish()
            time.sleep(COUNT_SECONDS)
        cards = on_every_worker(self._client, gpu.card_of_process)
        # A worker that came late may share a card with another; two are no faster than one.
        first_of = {card: worker for worker, card in reversed(cards.items())}
        return [worker for worker in there if worker in first_of.values()]

    def _there(self) -> dict[str, int]:
        try:
            return dict(self._client.nthreads())
        except Exception:
            raise gone() from None

    def _on_all(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self._on_each(function, [arguments] * len(self._parts))

    def _on_each(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """What a function of this module says on each worker; the first argument is the run."""
        futures = [
            self._client.submit(
                function, self._name, *own, key=f"{self._name}-{next(self._numbers)}", pure=False,
                workers=[part.worker], allow_other_workers=False,
            )
            for part, own in zip(self._parts, arguments, strict=True)
        ]  # fmt: skip
        try:
            self._wait_for(futures)
            return [self._result(future) for future in futures]
        finally:
            with suppress(Exception):
                self._client.cancel([f for f in futures if f.status == "pending"])

    def _wait_for(self, futures: Sequence[Any]) -> None:
        counted = time.monotonic()
        while any(future.status == "pending" for future in futures):
            time.sleep(LOOK_SECONDS)
            if time.monotonic() - counted > COUNT_SECONDS:
                counted = time.monotonic()
                there = self._there()
                if any(part.worker not in there for part in self._parts):
                    raise _LostError

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except (InputError, RunError):
            raise
        except Exception as error:
            kind = type(error).__name__
            if self._client.status != "running":
                raise gone() from None
            if isinstance(error, _LostError) or kind == "KilledWorker" or "Cancelled" in kind:
                raise _LostError from None
            what = str(error).splitlines()[0] if str(error) else ""
            raise ClusterError(f"a card failed on the cluster ({kind}: {short(what)})") from None


# What follows runs on the workers. A worker has a part of one run at a time.

_HELD: dict[str, Any] = {}
_ALONE = threading.Lock()
"""A worker may have several threads, and who was interrupted asks again."""


def _held(run: str) -> Any:
    if run not in _HELD:
        raise _LostError  # it is another process than it was
    return _HELD[run]


def _place(
    run: str, problem: Problem, first: int, after: int, islands: Sequence[Packed] | None
) -> None:
    from ...kernels import gpu

    with _ALONE, naming_the_worker():
        gpu.require_card()
        from ._card_islands import Islands

        _HELD.clear()  # its memory is needed
        made = Islands(problem, first, after)
        if islands is None:
            made.begin()
        else:
            made.upload([packed.state() for packed in islands])
        _HELD[run] = made


def _release(run: str) -> None:
    _HELD.pop(run, None)


def _get_ready(run: str) -> None:
    with _ALONE:
        _held(run).get_ready()


def _advance(run: str, generation: int) -> None:
    with _ALONE, naming_the_worker():
        _held(run).advance(generation)


def _depart(run: str) -> Any:
    from ._card_migration import depart

    with _ALONE, naming_the_worker():
        offers = depart(_held(run))
        return None if offers is None else offers.here()


def _arrive(run: str, offers: Any) -> None:
    from ._card_migration import arrive, on_card

    with _ALONE, naming_the_worker():
        islands = _held(run)
        if offers is None:
            arrive(islands, None, np.full((0, 1), -1))
            return
        islands.make_room(offers.rows.shape[2])
        arrive(islands, on_card(offers, islands.words), np.arange(len(offers.values))[:, None])


def _best(run: str) -> Found:
    with _ALONE:
        found: Found = _held(run).best()
        return found


def _front(run: str) -> Entries:
    with _ALONE:
        found: Entries = _held(run).front()
        return found


def _states(run: str) -> list[Packed]:
    with _ALONE:
        return [Packed(state) for state in _held(run).states()]
