"""One island: how it begins, goes on and restarts.

What an island becomes depends on nothing but its state and the problem; what is kept between calls
(the corpus tree, working memory, remembered scores) only saves time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba.core import config
from numpy.typing import NDArray

from ..corpus import Corpus, forbid_only_boundary
from ..errors import InputError
from ..kernels import (
    COUNTERS,
    FLAGS,
    FRONT_COUNT,
    FRONT_SIZE,
    HELPED,
    HELPERS,
    IS_OPEN,
    NEEDS_ROOM,
    STEPS,
    Board,
    Memo,
    Random,
    Space,
    State,
    Tree,
    Words,
    Workspace,
    advance,
    advance_helped,
    announced,
    compile_help_beside,
    connections_in,
    encoding_table,
    help_out,
    is_ready,
    mutation_rates,
    new_board,
    new_memo,
    size_of,
    tree_of,
    warm_up,
    words_for,
    workspace_for,
)
from ..limits import SEARCHED_NUMBERS, check_size
from ..network import ACTIVATIONS, Encoding, Objective
from ._settings import RATES, Search

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
        connections = connections_in(self.words)
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


ROW_WORDS = 512
"""Words of a row at first, 4 KiB: 20 units with 20 connections and an offspring, say. Rows double
when need be."""


def row_words(needed: int) -> int:
    words = ROW_WORDS
    while words < needed:
        words *= 2
    return words


NOBODY = np.zeros(FLAGS, dtype=np.int64)
"""The flags where nobody can help."""


class Problem(NamedTuple):
    """All that an epoch needs besides the island."""

    corpus: Corpus
    search: Search
    encoding: Encoding
    objective: Objective = Objective()
    seed: int = 1


class Tools(NamedTuple):
    """What the kernels read, derived from a problem."""

    tree: Tree
    encoding: Any
    multipliers: Any
    space: Space


@lru_cache(maxsize=4)
def _tree_for(corpus: Corpus) -> Tree:
    return tree_of(corpus)


@lru_cache(maxsize=32)
def tools_for(problem: Problem) -> Tools:
    corpus, search, encoding, objective, _ = problem
    return Tools(
        _tree_for(corpus),
        encoding_table(encoding),
        np.array([objective.g, objective.d, objective.l1, objective.l2]),
        space_for(corpus.inputs, corpus.outputs, search, encoding),
    )


def space_for(inputs: int, outputs: int, search: Search, encoding: Encoding) -> Space:
    codes = [ACTIVATIONS[name].code for name in encoding.activations]
    simple, compound = mutation_rates(encoding.products)
    return Space(
        inputs=inputs,
        outputs=outputs,
        activations=np.array(codes, dtype=np.int64),
        products=encoding.products,
        unrestricted=search.unrestricted,
        max_units=search.max_units,
        max_connections=search.max_connections,
        **{name: float(getattr(search, name)) for name in RATES},
        simple_mutations=simple,
        compound_mutations=compound,
    )


class _Memory(threading.local):
    """Each thread's working memory for the problem that it last worked on."""

    problem: Problem | None = None
    words: int = 0
    tools: Tools
    work: Workspace
    memo: Memo


_MEMORY = _Memory()


def _memory_for(problem: Problem, words: int) -> _Memory:
    """Working memory for rows of so many words; it is made again only when they get longer."""
    memory = _MEMORY
    if memory.problem is not problem:
        if memory.problem != problem:
            memory.tools, memory.memo, memory.words = tools_for(problem), new_memo(), 0
        memory.problem = problem
    if memory.words < words:
        memory.work = _scoring(problem, words).workspace()
        memory.words = words
    return memory


def random_states(seed: int, islands: int) -> list[Random]:
    """A random state for each island, independent of how many there are."""
    children = np.random.SeedSequence(seed).spawn(islands)
    return [child.generate_state(4, np.uint64).astype(np.uint64) for child in children]


def new_island(problem: Problem, random: Random, founders: Sequence[Words] = ()) -> State:
    """An island with these networks and random ones; `random` is its random state."""
    words = row_words(2 * words_for(problem.corpus.inputs, problem.corpus.outputs))
    size = problem.search.population
    state = State(
        genomes=np.zeros((size, words), dtype=np.int64),
        values=np.zeros(size),
        lengths=np.zeros(size, dtype=np.int64),
        bits=np.zeros(size),
        random=random.copy(),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        best_value=np.full(1, np.inf),
        front=np.zeros((FRONT_SIZE, words), dtype=np.int64),
        front_lengths=np.zeros(FRONT_SIZE, dtype=np.int64),
        front_bits=np.zeros(FRONT_SIZE),
    )
    return _populated(problem, state, founders)


def restart_island(problem: Problem, state: State, founders: Sequence[Words] = ()) -> State:
    """The island with these and new random networks; its random state, counters and front go on.
    The state given is written to, or if its rows are too short a wider one."""
    state.best_value[0] = np.inf
    return _populated(problem, state, founders)


