"""A stack as one mutation (docs/search.md, "Stacks").

A stack is of use only when it is whole, so that no path of better and better networks leads to one;
the paper proposes to let the search add it in a single step. Which symbols push what, which pop,
and who reads the top is left to chance and to later mutations.
"""

from __future__ import annotations

from ._activations import FLOOR, LINEAR, MOD2, MOD3
from ._compile import compiled, inlined
from ._compound import MOST_TERMS, write_formula
from ._edit import add_connection, append_unit, clear_unit, fresh_weight
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    RECURRENT,
    TARGET,
    UNIT_WORDS,
    Words,
)
from ._random import Random, below, geometric, uniform
from ._space import Space, is_allowed, random_target

MOST_SYMBOLS = 8
"""Inputs that push or pop."""
STACK_UNITS = 8
STACK_CONNECTIONS = MOST_SYMBOLS + 10
"""With those from inputs, without those into the reader."""
STACK_GROWTH = (
    STACK_UNITS * UNIT_WORDS + (STACK_CONNECTIONS + 1 + MOST_TERMS) * CONNECTION_WORDS
)  # fmt: skip
"""The most words that a stack and its reader's formula add."""


@compiled
def has_stacks(space: Space) -> bool:
    """Whether the space has all that a stack is made of."""
    if not space.products or not is_allowed(LINEAR, space) or not is_allowed(FLOOR, space):
        return False
    return is_allowed(MOD2, space) or is_allowed(MOD3, space)


@compiled
def random_base(random: Random, space: Space) -> int:
    if not is_allowed(MOD3, space):
        return 2
    if not is_allowed(MOD2, space):
        return 3
    return 2 + below(random, 2)


@inlined
def grow_stack(genome: Words, random: Random, space: Space) -> bool:
    """A stack, and a unit that reads its top, by chance with a new formula around it."""
    if genome[0] + STACK_UNITS > space.max_units:
        return False
    if genome[1] + STACK_CONNECTIONS >= space.max_connections:
        return False
    reader = random_target(genome, random, space)
    top = append_stack(genome, random, space)
    fresh = uniform(random) < 0.5
    if fresh:
        clear_unit(genome, reader)
    numerator, denominator = fresh_weight(random)
    add_connection(genome, reader * TARGET + top, numerator, denominator)
    if fresh:
        write_formula(genome, reader, geometric(random, 0.5) - 1, random, space)
    return True


@inlined
def append_stack(genome: Words, random: Random, space: Space) -> int:
    """The paper's Figure 8 without inputs and outputs; returns the unit that has the top.

    The stack is a number, its top the last digit. To push is to multiply by the base and add a
    digit, to pop to divide and round down. Each input by chance pushes a digit, or pops, or does
    neither, in which case 0 is pushed.
    """
    base = random_base(random, space)
    stack = append_unit(genome, LINEAR)
    longer = append_unit(genome, LINEAR)
    shorter = append_unit(genome, FLOOR)
    pops = append_unit(genome, LINEAR)
    pushes = append_unit(genome, LINEAR)
    push_gate = append_unit(genome, LINEAR + PRODUCT)
    pop_gate = append_unit(genome, LINEAR + PRODUCT)
    top = append_unit(genome, MOD2 if base == 2 else MOD3)
    for k in range(min(space.inputs, MOST_SYMBOLS)):
        symbol = k if space.inputs <= MOST_SYMBOLS else below(random, space.inputs)
        does = below(random, 3)
        if does == 1:
            add_connection(genome, longer * TARGET + symbol, 1 + below(random, base - 1), 1)
        elif does == 2:
            add_connection(genome, pops * TARGET + symbol, 1, 1)
    add_connection(genome, longer * TARGET + RECURRENT + stack, base, 1)
    add_connection(genome, shorter * TARGET + RECURRENT + stack, 1, base)
    genome[HEADER + UNIT_WORDS * pushes + 1] = 1
    add_connection(genome, pushes * TARGET + pops, -1, 1)
    add_connection(genome, push_gate * TARGET + longer, 1, 1)
    add_connection(genome, push_gate * TARGET + pushes, 1, 1)
    add_connection(genome, pop_gate * TARGET + shorter, 1, 1)
    add_connection(genome, pop_gate * TARGET + pops, 1, 1)
    add_connection(genome, stack * TARGET + push_gate, 1, 1)
    add_connection(genome, stack * TARGET + pop_gate, 1, 1)
    add_connection(genome, top * TARGET + stack, 1, 1)
    return top
