"""Automata from a corpus: states of its prefix tree are merged where what follows them agrees.

The prefix tree is the automaton that knows every string by heart. States that are sure of being
different are kept, in the order of how often they occur; each of the others is merged with the
one that it resembles most. This is ALERGIA (Carrasco and Oncina 1994) in red and blue, with
likelihood ratios for its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...construction import Automaton, Counted
from ...corpus import Corpus
from ._memories import seen_with

MOST_STATES = 24
"""More do not pay as a network on any corpus of the size that people have."""
MOST_WORK = 200_000
"""Comparisons of two nodes for one automaton."""
MOST_NODES = 60_000
"""Larger prefix trees are left alone."""
LEAST_COUNT = 4.0
"""What occurs less often cannot show a difference, and makes no state of its own."""
STRICTNESS = (3.0, 6.0)
"""Standard deviations by which what follows two states must differ for them to be different."""
SINGLE = 4.0
"""A single pair of nodes must differ by so many times as much, since there are many."""


@dataclass
class Budget:
    """Comparisons that are left for all automata of a corpus together."""

    left: int


@dataclass
class _Tree:
    counts: list[dict[int, float]]
    children: list[dict[int, int]]
    work: int = 0
    totals: list[float] = field(default_factory=list)


def automata_of(
    corpus: Corpus, counters: Sequence[Counted] = (), budget: Budget | None = None
) -> list[Automaton]:
    """Automata of different strictness for strings over an alphabet, each different one once.

    They see, beside each symbol, which of the counters are 0.
    """
    budget = Budget(2 * MOST_WORK) if budget is None else budget
    found: list[Automaton] = []
    for strictness in STRICTNESS:
        if budget.left <= 0:
            break
        tree = _tree_of(corpus, counters)
        automaton = _merged(tree, strictness, min(MOST_WORK, budget.left))
        budget.left -= tree.work
        if automaton is not None and automaton not in found:
            found.append(automaton)
    return found


def _tree_of(corpus: Corpus, counters: Sequence[Counted]) -> _Tree:
    size = len(corpus.parent)
    seen = seen_with(corpus, counters)
    counts: list[dict[int, float]] = [{} for _ in range(size)]
    children: list[dict[int, int]] = [{} for _ in range(size)]
    for node, target, weight in zip(
        corpus.item_node.tolist(), corpus.item_target.tolist(), corpus.item_weight.tolist(),
        strict=True,
    ):  # fmt: skip
        counts[node][target] = weight
    for node, (parent, symbol) in enumerate(
        zip(corpus.parent.tolist(), seen.tolist(), strict=True)
    ):
        if parent >= 0:
            children[parent][symbol] = node
    return _Tree(counts, children)


def _merged(tree: _Tree, strictness: float, most_work: int) -> Automaton | None:
    """The automaton, or None where it gets too large."""
    kept = [0]
    waiting = {(0, symbol): node for symbol, node in tree.children[0].items()}
    while waiting:
        home, symbol = max(
            waiting, key=lambda at: (sum(tree.counts[waiting[at]].values()), -at[0], -at[1])
        )
        node = waiting.pop((home, symbol))
        best: tuple[float, int] | None = None
        fallback: tuple[float, int] | None = None
        for state in kept:
            gain, same = _compare(tree, state, node, strictness)
            if tree.work > most_work:
                return None
            if same and (best is None or gain > best[0]):
                best = gain, state
            if fallback is None or gain > fallback[0]:
                fallback = gain, state
        if best is None and sum(tree.counts[node].values()) < LEAST_COUNT:
            best = fallback
        if best is None:
            if len(kept) == MOST_STATES:
                return None
            kept.append(node)
            new = [node]
        else:
            tree.children[home][symbol] = best[1]
            new = _fold(tree, best[1], node, set(kept))
        for state in new:
            for next_symbol, child in tree.children[state].items():
                if child not in kept:
                    waiting[state, next_symbol] = child
    number = {state: place for place, state in enumerate(kept)}
    return Automaton(
        tuple({s: number[c] for s, c in sorted(tree.children[state].items())} for state in kept),
        tuple(dict(sorted(tree.counts[state].items())) for state in kept),
    )


def _compare(tree: _Tree, state: int, node: int, strictness: float) -> tuple[float, bool]:
    """Bits gained by merging, in the eyes of who knows nothing before, and whether the two may be
    one state. The node is the root of a tree."""
    counts: dict[int, dict[int, float]] = {}
    grown: dict[tuple[int, int], int] = {}
    gain = statistic = 0.0
    degrees = 0
    same = True
    pairs = [(state, node)]
    while pairs:
        a, b = pairs.pop()
        tree.work += 1
        first, second = counts.get(a) or tree.counts[a], tree.counts[b]
        both = dict(first)
        for symbol, count in second.items():
            both[symbol] = both.get(symbol, 0.0) + count
        gain += _price(*first.values()) + _price(*second.values()) - _price(*both.values())
        if min(sum(first.values()), sum(second.values())) >= LEAST_COUNT and len(both) > 1:
            ratio = 2 * (_nats(first.values()) + _nats(second.values()) - _nats(both.values()))
            freedom = len(both) - 1
            statistic += ratio
            degrees += freedom
            same = same and ratio - freedom <= SINGLE * strictness * math.sqrt(2 * freedom)
        counts[a] = both
        for symbol, child in tree.children[b].items():
            there = tree.children[a].get(symbol)
            if there is None:
                there = grown.setdefault((a, symbol), child)
            if there != child:
                pairs.append((there, child))
    same = same and statistic - degrees <= strictness * math.sqrt(2 * max(degrees, 1))
    return gain, same


def _fold(tree: _Tree, state: int, node: int, kept: set[int]) -> list[int]:
    """Merge the tree below the node into the state; returns the kept states that have grown."""
    touched: dict[int, None] = {}
    pairs = [(state, node)]
    while pairs:
        a, b = pairs.pop()
        if a in kept:
            touched[a] = None
        for symbol, count in tree.counts[b].items():
            tree.counts[a][symbol] = tree.counts[a].get(symbol, 0.0) + count
        for symbol, child in tree.children[b].items():
            there = tree.children[a].get(symbol)
            if there is None:
                tree.children[a][symbol] = child
            else:
                pairs.append((there, child))
    return list(touched)


def _nats(counts: Iterable[float]) -> float:
    """The logarithm of the likelihood at its best."""
    values = list(counts)
    total = sum(values)
    return sum(c * math.log(c / total) for c in values if c) if total else 0.0


@lru_cache(maxsize=1 << 14)
def _price(*counts: float) -> float:
    """Bits of these counts in the code of Krichevsky and Trofimov."""
    size = max(2, len(counts))
    nats = math.lgamma(sum(counts) + size / 2) - math.lgamma(size / 2)
    for count in counts:
        nats -= math.lgamma(count + 0.5) - math.lgamma(0.5)
    return nats / math.log(2)
