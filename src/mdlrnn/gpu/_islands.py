"""Thousands of islands on a card: how they begin, go on, restart and migrate there.

Between looks only a few numbers come back. Islands stand in groups of sixteen, each with an archive
as the CPU's search has one; archives send their best networks on, round a ring of archives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from ..kernels._genome import HEADER, Words, size_of
from ..kernels._mutate import compound_rates
from ..kernels._state import COUNTERS, FRONT_COUNT, FRONT_SIZE, STEPS, State
from ..search._founders import founders_for
from ..search._island import ROW_WORDS, Problem, random_states, tools_for
from ..search._migration import (
    ARCHIVE,
    NOTHING,
    RESTARTS,
    exchange_of,
    is_crowded,
    patience_of,
)
from ..search._settings import RATES
from ..search._spaces import SETS, fits, island_problem
from . import _breeding as kernels
from ._cuda import SIMULATED, cuda, free_bytes
from ._feeding import ABOUT, feed_kernel, plan_kernel
from ._memory import (
    SHARE,
    SHARE_FOR_VALUES,
    WARP,
    bytes_a_block,
    bytes_a_network,
    columns_for,
    new_work,
    threads_for,
    too_little,
    tree_there,
    within_memory,
)

GROUP = 16
"""Islands with one archive, which is the first of them."""
MEMO_ENTRIES = 1 << 12
"""Scores that an island remembers."""
FOUNDER_PERIOD = 15
"""Sets of parts repeat every five islands, founders every three."""
LOWER = "lower --islands or --population, or search with fewer strings"
THREADS = 8 if SIMULATED else 128
"""Of a block in which a thread has an offspring or an island of its own."""
ROW_BYTES = 4
NEVER = 2**62


def role_of(island: int) -> int:
    """The number under which the CPU's search knows such an island: 0 is an archive."""
    return ARCHIVE if island % GROUP == 0 else island


def kind_of(problem: Problem, role: int) -> int:
    """Which of the spaces an island has: 0 is the archive's."""
    return 0 if role == ARCHIVE or not problem.encoding.says_parts else 1 + (role - 1) % len(SETS)


