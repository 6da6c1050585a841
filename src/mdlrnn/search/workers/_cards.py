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

from ...errors import ClusterError
from ...kernels import State, Words, gpu
from .._archipelago import Packed, front_among
from .._evolve import DESERTED_SECONDS
from .._island import Problem
from .._migration import RESTARTS, exchange_of, fits, island_problem
from ._card_islands import (
    LOWER,
    ROW_TYPE,
    THREADS,
    Islands,
    archives_among,
    givers_to_archives,
    grid_of,
    kind_of,
    parts_of,
    ring_givers,
    role_of,
    travellers_among,
)
from ._spread import Watch, Workers, failure, gone, naming_the_worker, on_every_worker, was_lost


class Offers(NamedTuple):
    """The best networks of some islands, on a card or here: (island, network, ...)."""

    rows: Any
    values: Any
    lengths: Any
    bits: Any

    def here(self) -> Offers:
        """From the card."""
        return Offers(*(part.copy_to_host() for part in self))

    def taken(self, places: NDArray[np.int64]) -> Offers:
        """Those of the islands at these places, of offers that are here."""
        return Offers(*(part[places] for part in self))


def joined(offers: Sequence[Offers]) -> Offers:
    """The offers of several cards, which are here, as one."""
    words = max(each.rows.shape[2] for each in offers)
    rows = [np.pad(each.rows, ((0, 0), (0, 0), (0, words - each.rows.shape[2]))) for each in offers]
    others = [np.concatenate(parts) for parts in list(zip(*offers, strict=True))[1:]]
    return Offers(np.concatenate(rows), *others)


def on_card(offers: Offers, words: int) -> Offers:
    """Offers that are here, on the card, in rows of so many words."""
    rows = np.zeros((*offers.values.shape, words), dtype=ROW_TYPE)
    rows[:, :, : offers.rows.shape[2]] = offers.rows
    return Offers(*map(gpu.cuda.to_device, (rows, *offers[1:])))


def migrate(islands: Islands, turn: int) -> None:
    """What the settings say happens at migration number `turn`, with all islands on this card."""
    arrive(islands, depart(islands), ring_givers(islands.problem.search, turn))


def depart(islands: Islands) -> Offers | None:
    """What these islands send on, if anything."""
    search = islands.problem.search
    if exchange_of(search) == RESTARTS:
        gpu.breeding.stagnant_kernel[grid_of(islands.count, THREADS), THREADS](
            islands.counters, islands.waits, islands.restart
        )
        givers = givers_to_archives(islands.restart.copy_to_host())
        offers = _collect(islands, np.arange(islands.count))
        _receive(islands, archives_among(islands.count), givers, offers)
    if len(travellers_among(search, search.islands)) < 2:
        return None
    return _collect(islands, travellers_among(search, islands.count))


def arrive(islands: Islands, offers: Offers | None, givers: NDArray[np.int64]) -> None:
    """Let islands receive what is offered to them: row h of `givers` has the place among the offers
    that the h-th of them receives from. Stagnant islands restart."""
    search = islands.problem.search
    restarts = exchange_of(search) == RESTARTS
    if offers is not None:
        homes = travellers_among(search, islands.count)
        _receive(islands, homes, givers, offers, checked=not restarts)
    if restarts:
        islands.populate()


def advance_and_migrate(islands: Islands, begin: int, end: int) -> None:
    """From one generation to another, with the migrations on the way."""
    interval = islands.problem.search.migration_interval
    for generation in range(begin - begin % interval + interval, end + 1, interval):
        islands.advance(generation)
        migrate(islands, generation // interval - 1)
    islands.advance(end)


def _collect(islands: Islands, members: NDArray[Any]) -> Offers:
    count, size = len(members), islands.problem.search.migration_size
    with gpu.within_memory(LOWER):
        make = gpu.cuda.device_array
        offers = Offers(
            make((count, size, islands.words), ROW_TYPE),
            make((count, size), np.float64),
            make((count, size), np.int64),
            make((count, size), np.float64),
        )
    gpu.breeding.collect_kernel[grid_of(count, gpu.WARP), 8 if gpu.SIMULATED else gpu.WARP](
        islands.about, gpu.cuda.to_device(members.astype(np.int64)), islands.genomes,
        islands.values, islands.lengths, islands.bits, *offers,
    )  # fmt: skip
    return offers


def _receive(
    islands: Islands,
    homes: NDArray[Any],
    givers: NDArray[Any],
    offers: Offers,
    checked: bool = False,
) -> None:
    fitting = np.ones(offers.values.shape, dtype=np.int64)
    if checked and islands.problem.encoding.says_parts:
        fitting = _fitting(islands, offers.rows.copy_to_host(), givers)
    gpu.breeding.receive_kernel[grid_of(len(homes), gpu.WARP), 8 if gpu.SIMULATED else gpu.WARP](
        islands.about, gpu.cuda.to_device(homes.astype(np.int64)),
        gpu.cuda.to_device(np.ascontiguousarray(givers.astype(np.int64))),
        gpu.cuda.to_device(fitting), islands.genomes, islands.values, islands.lengths, islands.bits,
        islands.counters, islands.best_value, islands.front_rows, islands.front_lengths,
        islands.front_bits, *offers,
        gpu.cuda.device_array((len(homes), offers.values.shape[1]), np.int64),
    )  # fmt: skip


def _fitting(
    islands: Islands, offers: NDArray[np.int32], givers: NDArray[Any]
) -> NDArray[np.int64]:
    """Whether what is offered is in the space of the one island that receives it."""
    problem: Problem = islands.problem
    found = np.ones(offers.shape[:2], dtype=np.int64)
    for home, giver in enumerate(givers[:, 0].tolist()):
        own = island_problem(problem, kind_of(problem, role_of(islands.first + home)))
        for k, row in enumerate(offers[giver]):
            found[giver, k] = fits(row.astype(np.int64), own)
    return found


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

        began, watch = time.monotonic(), Watch(self._replenish, 1)
        while not (there := list(self._there())):
            if time.monotonic() - began > DESERTED_SECONDS:
                raise ClusterError("no worker is left")
            watch.see(0)
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
        except Exception as error:
            is_lost = isinstance(error, _LostError) or was_lost(error)
            if is_lost and self._client.status == "running":
                raise _LostError from None
            raise failure(self._client, "a card", error) from None


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

    with _ALONE, naming_the_worker():
        offers = depart(_held(run))
        return None if offers is None else offers.here()


def _arrive(run: str, offers: Any) -> None:

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
