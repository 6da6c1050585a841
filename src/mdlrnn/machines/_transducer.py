"""Tasks that map numbers to numbers, as machines: at each step some inputs are read and a digit is
due.

A transducer offers what a language offers, so that tasks, measures and proofs need not ask which of
the two they have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import RandomState

from ..corpus import Corpus
from ..errors import InputError, printable
from ..files import PathLike, save
from ._machine import Machine, Truth, random_from
from ._rules import state_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[int, ...]
MOST_SEQUENCES = 20_000
"""Of one length that are tried all."""
DRAWN_STEPS = 12
"""Of a training sequence at most."""
MOST_STATES = 1_000
"""Of a machine that is made from a function."""


class Transition(NamedTuple):
    """In a state, reading these inputs: the probability that a 1 is due, and the next state."""

    state: str
    read: Row
    write: Fraction
    to: str


@dataclass(frozen=True)
class Transducer:
    """A finite-state machine from rows of numbers to digits, 0 or 1.

    `draw` makes a training set of a given size; `spell` writes a sequence of input rows as a person
    would, by default row by row.
    """

    name: str = field(compare=False)
    title: str
    transitions: tuple[Transition, ...]
    start: str = "start"
    draw: Callable[[int, int], NDArray[np.int64]] | None = field(default=None, compare=False)
    spell: Callable[[Sequence[Row]], str] | None = field(default=None, compare=False)
    noun: str = field(default="step", compare=False)
    """What one step of a sequence is called."""
    outcome: str = field(default="output", compare=False)
    """What a network gives probabilities to."""
    every: str = field(default="For every sequence and every step of it,", compare=False)
    """How a theorem begins."""
    exactly: str = field(
        default="the network gives each output exactly its true probability", compare=False
    )
    """What a theorem says of a network without fault."""

    alphabet: None = field(default=None, init=False)
    """There are no symbols."""

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def from_function(
        cls,
        name: str,
        step: Callable[[Any, Row], tuple[Any, Any]],
        start: Any,
        rows: Iterable[Row],
        title: str | None = None,
    ) -> Transducer:
        """The transducer of a function from a state and the inputs of a step to what is due, 0 or 1
        or the probability of a 1, and the next state. The states are those that it leads to from
        the start, finitely many.
        """
        every = tuple(tuple(row) for row in rows)
        states, left = {start}, [start]
        found = []
        while left:
            state = left.pop(0)
            for row in every:
                due, to = step(state, row)
                found.append(Transition(str(state), row, Fraction(due), str(to)))
                if to not in states:
                    states.add(to)
                    left.append(to)
            if len(states) > MOST_STATES:
                raise InputError(
                    f"{name} leads to more than {MOST_STATES} states; give a function that "
                    "remembers less."
                )
        return cls(name, title or name, tuple(found), str(start))

    def save(self, path: PathLike) -> None:
        """Write the transducer as a language file."""
        save(path, self.to_text())

    def to_text(self) -> str:
        """The transducer as the text of a language file."""
        steps = sorted(self.transitions, key=lambda t: t.state != self.start)
        return "\n".join([f"# {printable(self.title)}", *map(_line, steps)]) + "\n"

    @property
    def inputs(self) -> int:
        return len(self.transitions[0].read)

    @cached_property
    def table(self) -> dict[tuple[str, Row], Transition]:
        return {(t.state, t.read): t for t in self.transitions}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The input rows that it knows."""
        return tuple(dict.fromkeys(t.read for t in self.transitions))

    def spelled(self, rows: Sequence[Row]) -> str:
        """A sequence of input rows as a person writes it."""
        if self.spell is not None:
            return self.spell(rows)
        return " ".join(",".join(map(str, row)) for row in rows)

    def sample(self, size: int, seed: int = 100) -> list[str]:
        raise InputError(f"{self.title} has numbers, not strings; use its training corpus.")

    def training(self, size: int, seed: int = 100) -> Corpus:
        """A training corpus of that many sequences: as `draw` says, else random ones of up to
        `DRAWN_STEPS` steps."""
        if self.draw is not None:
            return self.corpus(self.draw(size, seed))
        return self.drawn(random_from(seed), size, 1, DRAWN_STEPS)

    def drawn(self, random: RandomState, size: int, shortest: int, longest: int) -> Corpus:
        """Random sequences, each row equally likely, of random lengths."""
        lengths = random.randint(shortest, longest + 1, size=size)
        rows = np.array(self.rows)[random.randint(len(self.rows), size=(size, longest))]
        return self.corpus(rows, lengths)

    def by_length(self, count: int) -> Iterator[tuple[int, Corpus]]:
        """All sequences of 1, 2, ... steps, a corpus for each length, as long as there are not too
        many."""
        rows = np.array(self.rows)
        length = 1
        while len(rows) ** length <= MOST_SEQUENCES:
            every = np.indices((len(rows),) * length).reshape(length, -1).T
            yield length, self.corpus(rows[every])
            length += 1

    def corpus(self, inputs: NDArray[np.int64], lengths: NDArray[np.int64] | None = None) -> Corpus:
        """The corpus of these inputs, (sequence, step, unit), with the digits that are due; where
        sequences are padded, `lengths` says where they end."""
        fits = (inputs[:, :, None, :] == np.array(self.rows)).all(axis=3)
        if not fits.any(axis=2).all():
            raise InputError(
                f"a step holds numbers that {self.title} does not read; give rows that it knows."
            )
        codes = fits.argmax(axis=2)
        state = np.full(len(inputs), self.states.index(self.start))
        due = np.zeros(codes.shape)
        for step in range(codes.shape[1]):
            due[:, step] = self._writes[state, codes[:, step]]
            state = self._leads[state, codes[:, step]]
        return Corpus.from_sequences(inputs, due[:, :, None], lengths)

    def truth(self, corpus: Corpus) -> Truth:
        """What is due at every node of a corpus; off the machine, nothing."""
        if corpus.alphabet is not None or corpus.inputs != self.inputs:
            raise InputError(
                f"{self.title} reads {self.inputs} numbers a step; give a corpus of it."
            )
        known = {row: number for number, row in enumerate(self.rows)}
        rows = [known.get(tuple(row), -1) for row in corpus.input_rows.tolist()]
        code = np.array(rows)[corpus.symbol]
        state = np.full(len(code), -1)
        write = np.full(len(code), math.nan)
        for begin, end in zip(corpus.levels[:-1], corpus.levels[1:], strict=True):
            above = corpus.parent[begin:end]
            before = np.where(above < 0, self.states.index(self.start), state[above])
            fits = (before >= 0) & (code[begin:end] >= 0)
            at = np.where(fits, before, 0), np.where(fits, code[begin:end], 0)
            write[begin:end] = np.where(fits, self._writes[at], math.nan)
            state[begin:end] = np.where(fits, self._leads[at], -1)
        chances = np.stack((1 - write, write), axis=1)
        each = chances[corpus.item_node, corpus.item_target]
        with np.errstate(divide="ignore"):
            bits = -np.sum(corpus.item_weight * np.log2(np.nan_to_num(each)))
        last = np.bincount(corpus.parent[corpus.parent >= 0], minlength=len(code)) == 0
        return Truth(np.nan_to_num(chances), float(bits) + 0.0, last[corpus.item_node])

    @cached_property
    def states(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(state for t in self.transitions for state in (t.state, t.to)))

    @cached_property
    def _writes(self) -> NDArray[np.float64]:
        """(state, row): the probability that a 1 is due."""
        return np.array(self._filled(lambda t: float(t.write)), np.float64)

    @cached_property
    def _leads(self) -> NDArray[np.int64]:
        """(state, row): the next state."""
        return np.array(self._filled(lambda t: self.states.index(t.to)), np.int64)

    def _filled(self, value: Callable[[Transition], float]) -> list[list[float]]:
        return [[value(self.table[state, row]) for row in self.rows] for state in self.states]


