"""The activations, each one a record: what it is called, costs and computes.

The meaning is written once, over an `Arithmetic`: rationals and floats in `_interpreter`, terms in
`proofs._terms`, numbers with error bounds in the tests. Kernels and the page have a line of their
own for each activation, which the tests hold against these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

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
