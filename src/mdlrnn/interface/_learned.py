"""What a run has learned: found once, kept in the run's folder, and what a run on plain strings can
go on for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..corpus import Corpus
from ..errors import RunError
from ..extraction import Learned, learned
from ..network import Network
from ..proofs import available
from ..runs import keep_learned, kept_learned
from ..search import Progress, Run

AT_THE_END = 5.0
"""Seconds that it may take when a run has ended."""
IN_RUN = 20.0
"""Seconds that it may take when a run goes on for it."""


def learned_by_run(run: Run) -> Learned | None:
    """What the best network has learned; None if it reads numbers, or without a solver. In a
    folder it is written down, so that it is not found again."""
    if run.best.alphabet is None or not available("z3"):
        return None
    kept = None if run.out is None else kept_learned(run.out, run.best)
    if kept is not None:
        return kept
    found = learned(run.best, AT_THE_END)
    if run.out is not None:
        # The run is saved already; what is written here can be found again at any time.
        with suppress(RunError):
            keep_learned(run.out, found)
    return found


class Readings:
    """Looks at the best network of a run on plain strings, at none twice: whether what it has
    learned is proved of it for every length, and the strings fit that."""

    def __init__(self, corpus: Corpus, folder: Path | None = None) -> None:
        """`folder` may keep what was learned before."""
        self.corpus = corpus
        self.folder = folder
        self.found: Learned | None = None
        self._seen: set[str] = set()
        self._in_vain = 0.0

    def __call__(
        self, progress: Progress, best: Sequence[Network], others: Sequence[Network], left: float
    ) -> str | None:
        """A reason to stop. A network that something better may soon replace is left alone: it has
        to have stood for as long as it took to find. What was in vain takes no more than half of
        the run's time."""
        since = progress.standing.improved_at
        standing = progress.generation - since
        has_stood = standing >= max(since, progress.problem.search.migration_interval)
        network = best[0]
        if not has_stood or self._in_vain > progress.seconds / 2 or left <= 0:
            return None
        key = network.to_json()
        if key in self._seen:
            return None
        self._seen.add(key)
        kept = None if self.folder is None else kept_learned(self.folder, network)
        found = kept if kept is not None and kept.proved else learned(network, min(IN_RUN, left))
        if found.proved and self.fits(found):
            self.found = found
            return "proved"
        self._in_vain += found.seconds
        return None

    def fits(self, found: Learned) -> bool:
        """Whether all strings of the corpus belong to what was learned."""
        machine = found.machine
        strings = (tuple(string) for string, _ in self.corpus.strings())
        return machine is not None and all(map(machine.accepts, strings))