class Islands:
    """The islands of a problem on the card. `begin` or `upload` comes first."""

    def __init__(self, problem: Problem) -> None:
        search = problem.search
        self.problem = problem
        self.tools = tools_for(problem)
        self.count, self.population = search.islands, search.population
        self.width = -(-self.population // kernels.BATCHES)
        self.slots = self.count * self.width
        self.words = 0
        roles = [role_of(island) for island in range(self.count)]
        tree, space = self.tools.tree, self.tools.space
        about = np.zeros(ABOUT, dtype=np.int64)
        about[:] = (
            tree.inputs, tree.outputs, tree.full, search.max_units, search.max_connections,
            search.population, search.tournament, search.distinct, search.elitist, self.width,
            search.migration_size,
        )  # fmt: skip
        least = float(tree.lower_bounds[tree.chunk_start[tree.full]])
        rates = np.array([*(getattr(space, name) for name in RATES), least])
        patience = np.array([patience_of(role) for role in roles], dtype=np.int64)
        waits = search.migration_interval * search.population * patience
        waits[[role == ARCHIVE for role in roles]] = NEVER
        founders, given = self._founders(roles)
        self.founder_words = max((row.size for row in founders), default=0)
        with within_memory(LOWER):
            to = cuda.to_device
            self.tree = tree_there(tree)
            self.about = to(about)
            self.rates = to(rates)
            self.space = (self.about, self.rates, *map(to, self._spaces()))
            self.kinds = to(np.array([kind_of(problem, role) for role in roles], dtype=np.int64))
            self.crowded = to(np.array([is_crowded(search, r) for r in roles], dtype=np.int64))
            self.waits = to(waits)
            self.encoding = to(self.tools.encoding)
            self.multipliers = to(self.tools.multipliers)
            self.given = to(given)
            width = max(self.founder_words, 1)
            table = np.zeros((max(len(founders), 1), width), dtype=np.int32)
            for row, words in zip(table, founders, strict=False):
                row[: words.size] = words
            self.founders = to(table)

    def _spaces(self) -> tuple[NDArray[Any], ...]:
        """Activations, their counts, products and unrestricted, and rates, by kind."""
        kinds = 1 + len(SETS) if self.problem.encoding.says_parts else 1
        spaces = [tools_for(island_problem(self.problem, kind)).space for kind in range(kinds)]
        longest = max(space.activations.size for space in spaces)
        activations = np.zeros((kinds, longest), dtype=np.int64)
        for kind, space in enumerate(spaces):
            activations[kind, : space.activations.size] = space.activations
        return (
            activations,
            np.array([space.activations.size for space in spaces], dtype=np.int64),
            np.array([(s.products, s.unrestricted) for s in spaces], dtype=np.int64),
            np.stack([space.simple_mutations for space in spaces]),
            compound_rates(),
        )

    def _founders(self, roles: Sequence[int]) -> tuple[list[Words], NDArray[np.int64]]:
        """Rows that islands start from, and for each island which of them stand where."""
        by_period: dict[int, tuple[Words, ...]] = {0: ()}
        if self.problem.encoding.says_parts:
            for role in range(1, 1 + FOUNDER_PERIOD):
                by_period[role] = founders_for(self.problem, role)[: self.population]
        rows = [row for own in by_period.values() for row in own]
        most = max(map(len, by_period.values()))
        starts = np.cumsum([0, *(len(own) for own in by_period.values())])
        given = np.full((self.count, max(most, 1)), -1, dtype=np.int64)
        for island, role in enumerate(roles):
            period = 0 if role == ARCHIVE or not rows else 1 + (role - 1) % FOUNDER_PERIOD
            size = len(by_period[period])
            given[island, :size] = starts[period] + np.arange(size)
        return rows, given

    def begin(self) -> None:
        """New islands."""
        corpus = self.problem.corpus
        needed = HEADER + 3 * (
            corpus.inputs + corpus.outputs + 2 * corpus.inputs * corpus.outputs
        )  # fmt: skip
        words = ROW_WORDS
        while words < 2 * max(needed, self.founder_words):
            words *= 2
        random = np.stack(random_states(self.problem.search.seed, self.count))
        self._allocate(words)
        self.random.copy_to_device(random)
        self.counters.copy_to_device(np.zeros((self.count, COUNTERS), dtype=np.int64))
        self.restart.copy_to_device(np.ones(self.count, dtype=np.int64))
        self._populate()

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
                wide = np.zeros((rows.shape[0], words), dtype=np.int32)
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
        make = cuda.device_array
        with within_memory(LOWER):
            self._make_rows(words)
            self.values = make((count, population), np.float64)
            self.lengths = make((count, population), np.int64)
            self.bits = make((count, population), np.float64)
            self.random = make((count, 4), np.uint64)
            self.counters = make((count, COUNTERS), np.int64)
            self.best_value = make((count, 1), np.float64)
            self.front_lengths = make((count, FRONT_SIZE), np.int64)
            self.front_bits = make((count, FRONT_SIZE), np.float64)
            self.memo_keys = cuda.to_device(np.zeros((count, MEMO_ENTRIES), dtype=np.uint64))
            self.memo_bits = make((count, MEMO_ENTRIES), np.float64)
            self.short = cuda.to_device(np.zeros(count, dtype=np.int64))
            self.restart = cuda.to_device(np.zeros(count, dtype=np.int64))
            self.losers = make(slots, np.int64)
            self.child_lengths = make(slots, np.int64)
            self.costs = make(slots, np.float64)
            self.limits = make(slots, np.float64)
            self.child_bits = make(slots, np.float64)
            self.keys = make(slots, np.uint64)
            self.fates = make(slots, np.int64)
            self.pending = make(slots, np.int64)
            self.queue = make(slots, np.int64)
            self.queued = cuda.to_device(np.zeros(2, dtype=np.int64))
            self.left = cuda.to_device(np.zeros(1, dtype=np.int64))

    def _make_rows(self, words: int) -> None:
        make = cuda.device_array
        units = min(columns_for(words), self.problem.search.max_units)
        self.words = words
        self.genomes = make((self.count, self.population, words), np.int32)
        self.front_rows = make((self.count, FRONT_SIZE, words), np.int32)
        self.children = make((self.slots, words), np.int32)
        self.starts = cuda.to_device(np.arange(self.slots + 1, dtype=np.int64) * words)
        self.work = new_work(self.tools.tree, self.slots, columns_for(words), units)

    def _check_memory(self, words: int) -> None:
        rows = (self.population + FRONT_SIZE + self.width) * words * ROW_BYTES
        plans = self.width * bytes_a_network(columns_for(words))
        island = rows + plans + 16 * MEMO_ENTRIES + 40 * self.population + 16 * FRONT_SIZE
        units = min(columns_for(words), self.problem.search.max_units)
        block = bytes_a_block(self.tools.tree, units)
        needed = self.count * island + block
        if needed > SHARE * (1 - SHARE_FOR_VALUES) * free_bytes():
            most = int(SHARE * (1 - SHARE_FOR_VALUES) * free_bytes() - block) // island
            advice = f"lower --islands to {most:,}" if most > 0 else LOWER
            raise InputError(too_little(advice))

    def _widen(self) -> None:
        """Rows twice as wide; islands that were short of room go on."""
        old_genomes, old_front, words = self.genomes, self.front_rows, 2 * self.words
        # What depends on the width and holds nothing between batches goes first.
        del self.children, self.starts, self.work
        with within_memory(LOWER):
            make = cuda.device_array
            for name, old in (("genomes", old_genomes), ("front_rows", old_front)):
                count, rows, width = old.shape
                wide = make((count, rows, words), np.int32)
                kernels.copy_rows_kernel[self._grid(count * rows, 1), WARP](
                    old.reshape(count * rows, width), wide.reshape(count * rows, words)
                )
                setattr(self, name, wide)
            cuda.synchronize()
            del old_genomes, old_front, old
            self.children = make((self.slots, words), np.int32)
            self.starts = cuda.to_device(np.arange(self.slots + 1, dtype=np.int64) * words)
            units = min(columns_for(words), self.problem.search.max_units)
            self.work = new_work(self.tools.tree, self.slots, columns_for(words), units)
        self.words = words
        self.short.copy_to_device(np.zeros(self.count, dtype=np.int64))

    @staticmethod
    def _grid(items: int, threads: int) -> int:
        return max(1, min(-(-items // threads), 1 << 20))

    def _plan(self) -> None:
        """Plan all networks of the queue."""
        work = self.work
        plan_kernel[self._grid(self.slots, THREADS), THREADS](
            self.about, self.children.reshape(self.children.size), self.starts, self.queue,
            self.queued, work.plans, work.weights, work.reach,
        )  # fmt: skip

    def _feed(self) -> None:
        work = self.work
        feed_kernel[work.blocks, threads_for(self.tools.tree)](
            self.about, *self.tree, self.children.reshape(self.children.size), self.starts,
            self.queue, self.queued, work.plans, work.weights, work.reach, work.values,
            work.tables, work.chances, self.limits, self.child_bits,
        )  # fmt: skip

    def _batch(self, target: int) -> None:
        """Each island makes its next batch of offspring, if it has not come to the target."""
        self._breed(target)
        self._plan()
        self._feed()
        self._replace(target)

    def _breed(self, target: int) -> None:
        kernels.breed_kernel[self._grid(self.slots, THREADS), THREADS](
            *self.space, self.kinds, self.crowded, self.genomes, self.values, self.random,
            self.counters, self.short, target, self.encoding, self.multipliers, self.memo_keys,
            self.memo_bits, self.children, self.work.plans, self.losers, self.child_lengths,
            self.costs, self.limits, self.child_bits, self.keys, self.fates, self.queue,
            self.queued,
        )  # fmt: skip

    def _replace(self, target: int) -> None:
        kernels.replace_kernel[self.count, 4 if SIMULATED else WARP](
            self.about, self.genomes, self.values, self.lengths, self.bits, self.random,
            self.counters, self.best_value, self.front_rows, self.front_lengths, self.front_bits,
            self.short, target, self.multipliers, self.memo_keys, self.memo_bits, self.children,
            self.losers, self.child_lengths, self.costs, self.limits, self.child_bits, self.keys,
            self.fates, self.queued,
        )  # fmt: skip

    def advance(self, generation: int) -> None:
        """All islands up to this generation."""
        target = generation * self.population
        while True:
            least = int(self.counters.copy_to_host()[:, STEPS].min())
            if least >= target:
                return
            if self.short.copy_to_host().any():
                self._widen()
            first, last = least // self.population, generation
            batches = sum(1 for size in self._batch_sizes() if size) * (last - first)
            for _ in range(batches):
                self._batch(target)

    def _batch_sizes(self) -> list[int]:
        edges = [self.population * b // kernels.BATCHES for b in range(kernels.BATCHES + 1)]
        return [b - a for a, b in zip(edges, edges[1:], strict=False)]

    def _populate(self) -> None:
        """New networks for the islands that restart."""
        edges = [self.population * b // kernels.BATCHES for b in range(kernels.BATCHES + 1)]
        for begin, end in zip(edges, edges[1:], strict=False):
            for attempt in range(kernels.TRIES):
                kernels.draw_kernel[self._grid(self.slots, THREADS), THREADS](
                    *self.space, self.kinds, self.random, self.restart, begin, end, attempt,
                    self.given, self.founders, self.encoding, self.multipliers, self.memo_keys,
                    self.memo_bits, self.children, self.work.plans, self.pending,
                    self.child_lengths, self.costs, self.limits, self.child_bits, self.keys,
                    self.fates, self.queue, self.queued,
                )  # fmt: skip
                self._plan()
                self._feed()
                self.left.copy_to_device(np.zeros(1, dtype=np.int64))
                kernels.settle_kernel[self.count, 4 if SIMULATED else WARP](
                    self.about, self.rates, self.genomes, self.values, self.lengths, self.bits,
                    self.random, self.counters, self.best_value, self.front_rows, self.front_lengths,
                    self.front_bits, self.restart, begin, end, attempt, self.given,
                    self.multipliers, self.memo_keys, self.memo_bits, self.children, self.pending,
                    self.child_lengths, self.costs, self.limits, self.child_bits, self.keys,
                    self.fates, self.queued, self.left,
                )  # fmt: skip
                if not int(self.left.copy_to_host()[0]):
                    break
        kernels.end_restarts_kernel[self._grid(self.count, THREADS), THREADS](
            self.restart, self.random
        )

    def migrate(self, turn: int) -> None:
        """What the settings say happens at migration number `turn`."""
        search = self.problem.search
        kind = exchange_of(search)
        if kind == NOTHING:
            return
        if kind == RESTARTS:
            kernels.stagnant_kernel[self._grid(self.count, THREADS), THREADS](
                self.counters, self.waits, self.restart
            )
            stagnant = self.restart.copy_to_host()
            archives = np.arange(0, self.count, GROUP)
            self._exchange(np.arange(self.count), archives, self._to_archives(stagnant))
            if len(archives) > 1:
                self._exchange(archives, archives, _ring(len(archives), turn))
            self._populate()
            return
        everyone = np.arange(self.count)
        self._exchange(everyone, everyone, _ring(self.count, turn), checked=True)

    def _to_archives(self, stagnant: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each archive the islands of its group that offer something, in order."""
        padded = np.zeros(-(-self.count // GROUP) * GROUP, dtype=np.int64)
        padded[: self.count] = stagnant
        numbers = np.arange(padded.size).reshape(-1, GROUP)
        return np.where(padded.reshape(-1, GROUP) > 0, numbers, -1)

    def _exchange(
        self,
        members: NDArray[Any],
        homes: NDArray[Any],
        givers: NDArray[Any],
        checked: bool = False,
    ) -> None:
        size = self.problem.search.migration_size
        count = len(members)
        with within_memory(LOWER):
            make = cuda.device_array
            offers = make((count, size, self.words), np.int32)
            values = make((count, size), np.float64)
            lengths = make((count, size), np.int64)
            bits = make((count, size), np.float64)
        grid = self._grid(count, WARP)
        kernels.collect_kernel[grid, 8 if SIMULATED else WARP](
            self.about, cuda.to_device(members.astype(np.int64)), self.genomes, self.values,
            self.lengths, self.bits, offers, values, lengths, bits,
        )  # fmt: skip
        fitting = np.ones((count, size), dtype=np.int64)
        if checked and self.problem.encoding.says_parts:
            fitting = self._fitting(offers.copy_to_host(), givers)
        kernels.receive_kernel[self._grid(len(homes), WARP), 8 if SIMULATED else WARP](
            self.about, cuda.to_device(homes.astype(np.int64)),
            cuda.to_device(np.ascontiguousarray(givers.astype(np.int64))),
            cuda.to_device(fitting), self.genomes, self.values, self.lengths, self.bits,
            self.counters, self.best_value, self.front_rows, self.front_lengths, self.front_bits,
            offers, values, lengths, bits,
            cuda.device_array((len(homes), size), np.int64),
        )  # fmt: skip

    def _fitting(self, offers: NDArray[np.int32], givers: NDArray[Any]) -> NDArray[np.int64]:
        """Whether what a member offers is in the space of the one island that receives it."""
        found = np.ones(offers.shape[:2], dtype=np.int64)
        for home, giver in enumerate(givers[:, 0].tolist()):
            own = island_problem(self.problem, kind_of(self.problem, role_of(home)))
            for k, row in enumerate(offers[giver]):
                found[giver, k] = fits(row.astype(np.int64), own)
        return found

    def best(self) -> tuple[NDArray[np.float64], int, float, Words]:
        """The best value of each island; |G|, |D:G| and the row of the best network of all."""
        places = cuda.device_array(self.count, np.int64)
        found = cuda.device_array(self.count, np.float64)
        kernels.best_kernel[self._grid(self.count, WARP), 8 if SIMULATED else WARP](
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
            front[int(parts["counters"][island, FRONT_COUNT]) :] = 0
            longest = max(int(_sizes(rows).max()), int(_sizes(front).max()), HEADER)
            own = {name: part[island].copy() for name, part in parts.items()}
            found.append(
                State(
                    genomes=rows[:, :longest].astype(np.int64),
                    front=front[:, :longest].astype(np.int64),
                    **own,
                )
            )
        return tuple(found)


def _ring(count: int, turn: int) -> NDArray[np.int64]:
    """For each member the one that it receives from, as in `search._migration.homes_of`."""
    return ((np.arange(count) - 1 - turn % (count - 1)) % count)[:, None]


def _sizes(rows: NDArray[Any]) -> NDArray[np.int64]:
    return HEADER + 3 * rows[:, 0].astype(np.int64) + 3 * rows[:, 1].astype(np.int64)


def _used(row: NDArray[Any]) -> Words:
    words = row.astype(np.int64)
    return words[: int(size_of(words))]
