"""Several expressions at once, each with a weight: what they predict together."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from ..errors import InputError
from ._expression import Expression


@dataclass(frozen=True)
class Mixture:
    """Expressions over the same symbols with weights that sum to 1."""

    parts: tuple[tuple[Expression, float], ...]

    def __post_init__(self) -> None:
        if not self.parts or len({part.symbols for part, _ in self.parts}) > 1:
            raise InputError("a mixture has expressions over the same symbols; give such.")

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return self.parts[0][0].symbols

    def probability(self, string: str | Sequence[str]) -> float:
        """The probability of a whole string."""
        return sum(weight * part.likely(string) for part, weight in self.parts)

    def next(self, prefix: str | Sequence[str]) -> dict[str, float]:
        """The probabilities of the symbol after a prefix; # is the end."""
        walks = [(weight, part.walk()) for part, weight in self.parts]
        for symbol in prefix:
            walks = [(weight, walk.after(self.symbols.index(symbol))) for weight, walk in walks]
        found = dict.fromkeys(("#", *self.symbols), 0.0)
        for weight, walk in walks:
            symbols, end = walk.next()
            found["#"] += weight * end
            for number, chance in symbols.items():
                found[self.symbols[number]] += weight * chance
        whole = sum(found.values())
        if not whole:
            raise InputError("the prefix begins no string of any part; give another.")
        return {symbol: chance / whole for symbol, chance in found.items()}

    def likeliest(self, most: int, prefixes: int = 20_000) -> list[tuple[Any, float]]:
        """The likeliest strings with their probabilities; fewer if no more are found among that
        many prefixes."""
        found: list[tuple[Any, float]] = []
        order = count()
        first = [(weight, part.walk()) for part, weight in self.parts]
        heap: list[Any] = [(-1.0, next(order), (), first)]
        while heap and len(found) < most and prefixes > 0:
            weight, _, numbers, walks = heapq.heappop(heap)
            if walks is None:
                found.append((self.parts[0][0].written(numbers), -weight))
                continue
            prefixes -= 1
            ends, chances = 0.0, dict.fromkeys(range(len(self.symbols)), 0.0)
            for share, walk in walks:
                symbols, end = walk.next()
                ends += share * end
                for number, chance in symbols.items():
                    chances[number] += share * chance
            if ends > 0:
                heapq.heappush(heap, (-ends, next(order), numbers, None))
            for number, chance in chances.items():
                if chance > 0:
                    after = [(share, walk.follow(number)) for share, walk in walks]
                    kept = [(share, walk) for share, walk in after if walk and walk.is_possible]
                    heapq.heappush(heap, (-chance, next(order), (*numbers, number), kept))
        return found
