"""The loops that feeding is made of, over stretches of entries, which LLVM can vectorise."""

from __future__ import annotations

from ._activations import activate
from ._compile import compiled
from ._genome import HEADER, PRODUCT, UNIT_WORDS, Words
from ._types import Floats, Indices


@compiled
def fill(into: Floats, value: float) -> None:
    """A loop: the slice assignment would compile all of its error handling."""
    for i in range(into.size):
        into[i] = value


@compiled
def spread(into: Floats, table: Floats, at: Indices) -> None:
    for i in range(into.size):
        into[i] = table[at[i]]


@compiled
def take(product: bool, into: Floats, weight: float, values: Floats) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[i]
    else:
        for i in range(into.size):
            into[i] += weight * values[i]


@compiled
def take_at(product: bool, into: Floats, weight: float, values: Floats, at: Indices) -> None:
    if product:
        for i in range(into.size):
            into[i] *= weight * values[at[i]]
    else:
        for i in range(into.size):
            into[i] += weight * values[at[i]]


@compiled
def mend_product(x: Floats) -> None:
    """Infinity times 0 is 0: only overflow on the way made it NaN."""
    for i in range(x.size):
        x[i] = x[i] if x[i] == x[i] else 0.0


@compiled
def bias_of(genome: Words, unit: int) -> float:
    at = HEADER + UNIT_WORDS * unit
    return genome[at + 1] / genome[at + 2]


@compiled
def finish(unit: int, into: Floats, genome: Words, most: float) -> None:
    code = genome[HEADER + UNIT_WORDS * unit]
    if code >= PRODUCT:
        mend_product(into)
    activate(code % PRODUCT, into, bias_of(genome, unit), most)
