"""The space of networks that a search walks in, as the kernels see it: a row of integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._genome import Words
from ._random import Random, below, uniform

INPUTS, OUTPUTS, PRODUCTS, MOST_UNITS, MOST_CONNECTIONS = 0, 1, 2, 3, 4
# Chances in thousandths: of one more mutation, of a fresh weight where a weight changes, of a
# compound mutation instead of one of the paper's, of taking a part from another network, and of
# getting a stack.
FURTHER, FRESH, COMPOUND, GRAFT, STACKS = 5, 6, 7, 8, 9
# Whether connections come from outputs and go to inputs, too.
ANYWHERE = 10
# How many activations are allowed, and from here on their codes.
ACTIVATION_COUNT, ACTIVATION = 11, 12
Space = NDArray[np.int64]
INPUT_CHANCE = 0.1
"""How often a connection goes to an input, where it may."""


@compiled
def happens(thousandths: int, random: Random) -> bool:
    return uniform(random) * 1000.0 < thousandths


@compiled
def random_activation(random: Random, space: Space) -> int:
    return space[ACTIVATION + below(random, space[ACTIVATION_COUNT])]


@compiled
def random_source(genome: Words, random: Random, space: Space) -> int:
    """An input or a hidden unit, or an output where connections come from anywhere."""
    if space[ANYWHERE] == 1:
        return below(random, genome[0])
    source = below(random, genome[0] - space[OUTPUTS])
    return source if source < space[INPUTS] else source + space[OUTPUTS]


@compiled
def random_target(genome: Words, random: Random, space: Space) -> int:
    """An output or a hidden unit."""
    return space[INPUTS] + below(random, genome[0] - space[INPUTS])


@compiled
def random_end(genome: Words, random: Random, space: Space) -> int:
    """Where a connection may go: to an output or a hidden unit, now and then to an input."""
    if space[ANYWHERE] == 1 and uniform(random) < INPUT_CHANCE:
        return below(random, space[INPUTS])
    return random_target(genome, random, space)
