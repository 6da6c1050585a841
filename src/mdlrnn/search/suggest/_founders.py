"""Networks to start from that the corpus itself suggests: automata, merged from its prefix tree.

They know nothing of any task, and they have to pay their |G| as every network does. Evolution
shortens them, or finds something better on the islands that are without.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import lru_cache

from ...construction import Classes, Counted, automaton_network
from ...corpus import Corpus
from ...kernels import CONSTRUCTED, Words, marked, row_of
from ...network import BOUNDARY, Network
from ...waiting import doing
from .._island import Problem
from .._migration import fits, island_problem
from ._classes import classes_of, shares_of, with_classes
from ._counters import counters_of, loads_of
from ._memories import bits_given, seen_with, symbols_of
from ._merging import MOST_NODES, Budget, automata_of
from ._stacks import stack_tests

PLAIN_WORK, MEMORY_WORK = 150_000, 300_000
"""Comparisons for automata that see symbols alone, and for those that see a memory too."""
TEST_BITS = 60
"""About what a test costs a network."""
LEAST_CLASSES = 2
"""Where all symbols are of one class, only lengths would be left to see."""
MOST_LEVELS = 5_000
"""Corpora with longer strings have automata alone: memories are tried symbol after symbol."""


_AT_WORK = threading.Lock()
"""One thread finds them, and the others wait for it."""


def has_founders(island: int) -> bool:
    """Every third island; the sets of parts take their turns in fives, so each set has some."""
    return island % 3 == 1


def begins_with_founders(problem: Problem) -> bool:
    """Whether some islands begin with constructed networks: as the search says, or by default where
    the code says what a network is made of."""
    given = problem.search.founders
    return problem.encoding.says_parts if given is None else given


def founders_for(problem: Problem, island: int) -> tuple[Words, ...]:
    """The rows of the networks that an island starts from, beside random ones."""
    if not begins_with_founders(problem) or not has_founders(island):
        return ()
    own = island_problem(problem, island)
    with _AT_WORK:
        found = suggested(problem.corpus, problem.search.saturation)
    rows = (marked(row_of(network), CONSTRUCTED) for network in found)
    return tuple(
        row
        for row in rows
        if row[0] <= own.search.max_units
        and row[1] <= own.search.max_connections
        and fits(row, own)
    )


@lru_cache(maxsize=4)
def suggested(corpus: Corpus, saturation: bool) -> tuple[Network, ...]:
    """The networks that are constructed from a corpus."""
    if corpus.alphabet is None:
        return ()
    boundary = corpus.alphabet.index(BOUNDARY)
    found = _automata(corpus, boundary, saturation, {})
    classes = classes_of(corpus, boundary)
    if LEAST_CLASSES < len(classes) <= len(symbols_of(corpus, boundary)):
        plain = with_classes(corpus, classes)
        found += _automata(plain, boundary, saturation, shares_of(corpus, classes))
    return tuple(found)


@doing("constructing networks from the strings")
def _automata(corpus: Corpus, boundary: int, saturation: bool, classes: Classes) -> list[Network]:
    if len(corpus.parent) > MOST_NODES:
        return []
    found = _networks(corpus, boundary, [[]], Budget(PLAIN_WORK), classes)
    if len(corpus.levels) <= MOST_LEVELS:
        memories = _memories(corpus, boundary, saturation)
        memories.sort(key=lambda tests: _promise(corpus, tests))
        found += _networks(corpus, boundary, memories, Budget(MEMORY_WORK), classes)
    return found


def _networks(
    corpus: Corpus,
    boundary: int,
    memories: Iterable[list[Counted]],
    budget: Budget,
    classes: Classes,
) -> list[Network]:
    assert corpus.alphabet is not None
    return [
        automaton_network(automaton, corpus.alphabet, boundary, tests, classes)
        for tests in memories
        for automaton in automata_of(corpus, tests, budget)
    ]


def _promise(corpus: Corpus, tests: list[Counted]) -> float:
    """Bits of the corpus for who knows the last symbol and the tests, and about what those cost:
    the least first, since not all may have their turn."""
    seen = seen_with(corpus, tests)
    return bits_given(corpus, seen, corpus.inputs << len(tests)) + TEST_BITS * len(tests)


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
