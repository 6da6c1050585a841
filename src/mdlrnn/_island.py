"""One island: its state, and an epoch as a pure function from state to state.

`epoch` is what executors run, in threads, processes or on other machines. It depends on nothing but
its arguments; what it keeps between calls (the corpus tree, working memory, remembered scores) only
saves time.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ._corpus import Corpus, forbid_only_boundary
from ._errors import InputError
from ._kernels._advance import NEEDS_ROOM, State, advance, join_front, populate
from ._kernels._compile import announced
from ._kernels._evaluate import COUNTERS, FRONT_COUNT, IMPROVED_AT, STEPS, Memo, new_memo
from ._kernels._genome import CONNECTION_WORDS, HEADER, Words, size_of
from ._kernels._random import Random
from ._kernels._score import Workspace, encoding_table, workspace_for
from ._kernels._tree import Tree, tree_of
from ._network import ACTIVATIONS
from ._score import Objective
from ._search import Search

ROW_WORDS = 512
"""Words of a row at first: 20 units with 20 connections and an offspring, say. Rows double when
need be."""
FRONT_SIZE = 96


class Problem(NamedTuple):
    """All that an epoch needs besides the island."""

    corpus: Corpus
    search: Search
    objective: Objective


class Tools(NamedTuple):
    """What the kernels read, derived from a problem."""

    tree: Tree
    encoding: Any
    multipliers: Any
    space: Any


@lru_cache(maxsize=4)
def tools_for(problem: Problem) -> Tools:
    corpus, search, objective = problem
    codes = [ACTIVATIONS.index(name) for name in search.activations]
    space = [
        corpus.inputs, corpus.outputs, int(search.products), search.max_units,
        search.max_connections, round(1000 * search.further_mutations),
        round(1000 * search.fresh_weights), round(1000 * search.compound_mutations),
        round(1000 * search.grafts), round(1000 * search.stacks), int(search.anywhere),
        len(codes), *codes,
    ]  # fmt: skip
    return Tools(
        tree_of(corpus),
        encoding_table(search.code()),
        np.array([objective.g, objective.d, objective.l1, objective.l2]),
        np.array(space, dtype=np.int64),
    )


class _Memory(threading.local):
    """Each thread's working memory for the problem and row size it last worked on."""

    key: tuple[Problem, int] | None = None
    work: Workspace
    memo: Memo


_MEMORY = _Memory()


def _memory_for(problem: Problem, tree: Tree, words: int) -> tuple[Workspace, Memo]:
    if _MEMORY.key != (problem, words):
        most = (words - HEADER) // CONNECTION_WORDS + 1
        _MEMORY.work = workspace_for(tree, most, most)
        _MEMORY.memo = new_memo()
        _MEMORY.key = (problem, words)
    return _MEMORY.work, _MEMORY.memo


def random_states(seed: int, islands: int) -> list[Random]:
    """A random state for each island, independent of how many there are."""
    children = np.random.SeedSequence(seed).spawn(islands)
    return [child.generate_state(4, np.uint64).astype(np.uint64) for child in children]


def settle(problem: Problem, random: Random) -> State:
    """A new island with random networks; `random` is its random state."""
    tools = tools_for(problem)
    needed = HEADER + 3 * (
        problem.corpus.inputs + problem.corpus.outputs
        + 2 * problem.corpus.inputs * problem.corpus.outputs
    )  # fmt: skip
    words = ROW_WORDS
    while words < 2 * needed:
        words *= 2
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
    work, memo = _memory_for(problem, tools.tree, words)
    with announced("populate", "the search (1 of 2)"):
        populate(state, *tools, work, memo)
    return state


def epoch(problem: Problem, state: State, generations: int, crowded: bool = False) -> State:
    """The island so many generations later. The state given is left as it is."""
    tools = tools_for(problem)
    state = copy_of(state)
    search = problem.search
    end = int(state.counters[STEPS]) + generations * problem.search.population
    with announced("advance", "the search (2 of 2)"):
        while (steps := end - int(state.counters[STEPS])) > 0:
            words = state.genomes.shape[1]
            work, memo = _memory_for(problem, tools.tree, words)
            child = np.zeros(words, dtype=np.int64)
            ended = advance(
                state, steps, search.tournament, search.distinct, search.elitist, crowded, *tools,
                work, memo, child,
            )  # fmt: skip
            if ended == NEEDS_ROOM:
                state = with_room(state, 2 * words)
    return state


