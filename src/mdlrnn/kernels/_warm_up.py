"""Compiling on two cores: half of the search's kernels in a process of its own.

Numba compiles one function at a time, whatever the number of threads. The two large helpers of the
search, `make_offspring` and `surprisal`, know nothing of each other; so the first is compiled by a
second process (`python -m mdlrnn.kernels._warm_up offspring`) while this one compiles the other.
They meet in the cache on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import numba
import numpy as np

from ..corpus import Corpus
from ._advance import State, advance, hash_of, is_known, join_front, new_memo, new_network, select
from ._compile import CACHE_FOLDER, compiling_for_others, is_ready, mark_ready
from ._genome import Space
from ._helped import advance_helped, help_out, new_board
from ._mutations import has_stacks
from ._offspring import make_offspring, mutation_rates
from ._plan import tree_of, workspace_for
from ._scoring import encoded_length, fill_distributions, score_rows, surprisal, weight_norms

PATIENCE = 120.0
"""Seconds to wait for the second process before compiling alone."""


class _Example:
    """Arguments of the types that the search calls its kernels with."""

    def __init__(self) -> None:
        self.row = np.zeros(64, dtype=np.int64)
        self.genomes = np.zeros((1, 64), dtype=np.int64)
        self.random = np.ones(4, dtype=np.uint64)
        self.space = Space(
            2, 2, np.zeros(1, dtype=np.int64), False, False, 8, 8, 0.1, 0.1, 0.1, 0.1, 0.1,
            *mutation_rates(False),
        )  # fmt: skip
        self.tree = tree_of(Corpus.from_strings(["a", "ab"]))
        self.work = workspace_for(self.tree, 8, 8)
        row, floats = self.row, np.zeros(1)
        self.state = State(
            self.genomes, floats, row, floats, self.random, row, floats, self.genomes, row, floats,
        )  # fmt: skip


def _compile(function: Any, *arguments: Any) -> None:
    """By types alone; the function is not called."""
    if hasattr(function, "compile"):
        function.compile(tuple(map(numba.typeof, arguments)))


def compile_offspring() -> None:
    e = _Example()
    scratch = e.work.plan[0]
    _compile(make_offspring, e.row, e.row, True, True, e.row, e.random, e.space, scratch)
    _compile(new_network, e.row, e.random, e.space)


def compile_surprisal() -> None:
    e = _Example()
    _compile(surprisal, e.row, e.tree, e.work, 1.0)


def compile_small() -> None:
    """The small helpers of `advance`, while there is time."""
    e = _Example()
    floats = np.zeros(1)
    _compile(encoded_length, e.row, e.row, e.row)
    _compile(weight_norms, e.row)
    _compile(hash_of, e.row)
    _compile(select, floats, 1, 2, e.random)
    _compile(is_known, 1.0, floats)
    _compile(has_stacks, e.space)
    _compile(join_front, e.row, 1, 1.0, e.row, e.genomes, e.row, floats)


def compile_scoring() -> None:
    e = _Example()
    table, bits = e.row, np.zeros(1)
    _compile(
        score_rows, e.row, e.row, 0, 0, table, e.tree, e.work, e.row, bits, np.zeros((2, 1))
    )  # fmt: skip
    mark_ready("score")


def compile_measuring() -> None:
    e = _Example()
    _compile(fill_distributions, e.row, e.tree, e.work, np.zeros((1, 1)))
    mark_ready("measure")


def compile_search() -> None:
    warm_up()
    e = _Example()
    row, floats = e.row, np.zeros(1)
    _compile(
        advance, e.state, True, 0, 0, 2, True, True, True, e.tree, row, floats, e.space, e.work,
        new_memo(2), row, row,
    )  # fmt: skip
    mark_ready("advance")


def compile_helping() -> None:
    e = _Example()
    row, floats, board = e.row, np.zeros(1), new_board(64, 1)
    _compile(
        advance_helped, e.state, 0, 2, True, True, True, e.tree, row, floats, e.space, e.work,
        new_memo(2), board,
    )  # fmt: skip
    _compile(help_out, board, e.tree, e.work, row)
    mark_ready("help")


PARTS = {
    "offspring": compile_offspring,
    "surprisal": compile_surprisal,
    "advance": compile_search,
    "score": compile_scoring,
    "measure": compile_measuring,
    "help": compile_helping,
}


def compile_parts(names: Iterable[str]) -> None:
    """The parts of these names; `all` is what Python calls, where it is not compiled yet."""
    for name in names:
        if name == "all":
            compile_parts(n for n in ("advance", "score", "measure") if not is_ready(n))
        else:
            PARTS[name]()


def warm_up() -> None:
    """Compile the two halves of the search side by side, where there are two cores and a cache."""
    if CACHE_FOLDER is None or (os.cpu_count() or 1) < 2 or is_ready("advance"):
        return
    other = _beside("offspring")
    compile_surprisal()
    compile_small()
    if other is not None:
        try:
            other.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            other.kill()


def compile_rest() -> None:
    """In the background: what scoring and testing need, so that nothing waits for it later."""
    missing = [name for name in ("score", "measure") if not is_ready(name)]
    if CACHE_FOLDER is not None and (os.cpu_count() or 1) > 1 and missing:
        _beside(*missing)


def compile_help_beside() -> None:
    """In the background: what threads need that help each other."""
    if CACHE_FOLDER is not None:
        _beside("help")


def _beside(*parts: str) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "mdlrnn.kernels._warm_up", *parts]
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        return None


if __name__ == "__main__":
    if sys.argv[1:] != ["offspring"] and hasattr(os, "nice"):
        os.nice(10)  # nobody waits for the rest
    with compiling_for_others(sys.argv[1:]):
        compile_parts(sys.argv[1:])
