"""All islands between two epochs: a checkpoint stores this state and a run resumes from it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import (
    ANCESTRY,
    CONSTRUCTED,
    EVALUATIONS,
    FRONT_COUNT,
    FRONT_SIZE,
    HITS,
    RANDOM,
    STEPS,
    UNKNOWN,
    State,
    Words,
    cleared,
    marked,
    network_from_row,
    score_many,
)
from ..network import Encoding, Network, Objective, Score
from ._island import Problem, best_of, copied, front_of, rows_of
from ._origin import Origin
from ._settings import Search, Stop

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..expressions import Expression, Mixture
    from ..extraction import Learned, Verdict
    from ..machines import AnyMachine
    from ..proofs import Proof
    from .suggest._beside import FoundExpression


class Packed:
    """A state, packed. Nothing changes it, so that threads can share it."""

    __slots__ = ("_parts", "_words")

    def __init__(self, state: State) -> None:
        count = int(state.counters[FRONT_COUNT])
        self._words = int(state.genomes.shape[1])
        kept = state._replace(
            genomes=_narrow(state.genomes),
            front=_narrow(state.front[:count]),
            front_lengths=state.front_lengths[:count],
            front_bits=state.front_bits[:count],
        )
        self._parts = copied(kept)

    def state(self) -> State:
        """The state again, in arrays of its own."""
        parts = copied(self._parts)
        return parts._replace(
            genomes=_widened(parts.genomes, len(parts.values), self._words),
            front=_widened(parts.front, FRONT_SIZE, self._words),
            front_lengths=_lengthened(parts.front_lengths),
            front_bits=_lengthened(parts.front_bits),
        )

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self._parts)


def _narrow(rows: NDArray[np.int64]) -> NDArray[Any]:
    """The rows without what no network uses, in the fewest bytes that hold all words."""
    if not len(rows):
        return np.zeros((0, 0), dtype=np.int16)
    return narrow(cleared(rows))


def narrow(array: NDArray[np.int64]) -> NDArray[Any]:
    """The same integers in as few bytes as hold them all."""
    for kind in (np.int16, np.int32):
        bounds = np.iinfo(kind)
        if array.min(initial=0) >= bounds.min and array.max(initial=0) <= bounds.max:
            return array.astype(kind)
    return array


def _widened(rows: NDArray[Any], count: int, words: int) -> NDArray[np.int64]:
    wide = np.zeros((count, words), dtype=np.int64)
    wide[: rows.shape[0], : rows.shape[1]] = rows
    return wide


def _lengthened(part: NDArray[Any]) -> NDArray[Any]:
    whole = np.zeros(FRONT_SIZE, dtype=part.dtype)
    whole[: len(part)] = part
    return whole


MOST_RESCORED = 64
"""Of the islands' best networks, where there are thousands of islands."""
Entry = tuple[int, float, Words]
"""|G|, |D:G| and the row of a network."""
Rescore = Callable[[Sequence[Entry]], list[tuple[float, Entry]]]
"""From entries to values of the objective and the same entries as the CPU scores them."""


