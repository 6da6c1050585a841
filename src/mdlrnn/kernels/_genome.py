"""A network as a row of int64 words, the form in which kernels read and mutate it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..network import ACTIVATIONS, KINDS, TYPES, Connection, Network, Unit, Weight
from ._compile import compiled, entry

Floats = NDArray[np.float64]
Floats2 = NDArray[np.float64]
"""Two-dimensional."""
Ints = NDArray[np.int64]
Indices = NDArray[np.uint32]


HEADER = 2
UNIT_WORDS = 3
CONNECTION_WORDS = 3
PRODUCT = 16
SOURCE_BITS = 12
RECURRENT = 1 << SOURCE_BITS
TARGET = RECURRENT << 1
SOURCE_MASK = RECURRENT - 1
ANCESTRY = HEADER + 2
"""The word that says what a row stems from: the denominator of the first input's bias, which an
input lacks. So it travels wherever the row does."""
RANDOM, CONSTRUCTED, DESCENDED, UNKNOWN = 1, 2, 3, 4
"""From random networks; constructed from the strings; with such a one among its ancestors; kept by
a version that did not note it."""

_NAMES = tuple(ACTIVATIONS)
assert len(_NAMES) <= PRODUCT, "a unit's code holds no more activations"
Words = NDArray[np.int64]


def row_of(network: Network) -> Words:
    """The network's row, made once and kept with it."""
    row = network.__dict__.get("_row")
    if row is None:
        row = _make_row(network)
        object.__setattr__(network, "_row", row)
    return row


def _make_row(network: Network) -> Words:
    words = [len(network.units), len(network.connections)]
    for unit in network.units:
        code = ACTIVATIONS[unit.activation].code + PRODUCT * TYPES.index(unit.type)
        bias = unit.bias
        words += (code, 0, 1) if bias is None else (code, bias.numerator, bias.denominator)
    keyed = sorted(
        (c.target * TARGET + KINDS.index(c.kind) * RECURRENT + c.source, c.weight)
        for c in network.connections
    )
    for key, weight in keyed:
        words += (key, weight.numerator, weight.denominator)
    return np.array(words, dtype=np.int64)


def network_from_row(
    row: Words, inputs: int, outputs: int, alphabet: tuple[str, ...] | None = None
) -> Network:
    words = row.tolist()
    count, connections = words[0], words[1]
    units = []
    for at in range(HEADER, HEADER + UNIT_WORDS * count, UNIT_WORDS):
        code, numerator, denominator = words[at : at + UNIT_WORDS]
        bias = Weight(numerator, denominator) if numerator else None
        units.append(Unit(_NAMES[code % PRODUCT], TYPES[code // PRODUCT], bias))
    start = HEADER + UNIT_WORDS * count
    read = []
    for at in range(start, start + CONNECTION_WORDS * connections, CONNECTION_WORDS):
        key, numerator, denominator = words[at : at + CONNECTION_WORDS]
        kind = KINDS[1 if key & RECURRENT else 0]
        read.append(
            Connection(key & SOURCE_MASK, key // TARGET, kind, Weight(numerator, denominator))
        )
    return Network(inputs, outputs, tuple(units), tuple(read), alphabet)


def marked(row: Words, ancestry: int) -> Words:
    """A copy of the row with another ancestry."""
    copy = row.copy()
    copy[ANCESTRY] = ancestry
    return copy


def pack(rows: Sequence[Words]) -> tuple[Words, Words]:
    """All rows in one array, and where each starts."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([row.size for row in rows], out=starts[1:])
    return np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64), starts


@entry
def size_of(row: Words) -> int:
    """Words in use."""
    return HEADER + UNIT_WORDS * row[0] + CONNECTION_WORDS * row[1]


@compiled
def descend(genome: Words, parent: Words) -> None:
    """Note in an offspring what this parent stems from."""
    if parent[ANCESTRY] != RANDOM:
        genome[ANCESTRY] = UNKNOWN if parent[ANCESTRY] == UNKNOWN else DESCENDED


@compiled
def copy_row(source: Words, to: Words) -> None:
    for i in range(size_of(source)):
        to[i] = source[i]
