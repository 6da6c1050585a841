"""Random networks and mutations (paper, section 3.3), in place on genome rows.

A mutation that finds nothing to change returns False and leaves the row as it was. The choices
that the paper leaves open are written down in docs/search.md. A row has room for at least
`GROWTH` more words than it uses.
"""

from __future__ import annotations

from ._compile import compiled
from ._compound import (
    COMPOUND_GROWTH,
    copy_unit,
    exchange,
    grow,
    redirect,
    repeat_formula,
    rewrite,
)
from ._edit import (
    LARGEST,
    add_connection,
    append_unit,
    connections_at,
    delete_unit,
    fresh_weight,
    place_of,
    remove_connection,
)
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Words,
    size_of,
)
from ._random import Random, below, geometric, uniform
from ._space import (
    ACTIVATION_COUNT,
    COMPOUND,
    FRESH,
    FURTHER,
    INPUTS,
    MOST_CONNECTIONS,
    MOST_UNITS,
    OUTPUTS,
    PRODUCTS,
    Space,
    happens,
    random_activation,
    random_end,
    random_source,
)

GROWTH = max(UNIT_WORDS + 2 * CONNECTION_WORDS, COMPOUND_GROWTH)
"""The most words that one mutation adds on the way."""
MOST_FURTHER = 7
"""A bound on further mutations that does not depend on the room in a row, as results must not."""
ROOM = (1 + MOST_FURTHER) * GROWTH
"""The most words by which an offspring outgrows its parent."""
TRIES = 16
"""How often a free place for a new connection is drawn before giving up."""

# The paper's kinds of mutation, all equally likely; the last only where products are allowed.
ADD_UNIT, REMOVE_UNIT = 0, 1
ADD_FORWARD, REMOVE_FORWARD, ADD_RECURRENT, REMOVE_RECURRENT = 2, 3, 4, 5
ADD_BIAS, REMOVE_BIAS = 6, 7
CHANGE_NUMERATOR, CHANGE_DENOMINATOR, FLIP_SIGN = 8, 9, 10
CHANGE_ACTIVATION, CHANGE_TYPE = 11, 12
# Compound kinds, equally likely among themselves.
REWRITE, GROW, REDIRECT, COPY_UNIT, REPEAT_FORMULA, EXCHANGE = 13, 14, 15, 16, 17, 18
KINDS_IN_ALL = 19
MUTATIONS = (
    "add unit", "remove unit", "add forward", "remove forward", "add recurrent",
    "remove recurrent", "add bias", "remove bias", "change numerator", "change denominator",
    "flip sign", "change activation", "change type", "rewrite unit", "grow unit", "redirect",
    "copy unit", "repeat formula", "exchange formulas",
)  # fmt: skip


@compiled
def random_network(genome: Words, random: Random, space: Space) -> None:
    """No hidden unit; each output has a forward connection from some input, others by chance."""
    inputs, outputs = space[INPUTS], space[OUTPUTS]
    genome[0] = inputs + outputs
    genome[1] = 0
    for u in range(inputs + outputs):
        at = HEADER + UNIT_WORDS * u
        genome[at] = 0 if u < inputs else random_activation(random, space)
        genome[at + 1] = 0
        genome[at + 2] = 1
    for u in range(inputs, inputs + outputs):
        numerator, denominator = fresh_weight(random)
        add_connection(genome, u * TARGET + below(random, inputs), numerator, denominator)
    for u in range(inputs, inputs + outputs):
        for source in range(inputs):
            for kind, chance in ((0, 0.5), (RECURRENT, 0.25)):
                if uniform(random) < chance / inputs and genome[1] < space[MOST_CONNECTIONS]:
                    numerator, denominator = fresh_weight(random)
                    add_connection(genome, u * TARGET + kind + source, numerator, denominator)


@compiled
def mutate(genome: Words, random: Random, space: Space) -> int:
    """One mutation, drawn anew until it finds something to change; returns its kind."""
    while True:
        if space[COMPOUND] > 0 and happens(space[COMPOUND], random):
            kind = REWRITE + below(random, KINDS_IN_ALL - REWRITE)
        else:
            kind = below(random, CHANGE_TYPE + 1 if space[PRODUCTS] == 1 else CHANGE_TYPE)
        if apply(kind, genome, random, space):
            return kind


@compiled
def mutate_further(genome: Words, random: Random, space: Space) -> None:
    """More mutations on top of one, each by chance."""
    for _ in range(MOST_FURTHER):
        if space[FURTHER] == 0 or not happens(space[FURTHER], random):
            return
        mutate(genome, random, space)


@compiled
def apply(kind: int, genome: Words, random: Random, space: Space) -> bool:
    if kind == ADD_UNIT:
        return add_unit(genome, random, space)
    if kind == REMOVE_UNIT:
        return remove_unit(genome, random, space)
    if kind == ADD_FORWARD:
        return connect(0, genome, random, space)
    if kind == ADD_RECURRENT:
        return connect(RECURRENT, genome, random, space)
    if kind == REMOVE_FORWARD:
        return disconnect(0, genome, random)
    if kind == REMOVE_RECURRENT:
        return disconnect(RECURRENT, genome, random)
    if kind == ADD_BIAS:
        return set_bias(True, genome, random, space)
    if kind == REMOVE_BIAS:
        return set_bias(False, genome, random, space)
    if kind == CHANGE_ACTIVATION:
        return change_activation(genome, random, space)
    if kind == CHANGE_TYPE:
        return change_type(genome, random, space)
    if kind == REWRITE:
        return rewrite(genome, random, space)
    if kind == GROW:
        return grow(genome, random, space)
    if kind == REDIRECT:
        return redirect(genome, random, space)
    if kind == COPY_UNIT:
        return copy_unit(genome, random, space)
    if kind == REPEAT_FORMULA:
        return repeat_formula(genome, random, space)
    if kind == EXCHANGE:
        return exchange(genome, random, space)
    return change_weight(kind, genome, random, space)


