"""|G| of genome rows; the encoder in `network._code` is its oracle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..network._activations import ACTIVATIONS
from ..network._encoding import Encoding
from ._arithmetic import integer_length
from ._compile import compiled
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    UNIT_WORDS,
    Words,
    size_of,
)


def encoding_table(encoding: Encoding) -> NDArray[np.int64]:
    """Bits of each activation's field and cost (-1: not allowed), then the bits of a type."""
    bits = [
        encoding.activation_bits(name) + encoding.cost(name) + 1
        if name in encoding.activations
        else -1
        for name in ACTIVATIONS
    ]
    return np.array([*bits, int(encoding.type_bit)], dtype=np.int64)


@compiled
def number_bits(n: int) -> int:
    """Length of E(n)."""
    return 2 * integer_length(n) + 1


@compiled
def weight_bits(numerator: int, denominator: int) -> int:
    return 1 + number_bits(abs(numerator)) + number_bits(denominator)


@compiled
def encoded_length(genome: Words, encoding: NDArray[np.int64], outgoing: NDArray[np.int64]) -> int:
    """|G|. `outgoing` is scratch, a place per unit."""
    units, connections = genome[0], genome[1]
    bits = number_bits(units) + units * encoding[encoding.size - 1]
    at = HEADER
    for u in range(units):
        outgoing[u] = 0
        bits += encoding[genome[at] % PRODUCT]
        bits += 2 if genome[at + 1] == 0 else weight_bits(genome[at + 1], genome[at + 2])
        at += UNIT_WORDS
    bits += connections * (1 + integer_length(units - 1))
    for _ in range(connections):
        outgoing[genome[at] & SOURCE_MASK] += 1
        bits += weight_bits(genome[at + 1], genome[at + 2])
        at += CONNECTION_WORDS
    for u in range(units):
        bits += number_bits(outgoing[u])
    return bits


@compiled
def weight_norms(genome: Words) -> tuple[float, float]:
    """Sums of the absolute and of the squared weights, biases included."""
    l1 = l2 = 0.0
    for at in range(HEADER + 1, size_of(genome), UNIT_WORDS):
        weight = abs(genome[at] / genome[at + 1])
        l1 += weight
        l2 += weight * weight
    return l1, l2