def prepare(problem: Problem, state: State) -> None:
    """Compile what `epoch` calls, so that the run's clock starts with the search."""
    tools = tools_for(problem)
    words = state.genomes.shape[1]
    work, memo = _memory_for(problem, tools.tree, words)
    child = np.zeros(words, dtype=np.int64)
    with announced("advance", "the search (2 of 2)"):
        advance(copy_of(state), 0, 2, True, True, True, *tools, work, memo, child)


def check_room(problem: Problem) -> None:
    """Raise unless the limits leave room for the smallest network of the corpus."""
    corpus, search = problem.corpus, problem.search
    forbid_only_boundary(corpus)
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


def copy_of(state: State) -> State:
    parts: Any = (part.copy() for part in state)
    return State(*parts)


def with_room(state: State, words: int) -> State:
    """The same island with rows of `words` words."""
    widen = ((0, 0), (0, words - state.genomes.shape[1]))
    return state._replace(genomes=np.pad(state.genomes, widen), front=np.pad(state.front, widen))


def best_of(state: State, count: int) -> list[int]:
    """The places of the best networks, best first; ties by place."""
    return [int(i) for i in np.argsort(state.values, kind="stable")[:count]]


def migrate(states: list[State], size: int, turn: int) -> list[State]:
    """Each island sends copies of its best networks on, where they replace the worst.

    The islands stand in a ring, and an island sends `1 + turn mod (islands - 1)` places on, so that
    in the course of the migrations each island sends to every other.
    """
    count = len(states)
    if count < 2 or size == 0:
        return states
    step = 1 + turn % (count - 1)
    words = max(state.genomes.shape[1] for state in states)
    arrived = []
    for here, state in enumerate(states):
        home = states[here - step]
        needed = max(int(size_of(home.genomes[i])) for i in best_of(home, size))
        fits = state.genomes.shape[1]
        grown = state if fits >= needed else with_room(state, words)
        arrived.append(_receive(grown, home, size))
    return arrived


def stagnant(states: list[State], generations: int) -> list[int]:
    """The islands, but for the first, that found nothing better for as long as they wait.

    Some wait longer than others: what a basin is worth shows after 30,000 steps or after 500,000.
    """
    waited = generations * len(states[0].values)
    return [
        i
        for i, state in enumerate(states)
        if i > 0 and state.counters[STEPS] - state.counters[IMPROVED_AT] >= waited * patience_of(i)
    ]


def patience_of(island: int) -> int:
    """How many intervals an island waits: every other one 1, half of the rest 4, the others 16."""
    return 1 if island % 2 else 4 if island % 4 else 16


def is_crowded(search: Search, island: int) -> bool:
    """Whether offspring contend with their parents there: on the last four of every eight islands.

    So there are islands of every patience of both kinds.
    """
    return search.crowding and search.elitist and island % 8 >= 4


def retire(states: list[State], leaving: list[int], size: int) -> State:
    """The first island with the best networks of the islands that are about to start anew."""
    elders = states[0]
    for i in leaving:
        needed = max(int(size_of(states[i].genomes[j])) for j in best_of(states[i], size))
        if elders.genomes.shape[1] < needed:
            elders = with_room(elders, states[i].genomes.shape[1])
        elders = _receive(elders, states[i], size)
    return elders


def resettle(problem: Problem, state: State) -> State:
    """The island with new random networks; its random state, counters and front go on."""
    tools = tools_for(problem)
    state = copy_of(state)
    state.best_value[0] = np.inf
    work, memo = _memory_for(problem, tools.tree, state.genomes.shape[1])
    with announced("populate", "the search (1 of 2)"):
        populate(state, *tools, work, memo)
    return state


def _receive(state: State, home: State, size: int) -> State:
    state = copy_of(state)
    worst = np.argsort(state.values, kind="stable")[-size:]
    for i, j in zip(worst, best_of(home, size), strict=True):
        used = int(size_of(home.genomes[j]))
        state.genomes[i, :used] = home.genomes[j, :used]
        state.values[i] = home.values[j]
        state.lengths[i] = home.lengths[j]
        state.bits[i] = home.bits[j]
        state.best_value[0] = min(state.best_value[0], home.values[j])
        join_front(
            state.genomes[i], state.lengths[i], state.bits[i], state.counters, state.front,
            state.front_lengths, state.front_bits,
        )  # fmt: skip
    return state


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
