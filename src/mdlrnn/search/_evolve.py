"""The search itself: islands that go on side by side, looked at every few generations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

from ..checks import check_threads
from ..errors import ClusterError
from ..kernels import State, Words, norms_of
from ..network import Network, Score
from ._archipelago import (
    Archipelago,
    Packed,
    Progress,
    Run,
    Statistics,
    front_among,
    network_of,
    origin_of,
)
from ._crew import Crew, Entry, Executors, Held, Leg, Threads, View, entries_of, view_of
from ._graph import (
    LONGEST_CHAIN,
    Graph,
    Round,
    Stage,
    are_kept_together,
    run_legs,
    stages,
    states_at,
)
from ._island import Problem, check_room, random_states
from ._settings import Stop

WORK_PER_CHECK = 1.5e8
"""Steps times nodes between two looks at the target and the user: about a second of one core."""
LARGER = 16
"""Times the work of a step where nothing keeps networks small; they grow to more than that."""
REMOTE_SECONDS = 0.5
"""How long a leg should take about that is run by another process or machine: long beside what it
takes to send it there, short enough for islands that are behind to be seen."""
SHORTER = 8
"""Times shorter is the first stage there, so that it is soon known which islands are slow."""
LOOK_NODES, BESIDE_NODES = 200, 900
"""What else a step does counts as so many nodes where looks are set, and takes as long as so many,
about."""

DESERTED_SECONDS = 120.0
"""How long a run that has not begun waits for somebody to run its islands."""
HELPED_LEGS = 4
"""Legs in place of one where threads help each other, to see earlier who is behind."""
LEGS_A_SECOND = 50
"""More than these make who hands them out a bottleneck."""

OnProgress = Callable[[Progress], bool | None]


def evolve_islands(
    problem: Problem,
    stop: Stop,
    workers: Crew | Executor | int | None = None,
    *,
    on_progress: OnProgress | None = None,
    start: Archipelago | None = None,
    fronts: bool = False,
) -> Run:
    """Search for the network that minimises the objective on the corpus.

    Islands are advanced by the crew, the executor or the number of threads given, by default by as
    many threads as there are cores; the networks are the same. `start` goes on from the final
    population of an earlier run with the same settings. `fronts` is for an `on_progress` that asks
    for the front often.
    Ctrl-C ends the search as `on_progress` can: what has been found so far is given back.
    """
    check_room(problem)
    with _crew(workers) as crew:
        crew.begin(problem)
        return SearchLoop(problem, stop, crew, on_progress, start, fronts).run()


def check_interval(problem: Problem) -> int:
    """Generations between two checks, fixed by the problem so that runs can be repeated."""
    search, corpus = problem.search, problem.corpus
    work = search.islands * search.population * (len(corpus.parent) + LOOK_NODES)
    objective = problem.objective
    if not (objective.g or objective.l1 or objective.l2):
        work *= LARGER
    return max(1, min(search.migration_interval, round(WORK_PER_CHECK / work)))


class Look(NamedTuple):
    """Where all islands stand at one generation."""

    generation: int
    migrated: bool
    views: tuple[View, ...]
    entries: tuple[tuple[Entry, ...], ...]
    """Of each island, what joined its front since the last look."""
    at_hand: bool
    states: Callable[[], list[Packed]]


class SearchLoop:
    """A search while it runs. On a card `gpu` has another one, which begins and goes on otherwise
    and sees and tells the same."""

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        crew: Crew,
        on_progress: OnProgress | None,
        start: Archipelago | None,
        fronts: bool,
    ) -> None:
        self.problem, self.stop, self.crew = problem, stop, crew
        self.on_progress = on_progress
        self.start = start
        self.began = self.migrated = time.monotonic()
        self.standing = Archipelago(()) if start is None else replace(start, islands=())
        self.seconds_before = self.standing.seconds
        self.generation_before = self.standing.generation
        self.fronts: list[list[tuple[int, float, Words]]] | None = None
        if fronts:
            self.fronts = [[] for _ in range(problem.search.islands)]
        self.graph: Graph | None = None
        self.progress: Progress | None = None
        """As it was told last."""
        self.deserted_since: float | None = None
        self.seconds = [0.0] * problem.search.islands
        """Spent on each island, but for what the present graph has spent."""

    def run(self) -> Run:
        self.look, islands = self._beginning()
        reason = ""
        try:
            reason = self._see(self.look)
            by_clock = self.problem.search.migration_seconds is not None
            looks = self._by_clock(islands) if by_clock else self._by_graph(islands)
            while not reason:
                reason = self._see(next(looks))
        except KeyboardInterrupt:
            reason = "stopped"
        self.crew.clear()
        if self.graph is not None:
            self.graph.forget()
        states = tuple(packed.state() for packed in self.look.states())
        archipelago = replace(self.standing, islands=states)
        return _run(
            self.problem, self.stop, archipelago, reason, self._busy(), max(self._seconds())
        )

    def _beginning(self) -> tuple[Look, list[Held]]:
        """The islands that the search goes on from, or new ones."""
        search = self.problem.search
        if self.start is not None:
            kept = [Packed(state) for state in self.start.islands]
            views = tuple(map(view_of, self.start.islands))
            entries = tuple(tuple(entries_of(state)) for state in self.start.islands)
            return Look(self.start.generation, False, views, entries, True, lambda: kept), kept
        fronts = self.fronts is not None
        legs = [
            Leg(i, random=random, fronts=fronts)
            for i, random in enumerate(random_states(self.problem.seed, search.islands))
        ]
        # The first island alone: it compiles the kernels and finds the founders for all. The clock
        # starts when it is there: a user's ten seconds are not for the compiler.
        made = run_legs(self.crew, [None], legs[:1], self._wait)
        self.began = self.migrated = time.monotonic()
        made += run_legs(self.crew, [None] * (len(legs) - 1), legs[1:], self._wait)
        islands = [one.held for one in made]
        self.seconds = [0.0, *(one.report.seconds for one in made[1:])]
        look = Look(
            0,
            False,
            tuple(one.report.views[0][1] for one in made),
            tuple(tuple(entry for _, entry in one.report.entries) for one in made),
            _at_hand(islands),
            partial(self.crew.fetch, islands),
        )
        return look, islands

    def _by_graph(self, islands: list[Held]) -> Iterator[Look]:
        looks = self._looks_a_stage()
        first_looks = max(1, looks // SHORTER) if self.crew.remote else looks
        course = stages(
            self.problem, self.standing, self.stop.last_generation,
            check_interval(self.problem), looks, first_looks,
        )  # fmt: skip
        fronts = self.fronts is not None
        self.graph = Graph(
            self.problem, self.crew, islands, course, fronts, self._chain(), self._wait
        )  # fmt: skip
        for done in self.graph.rounds():
            yield from self._looks(done)

    def _looks_a_stage(self) -> int:
        """So many that a stage of all islands takes a second, where these are kept together a
        quarter of one, or a leg on another machine half of one and with many workers more."""
        islands, workers = self.problem.search.islands, self.crew.workers
        if self.crew.remote:
            nodes = len(self.problem.corpus.parent)
            seconds = max(REMOTE_SECONDS, workers / LEGS_A_SECOND)
            share = (nodes + LOOK_NODES) / (nodes + BESIDE_NODES)
            return max(1, round(islands * seconds * share))
        legs = HELPED_LEGS if are_kept_together(self.crew, islands) else 1
        return max(1, min(workers, islands) // legs)

    def _chain(self) -> int:
        """Stages in one leg on another machine, where migrations make them shorter than a leg
        should be."""
        if not self.crew.remote:
            return 1
        stage = -(-self.problem.search.migration_interval // check_interval(self.problem))
        return max(1, min(LONGEST_CHAIN, self._looks_a_stage() // stage))

    def _looks(self, done: Round) -> Iterator[Look]:
        last = len(done.stage.generations) - 1
        for number, generation in enumerate(done.stage.generations):
            yield Look(
                generation,
                done.stage.migrates and number == last,
                tuple(views[number] for views in done.views),
                tuple(tuple(e for at, e in each if at == number) for each in done.entries),
                number == last and _at_hand(done.after),
                partial(states_at, self.crew, done, number),
            )

    def _by_clock(self, islands: Sequence[Held]) -> Iterator[Look]:
        """One look after the other, since the clock may ask for a migration at any of them."""
        search = self.problem.search
        interval = check_interval(self.problem)
        while True:
            at = self.standing
            # A stage without its migration, which the clock may put off or ask for.
            stage = next(stages(self.problem, at, self.stop.last_generation, interval, 1))
            done = self._round(islands, stage._replace(migrates=False))
            assert search.migration_seconds is not None
            late = time.monotonic() - self.migrated >= search.migration_seconds
            if stage.migrates or late:
                exchange = Stage((), stage.generations, True, at.migrations)
                entries = done.entries
                done = self._round(done.after, exchange)
                entries = tuple(a + b for a, b in zip(entries, done.entries, strict=True))
                done = done._replace(entries=entries)
                self.migrated = time.monotonic()
            islands = done.after
            yield from self._looks(done)

    def _round(self, islands: Sequence[Held], stage: Stage) -> Round:
        self.seconds = self._seconds()
        fronts = self.fronts is not None
        self.graph = Graph(
            self.problem, self.crew, islands, iter((stage,)), fronts, on_wait=self._wait
        )  # fmt: skip
        return next(self.graph.rounds())

    def _seconds(self) -> list[float]:
        """Spent on each island since the search began."""
        if self.graph is None:
            return self.seconds
        return [a + b for a, b in zip(self.seconds, self.graph.seconds, strict=True)]

    def _busy(self) -> float:
        """Spent on islands by all workers."""
        return sum(self._seconds()) + self.crew.helped_seconds

    def _entries(self) -> Callable[[], list[tuple[int, float, Words]]] | None:
        """The front, where somebody asked for it beforehand."""
        return None if self.fronts is None else partial(_front, self.fronts)

    def _see(self, look: Look) -> str:
        """Note what a look shows and tell of it; the reason to end here, or nothing."""
        at = replace(self.standing, generation=look.generation)
        if look.migrated:
            at = replace(at, migrations=at.migrations + 1, migrated_at=look.generation)
        spent = time.monotonic() - self.began
        at = replace(at, seconds=self.seconds_before + spent)
        best = min(look.views, key=lambda view: view.value)
        search = self.problem.search
        each = search.islands * search.population
        steps = each * look.generation
        improved = best.value < at.best
        if improved:
            entry = {
                "generation": at.generation, "steps": steps, "seconds": round(at.seconds, 3),
                "value": best.value, "g": best.g, "d_given_g": best.d_given_g,
            }  # fmt: skip
            at = replace(
                at,
                best=best.value,
                improved_at=at.generation,
                history=(*at.history, entry),
            )
        self.look, self.standing = look, at
        if self.fronts is not None:
            for island, joined in enumerate(look.entries):
                if joined:
                    self.fronts[island] = front_among([*self.fronts[island], *joined])
        self.deserted_since = None
        self.progress = Progress(
            generation=at.generation,
            generations=self.stop.last_generation,
            value=best.value,
            g=best.g,
            d_given_g=best.d_given_g,
            steps=steps,
            steps_per_second=each * (at.generation - self.generation_before) / max(spent, 1e-9),
            seconds=at.seconds,
            improved=improved,
            island_values=tuple(view.value for view in look.views),
            island_rows=tuple(view.row for view in look.views),
            migrated=look.migrated,
            row=best.row,
            standing=at,
            at_hand=look.at_hand,
            islands=partial(_states, look),
            entries=self._entries(),
            workers=self.crew.describe(),
            busy=min(1.0, self._busy() / max(spent * self.crew.workers, 1e-9)),
            problem=self.problem,
            stop=self.stop,
        )
        stop_requested = self.on_progress is not None and bool(self.on_progress(self.progress))
        return _reason(self.stop, at) or ("stopped" if stop_requested else "")

    def _wait(self) -> None:
        """Tell that nobody is there to run islands. A run that is to end now cannot bring its
        islands here: what is left of it is its last checkpoint."""
        now = time.monotonic()
        since = self.deserted_since = self.deserted_since or now
        if self.progress is None:
            is_over = now - since >= DESERTED_SECONDS
        else:
            seconds = self.seconds_before + now - self.began
            share = (self.progress.seconds - self.seconds_before) / max(now - self.began, 1e-9)
            waiting = self.progress._replace(
                seconds=seconds, steps_per_second=share * self.progress.steps_per_second,
                improved=False, migrated=False, at_hand=False, is_waiting=True,
                workers=self.crew.describe(),
            )  # fmt: skip
            is_over = self.stop.seconds is not None and seconds >= self.stop.seconds
            if self.on_progress is not None:
                is_over = bool(self.on_progress(waiting)) or is_over
        if is_over:
            raise ClusterError(f"{self.crew.describe()} is left")


def _states(look: Look) -> tuple[State, ...]:
    return tuple(packed.state() for packed in look.states())


def _front(fronts: list[list[tuple[int, float, Words]]]) -> list[tuple[int, float, Words]]:
    return front_among(entry for front in fronts for entry in front)


def _at_hand(islands: Sequence[Held]) -> bool:
    return all(isinstance(held, Packed) for held in islands)


@contextmanager
def _crew(workers: Crew | Executor | int | None) -> Iterator[Crew]:
    if workers is not None and hasattr(workers, "begin"):
        yield cast(Crew, workers)
        return
    if workers is None or isinstance(workers, int):
        check_threads(workers)
        own: Threads | Executors = Threads(workers)
    else:
        own = Executors(workers)
    try:
        yield own
    finally:
        own.close()


def _reason(stop: Stop, archipelago: Archipelago) -> str:
    """Why to end now, or nothing."""
    if stop.target is not None and archipelago.best <= stop.target:
        return "target"
    if archipelago.generation >= stop.last_generation:
        return "generations"
    waited = archipelago.generation - archipelago.improved_at
    if stop.patience is not None and waited >= stop.patience:
        return "patience"
    if stop.seconds is not None and archipelago.seconds >= stop.seconds:
        return "time"
    return ""


def run_at(problem: Problem, run: Run, archipelago: Archipelago, reason: str) -> Run:
    """The run as it would be if it had ended with this archipelago, which it has passed."""
    spent = run.statistics
    return _run(
        problem, run.stop, archipelago, reason, spent.busy_seconds, spent.longest_seconds
    )  # fmt: skip


def _run(
    problem: Problem,
    stop: Stop,
    archipelago: Archipelago,
    reason: str,
    busy: float,
    longest: float,
) -> Run:
    value, g, d_given_g, row = archipelago.best_row()
    best, score = _scored(problem, g, d_given_g, row)
    return Run(
        best=best,
        score=score,
        value=value,
        origin=origin_of(row, archipelago.found_after, archipelago.steps),
        front=tuple(_scored(problem, *entry) for entry in archipelago.front()),
        reason=reason,
        history=archipelago.history,
        statistics=Statistics(
            archipelago.steps,
            archipelago.evaluations,
            archipelago.cache_hits,
            archipelago.seconds,
            archipelago.steps / max(archipelago.seconds, 1e-9),
            busy,
            longest,
        ),
        search=problem.search,
        seed=problem.seed,
        stop=stop,
        encoding=problem.encoding,
        objective=problem.objective,
        archipelago=archipelago,
    )


def _scored(problem: Problem, g: int, d_given_g: float, row: Words) -> tuple[Network, Score]:
    """A network with the score that the search gave it."""
    return network_of(problem, row), Score(g, d_given_g, *norms_of(row))