def _populated(problem: Problem, state: State, founders: Sequence[Words]) -> State:
    given = founders[: problem.search.population]
    words = state.genomes.shape[1]
    while words < 2 * max((row.size for row in given), default=0):
        words *= 2
    if words > state.genomes.shape[1]:
        state = with_room(state, words)
    for i, row in enumerate(given):
        state.genomes[i, : row.size] = row
    _advance(problem, state, 0, populate=True, given=len(given))
    return state


def epoch(problem: Problem, state: State, generations: int, crowded: bool = False) -> State:
    """The island so many generations later. The state given is left as it is."""
    return advance_island(problem, copied(state), generations, crowded)


def advance_island(
    problem: Problem, state: State, generations: int, crowded: bool, team: Team | None = None
) -> State:
    """The island so many generations later. The state given is written to, or if its rows get too
    short a wider one. Threads may help through the team given."""
    end = int(state.counters[STEPS]) + generations * problem.search.population
    ended = None
    while (steps := end - int(state.counters[STEPS])) > 0:
        board = None if team is None else _board(problem, state, team)
        if ended == HELPED and board is not None:
            ended = _advance_helped(problem, state, steps, crowded, board)
        else:
            ended = _advance(problem, state, steps, crowded=crowded, board=board)
        if ended == NEEDS_ROOM:
            state = with_room(state, 2 * state.genomes.shape[1])
    return state


def _board(problem: Problem, state: State, team: Team) -> Board:
    population, words = state.genomes.shape
    return team.board_for(population, _scoring(problem, words))


def _scoring(problem: Problem, words: int) -> Scoring:
    search = problem.search
    return Scoring(tools_for(problem).tree, search.max_units, search.saturation, words)


def _advance(
    problem: Problem,
    state: State,
    steps: int,
    *,
    populate: bool = False,
    given: int = 0,
    crowded: bool = False,
    board: Board | None = None,
) -> int:
    search = problem.search
    words = state.genomes.shape[1]
    memory = _memory_for(problem, words)
    child = np.zeros(words, dtype=np.int64)
    with announced("advance", "the search", warm_up):
        return advance(
            state, populate, given, steps, search.tournament, search.distinct, search.elitist,
            crowded, *memory.tools, memory.work, memory.memo, child,
            NOBODY if board is None else board.flags,
        )  # fmt: skip


def _advance_helped(problem: Problem, state: State, steps: int, crowded: bool, board: Board) -> int:
    search = problem.search
    memory = _memory_for(problem, state.genomes.shape[1])
    return advance_helped(
        state, steps, search.tournament, search.distinct, search.elitist, crowded,
        *memory.tools, memory.work, memory.memo, board,
    )  # fmt: skip


def check_room(problem: Problem) -> None:
    """Raise unless the limits leave room for the smallest network of the corpus."""
    corpus, search = problem.corpus, problem.search
    forbid_only_boundary(corpus)
    numbers = len(corpus.parent) * (corpus.inputs + corpus.outputs)
    check_size(
        numbers, SEARCHED_NUMBERS, "the corpus", "distinct prefixes times inputs and outputs, "
        "numbers that a search works out for every network",
    )  # fmt: skip
    if search.max_units < corpus.inputs + corpus.outputs:
        raise InputError(
            f"max_units is {search.max_units}, but the corpus needs {corpus.inputs} inputs and "
            f"{corpus.outputs} outputs; allow more units."
        )
    if search.max_connections < corpus.outputs:
        raise InputError(
            f"max_connections is {search.max_connections}, but each of the {corpus.outputs} "
            "outputs starts with one; allow more connections."
        )


def copied(state: State) -> State:
    parts: Any = (part.copy() for part in state)
    return State(*parts)


def with_room(state: State, words: int) -> State:
    """The same island with rows of `words` words."""
    widen = ((0, 0), (0, words - state.genomes.shape[1]))
    return state._replace(genomes=np.pad(state.genomes, widen), front=np.pad(state.front, widen))


def best_of(state: State, count: int) -> list[int]:
    """The places of the best networks, best first; ties by place."""
    return [int(i) for i in np.argsort(state.values, kind="stable")[:count]]


def rows_of(state: State) -> list[Words]:
    """The networks' rows, each as long as it needs to be."""
    return [row[: int(size_of(row))] for row in state.genomes]


def front_of(state: State) -> list[tuple[int, float, Words]]:
    """(|G|, |D:G|, row) of the networks that no other beats in both, shortest first."""
    count = int(state.counters[FRONT_COUNT])
    return [
        (int(state.front_lengths[i]), float(state.front_bits[i]), row[: int(size_of(row))])
        for i, row in enumerate(state.front[:count])
    ]
