"""An island in as little memory as holds it: what is kept of islands between their legs.

Rows are as wide as the longest network, integers as narrow as the largest weight. An island of 100
networks takes 24 kB on anbn_500 and 180 kB on dyck2_20000 instead of 0.8 to 1.6 MB, so that islands
can run ahead of each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels._genome import CONNECTION_WORDS, HEADER, UNIT_WORDS
from ..kernels._state import FRONT_COUNT, FRONT_SIZE, State


class Packed:
    """A state, packed. Nothing changes it, so that threads can share it."""

    __slots__ = ("_parts", "_words")

    def __init__(self, state: State) -> None:
        count = int(state.counters[FRONT_COUNT])
        self._words = int(state.genomes.shape[1])
        self._parts = state._replace(
            genomes=_narrow(state.genomes),
            lengths=state.lengths.copy(),
            values=state.values.copy(),
            bits=state.bits.copy(),
            random=state.random.copy(),
            counters=state.counters.copy(),
            best_value=state.best_value.copy(),
            front=_narrow(state.front[:count]),
            front_lengths=state.front_lengths[:count].copy(),
            front_bits=state.front_bits[:count].copy(),
        )

    def state(self) -> State:
        """The state again, in arrays of its own."""
        parts = self._parts
        return State(
            genomes=_widened(parts.genomes, len(parts.values), self._words),
            values=parts.values.copy(),
            lengths=parts.lengths.copy(),
            bits=parts.bits.copy(),
            random=parts.random.copy(),
            counters=parts.counters.copy(),
            best_value=parts.best_value.copy(),
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
    used = HEADER + UNIT_WORDS * rows[:, 0] + CONNECTION_WORDS * rows[:, 1]
    width = int(used.max())
    kept = np.where(np.arange(width) < used[:, None], rows[:, :width], 0)
    for kind in (np.int16, np.int32):
        bounds = np.iinfo(kind)
        if kept.min() >= bounds.min and kept.max() <= bounds.max:
            return kept.astype(kind)
    return kept


def _widened(rows: NDArray[Any], count: int, words: int) -> NDArray[np.int64]:
    wide = np.zeros((count, words), dtype=np.int64)
    wide[: rows.shape[0], : rows.shape[1]] = rows
    return wide


def _lengthened(part: NDArray[Any]) -> NDArray[Any]:
    whole = np.zeros(FRONT_SIZE, dtype=part.dtype)
    whole[: len(part)] = part
    return whole
