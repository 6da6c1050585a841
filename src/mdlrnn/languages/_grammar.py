"""A user's own language: a probabilistic context-free grammar.

It serves wherever a `Machine` does: the same questions have the same answers, here from the
prefix probabilities of the grammar. How it is written is in `_grammar_text`.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.random import RandomState

from ..checks import short
from ..corpus import Corpus
from ..errors import InputError, printable
from ..files import PathLike, read_text
from ..limits import (
    DRAWN_LENGTH,
    GRAMMAR_BYTES,
    GRAMMAR_SECONDS,
    GRAMMAR_STRING,
    are_lifted,
    check_size,
)
from ..machines import Machine, Next, Strings, Symbols
from ..network import BOUNDARY
from ._grammar_machine import machine_of
from ._grammar_text import read_productions
from ._prefix import Chart, Column, normal_form
from ._productions import (
    CONTEXT,
    Empty,
    Nonterminal,
    Part,
    Production,
    decimal,
    empty_chances,
    fraction,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_EXPANSIONS = 1_000_000
"""Of one string that is drawn; few grammars whose strings all end come near it."""

MOST_EXACT = 60
"""Nonterminals; the fractions of a larger grammar grow too long to compute with."""

SHORTER = Context(prec=30, Emin=CONTEXT.Emin, Emax=CONTEXT.Emax)


def load_grammar(path: PathLike) -> Grammar:
    """The grammar of a UTF-8 file in NLTK's notation for probabilistic grammars, such as
    `S -> 'a' S 'b' [0.7] | 'a' 'b' [0.3]`; the first left side is the start symbol."""
    start, productions = read_productions(
        read_text(path, "grammar", GRAMMAR_BYTES), printable(fspath(path))
    )
    name = Path(path).stem
    return Grammar(name, name, start, productions)


@dataclass(frozen=True)
class Grammar(Strings):
    """A probabilistic context-free language; make one with `load_grammar` or `from_text`.

    Where a terminal has more than one character the symbols are words: strings are then tuples of
    words, and may be given as text with blanks between the words.
    """

    name: str
    title: str
    start: Nonterminal
    productions: tuple[Production, ...]
    most_prefixes: ClassVar[int] = 5_000

    @classmethod
    def from_text(cls, text: str, name: str = "grammar") -> Grammar:
        """The grammar of a text in NLTK's notation; errors call the text by its name."""
        start, productions = read_productions(text, name)
        return cls(name, name, start, productions)

    def machine(self) -> Machine:
        """The machine over counters or a stack with the same strings and probabilities; where there
        is none, an InputError names the rule that stands in the way."""
        return machine_of(self.name, self.title, self.start, self.productions)

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        terminals = {part for p in self.productions for part in p.right if isinstance(part, str)}
        return (BOUNDARY, *sorted(terminals))

    @cached_property
    def _empty(self) -> Empty:
        return empty_chances(self.productions)

    @cached_property
    def _fast(self) -> Chart[Decimal]:
        return Chart(normal_form(self.start, self.productions, self._empty.chances, decimal))

    @cached_property
    def _exact(self) -> Chart[Fraction] | Chart[Decimal]:
        chances, exact = self._empty
        if not exact or len(chances) > MOST_EXACT:
            return self._fast
        return Chart(normal_form(self.start, self.productions, chances, fraction))

    def next(self, prefix: str | Sequence[str]) -> Next:
        """The true distribution of the symbol after a prefix.

        The fractions sum to 1. They are exact but in two cases, where they are right to some 35
        digits: if there are more than 60 nonterminals, and if the probability that a nonterminal
        is empty is irrational, as in `S -> S S [0.4] | 'a' [0.5] | [0.1]`.
        """
        chances = self._exact.chances(self._spelled(prefix), self.alphabet)
        if chances is None:
            raise InputError(
                f"{short(prefix)} begins no string of {self.title}; give such a prefix."
            )
        return self._next(chances)

    def accepts(self, string: str | Sequence[str]) -> bool:
        column = self._fast.column(self._spelled(string))
        return column is not None and column.ending > 0

    def strings(self, most_prefixes: int | None = None) -> Iterator[Symbols]:
        # Which strings there are does not depend on the last digits.
        return map(self._written, self._fast.strings(self.alphabet[1:], most_prefixes))

    def samples(self, random: RandomState, size: int) -> list[Symbols]:
        """Random strings, drawn from a stream that may be drawn from before and after."""
        return [self._drawn(random) for _ in range(size)]

    def optimal(self, corpus: Corpus) -> float:
        """|D:G| in bits under the true distribution; infinite for strings not in the language.

        In decimal numbers of 40 digits, unlike `next`, since fractions grow long on long strings.
        """
        items = self._items(corpus)
        bits = []
        for node, column in self._columns(corpus):
            for symbol, weight in items.get(node, ()):
                likely = column and self._fast.chance(column, symbol)
                if not likely:
                    return math.inf
                bits.append(weight * _bits(likely))
        return math.fsum(bits)

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]:
        """What can follow at each node of the corpus tree, as a number into a list.

        Off the language the number is -1. Probabilities are right to 30 digits.
        """
        numbers: dict[tuple[Decimal, ...], int] = {}
        found = np.full(len(corpus.parent), -1, dtype=np.int64)
        for node, column in self._columns(corpus):
            if column is not None:
                chances = [self._fast.chance(column, symbol) for symbol in self.alphabet]
                # Ten digits less than were computed with, so that equal ones are found equal.
                found[node] = numbers.setdefault(tuple(map(SHORTER.plus, chances)), len(numbers))
        return found, [self._next(chances) for chances in numbers]

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float:
        """What `optimal` says, from the phases of the corpus."""
        bits = []
        for node, items in self._items(corpus).items():
            for symbol, weight in items:
                kind = kinds[found[node]].distribution if found[node] >= 0 else {}
                if not kind.get(symbol):
                    return math.inf
                bits.append(weight * _bits(decimal(kind[symbol])))
        return math.fsum(bits)

    def _columns(self, corpus: Corpus) -> Iterator[tuple[int, Column[Decimal] | None]]:
        """The column at each node of the corpus tree; None off the language."""
        names = self._names(corpus)
        symbols = [names[symbol] for symbol in corpus.symbol.tolist()]
        children: list[list[int]] = [[] for _ in symbols]
        for node, above in enumerate(corpus.parent.tolist()):
            if above >= 0:
                children[above].append(node)
        path: list[Column[Decimal]] = []
        length = len(corpus.levels) - 1
        check_size(length, GRAMMAR_STRING, f"a string of {self.title}, a grammar,", "symbols")
        left = [(0, 0)]
        start = time.monotonic()
        while left:
            if time.monotonic() - start > GRAMMAR_SECONDS and not are_lifted():
                raise InputError(
                    f"the probabilities of these strings under {self.title}, a grammar, take more "
                    f"than {GRAMMAR_SECONDS:.0f} s; give fewer or shorter strings, or lift the "
                    "limits with mdlrnn --no-limits (in Python, mdlrnn.no_limits())."
                )
            # Depth first, so that only the columns of one prefix are held.
            node, depth = left.pop()
            del path[depth:]
            column: Column[Decimal] | None = self._fast.first
            if depth:
                known = len(path) == depth
                column = self._fast.next(path, symbols[node]) if known else None
            if column is not None:
                path.append(column)
            yield node, column
            left += [(child, depth + 1) for child in children[node]]

    def _items(self, corpus: Corpus) -> dict[int, list[tuple[str, float]]]:
        """What follows each node of the corpus tree, and how often."""
        names = self._names(corpus)
        table: dict[int, list[tuple[str, float]]] = {}
        for node, target, weight in zip(
            corpus.item_node.tolist(),
            corpus.item_target.tolist(),
            corpus.item_weight.tolist(),
            strict=True,
        ):
            table.setdefault(node, []).append((names[target], weight))
        return table

    def _names(self, corpus: Corpus) -> tuple[str, ...]:
        if corpus.alphabet is None:
            raise InputError(f"{self.title} has strings, the corpus numbers; give its strings.")
        return corpus.alphabet

    def _next(self, chances: Sequence[Fraction] | Sequence[Decimal]) -> Next:
        fractions = [Fraction(value) for value in chances]
        total = sum(fractions)
        return Next({a: value / total for a, value in zip(self.alphabet, fractions, strict=True)})

    def _spelled(self, string: str | Sequence[str]) -> Sequence[str]:
        return string.split() if self.words and isinstance(string, str) else string

    def _written(self, symbols: Sequence[str]) -> Symbols:
        return tuple(symbols) if self.words else "".join(symbols)

    @cached_property
    def _choices(self) -> dict[Nonterminal, tuple[list[tuple[Part, ...]], list[float]]]:
        """For each nonterminal its right sides, backwards, and the sums of their chances."""
        table: dict[Nonterminal, tuple[list[tuple[Part, ...]], list[Fraction]]] = {}
        for production in self.productions:
            rights, chances = table.setdefault(production.left, ([], []))
            rights.append(production.right[::-1])
            chances.append(production.chance)
        return {
            left: (rights, [float(total) for total in accumulate(chances)])
            for left, (rights, chances) in table.items()
        }

    def _drawn(self, random: RandomState) -> Symbols:
        """The leftmost nonterminal first, one random number for each."""
        symbols: list[str] = []
        left: list[Part] = [self.start]
        expansions = 0
        while left:
            part = left.pop()
            if isinstance(part, str):
                symbols.append(part)
                check_size(len(symbols), DRAWN_LENGTH, f"a string of {self.title}", "symbols")
                continue
            expansions += 1
            if expansions > MOST_EXPANSIONS:
                raise InputError(
                    f"a string of {self.title} did not end after {MOST_EXPANSIONS:,} rules; make "
                    "the rules that recur less probable."
                )
            rights, sums = self._choices[part]
            left += rights[bisect_right(sums, random.random_sample())]
        return self._written(symbols)


def _bits(likely: Decimal) -> float:
    number = float(likely)
    # A float this small is rounded to few digits, or to 0.
    return -math.log2(number) if number > 1e-300 else -float(CONTEXT.ln(likely)) / math.log(2)


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