@dataclass(frozen=True)
class Archipelago:
    islands: tuple[State, ...]
    generation: int = 0
    migrations: int = 0
    migrated_at: int = 0
    """The generation of the last migration."""
    best: float = np.inf
    """The lowest value of the objective at the last check."""
    improved_at: int = 0
    """The generation at which it was first seen."""
    seconds: float = 0.0
    """Time spent so far, in this run and those it goes on from."""
    history: tuple[dict[str, float], ...] = field(default=(), repr=False)
    rescore: Rescore | None = field(default=None, repr=False, compare=False)
    """For islands whose scores are not the CPU's: what scores them again before they are told."""

    def digest(self) -> str:
        """A hash of every network, score and random state, but not of what networks stem from:
        equal runs have equal digests."""
        whole = hashlib.sha256(f"{self.generation} {self.migrations}".encode())
        for state in self.islands:
            for row in rows_of(state):
                whole.update(marked(row, RANDOM).tobytes())
            for part in (state.values, state.lengths, state.bits, state.random):
                whole.update(np.ascontiguousarray(part).tobytes())
        return whole.hexdigest()

    def counted(self, counter: int) -> int:
        return sum(int(state.counters[counter]) for state in self.islands)

    @property
    def found_after(self) -> int:
        """Steps until the best network was seen."""
        return int(self.history[-1]["steps"]) if self.history else 0

    @property
    def steps(self) -> int:
        return self.counted(STEPS)

    @property
    def evaluations(self) -> int:
        return self.counted(EVALUATIONS)

    @property
    def cache_hits(self) -> int:
        return self.counted(HITS)

    def best_row(self) -> tuple[float, int, float, Words]:
        """(value, |G|, |D:G|, row) of the best network; ties go to the first island."""
        home = min(self.islands, key=lambda state: float(state.values.min()))
        i = best_of(home, 1)[0]
        row = rows_of(home)[i]
        value, entry = float(home.values[i]), (int(home.lengths[i]), float(home.bits[i]), row)
        if self.rescore is not None:
            value, entry = self.rescore([entry])[0]
        return value, *entry

    def best_entries(self) -> list[Entry]:
        """(|G|, |D:G|, row) of the best network of each island, best first."""
        homes = sorted(self.islands, key=lambda state: float(state.values.min()))
        found = []
        for home in homes:
            i = best_of(home, 1)[0]
            found.append((int(home.lengths[i]), float(home.bits[i]), rows_of(home)[i]))
        if self.rescore is not None:
            return [entry for _, entry in self.rescore(found[:MOST_RESCORED])]
        return found

    def front(self) -> list[Entry]:
        """(|G|, |D:G|, row): for each |G| the best network, where it beats all shorter ones."""
        found = front_among(entry for state in self.islands for entry in front_of(state))
        if self.rescore is not None:
            return front_among(entry for _, entry in self.rescore(found))
        return found


def front_among(entries: Iterable[Entry]) -> list[Entry]:
    """Those that none beats in both |G| and |D:G|, shortest first; among equals the first."""
    kept: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: entry[:2]):
        if not kept or entry[1] < kept[-1][1]:
            kept.append(entry)
    return kept


def network_of(problem: Problem, row: Words) -> Network:
    """A row of the problem's archipelago as a network with the corpus' symbols."""
    corpus = problem.corpus
    network = network_from_row(row, corpus.inputs, corpus.outputs, corpus.alphabet)
    return network if problem.search.saturation else replace(network, saturation=False)


def rescored(problem: Problem, entries: Sequence[Entry]) -> list[tuple[float, Entry]]:
    """The entries as the CPU scores them."""
    networks = [network_of(problem, row) for *_, row in entries]
    scores = score_many(networks, problem.corpus, problem.encoding)
    return [
        (problem.objective(score), (score.g, score.d_given_g, row))
        for score, (*_, row) in zip(scores, entries, strict=True)
    ]


class Progress(NamedTuple):
    """What `on_progress` is told. It may return True to stop the run here."""

    generation: int
    generations: int
    """The generation at which the run ends at the latest."""
    value: float
    """The objective's value of the best network."""
    g: int
    d_given_g: float
    steps: int
    steps_per_second: float
    seconds: float
    improved: bool
    island_values: tuple[float, ...]
    """The best value on each island."""
    island_rows: tuple[Words, ...]
    """The network of that value, as kernels have it."""
    migrated: bool
    row: Words
    """The best network as kernels have it."""
    standing: Archipelago
    """The numbers of the archipelago, without its islands."""
    at_hand: bool
    """Whether the islands are kept as they were here; if not, `archipelago` works them out."""
    islands: Callable[[], tuple[State, ...]]
    entries: Callable[[], list[tuple[int, float, Words]]] | None
    """The front, where somebody asked for it beforehand."""
    workers: str
    """Who runs the islands."""
    busy: float
    """The share of their time that the workers have spent on islands, from 0 to 1."""
    problem: Problem
    stop: Stop
    is_waiting: bool = False
    """Whether nobody is there to run the islands, so that it tells what it told before."""
    proving: str = ""
    """What is being proved beside the search, in words."""

    @property
    def mdl(self) -> float:
        return self.g + self.d_given_g

    @property
    def archipelago(self) -> Archipelago:
        """All islands as they are here."""
        return replace(self.standing, islands=self.islands())

    @property
    def origin(self) -> Origin | None:
        return origin_of(self.row, self.standing.found_after, self.steps)

    def front(self) -> list[tuple[int, float, Words]]:
        """(|G|, |D:G|, row): for each |G| the best network, where it beats all shorter ones."""
        return self.archipelago.front() if self.entries is None else self.entries()

    def best(self) -> Network:
        return network_of(self.problem, self.row)

    def __repr__(self) -> str:
        return (
            f"Progress(generation {self.generation}, |G| {self.g}, |D:G| {self.d_given_g:.6g}, "
            f"{self.steps:,} steps, {self.seconds:.1f} s)"
        )


