"""`Expression`: an expression with its chances, as a language."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.random import RandomState

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError
from ..limits import DRAWN_LENGTH, check_size
from ..machines import Draw, Next, Strings
from ..network import BOUNDARY
from ._runs import Places, Runner
from ._text import read, write
from .nodes import Node, sequence, symbol
from .program import (
    BOUND,
    CALL,
    COPY,
    JUMP,
    LOOP,
    MARK,
    RETURN,
    SET,
    SPLIT,
    STOP,
    WRITE,
    Program,
    Slot,
    Unsayable,
    named_symbols,
    program_of,
    said,
    symbols_of_words,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

STOPS = Fraction(3, 10)
"""The chance to stop at each number, as in the paper's training sets."""
Chances = tuple[tuple[Fraction, ...], ...]
"""Of each slot the chances of its outcomes; of a repetition to go on and to stop."""


class Walk(NamedTuple):
    """Where a reader stands in a string of an expression, with the probability of the prefix."""

    expression: Expression
    numbers: tuple[int, ...]
    places: Places

    @property
    def is_possible(self) -> bool:
        return bool(self.places) or self.numbers in self.expression.apart

    def next(self) -> tuple[dict[int, float], float]:
        """The probability of the prefix with each further symbol, and of the string that ends."""
        expression = self.expression
        runner, apart = expression.rough, expression.apart
        symbols, end = runner.next(self.places) if runner is not None else ({}, 0.0)
        for number in range(len(expression.symbols)) if apart else ():
            chance = apart.get((*self.numbers, number))
            if chance is not None:
                symbols[number] = symbols.get(number, 0.0) + float(chance)
        return symbols, end + float(apart.get((*self.numbers, -1), 0))

    def follow(self, number: int) -> Walk | None:
        """`after`, or None where too many readings are open to be followed."""
        try:
            return self.after(number)
        except InputError:
            return None

    def after(self, number: int) -> Walk:
        runner = self.expression.rough
        places = runner.read(self.places, number) if runner is not None else {}
        return Walk(self.expression, (*self.numbers, number), places)