AnyMachine = Machine | Transducer
"""A machine over symbols, or one over numbers."""


def _check(machine: Transducer) -> None:
    """Raise if the transitions do not make a transducer, naming the one that is wrong."""
    if not machine.transitions:
        raise InputError(f"{machine.title} has no steps; give at least one.")
    seen: set[tuple[str, Row]] = set()
    for t in machine.transitions:
        where = f"{machine.title}: in {printable(t.state)}, reading {','.join(map(str, t.read))}"
        if len(t.read) != machine.inputs or not t.read:
            raise InputError(f"{where}: other steps read {machine.inputs} numbers; read as many.")
        if not 0 <= t.write <= 1:
            raise InputError(f"{where}: {t.write} is due; give 0, 1 or the probability of a 1.")
        if (t.state, t.read) in seen:
            raise InputError(f"{where}: there are two steps; leave one of them.")
        seen.add((t.state, t.read))
    states = dict.fromkeys(t.state for t in machine.transitions)
    if machine.start not in states:
        raise InputError(f"{machine.title}: no step starts from {printable(machine.start)}.")
    for t in machine.transitions:
        if t.to not in states:
            raise InputError(
                f"{machine.title}: {printable(t.state)} leads to {printable(t.to)}, from which no "
                "step starts; give its steps."
            )
    for state in states:
        for row in machine.rows:
            if (state, row) not in seen:
                raise InputError(
                    f"{machine.title}: in {printable(state)} it is not said what follows "
                    f"{','.join(map(str, row))}; give that step."
                )


def addition() -> Transducer:
    """Binary addition, least significant digits first; the state is the carry."""
    bits = (0, 1)
    return Transducer(
        "addition",
        "binary addition",
        tuple(
            Transition(f"carry {c}", (x, y), Fraction((c + x + y) % 2), f"carry {(c + x + y) // 2}")
            for c in bits
            for x in bits
            for y in bits
        ),
        "carry 0",
        draw=_all_pairs,
        spell=_sum_text,
        noun="digit",
        outcome="digit",
        every="For numbers of any length,",
        exactly="the probability of a 1 is exactly the digit of the sum",
    )


def _all_pairs(size: int, seed: int) -> NDArray[np.int64]:
    return pairs(_numbers(size))


def pairs(numbers: int, first: int = 0) -> NDArray[np.int64]:
    """All pairs of `numbers` numbers from `first`, digit by digit: (pair, step, number)."""
    largest = 2 * (first + numbers - 1)
    steps = (largest - 1).bit_length() + 1
    values = np.arange(first, first + numbers)
    sides = [side.ravel() for side in np.meshgrid(values, values, indexing="ij")]
    places = np.arange(steps)
    return np.stack([(number[:, None] >> places) & 1 for number in sides], axis=2)


def _numbers(size: int) -> int:
    """Addition trains on all pairs of numbers below this."""
    numbers = math.isqrt(size)
    if numbers**2 != size or numbers < 2:
        raise InputError(
            f"addition has no training set of size {size}; give a square number from 4, "
            "since all pairs of numbers are taken."
        )
    return numbers


def _sum_text(rows: Sequence[Row]) -> str:
    numbers = [sum(row[side] << place for place, row in enumerate(rows)) for side in (0, 1)]
    return f"{numbers[0]} + {numbers[1]}"


def _line(step: Transition) -> str:
    """The step as a line of a language file."""
    read = ",".join(map(str, step.read))
    return f"{state_text(step.state)}: {read} / {step.write} -> {state_text(step.to)}"
