"""The islands on a card: how they begin, go on and restart there.

They are those of a run, or where a run has several cards a part of them.

Between looks only a few numbers come back. `_migration` says how they migrate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...kernels import (
    COUNTERS,
    FRONT_COUNT,
    FRONT_SIZE,
    STEPS,
    State,
    Words,
    cleared,
    gpu,
    size_of,
    words_for,
)
from .._island import ROW_WORDS, Problem, random_states, row_words, tools_for
from .._migration import (
    ARCHIVE,
    NOTHING,
    RESTARTS,
    SETS,
    exchange_of,
    is_crowded,
    island_problem,
    patience_of,
)
from .._settings import RATES, Search
from ..suggest._founders import begins_with_founders, founders_for

GROUP = 16
"""Islands with one archive, which is the first of them."""
FOUNDER_PERIOD = 15
"""Sets of parts repeat every five islands, founders every three."""
NEVER = 2**62


class Founders(NamedTuple):
    rows: tuple[Words, ...]
    given: NDArray[np.int64]
    """Which of them an island starts from, by island and place; -1 for none."""


def role_of(island: int) -> int:
    """The number under which the CPU's search knows such an island: 0 is an archive."""
    return ARCHIVE if island % GROUP == 0 else island


def kind_of(problem: Problem, role: int) -> int:
    """Which of the spaces an island has: 0 is the archive's."""
    return 0 if role == ARCHIVE or not problem.encoding.says_parts else 1 + (role - 1) % len(SETS)


def archives_among(count: int) -> NDArray[np.int64]:
    """Of so many islands those that are archives."""
    return np.arange(0, count, GROUP)


