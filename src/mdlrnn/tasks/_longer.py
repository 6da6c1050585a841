"""Strings longer than those of a training set, of any language: what a network is tested on.

First the shortest that are longer than all training strings, in order, where there are not too many
to look through. Then long ones, by target length: they are drawn from the language's own rules with
chances that are moved, round by round, to where strings come out about as long as wanted. A machine
does not end its string early where it can go on, and beyond some length takes the way home.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState

from ..corpus._corpus import Corpus
from ..languages import Grammar, Language, Transducer
from ..languages._productions import Nonterminal, Part, Production
from ..languages._rules import END
from ..languages._strings import random_from
from ..network._alphabet import BOUNDARY

SHORTEST = 200
"""Of the shortest longer strings, so many."""
LOOKED_THROUGH = 5_000
"""Strings that are enumerated to find them."""
TARGETS, AT_EACH = 10, 20
"""Target lengths, and strings for each."""
TIMES, LEAST_LONGEST, MOST_LONGEST = 4, 100, 1_000
"""The longest target: so many times the longest training string, but within these bounds, and in
any case a quarter longer."""
GRAMMAR_LONGEST = 60
"""The same for a grammar without a machine, for which each string takes the cube of its length."""
ROUNDS, DRAWN, BEST = 25, 60, 12
"""Rounds of moving the chances, strings drawn in each, and those that say where to move."""
KEPT = 0.3
"""Of the chances before, so much stays in each round."""
EXPANSIONS = 30_000
"""Of nonterminals of a grammar for one target length; some grammars write few symbols with many."""
NEAR = 0.15
"""A string that is off its target by this share of it serves."""

Key = tuple[Hashable, Hashable]
"""Where a way was taken, and which."""
Drawing = Callable[[dict[Key, float]], "tuple[tuple[str, ...] | None, list[Key]]"]


def longer_strings(
    language: Language | Grammar, training: Corpus, seed: int, longest: int | None = None
) -> Iterator[Any]:
    """Strings of the language that are longer than all training strings, up to some `longest`
    symbols; nothing if there are none."""
    most = int(len(training.levels) - 2)
    if longest is None:
        top = MOST_LONGEST if isinstance(language, Language) else GRAMMAR_LONGEST
        longest = max(min(max(TIMES * most, LEAST_LONGEST), top), most + most // 4 + 10)
    seen: set[Any] = set()
    for string in language.shortest(LOOKED_THROUGH):
        if len(string) > longest:
            break
        if most < len(string):
            seen.add(string)
            yield string
            if len(seen) >= SHORTEST:
                break
    random = random_from(seed)
    first = max([most, *map(len, seen)])
    if first >= longest:
        return
    for target in np.unique(np.linspace(first + 1, longest, TARGETS).astype(int)):
        for string in near_length(language, int(target), AT_EACH, random):
            if most < len(string) <= longest and string not in seen:
                seen.add(string)
                yield string


def near_length(
    language: Language | Grammar, target: int, count: int, random: RandomState
) -> list[Any]:
    """Different strings whose length is near the target, as many as are found."""
    draw = _drawing(language, random, target)
    weights: dict[Key, float] = {}
    found: dict[Any, None] = {}
    words = language.words
    for _ in range(ROUNDS):
        drawn = [draw(weights) for _ in range(DRAWN)]
        whole = [(symbols, keys) for symbols, keys in drawn if symbols is not None]
        for symbols, _ in whole:
            if abs(len(symbols) - target) <= max(1, NEAR * target):
                found[symbols if words else "".join(symbols)] = None
                if len(found) >= count:
                    return list(found)
        ranked = sorted(drawn, key=lambda one: _distance(one[0], target))
        _move(weights, [keys for _, keys in ranked[:BEST]])
    return list(found)


def _distance(symbols: tuple[str, ...] | None, target: int) -> float:
    """A string that was given up for its length is off by as much as one can be."""
    return target if symbols is None else abs(len(symbols) - target)


def _move(weights: dict[Key, float], chosen: list[list[Key]]) -> None:
    """Towards the shares in which the best strings took their ways."""
    counts: dict[Hashable, dict[Hashable, int]] = {}
    for keys in chosen:
        for place, way in keys:
            ways = counts.setdefault(place, {})
            ways[way] = ways.get(way, 0) + 1
    for place, ways in counts.items():
        total = sum(ways.values())
        known = [key for key in weights if key[0] == place]
        for key in {*known, *((place, way) for way in ways)}:
            share = ways.get(key[1], 0) / total
            weights[key] = KEPT * weights.get(key, share) + (1 - KEPT) * share


def _drawing(language: Language | Grammar, random: RandomState, target: int) -> Drawing:
    most = 2 * target + 2
    if isinstance(language, Language):
        return lambda weights: _walk(language, random, target, most, weights)
    by_left: dict[Nonterminal, list[Production]] = {}
    for production in language.productions:
        by_left.setdefault(production.left, []).append(production)
    start, left = language.start, [EXPANSIONS]
    return lambda weights: _derive(start, by_left, random, most, weights, left)


def _chosen(
    random: RandomState,
    place: Hashable,
    ways: list[tuple[Hashable, float]],
    weights: dict[Key, float],
) -> int:
    shares = np.array([weights.get((place, way), chance) for way, chance in ways])
    # No way is given up altogether.
    shares = np.maximum(shares, 1e-3)
    return int(random.choice(len(ways), p=shares / shares.sum()))


def _walk(
    language: Language, random: RandomState, target: int, most: int, weights: dict[Key, float]
) -> tuple[tuple[str, ...] | None, list[Key]]:
    symbols: list[str] = []
    keys: list[Key] = []
    here = language.beginning
    turn = target * random.uniform(0.4, 1)
    """From here on the string goes home."""
    while len(symbols) <= most:
        options = language.options(here)
        number = 0
        if len(options) > 1 and len(symbols) >= turn:
            ahead = [(o.symbol != BOUNDARY, sum(o.to.counters)) for o in options]
            number = ahead.index(min(ahead))
        elif len(options) > 1:
            options = tuple(o for o in options if o.symbol != BOUNDARY)
            ways: list[tuple[Hashable, float]] = [(o.symbol, float(o.chance)) for o in options]
            # One state may be at several places of a string, which differ in what can follow.
            place = (here.state, tuple(symbol for symbol, _ in ways))
            number = _chosen(random, place, ways, weights)
            keys.append((place, options[number].symbol))
        option = options[number]
        if option.symbol == BOUNDARY or option.to.state == END:
            return tuple(symbols), keys
        symbols.append(option.symbol)
        here = option.to
    return None, keys


def _derive(
    start: Nonterminal,
    by_left: dict[Nonterminal, list[Production]],
    random: RandomState,
    most: int,
    weights: dict[Key, float],
    expansions: list[int],
) -> tuple[tuple[str, ...] | None, list[Key]]:
    """A string of the grammar, unless it gets too long; `expansions` says how many are left."""
    symbols: list[str] = []
    keys: list[Key] = []
    left: list[Part] = [start]
    while left and len(symbols) <= most and len(left) <= 4 * most and expansions[0] > 0:
        part = left.pop()
        if isinstance(part, str):
            symbols.append(part)
            continue
        expansions[0] -= 1
        own = by_left[part]
        number = 0
        if len(own) > 1:
            ways: list[tuple[Hashable, float]] = [(i, float(p.chance)) for i, p in enumerate(own)]
            number = _chosen(random, part, ways, weights)
            keys.append((part, number))
        left += reversed(own[number].right)
    return (None if left else tuple(symbols)), keys


LONGER_STEPS = (13, 60)
"""Steps of the sequences of numbers that a network is tested on."""
SEQUENCES = 2_000


def longer_sequences(transducer: Transducer, seed: int, longest: int | None = None) -> Corpus:
    """Random sequences of numbers, longer than those of a training set that is drawn."""
    shortest, most = LONGER_STEPS
    random = random_from(seed)
    most = max(shortest, most if longest is None else longest)
    return transducer.drawn(random, SEQUENCES, shortest, most)
