"""What a search tells while it goes on, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..kernels import State, Words
from ..network import Encoding, Network, Objective, Score
from ._archipelago import Archipelago, network_of, origin_of
from ._island import Problem
from ._origin import Origin
from ._settings import Search, Stop

if TYPE_CHECKING:
    from ..extraction import Learned
    from ..proofs import Proof, Verdict


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
    verdict: Verdict | None = field(default=None, repr=False)
    """What was found out about the best network and, if that is wrong, about others."""
    out: Path | None = None
    """The folder that the run is kept in, if it is."""
    others: tuple[Run, ...] = field(default=(), repr=False)
    """The runs with other seeds, the best first, where several were asked for."""

    @property
    def proof(self) -> Proof | None:
        """What was proved of the best network, or of another where only that is right; None where
        no proof was sought."""
        if self.verdict is not None:
            return self.verdict.proved or self.verdict.proof
        found = self.learned if self.reason == "proved" else None
        return None if found is None else found.proof

    @property
    def is_proved(self) -> bool:
        """Whether there is a theorem about the best network, or about another of the run."""
        return self.proof is not None and self.proof.proved

    if TYPE_CHECKING:  # attached at the top of the package, which knows proofs and pictures

        @property
        def learned(self) -> Learned | None:
            """What the best network has learned, found when it is first asked for; None if it
            reads numbers, or without the extra `prove`."""

        def _repr_html_(self) -> str: ...

    def with_learned(self, learned: Learned) -> Run:
        """The run, with what its best network has learned, which is found already."""
        run = replace(self)
        vars(run)["_learned"] = learned
        return run

    def __repr__(self) -> str:
        return (
            f"Run({self.reason} after {self.archipelago.generation} generations, "
            f"best {self.score!r}, {self.statistics.steps:,} steps)"
        )