class Statistics(NamedTuple):
    steps: int
    evaluations: int
    cache_hits: int
    """Evaluations answered from memory; depends on threads and restarts, unlike the result."""
    seconds: float
    steps_per_second: float
    busy_seconds: float = 0.0
    """Spent on islands since the run was begun or resumed, all workers together."""
    longest_seconds: float = 0.0
    """By the worker that had the island that took longest. Where workers do not help each other, no
    number of them is faster than that."""


@dataclass(frozen=True)
class Run:
    """The outcome of a search."""

    best: Network
    score: Score
    value: float
    """The objective's value of the best network."""
    origin: Origin | None
    """How the best network came to be; None where an earlier version began the run."""
    front: tuple[tuple[Network, Score], ...]
    """For each |G| the network with the lowest |D:G|, where it beats all shorter ones."""
    reason: str
    """Why it ended: 'generations', 'target', 'patience', 'time', 'proved' or 'stopped'."""
    history: tuple[dict[str, float], ...]
    """The best value, |G| and |D:G| whenever it improved, with generation, steps and seconds."""
    statistics: Statistics
    search: Search
    seed: int
    stop: Stop
    encoding: Encoding
    objective: Objective
    archipelago: Archipelago
    """The final population, from which the run can go on."""
    concluded: Verdict | None = field(default=None, repr=False)
    """What was found out when the run ended, if anything was sought; `verdict` has the rest."""
    found: FoundExpression | None = field(default=None, repr=False)
    """The expression that describes the strings in fewer bits than any network; None where a
    network is the best description, or no expression was searched."""
    corpus: Corpus | None = field(default=None, repr=False)
    """What was searched on."""
    out: Path | None = None
    """The folder that the run is kept in, if it is."""
    others: tuple[Run, ...] = field(default=(), repr=False)
    """The runs with other seeds, the best first, where several were asked for."""

    @property
    def expression(self) -> Expression | None:
        """The best description of the strings, where it is an expression."""
        return None if self.found is None else self.found.expression

    @property
    def machine(self) -> AnyMachine | None:
        """The machine of the best description, where one is known."""
        if self.found is not None:
            return self.found.machine
        return None if self.learned is None else self.learned.machine

    @property
    def mixture(self) -> Mixture | None:
        """All good expressions, weighted by 2^-bits; None where none was searched."""
        return None if self.found is None else self.found.mixture

    @property
    def proof(self) -> Proof | None:
        """What was proved of the best network, or of another where only that is right; None where
        no proof was sought."""
        if self.concluded is not None:
            return self.concluded.proved or self.concluded.proof or self.concluded.theorem
        return None

    @property
    def is_proved(self) -> bool:
        """Whether there is a theorem about the best network, or about another of the run."""
        return self.proof is not None and self.proof.proved

    if TYPE_CHECKING:  # attached at the top of the package, which knows proofs and pictures

        @property
        def verdict(self) -> Verdict:
            """What was found out about the best network and, if that is wrong, about others;
            found when it is first asked for."""

        @property
        def learned(self) -> Learned | None:
            """What the best network has learned, found when it is first asked for; None if it
            reads numbers, or without the extra `prove`."""

        def _repr_html_(self) -> str: ...

    def __repr__(self) -> str:
        return (
            f"Run({self.reason} after {self.archipelago.generation} generations, "
            f"best {self.score!r}, {self.statistics.steps:,} steps)"
        )


def origin_of(row: Words, found_after: int, steps: int) -> Origin | None:
    """The origin of a network that a search found after so many of its steps; None where a version
    that did not note it had a part in the run."""
    ancestry = int(row[ANCESTRY])
    if ancestry == UNKNOWN:
        return None
    if ancestry == CONSTRUCTED:
        return Origin(True, 0)
    # One that descends from it can have its value, and then took its place later.
    return Origin(ancestry != RANDOM, found_after or (0 if ancestry == RANDOM else steps))
