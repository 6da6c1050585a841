"""A network as a row of int64 words, the form in which kernels read and mutate it; the space of
networks that a search explores, its random numbers, and the changes to a row that keep it a
network: the alphabet in which mutations are written.

All changes work in place. A row has room for what the caller adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..network import (
    ACTIVATIONS,
    KINDS,
    LARGEST_INTEGER,
    MOST_UNITS,
    TYPES,
    Connection,
    Network,
    Unit,
    Weight,
)
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


def words_for(inputs: int, outputs: int) -> int:
    """Words that a row needs for a network with every connection from an input to an output and
    back."""
    return HEADER + UNIT_WORDS * (inputs + outputs) + CONNECTION_WORDS * 2 * inputs * outputs


def connections_in(words: int) -> int:
    """How many connections a row of so many words has room for, and one."""
    return (words - HEADER) // CONNECTION_WORDS + 1


def cleared(rows: NDArray[Any], width: int | None = None) -> NDArray[Any]:
    """Rows of so many words, or of as many as the longest uses, with zeros behind what a network
    uses: what else lies there depends on what was there before."""
    counts = rows[:, :2].astype(np.int64)
    sizes = HEADER + counts @ np.array([UNIT_WORDS, CONNECTION_WORDS])
    width = int(sizes.max()) if width is None else width
    return np.where(np.arange(width) < sizes[:, None], rows[:, :width], 0)


def are_networks(words: Words, sizes: Words, inputs: int, outputs: int) -> bool:
    """Whether packed rows of these sizes are networks with so many inputs and outputs."""
    return all(bool(rule.all()) for rule in _rules(words, sizes, inputs, outputs))


def _rules(words: Words, sizes: Words, inputs: int, outputs: int) -> Iterator[NDArray[Any]]:
    """What holds of networks; each rule can be asked where those before it hold."""
    yield (sizes >= HEADER) & (sizes <= words.size)
    yield sizes.sum() == words.size
    starts = np.cumsum(sizes) - sizes
    units, connections = words[starts], words[starts + 1]
    yield (units >= inputs + outputs) & (units <= MOST_UNITS)
    yield (connections >= 0) & (connections <= words.size)
    yield sizes == HEADER + UNIT_WORDS * units + CONNECTION_WORDS * connections

    number, at = _places(starts + HEADER, units, UNIT_WORDS)
    code, numerator = words[at], words[at + 1]
    yield (code >= 0) & (code < PRODUCT * len(TYPES)) & (code % PRODUCT < len(ACTIVATIONS))
    yield _are_weights(numerator, words[at + 2])
    yield (number >= inputs) | ((code == 0) & (numerator == 0))

    number, at = _places(starts + HEADER + UNIT_WORDS * units, connections, CONNECTION_WORDS)
    key, numerator = words[at], words[at + 1]
    known = np.repeat(units, connections)
    yield (key >= 0) & (key // TARGET < known) & ((key & SOURCE_MASK) < known)
    yield (numerator != 0) & _are_weights(numerator, words[at + 2])
    yield (key[1:] > key[:-1]) | (number[1:] == 0)


def _are_weights(numerator: Words, denominator: Words) -> NDArray[Any]:
    small = (numerator >= -LARGEST_INTEGER) & (numerator <= LARGEST_INTEGER)
    return small & (denominator >= 1) & (denominator <= LARGEST_INTEGER)


def _places(starts: Words, counts: Words, step: int) -> tuple[Words, Words]:
    """For all items of all rows: the item's number in its row, and its place in the words."""
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return number, np.repeat(starts, counts) + step * number


@compiled
def descend(genome: Words, parent: Words) -> None:
    """Note in an offspring what this parent stems from."""
    if parent[ANCESTRY] != RANDOM:
        genome[ANCESTRY] = UNKNOWN if parent[ANCESTRY] == UNKNOWN else DESCENDED


@compiled
def copy_row(source: Words, to: Words) -> None:
    for i in range(size_of(source)):
        to[i] = source[i]


Random = NDArray[np.uint64]
"""The state, four words, not all zero."""

_TO_UNIT = 1.0 / (1 << 53)


@compiled
def _rotate(x: np.uint64, by: int) -> np.uint64:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@compiled
def next_word(state: Random) -> np.uint64:
    result = _rotate(state[0] + state[3], 23) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotate(state[3], 45)
    return result


@compiled
def uniform(state: Random) -> float:
    """In [0, 1)."""
    return (next_word(state) >> np.uint64(11)) * _TO_UNIT


@compiled
def below(state: Random, n: int) -> int:
    """0 .. n-1, all but equally likely."""
    return int(uniform(state) * n)


