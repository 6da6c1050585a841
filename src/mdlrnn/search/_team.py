"""Threads without an island of their own help one that has.

With as many islands as threads the slowest island would be what all wait for. A `Team` stands for a
thread that works on an island; what others do for it changes the time and nothing else
(`kernels._helped`).
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numba.core import config
from numpy.typing import NDArray

from ..kernels import (
    CONNECTION_WORDS,
    HEADER,
    HELPERS,
    IS_OPEN,
    Board,
    Tree,
    Workspace,
    compile_help_beside,
    help_out,
    is_ready,
    new_board,
    workspace_for,
)

FEW = 3
"""Threads that can help with a small corpus: an offspring is scored in the time in which three are
made."""
NODES_A_HELPER = 1024
"""For each so many nodes of the corpus, one more can."""


class Scoring(NamedTuple):
    """What the scores of an island's networks depend on."""

    tree: Tree
    max_units: int
    saturation: bool
    words: int
    """Of a row."""

    def workspace(self) -> Workspace:
        connections = (self.words - HEADER) // CONNECTION_WORDS + 1
        units = min(connections, self.max_units)
        return workspace_for(self.tree, units, connections, self.saturation)

    def is_like(self, other: Scoring) -> bool:
        return self.tree is other.tree and self[1:] == other[1:]


class Team:
    def __init__(self) -> None:
        self.priority = 0
        """Of what is done: lower comes first."""
        self._at: tuple[Board, Scoring] | None = None

    def board_for(self, population: int, scoring: Scoring) -> Board:
        """The board for an island, open to helpers."""
        if self._at is not None:
            board, before = self._at
            if scoring.is_like(before) and board.changed_at.size == population:
                board.flags[IS_OPEN] = 1
                return board
            self.close()
        board = new_board(scoring.words, population)
        board.flags[IS_OPEN] = 1
        self._at = board, scoring
        return board

    def close(self) -> None:
        """Nobody is needed until the next island."""
        if self._at is not None:
            self._at[0].flags[IS_OPEN] = 0

    @property
    def helpers(self) -> int:
        return 0 if self._at is None else int(self._at[0].flags[HELPERS])

    @property
    def has_room(self) -> bool:
        """Whether one more can help."""
        if self._at is None or not self._at[0].flags[IS_OPEN]:
            return False
        nodes = int(self._at[1].tree.sizes[-1])
        return self.helpers < FEW + nodes // NODES_A_HELPER

    def help(self, called: NDArray[np.int64]) -> int:
        """Score offspring until there are none, or somebody calls; the number of them."""
        if self._at is None:
            return 0
        board, scoring = self._at
        return int(help_out(board, scoring.tree, _HELPER.work_for(scoring), called))


class _Helper(threading.local):
    """Each helper's working memory."""

    scoring: Scoring | None = None
    work: Workspace

    def work_for(self, scoring: Scoring) -> Workspace:
        if self.scoring is None or not scoring.is_like(self.scoring):
            self.work, self.scoring = scoring.workspace(), scoring
        return self.work


_HELPER = _Helper()


class Readiness:
    """Whether threads can help each other: what they need is compiled in the background, once."""

    def __init__(self) -> None:
        self._asked = False
        self._lock = threading.Lock()

    def __call__(self) -> bool:
        if config.DISABLE_JIT:
            return False
        if is_ready("help"):
            return True
        with self._lock:
            if not self._asked and is_ready("advance"):
                self._asked = True
                compile_help_beside()
        return False
