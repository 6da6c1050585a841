"""What a network is made of (paper, section 3.2): activations, units, connections, rational weights
and symbols.

An activation is one record: what it is called, costs and computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..checks import check_known, is_integer, short
from ..errors import InputError
from ..limits import SYMBOL_LENGTH, check_size

Number = Any
"""A Fraction, a float, or a term: every meaning is one text for all of them."""


class Arithmetic(NamedTuple):
    """The operations that activations are made of."""

    number: Callable[[Any], Number]
    relu: Callable[[Number], Number]
    step: Callable[[Number], Number]
    """1 above 0, else 0."""
    floor: Callable[[Number], Number]
    remainder: Callable[[Number, int], Number]
    """x modulo an integer, in [0, base)."""
    product: Callable[[Number, Number], Number]
    sigmoid: Callable[[Number], Number]
    tanh: Callable[[Number], Number]
    tidy: Callable[[Number], Number]
    """Applied to every unit's value: rounds what has grown too long."""
    cut: Callable[[Number], Number] = lambda x: x
    """Applied to sums where a network's saturation is off: keeps them within what can be held."""


@dataclass(frozen=True)
class Activation:
    name: str
    code: int
    """The number by which kernels know it; files and bits never hold it."""
    cost: int
    """Bits in unary, in the paper's scheme."""
    meaning: Callable[[Arithmetic, Number], Number]
    extension: str | None = None
    """The extension of the default space that brings it; None where it is in the space."""
    signed: bool = False
    """What it does depends on the argument's sign."""
    modulus: int | None = None
    """What it does depends on the remainder of the argument by this."""
    jumps: bool = False
    """A tiny change of the argument can change the value by a whole step."""
    smooth: bool = False
    """A value is irrational, so that float64 and exact runs round it."""


_RECORDS = (
    Activation("linear", 0, 0, lambda a, x: x),
    Activation("relu", 1, 4, lambda a, x: a.relu(x), signed=True),
    Activation("sigmoid", 2, 4, lambda a, x: a.sigmoid(x), smooth=True),
    Activation("square", 3, 2, lambda a, x: a.product(x, x)),
    Activation("floor", 4, 4, lambda a, x: a.floor(x), modulus=1, jumps=True),
    Activation("step", 5, 8, lambda a, x: a.step(x), signed=True, jumps=True),
    Activation("mod2", 6, 8, lambda a, x: a.remainder(x, 2), "modulos", modulus=2, jumps=True),
    Activation("mod3", 7, 8, lambda a, x: a.remainder(x, 3), "modulos", modulus=3, jumps=True),
    # No published scheme knows tanh: it costs what sigmoid does, the same curve scaled.
    Activation("tanh", 8, 4, lambda a, x: a.tanh(x), "tanh", smooth=True),
    # The successors' (Abudy and others 2025), which no scheme of the paper knows either.
    Activation("abs", 9, 4, lambda a, x: a.relu(x) + a.relu(-x), "abs", signed=True),
    Activation("mod4", 10, 8, lambda a, x: a.remainder(x, 4), "mod4", modulus=4, jumps=True),
)

ACTIVATIONS = {record.name: record for record in _RECORDS}
"""By name, in the order of their codes."""
assert [record.code for record in _RECORDS] == list(range(len(_RECORDS)))

DEFAULT_ACTIVATIONS = tuple(name for name, record in ACTIVATIONS.items() if not record.extension)


def with_extensions(used: Iterable[str]) -> tuple[str, ...]:
    """The default activations, and every extension, whole, that one of these belongs to."""
    needed = {ACTIVATIONS[name].extension for name in used}
    return tuple(
        name
        for name, record in ACTIVATIONS.items()
        if record.extension is None or record.extension in needed
    )


BOUNDARY = "#"
"""Begins and ends every string; it is added, never written."""
MOST_UNITS = 4096
MOST_SYMBOLS = MOST_UNITS // 2
"""A network needs an input and an output for each symbol."""


