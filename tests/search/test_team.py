"""Threads that help one thread with its island change the time and nothing else."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from numba.core import config

from mdlrnn import Corpus, Encoding, Objective, Search, Stop
from mdlrnn.kernels._advance import DONE, HELPERS, HITS, NEEDS_ROOM, STEPS, State, add, load, pause
from mdlrnn.kernels._helped import (
    ALONE,
    IS_OPEN,
    NOTHING,
    PUBLISHED,
    SLOTS,
    Board,
    claim,
    help_out,
    new_board,
    score_claimed,
    take,
)
from mdlrnn.kernels._plan import Tree, Workspace
from mdlrnn.languages import language_from
from mdlrnn.search import _crew
from mdlrnn.search._crew import Threads
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import (
    Problem,
    Scoring,
    Team,
    _advance,
    _advance_helped,
    advance_island,
    new_island,
    random_states,
    tools_for,
    with_room,
)

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="compiling is switched off")
CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [6, 4, 2, 1])
_RANDOM = random.Random(1)
NOISE = Corpus.from_strings(
    "".join(_RANDOM.choices("ab", k=_RANDOM.randint(1, 12))) for _ in range(60)
)
SEARCH = Search(islands=1, population=40)
ADDITION = language_from("addition_100").corpus()
PROBLEMS = {
    "default": Problem(CORPUS, SEARCH, Encoding.every_part()),
    "small population": Problem(CORPUS, replace(SEARCH, population=5), Encoding.every_part()),
    "paper's": Problem(CORPUS, replace(Search.paper(), population=40), Encoding("paper")),
    "one output": Problem(ADDITION, SEARCH, Encoding("paper")),
    "without |D:G|": Problem(CORPUS, SEARCH, Encoding("paper"), Objective(g=1, d=0)),
    "without |G|": Problem(
        NOISE,
        replace(SEARCH, max_units=16, max_connections=24),
        Encoding.every_part(),
        Objective(g=0, d=1),
    ),
    "not elitist": Problem(CORPUS, replace(SEARCH, elitist=False), Encoding("paper")),
    "larger tournament": Problem(CORPUS, replace(SEARCH, tournament=5), Encoding("paper")),
    "no saturation": Problem(CORPUS, replace(SEARCH, saturation=False), Encoding("paper")),
}
GROWING = PROBLEMS["without |G|"]._replace(search=replace(SEARCH, further_mutation_rate=0.9))


def an_island(problem: Problem) -> State:
    state = new_island(problem, random_states(problem.seed, 1)[0])
    return state if problem is GROWING else with_room(state, 2 * state.genomes.shape[1])


def a_board(state: State, helpers: int) -> Board:
    population, words = state.genomes.shape
    board = new_board(words, population)
    board.flags[[HELPERS, IS_OPEN]] = helpers, 1
    return board


def are_equal(one: State, other: State) -> bool:
    """In everything but how often a score was known already."""
    for state in (one, other):
        state.counters[HITS] = 0
    width = min(one.genomes.shape[1], other.genomes.shape[1])
    parts = zip(one, other, strict=True)
    return all(np.array_equal(a[..., :width], b[..., :width]) for a, b in parts)


@contextmanager
def helping(board: Board, problem: Problem, count: int) -> Iterator[None]:
    """Threads that help for as long as this lasts."""
    tree, search = tools_for(problem).tree, problem.search
    scoring = Scoring(tree, search.max_units, search.saturation, board.rows.shape[1])
    ends = threading.Event()
    called = np.zeros(1, dtype=np.int64)

    def work() -> None:
        memory = scoring.workspace()
        while not ends.is_set():
            help_out(board, tree, memory, called)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        called[0] = count
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_offspring_made_ahead_give_the_same_island(name: str, crowded: bool) -> None:
    problem = PROBLEMS[name]
    alone, ahead = an_island(problem), an_island(problem)
    assert _advance(problem, alone, 3000, crowded=crowded) == DONE
    # Helpers are said to be there and are not: the thread scores all by itself.
    board = a_board(ahead, helpers=5)
    assert _advance_helped(problem, ahead, 3000, crowded, board) == DONE
    assert are_equal(alone, ahead)
    # Some were made in vain, so places that changed have been noticed.
    made = int(board.flags[PUBLISHED])
    assert made > 3000 or name == "without |D:G|"


@pytest.mark.parametrize("name", ["default", "one output", "not elitist", "without |G|"])
def test_threads_that_help_give_the_same_island(name: str) -> None:
    problem = PROBLEMS[name]
    alone, helped = an_island(problem), an_island(problem)
    assert _advance(problem, alone, 4000) == DONE
    board = a_board(helped, helpers=0)
    with helping(board, problem, 2):
        while (steps := 4000 - int(helped.counters[STEPS])) > 0:
            assert _advance_helped(problem, helped, steps, False, board) in (DONE, ALONE)
    assert are_equal(alone, helped)


def test_it_ends_when_nobody_helps() -> None:
    problem = PROBLEMS["default"]
    state, before = an_island(problem), an_island(problem)
    assert _advance_helped(problem, state, 100, False, a_board(state, helpers=0)) == ALONE
    assert are_equal(state, before)


def test_where_a_network_might_outgrow_its_row_it_ends_at_the_same_step() -> None:
    problem = GROWING
    alone, ahead = an_island(problem), an_island(problem)
    assert _advance(problem, alone, 10**6) == NEEDS_ROOM
    board = a_board(ahead, helpers=3)
    assert _advance_helped(problem, ahead, 10**6, False, board) == NEEDS_ROOM
    assert are_equal(alone, ahead)


@njit(nogil=True)  # type: ignore[untyped-decorator]
def claim_and_wait(board: Board, tree: Tree, work: Workspace) -> int:
    """Help as a thread does that is suspended each time that it has claimed an offspring, until
    others have been made that the island comes to later; how often."""
    add(board.flags, HELPERS, 1)
    held = 0
    while load(board.flags, IS_OPEN) == 1:
        number = take(board.flags)
        if number == NOTHING or not claim(board.lines, number):
            continue
        while (
            load(board.flags, IS_OPEN) == 1 and load(board.flags, PUBLISHED) < number + SLOTS // 2
        ):
            pause()
        held += 1
        score_claimed(board, number, tree, work)
    add(board.flags, HELPERS, -1)
    return held


def test_a_thread_that_was_suspended_is_not_waited_for() -> None:
    problem = PROBLEMS["one output"]
    alone, ahead = an_island(problem), an_island(problem)
    steps = 4000
    assert _advance(problem, alone, steps) == DONE
    board = a_board(ahead, helpers=0)
    tree, search = tools_for(problem).tree, problem.search
    work = Scoring(tree, search.max_units, search.saturation, board.rows.shape[1]).workspace()
    held: list[int] = []
    thread = threading.Thread(target=lambda: held.append(claim_and_wait(board, tree, work)))
    thread.start()
    while (left := steps - int(ahead.counters[STEPS])) > 0:
        assert _advance_helped(problem, ahead, left, False, board) in (DONE, ALONE)
    board.flags[IS_OPEN] = 0
    thread.join()
    assert held[0] > 1
    assert are_equal(alone, ahead)


def test_rows_are_widened_and_helped_on() -> None:
    problem = GROWING
    alone = advance_island(problem, an_island(problem), 150, False)
    state, team = an_island(problem), Team()
    ends = threading.Event()
    called = np.zeros(1, dtype=np.int64)

    def work() -> None:
        while not ends.is_set():
            team.help(called)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        state = advance_island(problem, state, 150, False, team)
    finally:
        ends.set()
        called[0] = 1
        team.close()
        thread.join()
    assert state.genomes.shape[1] > an_island(problem).genomes.shape[1]
    assert are_equal(alone, state)


def test_islands_are_the_same_however_many_threads_help(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = PROBLEMS["default"]
    search = replace(problem.search, islands=3, migration_interval=20)
    problem = problem._replace(search=search)
    stop = Stop(generations=200)
    alone = evolve_islands(problem, stop, workers=1).archipelago.digest()
    monkeypatch.setattr(_crew, "Readiness", lambda: lambda: True)
    for workers in (2, 4):
        crew = Threads(workers, helping=True)
        try:
            assert evolve_islands(problem, stop, workers=crew).archipelago.digest() == alone
        finally:
            crew.close()
