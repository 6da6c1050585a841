"""The search on a card: the loop of the search, with islands that stay there between looks."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, RunError
from ...kernels import State, Words, gpu
from .._archipelago import Archipelago, Entry, Run, front_among, rescored
from .._crew import View
from .._evolve import Look, OnProgress, SearchLoop
from .._graph import stages
from .._island import Problem, check_room
from .._settings import Stop
from ._card_islands import archives_among

WORK_PER_CHECK = 1e10
"""Steps times nodes between two looks: about a second of a large card."""
MOST_GENERATIONS = 50
"""Between two looks, at most: with few islands, work does not say how long a generation takes."""
CHECKPOINT_SECONDS = 120.0
"""Between two looks at which all islands are brought here."""


def evolve_on_card(
    problem: Problem,
    stop: Stop,
    *,
    on_progress: OnProgress | None = None,
    start: Archipelago | None = None,
    fronts: bool = False,
    cards: Cards | None = None,
) -> Run:
    """`search.evolve_islands` on the card of this process, or on others' where some are given.
    Every network that it tells of is scored on the CPU."""
    check_room(problem)
    if cards is None:
        gpu.require_card()
    if problem.search.migration_seconds is not None:
        raise InputError(
            "migration_seconds is for the CPU; leave it out on a card, or give a "
            "migration_interval."
        )
    return CardSearch(problem, stop, on_progress, start, fronts, cards).run()


def check_interval(problem: Problem) -> int:
    """Generations between two looks, fixed by the problem so that runs can be repeated."""
    search, corpus = problem.search, problem.corpus
    work = search.islands * search.population * (len(corpus.parent) + 200)
    most = min(search.migration_interval, MOST_GENERATIONS)
    return max(1, min(most, round(WORK_PER_CHECK / work)))


class Cards(Protocol):
    """The islands of a run, on one card or several; as `_islands.Islands` has them."""

    def set_problem(self, problem: Problem) -> None: ...

    def begin(self) -> None: ...

    def upload(self, states: Sequence[State]) -> None: ...

    def get_ready(self) -> None: ...

    def advance(self, generation: int) -> None: ...

    def migrate(self, turn: int) -> None: ...

    def best(self) -> tuple[NDArray[np.float64], int, float, Words]: ...

    def front(self) -> list[tuple[int, float, Words]]: ...

    def states(self) -> tuple[State, ...]: ...

    def describe(self) -> str: ...


class CardCrew:
    """In place of threads: the card does all work, and it is done when it says so."""

    workers = 1
    remote = False
    helps, helped_seconds = False, 0.0

    def __init__(self, cards: Cards | None) -> None:
        self._cards = cards

    def begin(self, problem: Problem) -> None: ...

    def start(self, job: Any) -> None:
        raise NotImplementedError

    def fetch(self, held: Sequence[Any]) -> list[Any]:
        return list(held)

    def clear(self) -> None: ...

    def describe(self) -> str:
        return gpu.name_of_card() if self._cards is None else self._cards.describe()

    def is_deserted(self) -> bool:
        return False


class _Fetched:
    """A state as `Look.states` hands it out."""

    def __init__(self, state: State) -> None:
        self._state = state

    def state(self) -> State:
        return self._state


class CardSearch(SearchLoop):
    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        on_progress: OnProgress | None,
        start: Archipelago | None,
        fronts: bool,
        cards: Cards | None,
    ) -> None:
        super().__init__(problem, stop, CardCrew(cards), on_progress, start, False)
        self.cards = cards
        self.rescore = partial(rescored, problem)
        self.standing = replace(self.standing, rescore=self.rescore)
        self.wants_fronts = fronts
        self.generation = self.standing.generation
        self.busy = 0.0
        self.fetched: tuple[int, list[_Fetched]] | None = None
        self.fetched_at = time.monotonic()
        self.best: View | None = None

    def _beginning(self) -> tuple[Look, list[Any]]:
        if not gpu.SIMULATED:
            print("mdlrnn: compiling the search for the card ...", file=sys.stderr, flush=True)
        self.islands: Any
        if self.cards is not None:
            self.cards.set_problem(self.problem)
            self.islands, self.migrate = self.cards, self.cards.migrate
        else:
            from ._card_islands import Islands
            from ._cards import migrate

            self.islands = Islands(self.problem)
            self.migrate = partial(migrate, self.islands)
        if self.start is None:
            self.islands.begin()
        else:
            self.islands.upload(self.start.islands)
        self.islands.get_ready()
        look = self._look(False)
        # The clock starts with the first step: a user's ten seconds are not for the compiler.
        self.began = self.fetched_at = time.monotonic()
        return look, []

    def _by_graph(self, islands: list[Any]) -> Iterator[Look]:
        course = stages(
            self.problem, self.standing, self.stop.last_generation, check_interval(self.problem), 1
        )
        for stage in course:
            interrupted = False
            began = time.monotonic()
            try:
                self.islands.advance(stage.generations[-1])
            except KeyboardInterrupt:
                # The card is somewhere between two looks: let it come to the next one.
                interrupted = True
                self.islands.advance(stage.generations[-1])
            if stage.migrates:
                self.migrate(stage.turn)
            self.generation = stage.generations[-1]
            look = self._look(stage.migrates)
            self.busy += time.monotonic() - began
            yield look
            if interrupted:
                raise KeyboardInterrupt

    def _look(self, migrated: bool) -> Look:
        values, g, bits, row = self.islands.best()
        if self.best is None or self.best.row.tobytes() != row.tobytes():
            value, (g, bits, row) = self.rescore([(g, bits, row)])[0]
            self.best = View(value, g, bits, row)
        groups = [float(part.min()) for part in np.split(values, archives_among(len(values))[1:])]
        views = _views(self.best, groups)
        at_hand = time.monotonic() - self.fetched_at >= CHECKPOINT_SECONDS
        states: Callable[[], list[Any]] = partial(self._states, self.generation)
        return Look(self.generation, migrated, views, (), at_hand, states)

    def _states(self, generation: int) -> list[_Fetched]:
        """All islands at the last look, or at one at which they were brought here."""
        if self.fetched is not None and self.fetched[0] == generation:
            return self.fetched[1]
        if generation != self.generation:
            raise RunError(
                f"the islands of generation {generation:,} are no longer on the card; "
                "go on from the last checkpoint."
            )
        self.fetched = generation, [_Fetched(state) for state in self.islands.states()]
        self.fetched_at = time.monotonic()
        return self.fetched[1]

    def _entries(self) -> Callable[[], list[Entry]] | None:
        return self._front if self.wants_fronts else None

    def _front(self) -> list[Entry]:
        return front_among(entry for _, entry in self.rescore(self.islands.front()))

    def _seconds(self) -> list[float]:
        return [self.busy]


def _views(best: View, groups: Sequence[float]) -> tuple[View, ...]:
    """The best network of all in its group; of the other groups the values alone, above its value.
    That was computed again on the CPU, whose last digit may be larger than the card's."""
    home = int(np.argmin(groups))
    above = math.nextafter(best.value, math.inf)
    return tuple(
        best if i == home else View(max(value, above), 0, 0.0, best.row[:0])
        for i, value in enumerate(groups)
    )
