"""The search for expressions beside the islands, and what came of it.

A thread looks for the expression that describes the strings in the fewest bits while the islands
evolve networks. What it finds depends on the strings and the seed alone. Where an expression takes
fewer bits than the best network, it is the answer, and the network is constructed from it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...construction import machine_network
from ...corpus import Corpus
from ...errors import InputError
from ...expressions import (
    Expression,
    Mixture,
    Node,
    read_description,
    regular_expression,
    write_description,
)
from ...languages import machine_of
from ...machines import Machine, smallest
from ...network import BOUNDARY, Network
from .._island import Problem
from .._settings import Stop
from ._expressions import ExpressionSearch
from ._merging import MOST_NODES, automata_of

BUDGET = 100_000
"""Expressions that are tried, on few strings; on many, one counts as several."""
MOST_SYMBOLS, MOST_LENGTH, MOST_STRINGS = 40, 1_000, 20_000
"""Alphabets, strings and numbers of distinct strings beyond which networks alone are searched."""
LOOKED_AT, MOVES = 40, 50_000
"""Likeliest strings by which two expressions are told apart, and moves to find them."""
RIVALS = 3
FEW_BITS, FEW_PREFIXES = 120, 60
"""Bits up to which, and prefixes with which, those are looked for; strings may be long."""
FEW = 5
"""Strings below which a run shows what else is likely."""


@dataclass(frozen=True)
class FoundExpression:
    """The expression that describes the strings in the fewest bits, and what follows from it."""

    expression: Expression
    bits: float
    """Of the expression, its chances and the strings given both."""
    strings: int
    rivals: tuple[tuple[str, float], ...] = ()
    """The next best expressions of other languages, and how many bits more they take."""
    mixture: Mixture | None = field(default=None, compare=False, repr=False)
    """All good expressions, weighted by 2^-bits; None where the run was read from its folder."""

    @property
    def g(self) -> int:
        """The bits of the expression with its chances, one of which says that it is one."""
        return 1 + len(write_description(self.expression))

    @property
    def machine(self) -> Machine | None:
        """Its machine, where there is a deterministic one."""
        try:
            return smallest(machine_of(self._alone()))
        except InputError:
            return None

    @property
    def obstacle(self) -> str | None:
        """Why there is no network, as a sentence; None where there is one."""
        try:
            machine_network(machine_of(self._alone()))
        except InputError as error:
            return str(error)
        return None

    @property
    def network(self) -> Network | None:
        """The network that is constructed from it, where there is one."""
        machine = self.machine
        if machine is None:
            return None
        try:
            network = machine_network(machine)
        except InputError:
            return None
        # Symbols that only strings apart have are in no rule of the machine.
        wanted = (BOUNDARY, *self.expression.symbols)
        return network if network.alphabet == wanted else None

    def _alone(self) -> Expression:
        expression = self.expression
        if not expression.others or expression.node is None:
            return expression
        return replace(expression, others=(), share=0 * expression.share)

    @property
    def misfits(self) -> tuple[str, ...]:
        """The strings that are written apart."""
        if self.expression.node is None:
            return ()
        between = " " if self.expression.words else ""
        return tuple(between.join(string) for string, _ in self.expression.others)

    def to_dict(self) -> dict[str, Any]:
        return {
            "expression": self.expression.notation,
            "symbols": list(self.expression.symbols),
            "description": write_description(self.expression),
            "bits": self.bits,
            "strings": self.strings,
            "rivals": [[text, more] for text, more in self.rivals],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FoundExpression:
        """What `to_dict` wrote; an InputError for anything else."""
        try:
            symbols = tuple(map(str, data["symbols"]))
            expression, used = read_description(str(data["description"]), symbols)
            if used != len(data["description"]):
                raise InputError("the description has bits too many; run the search again.")
            rivals = tuple((str(text), float(more)) for text, more in data["rivals"])
            return cls(expression, float(data["bits"]), int(data["strings"]), rivals)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"this is no expression of a run ({error}); run it again.") from None

    def __str__(self) -> str:
        given = self.bits - self.g
        lines = [
            f"The strings are best described as {self.expression.notation}: "
            f"{self.g:,} bits, and {given:,.1f} bits for the strings given that."
        ]
        if self.expression.node is None:
            lines = [f"Nothing is shorter than writing the strings down: {self.bits:,.1f} bits."]
        if self.misfits:
            shown = ", ".join(text or "the empty string" for text in self.misfits[:8])
            more = f" and {len(self.misfits) - 8:,} more" if len(self.misfits) > 8 else ""
            lines.append(f"These do not fit and are written apart: {shown}{more}.")
        if self.rivals:
            text, more_bits = self.rivals[0]
            odds = f", {2**more_bits:,.0f} to 1 under this code" if more_bits < 40 else ""
            lines.append(f"The next best, {text}, takes {more_bits:,.1f} bits more{odds}.")
        if self.strings < FEW and self.mixture is not None and self.bits < FEW_BITS:
            found = self.mixture.likeliest(8, FEW_PREFIXES)
            between = " " if self.expression.words else ""
            texts = [between.join(string) for string, _ in found]
            likely = [text or "the empty string" for text in texts] or ["long"]
            lines.append(
                f"From so few strings much is open; the likeliest are {', '.join(likely)}."
            )
        return "\n".join(lines)


def _regular(corpus: Corpus) -> Iterator[Node]:
    """Expressions for the automata that the strings are merged to."""
    assert corpus.alphabet is not None
    if len(corpus.parent) > MOST_NODES:
        return
    boundary = corpus.alphabet.index(BOUNDARY)
    for automaton in automata_of(corpus):
        moves = [
            (state, corpus.alphabet[symbol], to)
            for state, ways in enumerate(automaton.moves)
            for symbol, to in ways.items()
        ]
        ends = [state for state, counts in enumerate(automaton.counts) if counts.get(boundary)]
        node = regular_expression(0, moves, ends)
        if node is not None:
            yield node


class Beside:
    """The search for expressions in a thread of its own."""

    def __init__(self, corpus: Corpus, seed: int, budget: int = BUDGET) -> None:
        assert corpus.alphabet is not None
        self.symbols = tuple(symbol for symbol in corpus.alphabet if symbol != BOUNDARY)
        strings = {
            tuple(self.symbols.index(symbol) for symbol in string): max(1, round(count))
            for string, count in corpus.strings()
        }
        self.count = sum(strings.values())
        self.budget = budget
        self.search = ExpressionSearch(strings, self.symbols, seed, tuple(_regular(corpus)))
        self._cancelled = False
        self._failure: Exception | None = None
        self._result: FoundExpression | None = None
        self._thread = threading.Thread(target=self._run, name="expressions", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.search.run(self.budget, lambda: self._cancelled)
            self._result = self._found()
        except Exception as error:
            self._failure = error

    @property
    def has_ended(self) -> bool:
        return not self._thread.is_alive()

    def result(self, cancel: bool = False) -> FoundExpression:
        """What was found, when the search has ended; with `cancel`, as it stands."""
        self._cancelled |= cancel
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        assert self._result is not None
        return self._result

    def _found(self) -> FoundExpression:
        descriptions = self.search.descriptions()
        best, bits = descriptions[0]
        rivals: list[tuple[str, float]] = []
        for other, more in descriptions[1:]:
            named = other.notation if other.node is not None else "writing the strings down"
            if not _same(best, other) and not any(text == named for text, _ in rivals):
                rivals.append((named, more - bits))
            if len(rivals) >= RIVALS:
                break
        # The bits of the whole code: what was added up for it is rounded up in the end.
        exact = 1 + len(write_description(best))
        scale = self.search.all
        total = exact + scale.data_bits(best)
        return FoundExpression(best, total, self.count, tuple(rivals), self.search.mixture())


def beside(problem: Problem, stop: Stop) -> Beside | None:
    """The search for expressions that goes with a run; None where there is none. It tries no more
    expressions than the islands may try networks."""
    corpus, wanted = problem.corpus, problem.search.expressions
    if wanted is False or (wanted is None and not problem.encoding.says_parts):
        return None
    if obstacle(corpus) is not None:
        return None
    steps = stop.last_generation * problem.search.islands * problem.search.population
    return Beside(corpus, problem.seed, min(BUDGET, steps)) if steps else None


def obstacle(corpus: Corpus) -> str | None:
    """Why no expression is searched for these strings; None where one is."""
    if corpus.alphabet is None:
        return "the source holds numbers"
    if len(corpus.alphabet) - 1 > MOST_SYMBOLS:
        return f"the strings have more than {MOST_SYMBOLS} symbols"
    if len(corpus.levels) - 2 > MOST_LENGTH:
        return f"some strings have more than {MOST_LENGTH} symbols"
    if len(corpus.alphabet) < 2:
        return "the strings have no symbols"
    ends = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    if int(ends.sum()) > MOST_STRINGS:
        return f"there are more than {MOST_STRINGS:,} distinct strings"
    return None


def _same(one: Expression, other: Expression) -> bool:
    """Whether the likeliest strings of each are in the other."""
    if one.node is None or other.node is None:
        return False
    return all(
        second.likely(string) > 0
        for first, second in ((one, other), (other, one))
        for string, _ in first.likeliest(LOOKED_AT, 2_000, MOVES)
    )