@dataclass(frozen=True)
class Expression(Strings):
    """A language that is written as an expression, and perhaps some strings beside it."""

    node: Node | None
    """None if all strings are written apart."""
    chances: Chances
    symbols: tuple[str, ...]
    least: tuple[tuple[str, int], ...] = ()
    """The smallest value of numbers that begin at 0."""
    others: tuple[tuple[tuple[str, ...], Fraction], ...] = ()
    """Strings that are written apart, each with its chance among them."""
    share: Fraction = Fraction(0)
    """The chance that a string is one of those."""
    text: str | None = field(default=None, compare=False)
    """The notation as its author wrote it."""
    most_prefixes: ClassVar[int] = 20_000

    @cached_property
    def title(self) -> str:  # type: ignore[override]
        return self.text if self.text is not None else self.notation

    @cached_property
    def notation(self) -> str:
        """The expression as a person writes it, without its chances."""
        if self.node is None:
            return " | ".join(_plain(string) for string, _ in self.others)
        # A word without a body is made of the symbols that are named.
        means = named_symbols(self.node)
        node = self.node if means == self.symbols else said(self.node, self.symbols)
        return write(node) + "".join(
            f", {name} >= {least}" for name, least in self.least if least != 1
        )

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        return (BOUNDARY, *self.symbols)

    @cached_property
    def program(self) -> Program | None:
        if self.node is None:
            return None
        return program_of(self.node, self.symbols, dict(self.least))

    @cached_property
    def _exact(self) -> Runner | None:
        return None if self.program is None else Runner(self.program, self.chances, Fraction(1))

    @cached_property
    def rough(self) -> Runner | None:
        """The program run in floats."""
        chances = [[float(chance) for chance in slot] for slot in self.chances]
        return None if self.program is None else Runner(self.program, chances, 1.0)

    @cached_property
    def apart(self) -> dict[tuple[int, ...], Fraction]:
        """The chance of each prefix of the strings that are written apart."""
        found: dict[tuple[int, ...], Fraction] = {}
        for string, chance in self.others:
            numbers = self._numbers(string)
            assert numbers is not None
            for place in range(len(numbers) + 1):
                prefix = numbers[:place]
                found[prefix] = found.get(prefix, Fraction(0)) + chance * self.share
            whole = (*numbers, -1)
            found[whole] = found.get(whole, Fraction(0)) + chance * self.share
        return found

    def _numbers(self, string: str | Sequence[str]) -> tuple[int, ...] | None:
        if self.words and isinstance(string, str):
            string = string.split()
        if any(symbol not in self.symbols for symbol in string):
            return None
        return tuple(self.symbols.index(symbol) for symbol in string)

    def _begun(self) -> Places:
        if self._exact is None:
            return {}
        return {place: w * (1 - self.share) for place, w in self._exact.start().items()}

    def next(self, prefix: str | Sequence[str]) -> Next:
        numbers = self._numbers(prefix)
        places = self._begun()
        for number in numbers or ():
            places = self._exact.read(places, number) if self._exact is not None else {}
        if numbers is None or not (places or numbers in self.apart):
            raise InputError(
                f"{short(prefix)} begins no string of {self.title}; give such a prefix."
            )
        return self._next(numbers, places)

    def _next(self, numbers: tuple[int, ...], places: Places) -> Next:
        symbols, end = self._exact.next(places) if self._exact is not None else ({}, Fraction(0))
        apart = self.apart
        chances = {BOUNDARY: end + apart.get((*numbers, -1), 0)}
        for number, name in enumerate(self.symbols):
            chances[name] = symbols.get(number, Fraction(0)) + apart.get((*numbers, number), 0)
        whole = sum(chances.values())
        if not whole:
            raise InputError(f"no string of {self.title} ends after that; give another prefix.")
        return Next({name: Fraction(chance) / whole for name, chance in chances.items()})

    def accepts(self, string: str | Sequence[str]) -> bool:
        return self.probability(string) > 0

    def probability(self, string: str | Sequence[str]) -> Fraction:
        numbers = self._numbers(string)
        if numbers is None:
            return Fraction(0)
        places = self._begun()
        for number in numbers:
            if self._exact is not None:
                places = self._exact.read(places, number)
        end = self._exact.next(places)[1] if self._exact is not None else Fraction(0)
        return Fraction(end + self.apart.get((*numbers, -1), 0))

    def strings(self, most_prefixes: int | None = None) -> Iterator[Any]:
        # A prefix is the one before it and a symbol, so that long ones are not copied.
        level: list[tuple[_Chain, tuple[int, ...] | None, Places]] = [(None, (), self._begun())]
        left = math.inf if most_prefixes is None else most_prefixes
        apart = self.apart
        while level and left > 0:
            further: list[tuple[_Chain, tuple[int, ...] | None, Places]] = []
            for chain, numbers, places in level:
                symbols, end = self._exact.next(places) if self._exact is not None else ({}, 0)
                if end or (numbers is not None and (*numbers, -1) in apart):
                    yield self.written(_unchained(chain))
                for number in range(len(self.symbols)):
                    more = None if numbers is None else (*numbers, number)
                    more = more if more in apart else None
                    if number in symbols or more is not None:
                        after = self._exact.read(places, number) if self._exact is not None else {}
                        further.append(((chain, number), more, after))
                left -= 1
                if left <= 0:
                    return
            level = further

    def written(self, numbers: Sequence[int]) -> str | tuple[str, ...]:
        """The string of these symbols."""
        found = tuple(self.symbols[number] for number in numbers)
        return found if self.words else "".join(found)

    def walk(self) -> Walk:
        """Where a reader stands before the first symbol, in floats."""
        first = {place: float(weight) for place, weight in self._begun().items()}
        return Walk(self, (), first)

    def likeliest(
        self, most: int, prefixes: int = 100_000, moves: float = math.inf
    ) -> list[tuple[Any, float]]:
        """The likeliest strings with their probabilities, in floats; fewer if the language has
        fewer, or no more are found among that many prefixes and with that many moves."""
        runner = self.rough
        end_at = math.inf if runner is None else runner.moves + moves
        found: list[tuple[Any, float]] = []
        order = count()
        heap: list[tuple[float, int, Walk | tuple[int, ...]]] = [(-1.0, next(order), self.walk())]
        while heap and len(found) < most and prefixes > 0:
            if runner is not None and runner.moves > end_at:
                break
            weight, _, here = heapq.heappop(heap)
            if not isinstance(here, Walk):
                found.append((self.written(here), -weight))
                continue
            prefixes -= 1
            symbols, end = here.next()
            if end > 0:
                heapq.heappush(heap, (-end, next(order), here.numbers))
            for number, chance in symbols.items():
                after = here.follow(number)
                if after is not None:
                    heapq.heappush(heap, (-chance, next(order), after))
        return found

    def likely(self, string: str | Sequence[str]) -> float:
        """The probability of a string, in floats."""
        numbers = self._numbers(string)
        if numbers is None:
            return 0.0
        here = self.walk()
        for number in numbers:
            here = here.after(number)
        return here.next()[1]

    def bits_of(self, string: str | Sequence[str]) -> tuple[float, int]:
        """The bits of a string that it makes, and how many instructions were followed for that."""
        numbers = self._numbers(string)
        assert numbers is not None
        places = {place: float(weight) for place, weight in self._begun().items()}
        bits, runner = 0.0, self.rough
        begun = 0 if runner is None else runner.moves
        for number in numbers if runner is not None else ():
            assert runner is not None
            places = runner.read(places, number)
            whole = sum(places.values())
            if not whole:
                break
            # Scaled up, so that long strings do not vanish.
            bits -= math.log2(whole)
            places = {place: weight / whole for place, weight in places.items()}
        end = runner.next(places)[1] if runner is not None and places else 0.0
        apart = float(self.apart.get((*numbers, -1), 0))
        if apart:
            apart *= 2.0 ** min(bits, 1000.0)
        moves = 0 if runner is None else runner.moves - begun
        return bits - math.log2(end + apart), moves

    def samples(self, random: RandomState, size: int) -> list[Any]:
        draws = [Draw([float(chance) for chance in slot]) for slot in self.chances]
        return [self._drawn(random, draws) for _ in range(size)]

    def _drawn(self, random: RandomState, draws: list[Draw]) -> Any:
        if self.others and (self.node is None or random.random_sample() < self.share):
            string = self.others[Draw([float(chance) for _, chance in self.others])(random)][0]
            return string if self.words else "".join(string)
        assert self.program is not None
        numbers = []
        for number in drawn(self.program, lambda slot: draws[slot](random)):
            numbers.append(number)
            check_size(len(numbers), DRAWN_LENGTH, f"a string of {self.title}", "symbols")
        return self.written(numbers)

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]:
        names = corpus.alphabet
        if names is None:
            raise InputError(f"{self.title} has strings, the corpus numbers; give its strings.")
        found = np.full(len(corpus.parent), -1, dtype=np.int64)
        kinds: dict[tuple[Fraction, ...], int] = {}
        after: list[Next] = []
        here: list[tuple[tuple[int, ...], Places] | None] = []
        walk = zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True)
        for node, (above, read_last) in enumerate(walk):
            now: tuple[tuple[int, ...], Places] | None = ((), self._begun())
            if above >= 0:
                now = self._after(here[above], names[read_last])
            here.append(now)
            if now is not None:
                chances = self._next(*now)
                key = tuple(chances.distribution.values())
                if key not in kinds:
                    kinds[key] = len(after)
                    after.append(chances)
                found[node] = kinds[key]
        return found, after

    def _after(
        self, before: tuple[tuple[int, ...], Places] | None, name: str
    ) -> tuple[tuple[int, ...], Places] | None:
        if before is None or name not in self.symbols:
            return None
        number = self.symbols.index(name)
        numbers = (*before[0], number)
        places = self._exact.read(before[1], number) if self._exact is not None else {}
        return (numbers, places) if places or numbers in self.apart else None

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float:
        names = corpus.alphabet
        assert names is not None
        logs = np.full((len(kinds) + 1, len(names)), -np.inf)
        for number, kind in enumerate(kinds):
            for place, name in enumerate(names):
                chance = kind.distribution.get(name, Fraction(0))
                if chance:
                    logs[number, place] = math.log2(chance.numerator) - math.log2(
                        chance.denominator
                    )
        bits = -logs[found[corpus.item_node], corpus.item_target]
        return float((corpus.item_weight * bits).sum())