@compiled
def add_unit(genome: Words, random: Random, space: Space) -> bool:
    """Split a connection (Stanley and Miikkulainen): 1/1 into the new unit, the old weight out."""
    units, connections = genome[0], genome[1]
    if connections == 0 or units >= space[MOST_UNITS] or connections >= space[MOST_CONNECTIONS]:
        return False
    at = connections_at(genome) + CONNECTION_WORDS * below(random, connections)
    key, numerator, denominator = genome[at], genome[at + 1], genome[at + 2]
    remove_connection(genome, at)
    append_unit(genome, random_activation(random, space))
    add_connection(genome, units * TARGET + (key & SOURCE_MASK), 1, 1)
    add_connection(genome, (key - (key & SOURCE_MASK)) + units, numerator, denominator)
    return True


@compiled
def remove_unit(genome: Words, random: Random, space: Space) -> bool:
    """A hidden unit goes, with all its connections."""
    first = space[INPUTS] + space[OUTPUTS]
    if genome[0] <= first:
        return False
    delete_unit(genome, first + below(random, genome[0] - first))
    return True


@compiled
def connect(kind: int, genome: Words, random: Random, space: Space) -> bool:
    """From an input or hidden unit to an output or hidden unit, or from anywhere to anywhere."""
    if genome[1] >= space[MOST_CONNECTIONS]:
        return False
    for _ in range(TRIES):
        source = random_source(genome, random, space)
        target = random_end(genome, random, space)
        key = target * TARGET + kind + source
        at = place_of(genome, key)
        if at == size_of(genome) or genome[at] != key:
            numerator, denominator = fresh_weight(random)
            return add_connection(genome, key, numerator, denominator)
    return False


@compiled
def disconnect(kind: int, genome: Words, random: Random) -> bool:
    start = connections_at(genome)
    end = size_of(genome)
    count = 0
    for at in range(start, end, CONNECTION_WORDS):
        if genome[at] & RECURRENT == kind:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    for at in range(start, end, CONNECTION_WORDS):
        if genome[at] & RECURRENT == kind:
            if chosen == 0:
                remove_connection(genome, at)
                return True
            chosen -= 1
    return False


@compiled
def set_bias(wanted: bool, genome: Words, random: Random, space: Space) -> bool:
    """Give a bias to an output or hidden unit without one, or take one away."""
    start = HEADER + UNIT_WORDS * space[INPUTS]
    end = connections_at(genome)
    count = 0
    for at in range(start, end, UNIT_WORDS):
        if (genome[at + 1] == 0) == wanted:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    for at in range(start, end, UNIT_WORDS):
        if (genome[at + 1] == 0) == wanted:
            if chosen == 0:
                if wanted:
                    genome[at + 1], genome[at + 2] = fresh_weight(random)
                else:
                    genome[at + 1] = 0
                    genome[at + 2] = 1
                return True
            chosen -= 1
    return False


@compiled
def change_weight(kind: int, genome: Words, random: Random, space: Space) -> bool:
    """A step in the numerator or denominator, or the other sign, of any weight or bias.

    By chance it is drawn anew instead.
    """
    start = connections_at(genome)
    count = genome[1]
    for at in range(HEADER, start, UNIT_WORDS):
        if genome[at + 1] != 0:
            count += 1
    if count == 0:
        return False
    chosen = below(random, count)
    place = start + CONNECTION_WORDS * chosen + 1
    if chosen >= genome[1]:
        chosen -= genome[1]
        for at in range(HEADER, start, UNIT_WORDS):
            if genome[at + 1] != 0:
                if chosen == 0:
                    place = at + 1
                    break
                chosen -= 1
    if space[FRESH] > 0 and happens(space[FRESH], random):
        numerator, denominator = fresh_weight(random)
        same = genome[place] == numerator and genome[place + 1] == denominator
        genome[place], genome[place + 1] = numerator, denominator
        return not same
    if kind == FLIP_SIGN:
        genome[place] = -genome[place]
        return True
    if kind == CHANGE_DENOMINATOR:
        before = genome[place + 1]
        genome[place + 1] = step_from(before, random)
        return genome[place + 1] != before
    before = genome[place]
    changed = step_from(abs(before), random)
    genome[place] = changed if before > 0 else -changed
    return genome[place] != before


@compiled
def step_from(n: int, random: Random) -> int:
    """Up or down by a geometric step, mostly 1; never below 1."""
    step = geometric(random, 0.5)
    if n > step and uniform(random) < 0.5:
        return n - step
    return min(n + step, LARGEST)


@compiled
def change_activation(genome: Words, random: Random, space: Space) -> bool:
    inputs = space[INPUTS]
    if space[ACTIVATION_COUNT] < 2:
        return False
    unit = inputs + below(random, genome[0] - inputs)
    at = HEADER + UNIT_WORDS * unit
    before = genome[at]
    kind = before - before % PRODUCT
    while genome[at] == before:
        genome[at] = kind + random_activation(random, space)
    return True


@compiled
def change_type(genome: Words, random: Random, space: Space) -> bool:
    inputs = space[INPUTS]
    at = HEADER + UNIT_WORDS * (inputs + below(random, genome[0] - inputs))
    genome[at] += PRODUCT if genome[at] < PRODUCT else -PRODUCT
    return True
