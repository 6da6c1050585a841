"""Networks to start from that the corpus itself suggests: automata, merged from its prefix tree.

They know nothing of any task, and they have to pay their |G| as every network does. Evolution
shortens them, or finds something better on the islands that are without.
"""

from __future__ import annotations

from functools import lru_cache

from ..corpus._corpus import Corpus
from ..kernels._genome import Words, row_of
from ..network._alphabet import BOUNDARY
from ._automaton_network import automaton_network
from ._counters import counters_of
from ._island import Problem
from ._loads import loads_of
from ._memories import Counted
from ._merging import MOST_NODES, Budget, automata_of
from ._spaces import fits, island_problem
from ._stacks import stack_tests

MOST_LEVELS = 5_000
"""Corpora with longer strings have automata alone: memories are tried symbol after symbol."""


def has_founders(island: int) -> bool:
    """Every third island; the sets of parts take their turns in fives, so each set has some."""
    return island % 3 == 1


def founders_for(problem: Problem, island: int) -> tuple[Words, ...]:
    """The rows of the networks that an island starts from, beside random ones."""
    if not problem.encoding.says_parts or not has_founders(island):
        return ()
    own = island_problem(problem, island)
    return tuple(
        row
        for row in _automata_rows(problem.corpus, problem.search.saturation)
        if row[0] <= own.search.max_units
        and row[1] <= own.search.max_connections
        and fits(row, own)
    )


@lru_cache(maxsize=4)
def _automata_rows(corpus: Corpus, saturation: bool) -> tuple[Words, ...]:
    if corpus.alphabet is None or len(corpus.parent) > MOST_NODES:
        return ()
    boundary = corpus.alphabet.index(BOUNDARY)
    memories = []
    if len(corpus.levels) <= MOST_LEVELS:
        memories = _memories(corpus, boundary, saturation)
    budget = Budget()
    found = [
        automaton_network(automaton, corpus.alphabet, boundary, used)
        for used in ([], *sorted(memories, key=len))
        for automaton in automata_of(corpus, used, budget)
    ]
    return tuple(map(row_of, found))


def _memories(corpus: Corpus, boundary: int, saturation: bool) -> list[list[Counted]]:
    """Tests of what the corpus suggests to remember, each list for automata of its own."""
    loads = loads_of(corpus, boundary)
    besides = counters_of(corpus, boundary, loads) if loads else []
    return [
        *_beginnings(counters_of(corpus, boundary)),
        *_beginnings([*loads, *besides]),
        *stack_tests(corpus, boundary, saturation),
    ]


def _beginnings(counters: list[Counted]) -> list[list[Counted]]:
    """The first alone, the first two, and so on: what is found later may be chance."""
    return [counters[:count] for count in range(1, len(counters) + 1)]
