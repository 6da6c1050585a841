"""Names for automata that count a symbol, or all symbols, modulo a number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from ..languages import Configuration, Language
from ..network._alphabet import BOUNDARY

MODULI = (2, 3, 4, 5, 6, 7, 8)
MOST_STATES = 64
MOST_PAIRS = 5_000
"""Of counts that are tried together."""


class Count(NamedTuple):
    """The strings in which what is counted leaves this rest."""

    symbol: str | None
    """None for the length."""
    modulus: int
    rest: int

    def counts(self, symbol: str) -> bool:
        return self.symbol in (None, symbol)

    @property
    def text(self) -> str:
        k, r = self.modulus, self.rest
        if self.symbol is None:
            kind = {(2, 0): "an even length", (2, 1): "an odd length"}.get((k, r))
            return kind or f"a length {'divisible by' if r == 0 else f'that is {r} modulo'} {k}"
        kind = {(2, 0): "an even number", (2, 1): "an odd number"}.get((k, r))
        if kind is not None:
            return f"{kind} of {self.symbol}'s"
        number = f"a number of {self.symbol}'s"
        return f"{number} divisible by {k}" if r == 0 else f"{number} that is {r} modulo {k}"


def count_name(machine: Language) -> str | None:
    """'an even number of a's' and its like, if the strings of the machine, which has no counters,
    are all strings over its symbols with these counts and no others."""
    symbols = machine.alphabet[1:]
    states = {rule.state for rule in machine.rules}
    if machine.counters or not symbols or len(states) > MOST_STATES:
        return None
    if any(len(machine.options(Configuration(state, ()))) < len(symbols) for state in states):
        return None  # some string has no continuation
    # An automaton for a count modulo k has k states, one for two counts as many as both need.
    single = [count for count in _singles(symbols) if count.modulus <= len(states)]
    pairs = [
        (one, other)
        for one, other in islice(combinations(single, 2), MOST_PAIRS)
        if math.lcm(one.modulus, other.modulus) <= len(states)
    ]
    for counts in (*((one,) for one in single), *pairs):
        if _are_the_strings(machine, counts):
            return " and ".join(count.text for count in counts)
    return None


def _singles(symbols: Sequence[str]) -> Iterator[Count]:
    for modulus in MODULI:
        for symbol in (*symbols, None):
            if symbol is None or len(symbols) > 1:
                yield from (Count(symbol, modulus, rest) for rest in range(modulus))


def _are_the_strings(machine: Language, counts: Sequence[Count]) -> bool:
    """Whether machine and counts accept the same at every pair that a string leads to."""
    first = (machine.beginning, (0,) * len(counts))
    seen, left = {first}, [first]
    while left:
        here, rests = left.pop()
        accepted = all(r == count.rest for r, count in zip(rests, counts, strict=True))
        options = machine.options(here)
        if any(option.symbol == BOUNDARY for option in options) is not accepted:
            return False
        for option in options:
            if option.symbol == BOUNDARY:
                continue
            new = tuple(
                (rest + count.counts(option.symbol)) % count.modulus
                for rest, count in zip(rests, counts, strict=True)
            )
            if (option.to, new) not in seen:
                seen.add((option.to, new))
                left.append((option.to, new))
    return True
