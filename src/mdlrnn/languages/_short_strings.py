"""Every string of a grammar up to a length, with its probability."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from ._grammar import Grammar
from ._productions import Nonterminal, Part

Chances = dict[tuple[str, ...], Fraction]


def short_strings(grammar: Grammar, longest: int) -> Chances:
    """Strings of at least one symbol, the shortest first, for a grammar of which no rule is empty
    and no nonterminal leads to itself alone.

    They are put together from their parts, so that prefixes which no short string has cost nothing.
    """

    @cache
    def of(part: Part, length: int) -> Chances:
        if isinstance(part, str):
            return {(part,): Fraction(1)} if length == 1 else {}
        found: Chances = {}
        for production in grammar.productions:
            if production.left == part:
                for string, chance in joined(production.right, length).items():
                    found[string] = found.get(string, Fraction(0)) + production.chance * chance
        return found

    @cache
    def joined(parts: tuple[Part, ...], length: int) -> Chances:
        """Strings of all these parts in turn, each of which has one symbol at least."""
        first, rest = parts[0], parts[1:]
        if not rest:
            return of(first, length)
        found: Chances = {}
        for own in range(1, length - len(rest) + 1):
            for begin, chance in of(first, own).items():
                for end, other in joined(rest, length - own).items():
                    whole = (*begin, *end)
                    found[whole] = found.get(whole, Fraction(0)) + chance * other
        return found

    start: Nonterminal = grammar.start
    every: Chances = {}
    for length in range(1, longest + 1):
        every |= of(start, length)
    return every
