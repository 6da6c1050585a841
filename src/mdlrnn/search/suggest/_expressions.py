"""The search for the expression that describes strings in the fewest bits.

Annealing over expressions: chains start from what the strings suggest and from nothing, first on a
few of the strings, where trying is fast and mistakes are cheap; the best go on with more, and then
with all. One seed gives one result, and the budget counts expressions tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, inf
from random import Random

from ...expressions import Exponent, Expression, Mixture, Node, nodes, program
from ._changes import changed
from ._scale import Scale, Strings

FEW, MORE = 15, 120
"""Distinct strings of the first and of the second stage."""
HOT, COLD = 6.0, 0.3
"""Bits by which a worse expression is taken, at the begin and at the end of a chain."""
CHAIN = 1_500
"""Expressions that a chain tries."""
SHOWN, MIXED = 60, 40
"""Of those that are kept, how many are looked at as rivals, and how many predict together."""
LEAST_WEIGHT = 16
"""Bits above the best at which an expression no longer counts in a mixture."""
KEPT = 400
"""Expressions that are remembered with their bits on all strings."""


@dataclass
class ExpressionSearch:
    """A search in progress; `run` goes on with it."""

    strings: Strings
    symbols: tuple[str, ...]
    seed: int
    suggested: tuple[Node, ...] = ()
    """Expressions to begin with, beside those that the strings show at a glance."""
    found: dict[Node, float] = field(default_factory=dict)
    """Expressions with their bits on all strings, fewest first."""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.all = Scale(self.strings, self.symbols)
        self.ordered = sorted(self.strings, key=lambda s: (-self.strings[s], len(s), s))
        self.tried = self.rounds = 0
        self.fewest = inf
        self.improved_at = 0
        self.cancelled: Callable[[], bool] = lambda: False

    @property
    def best(self) -> Node | None:
        return next(iter(self.found), None)

    def run(self, budget: int, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Go on for about that many tries on few strings (on many, one counts as several), or until
        a quarter of them found nothing better."""
        self.cancelled = cancelled
        self.improved_at = self.tried
        end = self.tried + budget
        for node in self._first():
            self._remember(node)
        self._sort()
        patience = budget // 4
        while self.tried < min(end, self.improved_at + patience) and not cancelled():
            self._round(end)
            self._sort()
        for node in list(self.found)[:SHOWN]:
            self._remember(_without_marks(node, self.symbols))
        self._sort()

    def _round(self, end: int) -> None:
        """A few short chains on few strings; the best of them on more, and on all."""
        sizes = [size for size in (FEW, MORE) if 2 * size <= self.all.count]
        starts = self._starts()
        for size in sizes:
            scale = Scale(self._sample(size), self.symbols)
            results: dict[Node, float] = {}
            for start in starts:
                if self.tried >= end:
                    break
                for node, bits in self._chain(scale, start, CHAIN // (1 if size == FEW else 3)):
                    results[node] = bits
            best = sorted(results, key=lambda node: results[node])
            for node in best[:12]:
                self._remember(node)
            starts = best[:3]
        for start in [*starts[:3], *list(self.found)[:1]]:
            if self.tried >= end:
                break
            for node, bits in self._chain(self.all, start, CHAIN // (2 if sizes else 1)):
                self._add(node, bits)

    def _sample(self, size: int) -> Strings:
        """As many strings, drawn as often as they come or, in every other round, so that rare ones
        are seen as well."""
        self.rounds += 1
        power = 1.0 if self.rounds % 2 else 0.5
        weights = [self.strings[s] ** power for s in self.ordered]
        drawn = Counter(self.random.choices(self.ordered, weights, k=size))
        return {string: drawn[string] for string in sorted(drawn)}

    def _starts(self) -> list[Node]:
        first = list(self._first())
        known = list(self.found)[:8]
        own = [self.random.choice(first)]
        if known:
            own.append(known[min(len(known) - 1, int(self.random.expovariate(0.7)))])
        own.append(self.random.choice(first))
        return own

    def _chain(self, scale: Scale, start: Node, length: int) -> list[tuple[Node, float]]:
        """The best expressions that a chain of annealing meets."""
        examples = self._examples
        here = start
        bits = scale.weigh(here).bits
        met: dict[Node, float] = {here: bits}
        for step in range(length):
            heat = HOT * (COLD / HOT) ** (step / length)
            new = changed(here, self.symbols, examples, self.random)
            self.tried += scale.price
            if step % 16 == 0 and self.cancelled():
                break
            if new == here or nodes.size(new) > 60:
                continue
            weighed = scale.weigh(new, bits + 12 * heat).bits
            if weighed < inf:
                if weighed <= bits or self.random.random() < exp((bits - weighed) / heat):
                    here, bits = new, weighed
                if scale is self.all or weighed <= bits + 3:
                    met[new] = weighed
        order = sorted(met.items(), key=lambda item: item[1])
        return order[: KEPT if scale is self.all else 30]

    @property
    def _examples(self) -> list[tuple[str, ...]]:
        return [tuple(self.symbols[s] for s in string) for string in self.ordered[:60]]

    def _remember(self, node: Node) -> None:
        self._add(node, self.all.weigh(node).bits)

    def _add(self, node: Node, bits: float) -> None:
        if bits == inf or node in self.found:
            return
        if bits < self.fewest and not self.all.is_sound(node):
            return
        if bits < self.fewest - 1e-9:
            self.fewest, self.improved_at = bits, self.tried
        self.found[node] = bits
        if len(self.found) > 2 * KEPT:
            self._sort()

    def _sort(self) -> None:
        """Fewest bits first; of equal ones that which was found first."""
        self.found = dict(sorted(self.found.items(), key=lambda item: item[1])[:KEPT])

    def descriptions(self) -> list[tuple[Expression, float]]:
        """What was found, and writing all strings down, each with its bits; fewest first."""
        found = [(node, bits) for node, bits in self.found.items() if self.all.is_sound(node)]
        best = found[:SHOWN]
        every = [(self.all.described(node), bits) for node, bits in best]
        every.append((self.all.described(None), self.all.memorised()))
        return sorted(every, key=lambda item: item[1])

    def mixture(self) -> Mixture:
        """All that was found, weighted by 2^-bits."""
        fewest = min(self.fewest, self.all.memorised())
        parts = [(self.all.described(None), self.all.memorised())]
        for node, bits in list(self.found.items())[:MIXED]:
            if bits < fewest + LEAST_WEIGHT and self.all.is_sound(node):
                parts += self.all.variants(node)
        parts = [part for part in parts if part[1] < fewest + LEAST_WEIGHT]
        weights = [2.0 ** (fewest - bits) for _, bits in parts]
        whole = sum(weights)
        return Mixture(tuple((p, w / whole) for (p, _), w in zip(parts, weights, strict=True)))

    # What the strings suggest

    def _first(self) -> Iterator[Node]:
        """Expressions to begin with."""
        symbols = [nodes.symbol(name) for name in self.symbols]
        yield nodes.canonical(nodes.plus(nodes.choice(symbols)))
        yield nodes.canonical(nodes.star(nodes.choice(symbols)))
        literals = [
            nodes.sequence([nodes.symbol(self.symbols[s]) for s in string])
            for string in self.ordered[:8]
        ]
        literal = nodes.choice(literals)
        if literal.kind != "empty" and nodes.size(literal) <= 60:
            yield nodes.canonical(literal)
        yield from map(nodes.canonical, self.suggested)
        yield from self._skeletons()

    def _skeletons(self) -> Iterator[Node]:
        """Strings whose runs follow one pattern, such as a's, then b's: a power for each run, with
        the numbers that are the same in all strings."""
        patterns: dict[tuple[tuple[int, ...], ...], list[list[int]]] = {}
        for string in self.ordered[:60]:
            for unit in (1, 2, 3):
                runs = _runs(string, unit)
                if runs and len(runs) <= 8:
                    pattern = tuple(part for part, _ in runs)
                    patterns.setdefault(pattern, []).append([number for _, number in runs])
        best = sorted(patterns.items(), key=lambda item: -len(item[1]))[:3]
        for pattern, rows in best:
            yield self._powers(pattern, rows)

    def _powers(self, pattern: Sequence[tuple[int, ...]], rows: Sequence[Sequence[int]]) -> Node:
        columns = [tuple(row[place] for row in rows) for place in range(len(pattern))]
        letters: list[tuple[str, tuple[int, ...]]] = []
        parts = []
        for unit, column in zip(pattern, columns, strict=True):
            body = nodes.sequence([nodes.symbol(self.symbols[s]) for s in unit])
            if len(set(column)) == 1:
                parts.append(nodes.power(body, nodes.constant(column[0])))
                continue
            exponent = _explained(column, letters)
            if exponent is None:
                name = nodes.LETTERS[len(letters)]
                letters.append((name, column))
                exponent = nodes.linear(name)
            parts.append(nodes.power(body, exponent))
        return nodes.canonical(nodes.sequence(parts))


def _without_marks(node: Node, symbols: Sequence[str]) -> Node:
    """The expression with its words of any symbols made words of those that it does not name."""
    marks = {part.value for part in nodes.walk(node) if part.kind == "symbol"}
    plain = [name for name in symbols if name not in marks]
    return nodes.canonical(program.said(node, plain)) if marks and plain else node


def _runs(string: tuple[int, ...], unit: int) -> list[tuple[tuple[int, ...], int]]:
    """The string as units of that many symbols, each with how often it comes in a row."""
    found: list[tuple[tuple[int, ...], int]] = []
    place = 0
    while place < len(string):
        part = string[place : place + unit]
        number = 1
        while string[place + number * len(part) : place + (number + 1) * len(part)] == part:
            number += 1
        if unit > 1 and number == 1:
            part = string[place : place + 1]
        found.append((part, number))
        place += number * len(part)
    return found


def _explained(
    column: tuple[int, ...], letters: Sequence[tuple[str, tuple[int, ...]]]
) -> Exponent | None:
    """The numbers of a run from those of earlier ones, if they say them."""
    for name, known in letters:
        for factor in (1, 2, 3, 4):
            shift = column[0] - factor * known[0]
            if all(c == factor * k + shift for c, k in zip(column, known, strict=True)):
                return nodes.linear(name, factor, shift)
        if all(c == k * k for c, k in zip(column, known, strict=True)):
            return Exponent("square", ((name, 1),))
        if all(k < 30 and c == 2**k for c, k in zip(column, known, strict=True)):
            return Exponent("double", ((name, 1),))
    for place, (one, first) in enumerate(letters):
        for other, second in letters[place + 1 :]:
            if all(c == p + q for c, p, q in zip(column, first, second, strict=True)):
                return Exponent("linear", ((one, 1), (other, 1)))
    return None