def givers_to_archives(offers: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each archive the islands of its group that offer something, in order; else -1."""
    padded = np.zeros(len(archives_among(offers.size)) * GROUP, dtype=np.int64)
    padded[: offers.size] = offers
    numbers = np.arange(padded.size).reshape(-1, GROUP)
    return np.where(padded.reshape(-1, GROUP) > 0, numbers, -1)


def parts_of(count: int, cards: int) -> list[tuple[int, int]]:
    """Which islands are on which card, where a run has several: whole groups, as many on each, from
    the first of them to the one after the last."""
    groups = len(archives_among(count))
    used = min(cards, groups)
    edges = [min(count, GROUP * (groups * card // used)) for card in range(used + 1)]
    return list(pairwise(edges))


def travellers_among(search: Search, count: int) -> NDArray[np.int64]:
    """Of so many islands those that send networks round a ring."""
    kind = exchange_of(search)
    if kind == NOTHING:
        return np.arange(0)
    return archives_among(count) if kind == RESTARTS else np.arange(count)


def ring_givers(search: Search, turn: int) -> NDArray[np.int64]:
    """For each that sends, the one that it receives from, as in `search._migration.homes_of`."""
    count = len(travellers_among(search, search.islands))
    if count < 2:
        return np.full((count, 1), -1, dtype=np.int64)
    return ((np.arange(count) - 1 - turn % (count - 1)) % count)[:, None]


def waits_of(search: Search, roles: Sequence[int]) -> NDArray[np.int64]:
    """For each island the steps without improvement after which it restarts."""
    patience = np.array([patience_of(role) for role in roles], dtype=np.int64)
    waits = search.migration_interval * search.population * patience
    waits[[role == ARCHIVE for role in roles]] = NEVER
    return waits


def spaces_of(problem: Problem) -> tuple[NDArray[Any], ...]:
    """Activations, their counts, products and unrestricted, and rates, by kind."""
    kinds = 1 + len(SETS) if problem.encoding.says_parts else 1
    spaces = [tools_for(island_problem(problem, kind)).space for kind in range(kinds)]
    longest = max(space.activations.size for space in spaces)
    activations = np.zeros((kinds, longest), dtype=np.int64)
    for kind, space in enumerate(spaces):
        activations[kind, : space.activations.size] = space.activations
    return (
        activations,
        np.array([space.activations.size for space in spaces], dtype=np.int64),
        np.array([(s.products, s.unrestricted) for s in spaces], dtype=np.int64),
        np.stack([space.simple_mutations for space in spaces]),
        spaces[0].compound_mutations,
    )


def founders_of(problem: Problem, roles: Sequence[int]) -> Founders:
    by_period: dict[int, tuple[Words, ...]] = {0: ()}
    if begins_with_founders(problem):
        for role in range(1, 1 + FOUNDER_PERIOD):
            by_period[role] = founders_for(problem, role)[: problem.search.population]
    rows = tuple(row for own in by_period.values() for row in own)
    most = max(map(len, by_period.values()))
    starts = np.cumsum([0, *(len(own) for own in by_period.values())])
    given = np.full((len(roles), max(most, 1)), -1, dtype=np.int64)
    for island, role in enumerate(roles):
        period = 0 if role == ARCHIVE or not rows else 1 + (role - 1) % FOUNDER_PERIOD
        size = len(by_period[period])
        given[island, :size] = starts[period] + np.arange(size)
    return Founders(rows, given)


DECKS = 1 if gpu.SIMULATED else 8
"""Parts of the islands, at most. While the last threads of one are at work, another fills the
card."""
LEAST_IN_DECK = 256
"""Islands: with fewer, parts do not fill the card and cost more launches."""
FEW_NETWORKS = 1 << 14
"""In a batch: of so many or fewer, each is fed by a warp of its own."""
MEMO_ENTRIES = 1 << 13
"""Scores that an island remembers."""
LOWER = "lower islands or population, or search with fewer strings"
THREADS = 8 if gpu.SIMULATED else 64
"""Of a block in which a thread has an offspring or an island of its own."""
BUSY_THREADS = 2048
"""That a multiprocessor holds."""
ROW_TYPE = np.int64 if gpu.SIMULATED else np.int32
"""A word of a row on the card. Weights that a search makes fit 32 bits, and NumPy, which stands in
for the card's compiler in the simulator, would not widen them."""
ROW_BYTES = 4


def grid_of(items: int, threads: int) -> int:
    """Blocks of so many threads that have an item each."""
    return max(1, min(-(-items // threads), 1 << 20))


def spread_for(offspring: int) -> int:
    """Of how many threads one has an offspring, where one thread each would leave the card idle."""
    if gpu.SIMULATED:
        return 1
    spread = gpu.WARP
    while spread > 1 and spread * offspring > BUSY_THREADS * gpu.multiprocessors():
        spread //= 2
    return spread


class Deck(NamedTuple):
    """A part of the islands, whose batches do not wait for those of others."""

    first: int
    islands: int
    queue: Any
    """The offspring that are to be fed."""
    queued: Any
    """How many they are, and how many were taken, by one feeder and by the other."""
    bins: Any
    """Offspring by what happens to them next: (turn mod 2, action, place)."""
    binned: Any
    """How many they are: (turn, action)."""
    values: tuple[gpu.Values, ...]
    stream: Any


class Islands:
    """The islands of a problem on the card, from the first to the one before `after`: by default
    all. `begin` or `upload` comes first."""

    def __init__(self, problem: Problem, first: int = 0, after: int | None = None) -> None:
        search = problem.search
        self.problem = problem
        self.tools = tools_for(problem)
        self.first = first
        self.count = (search.islands if after is None else after) - first
        self.population = search.population
        self.width = -(-self.population // gpu.breeding.BATCHES)
        self.slots = self.count * self.width
        self.spread = spread_for(self.slots)
        self.words = 0
        roles = [role_of(first + island) for island in range(self.count)]
        tree, space = self.tools.tree, self.tools.space
        # By all islands of the run, since sums of a team of another size have other last digits.
        few = search.islands * self.width <= FEW_NETWORKS
        self.feeders = gpu.feeders_for(tree, search.saturation, few)
        about = np.zeros(gpu.ABOUT, dtype=np.int64)
        about[:] = (
            tree.inputs, tree.outputs, tree.full, search.max_units, search.max_connections,
            search.population, search.tournament, search.distinct, search.elitist, self.width,
            search.migration_size, self.spread,
        )  # fmt: skip
        least = float(tree.lower_bounds[tree.chunk_start[tree.full]])
        rates = np.array([*(getattr(space, name) for name in RATES), least])
        founders = founders_of(problem, roles)
        self.founder_words = max((row.size for row in founders.rows), default=0)
        with gpu.within_memory(LOWER):
            to = gpu.cuda.to_device
            self.tree = gpu.tree_there(tree)
            self.about = to(about)
            self.rates = to(rates)
            self.space = (self.about, self.rates, *map(to, spaces_of(problem)))
            self.kinds = to(np.array([kind_of(problem, role) for role in roles], dtype=np.int64))
            self.crowded = to(np.array([is_crowded(search, r) for r in roles], dtype=np.int64))
            self.waits = to(waits_of(search, roles))
            self.encoding = to(self.tools.encoding)
            self.multipliers = to(self.tools.multipliers)
            self.given = to(founders.given)
            width = max(self.founder_words, 1)
            table = np.zeros((max(len(founders.rows), 1), width), dtype=ROW_TYPE)
            for row, words in zip(table, founders.rows, strict=False):
                row[: words.size] = words
            self.founders = to(table)

    def begin(self) -> None:
        """New islands."""
        corpus = self.problem.corpus
        words = row_words(2 * max(words_for(corpus.inputs, corpus.outputs), self.founder_words))
        search = self.problem.search
        every = random_states(self.problem.seed, search.islands)
        random = np.stack(every[self.first : self.first + self.count])
        self._allocate(words)
        self.random.copy_to_device(random)
        self.counters.copy_to_device(np.zeros((self.count, COUNTERS), dtype=np.int64))
        self.restart.copy_to_device(np.ones(self.count, dtype=np.int64))
        self.populate()

    def upload(self, states: Sequence[State]) -> None:
        """The islands of an earlier run."""
        words = max(ROW_WORDS, *(state.genomes.shape[1] for state in states))
        self._allocate(words)
        for island, state in enumerate(states):
            for rows, there in ((state.genomes, self.genomes), (state.front, self.front_rows)):
                if rows.min() < -(2**31) or rows.max() >= 2**31:
                    raise InputError(
                        "the run has a network with a weight of more than 2,147,483,647, "
                        "which the card's rows do not hold; go on with it on the CPU."
                    )
                wide = np.zeros((rows.shape[0], words), dtype=ROW_TYPE)
                wide[:, : rows.shape[1]] = rows
                there[island].copy_to_device(wide)
        for name in ("values", "lengths", "bits", "random", "counters", "best_value",
                     "front_lengths", "front_bits"):  # fmt: skip
            parts = np.stack([getattr(state, name) for state in states])
            getattr(self, name).copy_to_device(np.ascontiguousarray(parts))

    def _allocate(self, words: int) -> None:
        """Room for rows of so many words, and what depends on their width."""
        self._check_memory(words)
        count, population, slots = self.count, self.population, self.slots
        make = gpu.cuda.device_array
        with gpu.within_memory(LOWER):
            self._make_rows(words)
            self.values = make((count, population), np.float64)
            self.lengths = make((count, population), np.int64)
            self.bits = make((count, population), np.float64)
            self.random = make((count, 4), np.uint64)
            self.counters = make((count, COUNTERS), np.int64)
            self.best_value = make((count, 1), np.float64)
            self.front_lengths = make((count, FRONT_SIZE), np.int64)
            self.front_bits = make((count, FRONT_SIZE), np.float64)
            self.memo_keys = gpu.cuda.to_device(np.zeros((count, MEMO_ENTRIES), dtype=np.uint64))
            self.memo_bits = make((count, MEMO_ENTRIES), np.float64)
            self.short = gpu.cuda.to_device(np.zeros(count, dtype=np.int64))
            self.restart = gpu.cuda.to_device(np.zeros(count, dtype=np.int64))
            self.losers = make(slots, np.int64)
            self.child_lengths = make(slots, np.int64)
            self.costs = make(slots, np.float64)
            self.limits = make(slots, np.float64)
            self.child_bits = make(slots, np.float64)
            self.keys = make(slots, np.uint64)
            self.fates = make(slots, np.int64)
            self.pending = make(slots, np.int64)
            self.others = make(slots, np.int64)
            self.streams = make((slots, 4), np.uint64)
            self.made = make(slots, np.int64)
            self.leasts = make(slots, np.int64)
            self.target = gpu.cuda.to_device(np.zeros(1, dtype=np.int64))

    def _make_rows(self, words: int) -> None:
        make = gpu.cuda.device_array
        self.genomes = make((self.count, self.population, words), ROW_TYPE)
        self.front_rows = make((self.count, FRONT_SIZE, words), ROW_TYPE)
        self._make_decks(words)

    def _make_decks(self, words: int) -> None:
        """What depends on the width of rows and holds nothing between batches."""
        tree, columns = self.tools.tree, gpu.columns_for(words)
        units = min(columns, self.problem.search.max_units)
        self.words = words
        self.repeated: list[Callable[[], None]] = []
        self.decks: list[Deck] = []
        self.children = gpu.cuda.device_array((self.slots, words), ROW_TYPE)
        self.flat_children = self.children.reshape(self.slots * words)
        self.starts = gpu.cuda.to_device(np.arange(self.slots + 1, dtype=np.int64) * words)
        self.plans = gpu.new_plans(self.slots, columns)
        parts = max(1, min(DECKS, self.count // LEAST_IN_DECK))
        blocks = gpu.blocks_for(self.feeders, tree, units, -(-self.slots // parts), parts)
        edges = [self.count * i // parts for i in range(parts + 1)]
        for first, after in pairwise(edges):
            deck = Deck(
                first,
                after - first,
                gpu.cuda.device_array((after - first) * self.width, np.int64),
                gpu.cuda.to_device(np.zeros(3, dtype=np.int64)),
                gpu.cuda.device_array(
                    (2, gpu.breeding.ACTIONS, (after - first) * self.width), np.int32
                ),
                gpu.cuda.to_device(
                    np.zeros((gpu.breeding.TURNS, gpu.breeding.ACTIONS), dtype=np.int64)
                ),
                gpu.new_values(self.feeders, tree, units, blocks),
                gpu.new_stream(),
            )
            self.decks.append(deck)

    def _check_memory(self, words: int) -> None:
        rows = (self.population + FRONT_SIZE + self.width) * words * ROW_BYTES
        plans = self.width * gpu.bytes_a_network(gpu.columns_for(words))
        island = rows + plans + 16 * MEMO_ENTRIES + 40 * self.population + 16 * FRONT_SIZE
        units = min(gpu.columns_for(words), self.problem.search.max_units)
        block = gpu.bytes_a_block(self.feeders, self.tools.tree, units)
        needed = self.count * island + block
        if needed > gpu.SHARE * (1 - gpu.SHARE_FOR_VALUES) * gpu.free_bytes():
            most = int(gpu.SHARE * (1 - gpu.SHARE_FOR_VALUES) * gpu.free_bytes() - block) // island
            advice = f"lower islands to {most:,}" if most > 0 else LOWER
            raise InputError(gpu.too_little(advice))

    def make_room(self, words: int) -> None:
        """Let rows have at least so many words."""
        while self.words < words:
            self._widen()

    def _widen(self) -> None:
        """Rows twice as wide; islands that were short of room go on."""
        words = 2 * self.words
        del self.children, self.flat_children, self.starts, self.plans, self.decks, self.repeated
        with gpu.within_memory(LOWER):
            for name in ("genomes", "front_rows"):
                old = getattr(self, name)
                count, rows, width = old.shape
                wide = gpu.cuda.device_array((count, rows, words), ROW_TYPE)
                gpu.breeding.copy_rows_kernel[grid_of(count * rows, 1), gpu.WARP](
                    old.reshape(count * rows, width), wide.reshape(count * rows, words)
                )
                gpu.synchronize()
                setattr(self, name, wide)
                del old
            self._make_decks(words)
        self.short.copy_to_device(np.zeros(self.count, dtype=np.int64))

    def _plan(self, deck: Deck) -> None:
        """Plan all networks of the queue."""
        offspring = self.spread * deck.islands * self.width
        gpu.plan_kernel[grid_of(offspring, THREADS), THREADS, deck.stream](
            self.about, self.flat_children, self.starts, deck.queue, deck.queued, *self.plans
        )

    def _feed(self, deck: Deck) -> None:
        before = (
            self.about, *self.tree, self.flat_children, self.starts, deck.queue, deck.queued,
            *self.plans,
        )  # fmt: skip
        gpu.feed(self.feeders, deck.values, deck.stream, before, self.limits, self.child_bits)

    def _breed(self, deck: Deck) -> None:
        """Make the offspring of a batch."""
        offspring = self.spread * deck.islands * self.width
        grid = grid_of(offspring, THREADS)
        row_of = self.children, self.plans.plans
        course = self.streams, self.made, self.leasts
        gpu.breeding.choose_kernel[grid, THREADS, deck.stream](
            deck.first, deck.islands, *self.space, self.kinds, self.crowded, self.genomes,
            self.values, self.random, self.counters, self.short, self.target, self.children,
            self.losers, self.others, *course, deck.bins, deck.binned, self.fates,
        )  # fmt: skip
        padded = grid_of(offspring + gpu.breeding.ACTIONS * gpu.WARP, THREADS)
        for turn in range(gpu.breeding.TURNS):
            gpu.breeding.change_kernel[padded, THREADS, deck.stream](
                deck.first, turn, *self.space, self.kinds, self.genomes, *row_of, self.others,
                *course, deck.bins, deck.binned,
            )  # fmt: skip
        gpu.breeding.finish_kernel[grid, THREADS, deck.stream](
            deck.first, deck.islands, self.about, self.rates, self.values, self.encoding,
            self.multipliers, self.memo_keys, self.memo_bits, *row_of, self.losers,
            self.child_lengths, self.costs, self.limits, self.child_bits, self.keys, self.fates,
            deck.queue, deck.queued,
        )  # fmt: skip

    def _replace(self, deck: Deck) -> None:
        gpu.breeding.replace_kernel[deck.islands, 4 if gpu.SIMULATED else gpu.WARP, deck.stream](
            deck.first, self.about, self.genomes, self.values, self.lengths, self.bits,
            self.random, self.counters, self.best_value, self.front_rows, self.front_lengths,
            self.front_bits, self.short, self.target, self.multipliers, self.memo_keys,
            self.memo_bits, self.children, self.losers, self.child_lengths, self.costs,
            self.limits, self.child_bits, self.keys, self.fates, deck.queued, deck.binned,
        )  # fmt: skip

    def _batch(self, deck: Deck) -> None:
        """Each island makes its next batch of offspring, if it has not come to the target."""
        self._breed(deck)
        self._plan(deck)
        self._feed(deck)
        self._replace(deck)

    def advance(self, generation: int) -> None:
        """All islands up to this generation."""
        target = generation * self.population
        self.target.copy_to_device(np.array([target], dtype=np.int64))
        batches = sum(1 for size in self._batch_sizes() if size)
        while True:
            least = int(self.counters.copy_to_host()[:, STEPS].min())
            if least >= target:
                return
            if self.short.copy_to_host().any():
                self._widen()
            self._run_batches(batches * (generation - least // self.population))

    def get_ready(self) -> None:
        """Compile what `advance` needs: a batch in which every island is at the target already."""
        self.target.copy_to_device(np.zeros(1, dtype=np.int64))
        self._run_batches(1)

    def _run_batches(self, count: int) -> None:
        """So many batches of every deck. The first is launched kernel by kernel, as a kernel may
        have to be compiled; what it launched is then repeated as a whole."""
        if not self.repeated:
            for deck in self.decks:
                self._batch(deck)
            gpu.synchronize()
            self.repeated = [gpu.repeated(partial(self._batch, d), d.stream) for d in self.decks]
            count -= 1
        for _ in range(count):
            for again in self.repeated:
                again()
        gpu.synchronize()

    def _batch_sizes(self) -> list[int]:
        edges = [
            self.population * b // gpu.breeding.BATCHES for b in range(gpu.breeding.BATCHES + 1)
        ]
        return [b - a for a, b in pairwise(edges)]

    def populate(self) -> None:
        """New networks for the islands that restart."""
        edges = [
            self.population * b // gpu.breeding.BATCHES for b in range(gpu.breeding.BATCHES + 1)
        ]
        for deck in self.decks:
            for begin, end in pairwise(edges):
                for attempt in range(gpu.breeding.TRIES if end > begin else 0):
                    if not self._draw(deck, begin, end, attempt):
                        break
        gpu.breeding.end_restarts_kernel[grid_of(self.count, THREADS), THREADS](
            self.restart, self.random
        )

    def _draw(self, deck: Deck, begin: int, end: int, attempt: int) -> int:
        """Draw networks for the places begin..end that have none yet; how many still have none."""
        offspring = self.spread * deck.islands * self.width
        gpu.breeding.draw_kernel[grid_of(offspring, THREADS), THREADS, deck.stream](
            deck.first, deck.islands, *self.space, self.kinds, self.random, self.restart, begin,
            end, attempt, self.given, self.founders, self.encoding, self.multipliers,
            self.memo_keys, self.memo_bits, self.children, self.plans.plans, self.pending,
            self.child_lengths, self.costs, self.limits, self.child_bits, self.keys, self.fates,
            deck.queue, deck.queued,
        )  # fmt: skip
        self._plan(deck)
        self._feed(deck)
        left = gpu.cuda.to_device(np.zeros(1, dtype=np.int64))
        gpu.breeding.settle_kernel[deck.islands, 4 if gpu.SIMULATED else gpu.WARP, deck.stream](
            deck.first, self.about, self.rates, self.genomes, self.values, self.lengths,
            self.bits, self.random, self.counters, self.best_value, self.front_rows,
            self.front_lengths, self.front_bits, self.restart, begin, end, attempt, self.given,
            self.multipliers, self.memo_keys, self.memo_bits, self.children, self.pending,
            self.child_lengths, self.costs, self.limits, self.child_bits, self.keys, self.fates,
            deck.queued, left,
        )  # fmt: skip
        gpu.synchronize()
        return int(left.copy_to_host()[0])

    def best(self) -> tuple[NDArray[np.float64], int, float, Words]:
        """The best value of each island; |G|, |D:G| and the row of the best network of all."""
        places = gpu.cuda.device_array(self.count, np.int64)
        found = gpu.cuda.device_array(self.count, np.float64)
        gpu.breeding.best_kernel[grid_of(self.count, gpu.WARP), 8 if gpu.SIMULATED else gpu.WARP](
            self.values, places, found
        )
        values = found.copy_to_host()
        island = int(values.argmin())
        place = int(places.copy_to_host()[island])
        length = int(self.lengths[island].copy_to_host()[place])
        bits = float(self.bits[island].copy_to_host()[place])
        return values, length, bits, _used(self.genomes[island, place].copy_to_host())

    def front(self) -> list[tuple[int, float, Words]]:
        """(|G|, |D:G|, row) of the networks that no other beats in both, shortest first."""
        counts = self.counters.copy_to_host()[:, FRONT_COUNT]
        lengths, bits = self.front_lengths.copy_to_host(), self.front_bits.copy_to_host()
        there = np.arange(FRONT_SIZE)[None, :] < counts[:, None]
        island, place = np.nonzero(there)
        g, d = lengths[there], bits[there]
        order = np.lexsort((island, d, g))
        lowest = np.minimum.accumulate(np.concatenate([[np.inf], d[order][:-1]]))
        kept = order[d[order] < lowest]
        return [
            (int(g[i]), float(d[i]), _used(self.front_rows[island[i], place[i]].copy_to_host()))
            for i in kept
        ]

    def states(self) -> tuple[State, ...]:
        """All islands, here."""
        parts = {
            name: getattr(self, name).copy_to_host()
            for name in ("values", "lengths", "bits", "random", "counters", "best_value",
                         "front_lengths", "front_bits")
        }  # fmt: skip
        found = []
        for island in range(self.count):
            rows = self.genomes[island].copy_to_host()
            front = self.front_rows[island].copy_to_host()
            entries = int(parts["counters"][island, FRONT_COUNT])
            front[entries:] = 0
            longest = max(cleared(some).shape[1] for some in (rows, front))
            own = {name: part[island].copy() for name, part in parts.items()}
            own["front_lengths"][entries:] = 0
            own["front_bits"][entries:] = 0
            found.append(
                State(
                    genomes=cleared(rows, longest).astype(np.int64),
                    front=cleared(front, longest).astype(np.int64),
                    **own,
                )
            )
        return tuple(found)


def _used(row: NDArray[Any]) -> Words:
    words = row.astype(np.int64)
    return words[: int(size_of(words))]
