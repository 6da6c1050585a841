"""Strings longer than those of a training set, of any language: what a network is tested on.

First the shortest that are longer than all training strings, in order, where there are not too many
to look through. Then long ones, by target length: they are drawn from the language's own rules with
chances that are moved, round by round, to where strings come out about as long as wanted. A machine
does not end its string early where it can go on, and beyond some length takes the way home.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState

from ..corpus import Corpus
from ..expressions import Expression, drawn
from ..machines import END, Draw, Machine, Ready, Transducer, random_from
from ..network import BOUNDARY
from ._grammar import Grammar
from ._productions import Nonterminal, Part, Production

PART = 250_000
"""Characters of a part of a test set."""
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
Ways = tuple[tuple[Hashable, float], ...]
"""The ways that can be taken at a place, with the chances that the language gives them."""
Drawn = tuple[tuple[str, ...] | None, list[Key]]
"""A string, unless it got too long, and the ways taken."""


def longer_strings(
    language: Machine | Grammar | Expression,
    training: Corpus,
    seed: int,
    longest: int | None = None,
) -> Iterator[Any]:
    """Strings of the language that are longer than all training strings, up to `longest`
    symbols; there may be none."""
    most = int(len(training.levels) - 2)
    if longest is None:
        top = MOST_LONGEST if isinstance(language, Machine) else GRAMMAR_LONGEST
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
    language: Machine | Grammar | Expression, target: int, count: int, random: RandomState
) -> list[Any]:
    """Different strings whose length is near the target, as many as are found."""
    chances = _Chances()
    draw = _drawing(language, random, target, chances)
    found: dict[Any, None] = {}
    words = language.words
    for _ in range(ROUNDS):
        drawn = [draw() for _ in range(DRAWN)]
        whole = [(symbols, keys) for symbols, keys in drawn if symbols is not None]
        for symbols, _ in whole:
            if abs(len(symbols) - target) <= max(1, NEAR * target):
                found[symbols if words else "".join(symbols)] = None
                if len(found) >= count:
                    return list(found)
        ranked = sorted(drawn, key=lambda one: _distance(one[0], target))
        chances.move([keys for _, keys in ranked[:BEST]])
    return list(found)


def _distance(symbols: tuple[str, ...] | None, target: int) -> float:
    """A string that was given up for its length is off by as much as one can be."""
    return target if symbols is None else abs(len(symbols) - target)


class _Chances:
    """The chances of the ways at each place: the language's, then moved to what served."""

    def __init__(self) -> None:
        self._moved: dict[Key, float] = {}
        self._draws: dict[tuple[Hashable, Ways], Draw] = {}

    def choose(self, random: RandomState, place: Hashable, ways: Ways) -> int:
        draw = self._draws.get((place, ways))
        if draw is None:
            shares = np.array([self._moved.get((place, way), chance) for way, chance in ways])
            # No way is given up altogether.
            shares = np.maximum(shares, 1e-3)
            draw = self._draws[place, ways] = Draw(shares / shares.sum())
        return draw(random)

    def move(self, chosen: list[list[Key]]) -> None:
        """Towards the shares in which the best strings took their ways."""
        counts: dict[Hashable, dict[Hashable, int]] = {}
        for keys in chosen:
            for place, way in keys:
                ways = counts.setdefault(place, {})
                ways[way] = ways.get(way, 0) + 1
        for place, ways in counts.items():
            total = sum(ways.values())
            known = [key for key in self._moved if key[0] == place]
            for key in {*known, *((place, way) for way in ways)}:
                share = ways.get(key[1], 0) / total
                self._moved[key] = KEPT * self._moved.get(key, share) + (1 - KEPT) * share
        self._draws.clear()


def _drawing(
    language: Machine | Grammar | Expression, random: RandomState, target: int, chances: _Chances
) -> Callable[[], Drawn]:
    most = 2 * target + 2
    if isinstance(language, Machine):
        crossings: dict[int, _Crossing] = {}
        return lambda: _walk(language, random, target, most, chances, crossings)
    if isinstance(language, Expression):
        return lambda: _decide(language, random, most, chances)
    by_left: dict[Nonterminal, list[Production]] = {}
    for production in language.productions:
        by_left.setdefault(production.left, []).append(production)
    start, left = language.start, [EXPANSIONS]
    return lambda: _derive(start, by_left, random, most, chances, left)


def _decide(language: Expression, random: RandomState, most: int, chances: _Chances) -> Drawn:
    """A string of an expression, decision by decision."""
    program = language.program
    keys: list[Key] = []
    if program is None:
        return None, keys

    def outcome(slot: int) -> int:
        ways = tuple((way, float(chance)) for way, chance in enumerate(language.chances[slot]))
        way = chances.choose(random, slot, ways)
        keys.append((slot, way))
        return way

    symbols = []
    for number in drawn(program, outcome):
        symbols.append(language.symbols[number])
        if len(symbols) > most:
            return None, keys
    return tuple(symbols), keys


class _Crossing(NamedTuple):
    """Where a machine can go several ways that do not end the string."""

    place: Hashable
    """One state may be at several places of a string, which differ in what can follow."""
    ways: Ways
    rules: tuple[Ready, ...]

    @classmethod
    def of(cls, state: str, enabled: tuple[Ready, ...]) -> _Crossing:
        rules = tuple(rule for rule in enabled if rule.symbol != BOUNDARY)
        ways = tuple((rule.symbol, float(rule.chance)) for rule in rules)
        return cls((state, tuple(symbol for symbol, _ in ways)), ways, rules)


def _walk(
    language: Machine,
    random: RandomState,
    target: int,
    most: int,
    chances: _Chances,
    crossings: dict[int, _Crossing],
) -> Drawn:
    symbols: list[str] = []
    keys: list[Key] = []
    here = language.beginning
    turn = target * random.uniform(0.4, 1)
    """From here on the string goes home."""
    while len(symbols) <= most:
        enabled = language.enabled(here)
        if len(enabled) == 1:
            (rule,) = enabled
        elif len(symbols) >= turn:
            ahead = [(r.symbol != BOUNDARY, sum(r.lead(here.counters).counters)) for r in enabled]
            rule = enabled[ahead.index(min(ahead))]
        else:
            crossing = crossings.get(id(enabled))
            if crossing is None:
                crossing = crossings[id(enabled)] = _Crossing.of(here.state, enabled)
            rule = crossing.rules[chances.choose(random, crossing.place, crossing.ways)]
            keys.append((crossing.place, rule.symbol))
        if rule.symbol == BOUNDARY or rule.to == END:
            return tuple(symbols), keys
        symbols.append(rule.symbol)
        here = rule.lead(here.counters)
    return None, keys


def _derive(
    start: Nonterminal,
    by_left: dict[Nonterminal, list[Production]],
    random: RandomState,
    most: int,
    chances: _Chances,
    expansions: list[int],
) -> Drawn:
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
            ways = tuple((i, float(p.chance)) for i, p in enumerate(own))
            number = chances.choose(random, part, ways)
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


def in_parts(strings: Iterator[Any]) -> Iterator[Corpus]:
    """Strings as corpora of some `PART` characters each."""
    part: list[Any] = []
    characters = 0
    for string in strings:
        part.append(string)
        characters += len(string) + 1
        if characters >= PART:
            yield Corpus.from_strings(part)
            part, characters = [], 0
    if part:
        yield Corpus.from_strings(part)
