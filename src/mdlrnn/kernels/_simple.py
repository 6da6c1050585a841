"""The paper's mutations (section 3.3) and its random networks, in place on genome rows.

A mutation that finds nothing to change returns False and leaves the row as it was. The choices
that the paper leaves open are written down in docs/search.md.
"""

from __future__ import annotations

from ._compile import compiled
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
from ._space import (
    Random,
    Space,
    below,
    geometric,
    happens,
    random_activation,
    random_end,
    random_source,
    uniform,
)

SIMPLE_GROWTH = UNIT_WORDS + 2 * CONNECTION_WORDS
"""The most words that one of these mutations adds on the way."""
TRIES = 16
"""How often a free place for a new connection is drawn before giving up."""
FORWARD = 0
"""A kind of connection, as RECURRENT is."""
NUMERATOR, DENOMINATOR, SIGN = 0, 1, 2
"""What of a weight changes."""


@compiled
def random_network(genome: Words, random: Random, space: Space) -> None:
    """No hidden unit; each output has a forward connection from some input, others by chance."""
    inputs, outputs = space.inputs, space.outputs
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
                if uniform(random) < chance / inputs and genome[1] < space.max_connections:
                    numerator, denominator = fresh_weight(random)
                    add_connection(genome, u * TARGET + kind + source, numerator, denominator)


@compiled
def add_unit(genome: Words, random: Random, space: Space) -> bool:
    """Split a connection (Stanley and Miikkulainen): 1/1 into the new unit, the old weight out."""
    units, connections = genome[0], genome[1]
    if connections == 0 or units >= space.max_units or connections >= space.max_connections:
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
    first = space.inputs + space.outputs
    if genome[0] <= first:
        return False
    delete_unit(genome, first + below(random, genome[0] - first))
    return True


@compiled
def connect(kind: int, genome: Words, random: Random, space: Space) -> bool:
    """From an input or hidden unit to an output or hidden unit, or unrestricted."""
    if genome[1] >= space.max_connections:
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
def disconnect(kind: int, genome: Words, random: Random, space: Space) -> bool:
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
    start = HEADER + UNIT_WORDS * space.inputs
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
def change_weight(what: int, genome: Words, random: Random, space: Space) -> bool:
    """A step in the numerator or denominator, or the other sign, of any weight or bias.

    By chance the weight is redrawn instead.
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
    if space.redraw_weight_rate > 0 and happens(space.redraw_weight_rate, random):
        numerator, denominator = fresh_weight(random)
        same = genome[place] == numerator and genome[place + 1] == denominator
        genome[place], genome[place + 1] = numerator, denominator
        return not same
    if what == SIGN:
        genome[place] = -genome[place]
        return True
    if what == DENOMINATOR:
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
    inputs = space.inputs
    if space.activations.size < 2:
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
    if not space.products:
        return False
    inputs = space.inputs
    at = HEADER + UNIT_WORDS * (inputs + below(random, genome[0] - inputs))
    genome[at] += PRODUCT if genome[at] < PRODUCT else -PRODUCT
    return True
