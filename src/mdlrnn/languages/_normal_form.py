"""A grammar made ready for prediction, with no empty and no unit productions left.

Long productions are cut in two, what can be empty is left out where it is empty, and chains of
unit productions are summed by a matrix inverse. A second inverse sums the ways in which a symbol
begins with another (its left corners), however deep the recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import localcontext
from fractions import Fraction
from math import prod
from typing import Generic

from ._closure import CONTEXT, N, closure
from ._productions import Nonterminal, Part, Production

Key = Part | tuple[Part, ...]
"""A symbol of the normal form; a tuple is the rest of a production that was cut in two."""


@dataclass(frozen=True)
class Tables(Generic[N]):
    """Binary productions A → B C and A → 'a'; the symbols are numbered, the start symbol is 0."""

    zero: N
    empty: N
    """The probability of the empty string; all else is about the strings that are not."""
    parents: tuple[tuple[tuple[int, int, N], ...], ...]
    """For each B the productions A → B C, as A, C and the probability."""
    corners: tuple[dict[int, N], ...]
    """For each A how often its leftmost descendants are B, on average; itself counts."""
    lexicon: dict[str, dict[int, N]]
    """For each terminal the A that can be it, and how likely."""


def normal_form(
    start: Nonterminal,
    productions: Sequence[Production],
    empty: Mapping[Nonterminal, Fraction],
    number: Callable[[Fraction], N],
) -> Tables[N]:
    """The tables of a grammar whose derivations all end, in one kind of number.

    `empty` says how likely each nonterminal yields the empty string.
    """
    with localcontext(CONTEXT):
        zero, one = number(Fraction(0)), number(Fraction(1))
        units, pairs = _without_empty(start, productions, empty, number)
        below = closure(units, one)
        joined: dict[Key, dict[tuple[Key, Key], N]] = {}
        left: list[Key] = [start]
        while left:
            key = left.pop()
            if key not in joined:
                own = joined[key] = {}
                for lower, factor in below[key].items():
                    for pair, chance in pairs[lower].items():
                        own[pair] = own.get(pair, zero) + factor * chance
                left += [child for pair in own for child in pair]
        numbers = {key: place for place, key in enumerate(joined)}
        first: dict[int, dict[int, N]] = {place: {} for place in numbers.values()}
        parents: list[list[tuple[int, int, N]]] = [[] for _ in numbers]
        lexicon: dict[str, dict[int, N]] = {}
        for key, place in numbers.items():
            for pair, chance in joined[key].items():
                corner, other = numbers[pair[0]], numbers[pair[1]]
                first[place][corner] = first[place].get(corner, zero) + chance
                parents[corner].append((place, other, chance))
            for lower, chance in below[key].items():
                if isinstance(lower, str):
                    lexicon.setdefault(lower, {})[place] = chance
        corners = closure(first, one)
    return Tables(
        zero=zero,
        empty=number(empty[start]),
        parents=tuple(map(tuple, parents)),
        corners=tuple(corners[place] for place in numbers.values()),
        lexicon=lexicon,
    )


def _without_empty(
    start: Nonterminal,
    productions: Sequence[Production],
    empty: Mapping[Nonterminal, Fraction],
    number: Callable[[Fraction], N],
) -> tuple[dict[Key, dict[Key, N]], dict[Key, dict[tuple[Key, Key], N]]]:
    """For each symbol, given that it is not empty: its unit productions and its binary ones."""
    rights: dict[Key, list[tuple[tuple[Part, ...], Fraction]]] = {}
    for production in productions:
        rights.setdefault(production.left, []).append((production.right, production.chance))
    units: dict[Key, dict[Key, N]] = {}
    pairs: dict[Key, dict[tuple[Key, Key], N]] = {}
    left: list[Key] = [start]
    while left:
        key = left.pop()
        if key in units:
            continue
        unit: dict[Key, Fraction] = {}
        pair: dict[tuple[Key, Key], Fraction] = {}
        own = [(key, Fraction(1))] if isinstance(key, tuple) else rights.get(key, [])
        for right, chance in own:
            if not right:
                continue
            one = right[0]
            two = right[1] if len(right) == 2 else right[1:]
            no_one, no_two = _empty(one, empty), _empty(two, empty)
            for child, weight in (
                (one, chance * (1 - no_one) * no_two),
                (two, chance * no_one * (1 - no_two)),
            ):
                if weight:
                    unit[child] = unit.get(child, Fraction(0)) + weight
            both = chance * (1 - no_one) * (1 - no_two)
            if both:
                pair[one, two] = pair.get((one, two), Fraction(0)) + both
        # The chance not to be empty, or where that is no rational number nearly so.
        total = sum(unit.values()) + sum(pair.values())
        units[key] = {child: number(weight / total) for child, weight in unit.items()}
        pairs[key] = {children: number(weight / total) for children, weight in pair.items()}
        left += [*unit, *(child for children in pair for child in children)]
    return units, pairs


def _empty(key: Key, empty: Mapping[Nonterminal, Fraction]) -> Fraction:
    if isinstance(key, str):
        return Fraction(0)
    if isinstance(key, Nonterminal):
        return empty[key]
    return prod((_empty(part, empty) for part in key), start=Fraction(1))