@compiled
def geometric(state: Random, p: float) -> int:
    """1, 2, ...: how many trials of chance p until the first success."""
    n = 1
    while uniform(state) >= p:
        n += 1
    return n


INPUT_CHANCE = 0.1
"""How often a connection goes to an input, where it may."""


class Space(NamedTuple):
    """What kernels need to know of a search, by name. Rates are chances from 0 to 1."""

    inputs: int
    outputs: int
    activations: Ints
    """The codes of those that are allowed."""
    products: bool
    unrestricted: bool
    """Connections come from outputs and go to inputs, too."""
    max_units: int
    max_connections: int
    further_mutation_rate: float
    redraw_weight_rate: float
    compound_mutation_rate: float
    crossover_rate: float
    stack_rate: float
    simple_mutations: Floats
    """For each of the paper's mutations the sum of the rates up to it; see `_offspring`."""
    compound_mutations: Floats
    """The same for compound mutations."""


@compiled
def happens(rate: float, random: Random) -> bool:
    return uniform(random) < rate


def is_in_space(row: Words, space: Space) -> bool:
    """Whether a search of the space can come to this network."""
    end = HEADER + UNIT_WORDS * int(row[0])
    codes = row[HEADER:end:UNIT_WORDS]
    if not np.isin(codes % PRODUCT, space.activations).all():
        return False
    if codes.max() >= PRODUCT and not space.products:
        return False
    keys = row[end : int(size_of(row)) : CONNECTION_WORDS]
    sources, targets = keys & SOURCE_MASK, keys // TARGET
    from_output = (sources >= space.inputs) & (sources < space.inputs + space.outputs)
    return bool(space.unrestricted or not (from_output | (targets < space.inputs)).any())


@compiled
def random_activation(random: Random, space: Space) -> int:
    return space.activations[below(random, space.activations.size)]


@compiled
def is_allowed(activation: int, space: Space) -> bool:
    for code in space.activations:
        if code == activation:
            return True
    return False


@compiled
def random_source(genome: Words, random: Random, space: Space) -> int:
    """An input or a hidden unit, or an output where connections are unrestricted."""
    if space.unrestricted:
        return below(random, genome[0])
    source = below(random, genome[0] - space.outputs)
    return source if source < space.inputs else source + space.outputs


@compiled
def random_target(genome: Words, random: Random, space: Space) -> int:
    """An output or a hidden unit."""
    return space.inputs + below(random, genome[0] - space.inputs)


@compiled
def random_end(genome: Words, random: Random, space: Space) -> int:
    """Where a connection may go: to an output or a hidden unit, now and then to an input."""
    if space.unrestricted and uniform(random) < INPUT_CHANCE:
        return below(random, space.inputs)
    return random_target(genome, random, space)


LARGEST = 1 << 30
"""Numerators and denominators grow no further; float64 and |G| have long lost interest."""


@compiled
def connections_at(genome: Words) -> int:
    return HEADER + UNIT_WORDS * genome[0]


@compiled
def insert(genome: Words, at: int, count: int) -> None:
    """Make room for `count` words; the header is the caller's to correct, after this."""
    for i in range(size_of(genome) - 1, at - 1, -1):
        genome[i + count] = genome[i]


@compiled
def delete(genome: Words, at: int, count: int) -> None:
    """Close the gap of `count` words; the header is the caller's to correct, after this."""
    for i in range(at + count, size_of(genome)):
        genome[i - count] = genome[i]


@compiled
def place_of(genome: Words, key: int) -> int:
    """Where a connection with this key stands, or would stand: a binary search."""
    start = connections_at(genome)
    low, high = 0, genome[1]
    while low < high:
        middle = (low + high) >> 1
        if genome[start + CONNECTION_WORDS * middle] < key:
            low = middle + 1
        else:
            high = middle
    return start + CONNECTION_WORDS * low


@compiled
def add_connection(genome: Words, key: int, numerator: int, denominator: int) -> bool:
    at = place_of(genome, key)
    if at < size_of(genome) and genome[at] == key:
        return False
    insert(genome, at, CONNECTION_WORDS)
    genome[1] += 1
    genome[at] = key
    genome[at + 1] = numerator
    genome[at + 2] = denominator
    return True


@compiled
def remove_connection(genome: Words, at: int) -> None:
    delete(genome, at, CONNECTION_WORDS)
    genome[1] -= 1


@compiled
def fresh_number(random: Random) -> int:
    """1, 2, ...: a number whose code is b bits longer than that of 1 with a chance of 2^-b.

    That is, an m-bit number (coded in 2m + 1 bits) has the chance 2^-(2m - 1).
    """
    n = 1
    while n < LARGEST and uniform(random) < 0.5:
        n = 2 * n + int(next_word(random) >> np.uint64(63))
    return n