_Chain: TypeAlias = "tuple[_Chain, int] | None"


def _unchained(chain: _Chain) -> list[int]:
    found = []
    while chain is not None:
        chain, number = chain
        found.append(number)
    return found[::-1]


def _plain(string: Sequence[str]) -> str:
    return write(sequence([symbol(name) for name in string])) if string else "(empty)"


def drawn(program: Program, decide: Any) -> Iterator[int]:
    """A random string of a program, symbol by symbol; `decide` draws the outcome of a slot."""
    at, open_word = 0, -1
    registers = [0] * program.registers
    words: list[list[int]] = [[] for _ in range(program.words)]
    stack: list[int] = []
    while True:
        step = program.instructions[at]
        at += 1
        if step.op == WRITE:
            if open_word >= 0:
                words[open_word].append(step.a)
            yield step.a
        elif step.op == SPLIT:
            at = step.targets[decide(step.a)]
        elif step.op == SET:
            terms, constant = step.sum
            registers[step.a] = constant + sum(registers[p] * factor for p, factor in terms)
        elif step.op == LOOP:
            if registers[step.a] <= 0:
                at = step.targets[0]
            else:
                registers[step.a] -= 1
        elif step.op == JUMP:
            at = step.targets[0]
        elif step.op == MARK:
            open_word, words[step.a] = step.a, []
        elif step.op == BOUND:
            open_word = -1
        elif step.op == COPY:
            assert step.again is not None
            swaps = {one: other for pair in step.again.swaps for one, other in (pair, pair[::-1])}
            due = [swaps.get(program.symbols[s], program.symbols[s]) for s in words[step.a]]
            for name in reversed(due) if step.again.is_reversed else due:
                yield program.symbols.index(name)
        elif step.op == CALL:
            stack.append(at)
            at = step.targets[0]
        elif step.op == RETURN:
            at = stack.pop()
        else:
            assert step.op == STOP
            return


