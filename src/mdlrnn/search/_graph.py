"""The graph of legs: an island goes on as soon as what it needs is there, never for all others.

The generations are cut into stages, the same for all islands, which end at every migration and else
after so many looks. In a stage an island depends on itself alone; at a migration the archive, or in
a ring every island, also on what others offer. Islands may be several stages ahead of each other. A
stage that all have passed is a `Round`, and rounds are given out in order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ._archipelago import Archipelago, Packed
from ._crew import Crew, Entry, Held, Job, Leg, Part, Report, View
from ._island import Problem
from ._migration import Offer, exchange_of, homes_of

FIRST = -(10**6)
"""The priority of what somebody waits for."""
AHEAD = 512
"""States that may be kept for islands that are ahead, about; at least 4 for each island."""
AHEAD_AWAY = 8
"""Stages that an island may be ahead on other machines: what is lost there is to be done again."""
AHEAD_HELPED = 2
"""Stages that an island may be ahead where threads help each other: the less an island is behind,
the fewer have to help with it, and the more each of them does."""
FEW_A_WORKER = 4
"""Islands; with more of them a thread nearly always has one to go on with."""
LONGEST_CHAIN = 8
"""Stages of a leg at most; no leg passes a multiple of these, so that all islands are kept there.
`cluster` keeps them every 16 stages."""
BEHIND = 2
"""Stages that an island is behind the middle one if others are to give way to it."""
MOST_OF = 0.75
"""Of what a worker has to do on average: others give way to an island that has so much left."""
WAKE_SECONDS = 0.5
"""Between two looks for Ctrl-C, which on some systems does not end a wait."""


OnWait = Callable[[], None]
"""Called every so often while nobody is there to run legs; what it raises ends the wait."""


def patiently() -> None: ...


class Stage(NamedTuple):
    lengths: tuple[int, ...]
    """Generations from one look to the next."""
    generations: tuple[int, ...]
    """The generation of each look."""
    migrates: bool = False
    """Whether networks migrate at the last."""
    turn: int = 0
    """The number of that migration."""


def stages(
    problem: Problem,
    start: Archipelago,
    last_generation: int,
    interval: int,
    looks: int,
    first_looks: int | None = None,
) -> Iterator[Stage]:
    """The stages from an archipelago on, of up to so many looks, one an interval."""
    most = looks if first_looks is None else first_looks
    search = problem.search
    generation, migrated_at, turn = start.generation, start.migrated_at, start.migrations
    while generation < last_generation:
        due = min(migrated_at + search.migration_interval, last_generation)
        lengths: list[int] = []
        generations: list[int] = []
        while len(lengths) < most and generation < due:
            lengths.append(min(interval - generation % interval, due - generation))
            generation += lengths[-1]
            generations.append(generation)
        migrates = generation == migrated_at + search.migration_interval
        yield Stage(tuple(lengths), tuple(generations), migrates, turn)
        most = looks
        if migrates:
            migrated_at, turn = generation, turn + 1


class Round(NamedTuple):
    """A stage that all islands have passed."""

    stage: Stage
    views: tuple[tuple[View, ...], ...]
    """(island, look)"""
    entries: tuple[tuple[tuple[int, Entry], ...], ...]
    """Of each island, what joined its front, with the number of the look."""
    before: tuple[Held, ...]
    after: tuple[Held, ...]
    """The islands before the stage and after it."""


class _Later(NamedTuple):
    """An island in the middle of a leg, where nobody has kept it: it can be worked out again."""

    before: Held
    leg: Leg
    """From there to here."""


class _Passed(NamedTuple):
    """An island after a stage, or before it has received what it waits for."""

    held: Held
    report: Report


def are_kept_together(crew: Crew, islands: int) -> bool:
    """Whether threads that help each other have so few islands that they keep these level."""
    return crew.helps and islands < FEW_A_WORKER * crew.workers


class Graph:
    def __init__(
        self,
        problem: Problem,
        crew: Crew,
        islands: Sequence[Held],
        course: Iterator[Stage],
        fronts: bool = False,
        chain: int = 1,
        on_wait: OnWait = patiently,
    ) -> None:
        """With a chain, an island that receives nothing passes up to so many stages in one leg, and
        on other machines more if it is behind."""
        self.seconds = [0.0] * len(islands)
        """Spent on each island."""
        self._generations = [0] * len(islands)
        """That each has passed in this time."""
        self._problem, self._crew, self._fronts = problem, crew, fronts
        self._on_wait = on_wait
        self._course = course
        self._stages: dict[int, Stage] = {}
        self._known = 0
        self._count = len(islands)
        self._window = max(4, AHEAD // self._count)
        self._chain = chain
        if crew.remote:
            # So that the next chain can begin before all islands are at the end of this one.
            self._window = max(min(self._window, AHEAD_AWAY), 2 * chain if chain > 1 else 0)
        elif are_kept_together(crew, self._count):
            self._window = min(self._window, AHEAD_HELPED)
        self._given_out = 0
        self._passed: dict[int, dict[int, _Passed]] = {}
        """By stage and island."""
        self._latest = list(islands)
        self._first = tuple(islands)
        self._at = [0] * self._count
        """The stage that each island is in or waits to begin."""
        self._is_free = [True] * self._count
        self._waiting: dict[tuple[int, int], _Passed] = {}
        self._offers: dict[int, dict[int, Offer | None]] = {}
        self._error: BaseException | None = None
        self._changed = threading.Condition(threading.RLock())

    def rounds(self) -> Iterator[Round]:
        """The rounds as they are there; when the next is asked for, this one may be forgotten."""
        before = self._first
        self._first = ()
        while True:
            with self._changed:
                for island in range(self._count):
                    self._go_on(island)
                number = self._given_out
                stage = self._stage(number)
                if stage is None:
                    return
                while self._error is None and not self._is_complete(number):
                    _wait(self._changed, self._crew, self._on_wait)
                if self._error is not None:
                    raise self._error
                islands = self._passed.pop(number)
                passed = [islands[i] for i in range(self._count)]
                self._offers.pop(number, None)
                self._stages.pop(number, None)
            after = tuple(p.held for p in passed)
            yield Round(
                stage,
                tuple(_expanded(p.report, len(stage.generations)) for p in passed),
                tuple(p.report.entries for p in passed),
                before,
                after,
            )
            before = after
            self._given_out += 1

    def forget(self) -> None:
        """Let go of all that is ahead of the last round, so that nobody works on it."""
        with self._changed:
            self._passed.clear()
            self._waiting.clear()
            self._latest.clear()

    def _stage(self, number: int) -> Stage | None:
        while self._known <= number:
            stage = next(self._course, None)
            if stage is None:
                return None
            self._stages[self._known] = stage
            self._known += 1
        return self._stages[number]

    def _go_on(self, island: int) -> None:
        """Start the island's next leg if it may begin."""
        number = self._at[island]
        if not self._is_free[island] or number > self._given_out + self._window:
            return
        stage = self._stage(number)
        if stage is None:
            return
        self._is_free[island] = False
        chained = self._chained(island, number, stage)
        exchange = exchange_of(self._problem.search)
        parts = tuple(Part(s.lengths, exchange if s.migrates else "") for s in chained)
        leg = Leg(island, parts, fronts=self._fronts)
        before = self._latest[island]
        self._start(number, before, leg, partial(self._ended, _Later(before, leg)))

    def _chained(self, island: int, number: int, stage: Stage) -> list[Stage]:
        """The stage and those after it that the island can pass without anybody else.

        On other machines an island that is behind does not stop before it is level with the middle
        one: it would wait there for a worker.
        """
        stages = [stage]
        if number == 0 and self._crew.remote:
            return stages  # so that it is soon known who is slow
        search = self._problem.search
        level = self._level()
        while (
            (number + len(stages)) % LONGEST_CHAIN
            and ((number + len(stages)) % self._chain or number + len(stages) < level)
            and number + len(stages) <= self._given_out + self._window
            and not (stages[-1].migrates and homes_of(search, island, stages[-1].turn))
            and (following := self._stage(number + len(stages))) is not None
        ):
            stages.append(following)
        return stages

    def _level(self) -> int:
        """The stage of the middle island, where it matters who is behind."""
        return sorted(self._at)[self._count // 2] if self._crew.remote else 0

    def _start(
        self, number: int, held: Held, leg: Leg, done: Callable[[int, int, Held, Report], None]
    ) -> None:
        last = number + len(leg.parts) - 1
        priority, is_behind = (
            self._urgency(number, leg.island) if self._crew.remote else (number, False)
        )
        ended = partial(done, number, leg.island)
        self._crew.start(Job(priority, held, leg, ended, self._failed, last, is_behind))

    def _urgency(self, number: int, island: int) -> tuple[int, bool]:
        """The priority of an island on other machines, and whether it is far behind.

        Of the stages that islands may be ahead now, each has some left. The one that takes longest
        for them has to go first: the priority is the stage at which an island of the usual pace
        would have as much to do.
        """
        is_behind = number + BEHIND <= self._level()
        if not self._generations[island]:
            return number, is_behind
        last = self._given_out + self._window
        while self._stage(last) is None:
            last -= 1
        pace = self.seconds[island] / self._generations[island]
        usual = sum(self.seconds) / sum(self._generations)
        left = (last + 1 - number) * pace / max(usual, 1e-9)
        of_all = (last + 1) * self._count - sum(self._at)
        return round(last + 1 - left), is_behind or left * self._crew.workers >= MOST_OF * of_all

    def _ended(self, whole: _Later, number: int, island: int, held: Held, report: Report) -> None:
        """An island has come to the end of its leg; what it is to receive may not be there yet."""
        reports = (report._replace(further=()), *report.further)
        search = self._problem.search
        with self._changed:
            for count, one in enumerate(reports, 1):
                at = number + count - 1
                stage = self._stages[at]
                self.seconds[island] += one.seconds
                self._generations[island] += sum(stage.lengths)
                exchanging = stage.migrates and bool(exchange_of(search))
                if exchanging:
                    self._offers.setdefault(at, {})[island] = one.offer
                if count < len(reports):
                    middle = whole.leg._replace(parts=whole.leg.parts[:count], fronts=False)
                    self._keep(at, island, _Passed(_Later(whole.before, middle), one))
                elif exchanging and homes_of(search, island, stage.turn):
                    self._waiting[at, island] = _Passed(held, one)
                else:
                    self._pass(at, island, _Passed(held, one))
                if exchanging:
                    for other in [i for n, i in self._waiting if n == at]:
                        self._hand_over(at, other)

    def _hand_over(self, number: int, island: int) -> None:
        """Give an island what it waits for, if all of it is there."""
        offers = self._offers[number]
        homes = homes_of(self._problem.search, island, self._stages[number].turn)
        if not all(home in offers for home in homes):
            return
        passed = self._waiting.pop((number, island))
        arrivals = tuple(offer for home in homes if (offer := offers[home]) is not None)
        if not arrivals:
            self._pass(number, island, passed)
            return
        leg = Leg(island, arrivals=arrivals, fronts=self._fronts)
        self._start(number, passed.held, leg, partial(self._received, passed.report))

    def _received(
        self, before: Report, number: int, island: int, held: Held, report: Report
    ) -> None:
        with self._changed:
            self.seconds[island] += report.seconds
            last = len(self._stages[number].generations) - 1
            views = tuple(v for v in before.views if v[0] < last) + tuple(
                (last, view) for _, view in report.views
            )
            entries = before.entries + tuple((last, entry) for _, entry in report.entries)
            whole = before._replace(views=views, entries=entries)
            self._pass(number, island, _Passed(held, whole))

    def _pass(self, number: int, island: int, passed: _Passed) -> None:
        self._latest[island] = passed.held
        self._at[island] = number + 1
        self._is_free[island] = True
        self._go_on(island)
        self._keep(number, island, passed)

    def _keep(self, number: int, island: int, passed: _Passed) -> None:
        self._passed.setdefault(number, {})[island] = passed
        if number == self._given_out and self._is_complete(number):
            self._changed.notify_all()

    def _is_complete(self, number: int) -> bool:
        return len(self._passed.get(number, ())) == self._count

    def _failed(self, error: BaseException) -> None:
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()


def _expanded(report: Report, looks: int) -> tuple[View, ...]:
    """The view at every look."""
    given = dict(report.views)
    views: list[View] = []
    for look in range(looks):
        views.append(given.get(look) or views[-1])
    return tuple(views)


def _wait(changed: threading.Condition, crew: Crew, on_wait: OnWait) -> None:
    """A while, or until something changes; who waits for a crew that is gone hears of it."""
    if changed.wait(WAKE_SECONDS) or not crew.is_deserted():
        return
    changed.release()
    try:
        on_wait()
    finally:
        changed.acquire()


def run_legs(
    crew: Crew,
    islands: Sequence[Held | None],
    legs: Sequence[Leg],
    on_wait: OnWait = patiently,
) -> list[_Passed]:
    """One leg for each island, ahead of all others, and wait for them."""
    ended: dict[int, _Passed] = {}
    errors: list[BaseException] = []
    changed = threading.Condition()

    def done(place: int, held: Held, report: Report) -> None:
        with changed:
            ended[place] = _Passed(held, report)
            changed.notify_all()

    def failed(error: BaseException) -> None:
        with changed:
            errors.append(error)
            changed.notify_all()

    for place, (held, leg) in enumerate(zip(islands, legs, strict=True)):
        crew.start(Job(FIRST, held, leg, partial(done, place), failed))
    with changed:
        while len(ended) < len(legs) and not errors:
            _wait(changed, crew, on_wait)
    if errors:
        raise errors[0]
    return [ended[place] for place in range(len(legs))]


def states_at(crew: Crew, round_: Round, look: int) -> list[Packed]:
    """The islands at a look of a round; inside a stage they are worked out from before it."""
    lengths = round_.stage.lengths
    if look == len(round_.stage.generations) - 1:
        return crew.fetch(_worked_out(crew, round_.after))
    part = Part(lengths[: look + 1])
    legs = [Leg(island, (part,)) for island in range(len(round_.before))]
    before = _worked_out(crew, round_.before)
    return crew.fetch([passed.held for passed in run_legs(crew, before, legs)])


def _worked_out(crew: Crew, islands: Sequence[Held]) -> list[Held]:
    """The islands, those in the middle of a leg as well."""
    later = {i: held for i, held in enumerate(islands) if isinstance(held, _Later)}
    ended = run_legs(
        crew, [held.before for held in later.values()], [held.leg for held in later.values()]
    )
    found = dict(zip(later, ended, strict=True))
    return [found[i].held if i in found else held for i, held in enumerate(islands)]
