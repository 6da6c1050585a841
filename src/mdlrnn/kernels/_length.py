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

TYPE_BITS, PARTS_BITS = len(ACTIVATIONS), len(ACTIVATIONS) + 1
"""Places in an encoding's table, behind the activations."""


def encoding_table(encoding: Encoding) -> NDArray[np.int64]:
    """Bits of each activation's field and cost (-1: not allowed), of a type, and of the parts.

    Where the code says which parts a network has, the widths of its fields follow from the network
    and are not in the table.
    """
    says_parts = encoding.says_parts
    bits = [
        (0 if says_parts else encoding.activation_bits(name)) + encoding.cost_bits(name)
        if name in encoding.activations
        else -1
        for name in ACTIVATIONS
    ]
    types = 0 if says_parts else int(encoding.type_bit)
    # One bit for each activation beyond linear, and one for products.
    return np.array([*bits, types, len(ACTIVATIONS) if says_parts else 0], dtype=np.int64)


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
    bits = number_bits(units) + units * encoding[TYPE_BITS] + encoding[PARTS_BITS]
    used = 0
    at = HEADER
    for u in range(units):
        outgoing[u] = 0
        bits += encoding[genome[at] % PRODUCT]
        used |= 1 << genome[at]
        bits += 2 if genome[at + 1] == 0 else weight_bits(genome[at + 1], genome[at + 2])
        at += UNIT_WORDS
    if encoding[PARTS_BITS] > 0:
        bits += units * part_fields(used)
    bits += connections * (1 + integer_length(units - 1))
    for _ in range(connections):
        outgoing[genome[at] & SOURCE_MASK] += 1
        bits += weight_bits(genome[at + 1], genome[at + 2])
        at += CONNECTION_WORDS
    for u in range(units):
        bits += number_bits(outgoing[u])
    return bits


@compiled
def part_fields(used: int) -> int:
    """Bits by which a unit names its activation, and its type where one is a product, given the
    set of the units' codes."""
    kinds = 0
    for activation in range(PRODUCT):
        if used & ((1 << activation) | (1 << (activation + PRODUCT))):
            kinds += 1
    return integer_length(kinds - 1) + (1 if used >> PRODUCT else 0)


@compiled
def weight_norms(genome: Words) -> tuple[float, float]:
    """Sums of the absolute and of the squared weights, biases included."""
    l1 = l2 = 0.0
    for at in range(HEADER + 1, size_of(genome), UNIT_WORDS):
        weight = abs(genome[at] / genome[at + 1])
        l1 += weight
        l2 += weight * weight
    return l1, l2
