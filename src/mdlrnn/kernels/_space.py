"""The space of networks that a search explores, the rates of its mutations, its random numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._genome import Floats, Ints, Words

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
    """For each of the paper's mutations the sum of the rates up to it; see `_mutate`."""
    compound_mutations: Floats
    """The same for compound mutations."""


@compiled
def happens(rate: float, random: Random) -> bool:
    return uniform(random) < rate


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