def check_alphabet(alphabet: Sequence[object]) -> None:
    if not all(isinstance(symbol, str) and symbol for symbol in alphabet):
        raise InputError("the alphabet holds something that is not a symbol; give strings.")
    longest = max((len(str(symbol)) for symbol in alphabet), default=0)
    check_size(longest, SYMBOL_LENGTH, "a symbol of the alphabet", "characters")
    if len(set(alphabet)) != len(alphabet):
        raise InputError("the alphabet names a symbol twice; name each symbol once.")
    if BOUNDARY not in alphabet:
        raise InputError(f"the alphabet lacks the boundary symbol {BOUNDARY}; put it first.")
    if len(alphabet) > MOST_SYMBOLS:
        raise InputError(
            f"the alphabet has {len(alphabet)} symbols; a network holds at most {MOST_SYMBOLS}."
        )


def has_words(alphabet: Sequence[str] | None) -> bool:
    """Whether symbols are words, so that a string of them is written with blanks between."""
    return alphabet is not None and any(len(symbol) > 1 for symbol in alphabet)


def symbols_of(string: str, alphabet: Sequence[str] | None, words: bool = False) -> list[str]:
    """The symbols of a string as a person types it: its words or its characters.

    It has words where the alphabet has some, or where it has blanks that are no symbol.
    """
    if alphabet is not None and " " not in alphabet:
        words = words or has_words(alphabet) or any(map(str.isspace, string))
    return string.split() if words else list(string)


def spelled(symbols: Sequence[str], words: bool | None = None) -> str:
    """The string as a person types it; `words` is told from the symbols where it is None."""
    blank = has_words(symbols) if words is None else words
    return (" " if blank else "").join(symbols)


TYPES = ("sum", "product")
KINDS = ("forward", "recurrent")
LARGEST_INTEGER = 2**53
"""Bound on numerators and denominators, so that float64 holds each of them exactly."""


@dataclass(frozen=True, slots=True, order=True)
class Weight:
    """A signed fraction as written: 2/4 and 1/2 weigh the same but cost different bits."""

    numerator: int
    denominator: int = 1

    def __post_init__(self) -> None:
        for name in ("numerator", "denominator"):
            if not is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {short(getattr(self, name))} is not an integer; "
                    "write a weight as two integers, [numerator, denominator]."
                )
        if self.numerator == 0:
            raise InputError("a weight's numerator is 0; leave the connection or bias out instead.")
        if self.denominator < 1:
            raise InputError(
                f"a weight's denominator is {short(self.denominator)}; it must be 1 or more, "
                "with the sign in the numerator."
            )
        if max(abs(self.numerator), self.denominator) > LARGEST_INTEGER:
            raise InputError(
                f"the weight [{short(self.numerator)}, {short(self.denominator)}] is too large; "
                "keep numerator and denominator within 2**53."
            )

    @property
    def fraction(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def __float__(self) -> float:
        return self.numerator / self.denominator

    def __str__(self) -> str:
        return (
            str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"
        )


@dataclass(frozen=True, slots=True)
class Unit:
    activation: str = "linear"
    type: str = "sum"
    bias: Weight | None = None

    def __post_init__(self) -> None:
        check_known(self.activation, ACTIVATIONS, "activation")
        check_known(self.type, TYPES, "type")
        if self.bias is not None and not isinstance(self.bias, Weight):
            raise InputError(
                f"the bias {short(self.bias)} is not a Weight; write Weight(1, 2) or None."
            )


@dataclass(frozen=True, slots=True)
class Connection:
    source: int
    target: int
    kind: str
    weight: Weight

    def __post_init__(self) -> None:
        check_known(self.kind, KINDS, "kind")
        for name in ("source", "target"):
            if not is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {short(getattr(self, name))} is not a unit's number; "
                    "units are numbered from 0."
                )
        if not isinstance(self.weight, Weight):
            raise InputError(
                f"the weight {short(self.weight)} is not a Weight; write Weight(1, 2)."
            )