@compiled
def fresh_weight(random: Random) -> tuple[int, int]:
    """A fraction as likely as its code is short."""
    numerator = fresh_number(random)
    denominator = fresh_number(random)
    return (-numerator if uniform(random) < 0.5 else numerator), denominator


@compiled
def append_unit(genome: Words, code: int) -> int:
    """A new last unit without bias and connections; returns its number."""
    end = connections_at(genome)
    insert(genome, end, UNIT_WORDS)
    genome[end] = code
    genome[end + 1] = 0
    genome[end + 2] = 1
    genome[0] += 1
    return genome[0] - 1


@compiled
def delete_unit(genome: Words, unit: int) -> None:
    """The unit goes, with all its connections; higher units move up."""
    start = connections_at(genome)
    to = start
    for at in range(start, size_of(genome), CONNECTION_WORDS):
        source = genome[at] & SOURCE_MASK
        target = genome[at] // TARGET
        if source != unit and target != unit:
            lower = (1 if source > unit else 0) + (TARGET if target > unit else 0)
            genome[to] = genome[at] - lower
            genome[to + 1] = genome[at + 1]
            genome[to + 2] = genome[at + 2]
            to += CONNECTION_WORDS
        else:
            genome[1] -= 1
    delete(genome, HEADER + UNIT_WORDS * unit, UNIT_WORDS)
    genome[0] -= 1


@compiled
def delete_units(genome: Words, kept: NDArray[np.int64]) -> None:
    """The units for which `kept` has a 0 go, with all their connections; the others move up. In
    place of their marks come their new numbers, plus 1."""
    units, start, end = genome[0], connections_at(genome), size_of(genome)
    left = 0
    for u in range(units):
        if kept[u] != 0:
            left += 1
            kept[u] = left
    if left == units:
        return
    for u in range(units):
        if kept[u] != 0:
            for k in range(UNIT_WORDS):
                genome[HEADER + UNIT_WORDS * (kept[u] - 1) + k] = genome[
                    HEADER + UNIT_WORDS * u + k
                ]
    to = HEADER + UNIT_WORDS * left
    for at in range(start, end, CONNECTION_WORDS):
        key = genome[at]
        source, target = kept[key & SOURCE_MASK], kept[key // TARGET]
        if source != 0 and target != 0:
            genome[to] = (target - 1) * TARGET + (key & RECURRENT) + source - 1
            genome[to + 1] = genome[at + 1]
            genome[to + 2] = genome[at + 2]
            to += CONNECTION_WORDS
        else:
            genome[1] -= 1
    genome[0] = left


@compiled
def clear_unit(genome: Words, unit: int) -> None:
    """Take the bias and all incoming connections away."""
    at = HEADER + UNIT_WORDS * unit
    genome[at + 1] = 0
    genome[at + 2] = 1
    start = place_of(genome, unit * TARGET)
    end = place_of(genome, (unit + 1) * TARGET)
    if end > start:
        delete(genome, start, end - start)
        genome[1] -= (end - start) // CONNECTION_WORDS


@compiled
def tidy(genome: Words, first_hidden: int, live: NDArray[np.int64]) -> None:
    """Reduce all fractions and take out the hidden units that reach no output.

    Neither changes what the network computes; both make it shorter. `live` is scratch, a place per
    unit.
    """
    units = genome[0]
    start = connections_at(genome)
    for at in range(HEADER + 1, start, UNIT_WORDS):
        reduce_fraction(genome, at)
    end = size_of(genome)
    for at in range(start + 1, end, CONNECTION_WORDS):
        reduce_fraction(genome, at)
    if units == first_hidden:
        return
    for u in range(units):
        live[u] = 1 if u < first_hidden else 0
    changed = True
    while changed:
        changed = False
        for at in range(end - CONNECTION_WORDS, start - 1, -CONNECTION_WORDS):
            source = genome[at] & SOURCE_MASK
            if live[source] == 0 and live[genome[at] // TARGET] == 1:
                live[source] = 1
                changed = True
    delete_units(genome, live)


@compiled
def reduce_fraction(genome: Words, at: int) -> None:
    """The fraction whose numerator is word `at`, in lowest terms; an absent bias stays absent."""
    a, b = abs(genome[at]), genome[at + 1]
    if b == 1 or a <= 1:
        return
    while b != 0:
        a, b = b, a % b
    if a > 1:
        genome[at] = genome[at] // a
        genome[at + 1] = genome[at + 1] // a