def usual_chances(program: Program, stop: Fraction = STOPS) -> Chances:
    """Chances for an expression that comes without: alternatives alike, `stop` at each number, and
    in a rule as much less for the choices that call it as makes its strings end."""
    found = tuple(_usual(slot, stop) for slot in program.slots)
    calls = growth(program, found)
    if calls < 1:
        return found
    low = [_ending(program, place, slot, found[place]) for place, slot in enumerate(program.slots)]
    return tuple(low)


def _usual(slot: Slot, stop: Fraction) -> tuple[Fraction, ...]:
    if slot.repeats:
        return 1 - stop, stop
    return (Fraction(1, slot.outcomes),) * slot.outcomes


def _ending(
    program: Program, place: int, slot: Slot, chances: tuple[Fraction, ...]
) -> tuple[Fraction, ...]:
    """Chances of a choice in a rule that are small where a call follows."""
    if not slot.in_rule or slot.repeats:
        return chances
    (split,) = (s for s in program.instructions if s.op == SPLIT and s.a == place)
    weights = [Fraction(1, 2) ** (2 * calls_after(program, t)) for t in split.targets]
    whole = sum(weights)
    return tuple(weight / whole for weight in weights)


def calls_after(program: Program, at: int) -> int:
    """How many calls stand between an instruction and the next decision or return."""
    calls = 0
    for _ in range(len(program.instructions)):
        step = program.instructions[at]
        if step.op in (RETURN, STOP, SPLIT):
            break
        calls += step.op == CALL
        at = step.targets[0] if step.op == JUMP else at + 1
    return calls


def growth(program: Program, chances: Chances) -> float:
    """How many rules a rule calls on average, at most: below 1 its strings end for sure."""
    entries = sorted({s.targets[0] for s in program.instructions if s.op == CALL})
    if not entries:
        return 0.0
    size = len(program.instructions)
    matrix = np.zeros((len(entries), len(entries)))
    for row, entry in enumerate(entries):
        weights = np.zeros(size + 1)
        weights[entry] = 1.0
        # Repetitions go round; what is left after many rounds is next to nothing.
        for _ in range(400):
            moved = np.zeros(size + 1)
            for at in np.flatnonzero(weights[:size] > 1e-12):
                step, weight = program.instructions[at], weights[at]
                if step.op in (RETURN, STOP):
                    continue
                if step.op == SPLIT:
                    for target, chance in zip(step.targets, chances[step.a], strict=True):
                        moved[target] += weight * float(chance)
                elif step.op in (LOOP, JUMP):
                    moved[step.targets[0]] += weight
                else:
                    if step.op == CALL:
                        matrix[row, entries.index(step.targets[0])] += weight
                    moved[at + 1] += weight
            weights = moved
            if not weights.any():
                break
    return float(max(abs(np.linalg.eigvals(matrix))))


def expression_from(text: str, stop: Fraction | None = None) -> Expression:
    """The expression of a notation, with the chances that it states or the usual ones."""
    node, least, stated = read(text)
    symbols = named_symbols(node)
    if symbols_of_words(node) != symbols:
        node = said(node, symbols_of_words(node))
    try:
        program = program_of(node, symbols, least)
    except Unsayable as error:
        raise Unsayable(f"{short(text)}: {error}") from None
    chances = usual_chances(program, stated or stop or STOPS)
    return Expression(
        node, chances, symbols, tuple(sorted(least.items())), text=" ".join(text.split())
    )
