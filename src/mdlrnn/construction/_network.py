"""A network that runs an automaton, with counters or without, as short as a plain construction is.

Units stand for states, exactly one of them is 1 at a time, and their connections to the outputs
are the chances of the next symbols. What a symbol alone decides needs no unit: the input is the
state. Else a unit is the relu of a sum, all of whose terms must be as they should: the symbols that
lead to its state; units that are 1 where a counter is 0; and the states of the step before, either
those from which the symbols lead there or, with -1, those from which they do not.

An automaton may have been made of classes of symbols. Then the first symbol of a class stands for
all of them until the end, when what came from it comes from each, or from a unit for the class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..network import Connection, Network, Unit, Weight
from ._automaton import Automaton, Counted, Counter, Loaded, Mark, Stack, Top

LARGEST_WEIGHT = 16
"""Of a connection to an output."""
UNIT_BITS, CONNECTION_BITS = 20, 13
"""About what they cost, to choose the shorter of two constructions."""
Tests = tuple[tuple[int, bool], ...]
"""Counters, and whether each has to be 0."""
Classes = dict[int, dict[int, float]]
"""By the symbol that stands for a class: its symbols, and the share of each. They add up to 1."""


@dataclass
class _Way:
    """Symbols that, where the tests hold, lead to a state from these states and not from those."""

    tests: Tests
    symbols: list[int] = field(default_factory=list)
    sources: set[int] = field(default_factory=set)
    others: set[int] = field(default_factory=set)


class _Builder:
    def __init__(self, size: int, boundary: int) -> None:
        self.boundary = boundary
        self.units = [Unit()] * (2 * size)
        self.connections: list[Connection] = []
        self.latches: dict[Mark, int] = {}
        self.tops: dict[Stack, int] = {}

    def unit(self, activation: str = "linear", bias: int = 0, type: str = "sum") -> int:
        self.units.append(Unit(activation, type, Weight(bias) if bias else None))
        return len(self.units) - 1

    def feed(self, sources: Iterable[int], target: int, weight: int = 1) -> None:
        self.connections += [Connection(s, target, "forward", Weight(weight)) for s in sources]

    def remember(self, sources: Iterable[int], target: int, weight: int = 1) -> None:
        self.connections += [Connection(s, target, "recurrent", Weight(weight)) for s in sources]

    def weigh(self, source: int, target: int, weight: Fraction, kind: str = "forward") -> None:
        exact = Weight(weight.numerator, weight.denominator)
        self.connections.append(Connection(source, target, kind, exact))

    def latch(self, mark: Mark) -> int:
        """1 from the mark on."""
        if mark not in self.latches:
            unit = self.unit("step", -1 if mark.after is not None else 0)
            self.feed([mark.symbol], unit)
            if mark.after is None:
                self.remember([unit], unit)
            else:
                self.remember([mark.after], unit)
                self.remember([unit], unit, 2)
            self.latches[mark] = unit
        return self.latches[mark]

    def occasion(self, symbol: int, after: bool, mark: Mark) -> int:
        """1 where the symbol is read, and the mark is there already, or is not."""
        if after and mark == Mark(symbol):
            return symbol
        self.latch(mark)
        return self.where(symbol, mark=mark, late=after)

    def test(self, counted: Counted) -> int:
        """1 where the counter is 0, or the digit on top; else 0."""
        if isinstance(counted.counter, Top):
            return self.on_top(counted.counter)
        if isinstance(counted.counter, Loaded):
            return self.loaded(counted.counter)
        modulus, start = counted.counter.modulus, counted.counter.start
        counter = self.unit(f"mod{modulus}" if modulus else "linear")
        self.remember([counter], counter)
        if start:
            self.feed([self.boundary], counter, start)
        for source, step in self.steps(counted.counter):
            self.feed([source], counter, step)
        if counted.counter.positive:
            above = self.unit("step")
            self.feed([counter], above)
            return above
        if counted.signed:
            square = self.unit("square")
            self.feed([counter], square)
            counter = square
        test = self.unit("relu", 1)
        self.feed([counter], test, -1)
        return test

    def loaded(self, loaded: Loaded) -> int:
        """1 where a counter is 0 that takes its number from another, or doubles."""
        if loaded.counted is None:
            return self.doubling(loaded)
        number, added, counter, test = (
            self.unit(), self.unit(type="product"), self.unit("relu"), self.unit("relu", 1)
        )  # fmt: skip
        counts, loads = loaded.counted, loaded.loading
        if loaded.at_zero or loaded.mark is not None:
            was = test if loaded.at_zero else None
            counts = self.where(counts, was, loaded.mark, loaded.late)
        if loaded.load_at_zero:
            loads = self.where(loads, test)
        self.remember([number], number)
        self.feed([counts], number, loaded.step)
        if loaded.start:
            self.feed([self.boundary], number, loaded.start)
        self.feed([loads, number], added)
        self.remember([counter], counter)
        self.feed([added], counter)
        self.feed([loaded.down], counter, -1)
        self.feed([counter], test, -1)
        return test

    def doubling(self, loaded: Loaded) -> int:
        """1 where a counter is 0 that a symbol doubles."""
        counter, added, test = self.unit("relu"), self.unit(type="product"), self.unit("relu", 1)
        self.feed([self.boundary], counter, loaded.start)
        self.remember([counter], counter)
        self.feed([loaded.loading], added)
        self.remember([counter], added)
        self.feed([added], counter)
        self.feed([loaded.down], counter, -1)
        self.feed([counter], test, -1)
        return test

    def where(
        self, symbol: int, was: int | None = None, mark: Mark | None = None, late: bool = False
    ) -> int:
        """1 where the symbol is read, a test held before, and the mark is there, or is not."""
        unit = self.unit("relu", -(was is not None) - late)
        self.feed([symbol], unit)
        if was is not None:
            self.remember([was], unit)
        if mark is not None:
            self.feed([self.latch(mark)], unit, 1 if late else -1)
        return unit

    def on_top(self, wanted: Top) -> int:
        """1 where the digit lies on top of the stack."""
        stack, digit = wanted
        if stack not in self.tops:
            self.tops[stack] = self.top(stack)
        top = self.tops[stack]
        if digit == stack.highest:
            test = self.unit("relu", 1 - digit)
            self.feed([top], test)
            return test
        square = self.unit("square", -digit)
        self.feed([top], square)
        test = self.unit("relu", 1)
        self.feed([square], test, -1)
        return test

    def top(self, stack: Stack) -> int:
        """The top digit of a number: symbols put digits before the others, or take one away."""
        if stack.queue:
            return self.front(stack)
        pushing = [symbol for symbol, digit in enumerate(stack.digits) if digit]
        number, before = self.unit(), self.unit()
        self.remember([number], before)
        longer, shorter = self.unit(), self.unit()
        base = Fraction(stack.base)
        if stack.whole:
            top = self.last_digit(number, stack.base)
            self.weigh(before, longer, base)
            self.weigh(before, shorter, 1 / base)
            self.weigh(top, shorter, -1 / base, "recurrent")
        else:
            top = self.unit("floor")
            self.weigh(number, top, base)
            self.weigh(before, longer, 1 / base)
            self.weigh(before, shorter, base)
            self.weigh(top, shorter, Fraction(-1), "recurrent")
        for symbol in pushing:
            digit = Fraction(stack.digits[symbol])
            self.weigh(symbol, longer, digit if stack.whole else digit / base)
        for symbol in stack.raises:
            self.weigh(symbol, number, Fraction(1) if stack.whole else 1 / base)
        if stack.mark is None:
            push, pop = self.any_of(pushing), self.any_of(stack.pops)
        else:
            latch = self.latch(stack.mark)
            push, pop = self.unit("relu"), self.unit("relu", -1)
            self.feed(pushing, push)
            self.feed([latch], push, -1)
            self.feed([*pushing, latch], pop)
        keep = self.unit("linear", 1)
        self.feed([push, pop], keep, -1)
        for gate, value in ((push, longer), (pop, shorter), (keep, before)):
            gated = self.unit(type="product")
            self.feed([gate, value], gated)
            self.feed([gated], number)
        return top

    def front(self, queue: Stack) -> int:
        """The first digit of a fraction: symbols put digits behind the others, each at a place that
        is a power of the base, and from the mark on they take the first away."""
        assert queue.mark is not None
        latch = self.latch(queue.mark)
        base = Fraction(queue.base)
        pushing = [symbol for symbol, digit in enumerate(queue.digits) if digit]
        number, front, digit = self.unit(), self.unit("floor"), self.unit()
        self.feed([number], front)
        # The place of the next digit: 1 after the boundary symbol, since a product is without
        # what does not come in yet; then each digit moves it on.
        place, moving = self.unit(type="product"), self.unit("linear", 1)
        self.remember([place], place)
        self.feed([moving], place)
        for symbol in pushing:
            self.weigh(symbol, moving, 1 / base - 1)
            self.weigh(symbol, digit, Fraction(queue.digits[symbol]))
        push, put = self.unit("relu"), self.unit(type="product")
        self.feed([digit], push)
        self.feed([latch], push, -max(queue.digits))
        self.feed([push], put)
        self.remember([place], put)
        # What is left of the number: itself, or without its first digit and a place further.
        before, further = self.unit(), self.unit()
        self.remember([number], before)
        self.weigh(before, further, base - 1)
        self.weigh(front, further, -base, "recurrent")
        pop, taken = self.unit("relu", -1), self.unit(type="product")
        self.feed([*pushing, latch], pop)
        self.feed([pop, further], taken)
        self.feed([put, before, taken], number)
        return front

    def spread(self, first: int, members: Sequence[int]) -> None:
        """Let what comes from the first symbol of a class come from all of them: one by one, or
        through a unit where that is shorter or they are to be one factor of a product."""
        uses = [c for c in self.connections if c.source == first]
        separately = CONNECTION_BITS * len(members) * len(uses)
        together = UNIT_BITS + CONNECTION_BITS * (len(members) + len(uses))
        sources = list(members)
        if together < separately or any(self.units[c.target].type == "product" for c in uses):
            sources = [self.unit()]
        self.connections = [c for c in self.connections if c.source != first]
        self.connections += [replace(c, source=source) for c in uses for source in sources]
        if sources != list(members):
            self.feed(members, sources[0])

    def any_of(self, symbols: Sequence[int]) -> int:
        """1 where one of the symbols is read."""
        if len(symbols) == 1:
            return symbols[0]
        unit = self.unit()
        self.feed(symbols, unit)
        return unit

    def last_digit(self, number: int, base: int) -> int:
        if base == 3:
            digit = self.unit("mod3")
            self.feed([number], digit)
            return digit
        others, digit = self.unit("floor"), self.unit()
        self.weigh(number, others, Fraction(1, base))
        self.feed([number], digit)
        self.feed([others], digit, -base)
        return digit

    def steps(self, counter: Counter) -> list[tuple[int, int]]:
        """Units that are 1 where the counter changes, and by how much."""
        found = []
        for symbol, (before, after) in enumerate(zip(*counter.steps, strict=True)):
            if before == after or counter.mark is None:
                found.append((symbol, before))
                continue
            for step, late in ((before, False), (after, True)):
                if step:
                    found.append((self.occasion(symbol, late, counter.mark), step))
        return [(source, step) for source, step in found if step]


def automaton_network(
    automaton: Automaton,
    alphabet: tuple[str, ...],
    boundary: int,
    counters: Sequence[Counted] = (),
    classes: Classes | None = None,
) -> Network:
    size = len(alphabet)
    states = range(len(automaton))
    build = _Builder(size, boundary)
    moves = _moves(automaton, size, len(counters))
    zeros: dict[int, int] = {}
    readers: list[list[int]] = []
    gates: list[tuple[int, _Way]] = []
    for state in states:
        own = [boundary] if state == 0 else []
        for way in _ways(moves, state):
            if not way.others and not way.tests:
                own += way.symbols
                continue
            for place, _ in way.tests:
                if place not in zeros:
                    zeros[place] = build.test(counters[place])
            own.append(build.unit("relu"))
            gates.append((own[-1], way))
        readers.append(own)
    counts = [_of_members(own, classes or {}) for own in automaton.counts]
    weights = [_weights(counts[state], len(readers[state])) for state in states]
    plans = [(unit, way, _by_others(way, readers)) for unit, way in gates]
    read_by = [len(weights[state]) for state in states]
    for _, way, by_others in plans:
        for state in _named(way, by_others):
            read_by[state] += 1
    for state in states:
        own = readers[state]
        separately = CONNECTION_BITS * len(own) * read_by[state]
        if UNIT_BITS + CONNECTION_BITS * (len(own) + read_by[state]) < separately:
            total = build.unit()
            build.feed(own, total)
            readers[state] = [total]
    for unit, way, by_others in plans:
        build.feed(way.symbols, unit)
        due = 1
        for place, is_zero in way.tests:
            build.feed([zeros[place]], unit, 1 if is_zero else -1)
            due += is_zero
        for state in _named(way, by_others):
            build.remember(readers[state], unit, -1 if by_others else 1)
        due += bool(way.others) and not by_others
        if due > 1:
            build.units[unit] = Unit("relu", bias=Weight(1 - due))
    for state in states:
        for symbol, number in weights[state].items():
            build.feed(readers[state], size + symbol, number)
    for first, shares in (classes or {}).items():
        build.spread(first, list(shares))
    return Network(size, size, tuple(build.units), tuple(build.connections), alphabet)


def _of_members(counts: dict[int, float], classes: Classes) -> dict[int, float]:
    """How often each symbol follows, from how often each class does."""
    return {
        member: count * share
        for symbol, count in counts.items()
        for member, share in classes.get(symbol, {symbol: 1.0}).items()
    }


def _moves(automaton: Automaton, size: int, counters: int) -> list[dict[tuple[int, Tests], int]]:
    """The moves, each with the tests of counters that make a difference after its symbol."""
    found: list[dict[tuple[int, Tests], int]] = [{} for _ in automaton.moves]
    for symbol in range(size):
        needed = list(range(counters))
        for place in range(counters):
            without = [p for p in needed if p != place]
            if _restricted(automaton, symbol, size, without) is not None:
                needed = without
        restricted = _restricted(automaton, symbol, size, needed)
        assert restricted is not None
        for (state, tests), target in restricted.items():
            found[state][symbol, tests] = target
    return found


def _restricted(
    automaton: Automaton, symbol: int, size: int, needed: list[int]
) -> dict[tuple[int, Tests], int] | None:
    """The moves with a symbol as these counters tell them apart; None where they do not."""
    found: dict[tuple[int, Tests], int] = {}
    for state, moves in enumerate(automaton.moves):
        for seen, target in moves.items():
            bits, read = divmod(seen, size)
            if read == symbol:
                tests = tuple((place, bool(bits >> place & 1)) for place in needed)
                if found.setdefault((state, tests), target) != target:
                    return None
    return found


def _ways(moves: list[dict[tuple[int, Tests], int]], state: int) -> list[_Way]:
    """How the state is reached; symbols that agree on tests and states before share a way."""
    ways: list[_Way] = []
    for symbol, tests in sorted({seen for own in moves for seen in own}):
        sources = {q for q, own in enumerate(moves) if own.get((symbol, tests)) == state}
        others = {q for q, own in enumerate(moves) if (symbol, tests) in own} - sources
        if not sources:
            continue
        for way in ways:
            if (
                way.tests == tests
                and bool(way.others) == bool(others)
                and not (way.sources & others or way.others & sources)
            ):
                way.symbols.append(symbol)
                way.sources |= sources
                way.others |= others
                break
        else:
            ways.append(_Way(tests, [symbol], sources, others))
    return ways


def _by_others(way: _Way, readers: list[list[int]]) -> bool:
    """Whether it is shorter to name the states from which the symbols do not lead there."""
    bias = 5 / CONNECTION_BITS
    there = sum(len(readers[q]) for q in way.sources)
    return sum(len(readers[q]) for q in way.others) < bias + there


def _named(way: _Way, by_others: bool) -> list[int]:
    """The states that a unit looks at: none where any will do."""
    if not way.others:
        return []
    return sorted(way.others if by_others else way.sources)


def _weights(counts: dict[int, float], copies: int) -> dict[int, int]:
    """Small integers in the ratio of the counts: the shortest of corpus and weights together."""
    largest = max(counts.values())
    best: tuple[float, dict[int, int]] | None = None
    for scale in range(1, LARGEST_WEIGHT + 1):
        tried = {s: max(1, round(c / largest * scale)) for s, c in counts.items()}
        total = sum(tried.values())
        bits = sum(c * math.log2(total / tried[s]) for s, c in counts.items())
        bits += copies * sum(2 * w.bit_length() for w in tried.values())
        if best is None or bits < best[0]:
            best = bits, tried
    assert best is not None
    return best[1]
