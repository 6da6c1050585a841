"""Local search: a network is changed as long as one small change makes it better.

The paper's mutations find such changes too, but by chance, one in thousands of offspring.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._compile import compiled
from ._edit import LARGEST, connections_at, remove_connection, tidy
from ._evaluate import Memo, evaluate
from ._feed import Floats
from ._genome import CONNECTION_WORDS, HEADER, UNIT_WORDS, Words, copy_row, size_of
from ._plan import STACK
from ._score import Workspace
from ._space import ACTIVATION, ACTIVATION_COUNT, INPUTS, OUTPUTS, Space
from ._tree import Tree

CHANGES = 10
"""Ways in which a weight is changed, numbered from 0."""
LEAST_GAIN = 1e-6
"""In bits; what is less may be rounding."""


@compiled
def changed_weight(numerator: int, denominator: int, change: int) -> tuple[int, int]:
    """The weight after one of the changes; itself where the change does not apply."""
    size, below = abs(numerator), denominator
    sign = 1 if numerator > 0 else -1
    if change == 0:
        size += 1
    elif change == 1:
        size -= 1
    elif change == 2:
        below += 1
    elif change == 3:
        below -= 1
    elif change == 4:
        size *= 2
    elif change == 5:
        size //= 2
    elif change == 6:
        below *= 2
    elif change == 7:
        below //= 2
    elif change == 8:
        sign = -sign
    else:
        size = below = 1
    if not (1 <= size <= LARGEST and 1 <= below <= LARGEST):
        return numerator, denominator
    return sign * size, below


@compiled
def polish(
    genome: Words,
    length: int,
    bits: float,
    value: float,
    tree: Tree,
    encoding: NDArray[np.int64],
    multipliers: Floats,
    space: Space,
    work: Workspace,
    memo: Memo,
    counters: NDArray[np.int64],
    trial: Words,
) -> tuple[int, float, float]:
    """Change the network in place to one that no small change betters; |G|, |D:G| and the value.

    Small changes are those of a weight, of an activation, and taking a connection or bias away.
    """
    first = space[INPUTS] + space[OUTPUTS]
    while True:
        before = value
        for what in range(CHANGES + 1 + space[ACTIVATION_COUNT]):
            place = HEADER + UNIT_WORDS * space[INPUTS]
            while place < size_of(genome):
                at_unit = place < connections_at(genome)
                copy_row(genome, trial)
                if change_at(trial, place, at_unit, what, space):
                    tidy(trial, first, work.plan[STACK])
                    new_length, new_bits, new_value = evaluate(
                        trial, tree, encoding, multipliers, work, memo, counters, value
                    )
                    if new_value < value - LEAST_GAIN:
                        copy_row(trial, genome)
                        length, bits, value = new_length, new_bits, new_value
                place += UNIT_WORDS if at_unit else CONNECTION_WORDS
        if value == before:
            return length, bits, value


@compiled
def change_at(genome: Words, place: int, at_unit: bool, what: int, space: Space) -> bool:
    """Make change number `what` of the unit or connection whose words start at `place`."""
    if what > CHANGES:
        if not at_unit:
            return False
        code = genome[place] - genome[place] % 16 + space[ACTIVATION + what - CHANGES - 1]
        changed = code != genome[place]
        genome[place] = code
        return changed
    numerator, denominator = genome[place + 1], genome[place + 2]
    if numerator == 0:
        return False
    if what == CHANGES:
        if at_unit:
            genome[place + 1], genome[place + 2] = 0, 1
        else:
            remove_connection(genome, place)
        return True
    new_numerator, new_denominator = changed_weight(numerator, denominator, what)
    genome[place + 1], genome[place + 2] = new_numerator, new_denominator
    return new_numerator != numerator or new_denominator != denominator
