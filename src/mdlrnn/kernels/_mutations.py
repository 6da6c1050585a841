"""The mutations: those of the paper (section 3.3) with its random networks, those that change a
whole unit at once, and a stack as one mutation (docs/searching.md). All work in place on genome
rows.

A mutation that finds nothing to change returns False and leaves the row as it was. The choices that
the paper leaves open are written down in docs/searching.md.
"""

from __future__ import annotations

from ._activations import FLOOR, LINEAR, MOD2, MOD3
from ._compile import compiled, inlined
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    LARGEST,
    PRODUCT,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Random,
    Space,
    Words,
    add_connection,
    append_unit,
    below,
    clear_unit,
    connections_at,
    delete_unit,
    fresh_weight,
    geometric,
    happens,
    is_allowed,
    place_of,
    random_activation,
    random_end,
    random_source,
    random_target,
    remove_connection,
    size_of,
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
    """Remove a hidden unit and all its connections."""
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


MOST_TERMS = 4
"""Connections of a formula drawn at random."""
COMPOUND_GROWTH = UNIT_WORDS + (2 * MOST_TERMS + 2) * CONNECTION_WORDS
"""The most words that a compound mutation adds, but for copies of a formula of the row itself."""


@compiled
def random_code(random: Random, space: Space) -> int:
    code = random_activation(random, space)
    if space.products and uniform(random) < 0.25:
        code += PRODUCT
    return code


@compiled
def add_terms(genome: Words, unit: int, terms: int, random: Random, space: Space) -> None:
    """Up to so many connections into the unit, from anywhere but itself in the same step."""
    for _ in range(terms):
        if genome[1] >= space.max_connections:
            return
        source = random_source(genome, random, space)
        kind = RECURRENT if source == unit or uniform(random) < 0.25 else 0
        numerator, denominator = fresh_weight(random)
        add_connection(genome, unit * TARGET + kind + source, numerator, denominator)


@compiled
def write_formula(genome: Words, unit: int, terms: int, random: Random, space: Space) -> None:
    """A random activation, a bias by chance, and connections besides those the unit has."""
    at = HEADER + UNIT_WORDS * unit
    genome[at] = random_code(random, space)
    if uniform(random) < 0.5:
        genome[at + 1], genome[at + 2] = fresh_weight(random)
        terms -= 1
    add_terms(genome, unit, min(terms, MOST_TERMS), random, space)


@compiled
def may_loop(unit: int, space: Space) -> bool:
    """Whether a connection may come from the unit, as a loop does."""
    return space.unrestricted or unit >= space.inputs + space.outputs


@compiled
def add_loop(genome: Words, unit: int, random: Random, space: Space) -> None:
    """By chance, the unit adds its own value of the step before: a counter."""
    if uniform(random) < 0.5 and genome[1] < space.max_connections:
        add_connection(genome, unit * TARGET + RECURRENT + unit, 1, 1)


@compiled
def founder(genome: Words, random: Random, space: Space) -> None:
    """A network to start from: no hidden units, and for every output a formula.

    Most have a bias above 0, so that their symbols are possible at every step. Networks that find
    the corpus impossible are no start: all are equally bad, and nearly all offspring as well.
    """
    inputs, outputs = space.inputs, space.outputs
    genome[0] = genome[1] = 0
    for _ in range(inputs + outputs):
        append_unit(genome, 0)
    for unit in range(inputs, inputs + outputs):
        at = HEADER + UNIT_WORDS * unit
        genome[at] = random_code(random, space)
        if uniform(random) < 0.75:
            numerator, denominator = fresh_weight(random)
            genome[at + 1], genome[at + 2] = abs(numerator), denominator
        add_terms(genome, unit, min(geometric(random, 0.5) - 1, MOST_TERMS), random, space)


@compiled
def rewrite(genome: Words, random: Random, space: Space) -> bool:
    """A new formula for an output or hidden unit."""
    unit = random_target(genome, random, space)
    clear_unit(genome, unit)
    if may_loop(unit, space):
        add_loop(genome, unit, random, space)
    write_formula(genome, unit, geometric(random, 0.5), random, space)
    return True


@compiled
def grow(genome: Words, random: Random, space: Space) -> bool:
    """A new hidden unit with a formula; another unit takes it up, or starts its formula with it."""
    if genome[0] >= space.max_units or genome[1] >= space.max_connections:
        return False
    target = random_end(genome, random, space)
    fresh = uniform(random) < 0.5 and target >= space.inputs
    if fresh:
        clear_unit(genome, target)
    unit = append_unit(genome, 0)
    numerator, denominator = fresh_weight(random)
    kind = RECURRENT if uniform(random) < 0.25 else 0
    add_connection(genome, target * TARGET + kind + unit, numerator, denominator)
    add_loop(genome, unit, random, space)
    write_formula(genome, unit, geometric(random, 0.5), random, space)
    if fresh:
        write_formula(genome, target, geometric(random, 0.5) - 1, random, space)
    return True


@compiled
def redirect(genome: Words, random: Random, space: Space) -> bool:
    """A connection keeps its weight and gets another source, target or kind."""
    if genome[1] == 0:
        return False
    at = connections_at(genome) + CONNECTION_WORDS * below(random, genome[1])
    key, numerator, denominator = genome[at], genome[at + 1], genome[at + 2]
    source, target, kind = key & SOURCE_MASK, key // TARGET, key & RECURRENT
    what = below(random, 3)
    if what == 0:
        source = random_source(genome, random, space)
    elif what == 1:
        target = random_end(genome, random, space)
    else:
        kind = RECURRENT - kind
    changed = target * TARGET + kind + source
    place = place_of(genome, changed)
    if place < size_of(genome) and genome[place] == changed:
        return False
    remove_connection(genome, at)
    return add_connection(genome, changed, numerator, denominator)


@compiled
def copy_formula(genome: Words, unit: int, to: int) -> None:
    """Write the formula of `unit` into `to`, which is clear; a loop becomes the copy's own."""
    at, there = HEADER + UNIT_WORDS * unit, HEADER + UNIT_WORDS * to
    for k in range(UNIT_WORDS):
        genome[there + k] = genome[at + k]
    place = place_of(genome, unit * TARGET)
    while place < size_of(genome) and genome[place] < (unit + 1) * TARGET:
        key = genome[place]
        source = key & SOURCE_MASK
        numerator, denominator = genome[place + 1], genome[place + 2]
        changed = to * TARGET + (key & RECURRENT) + (to if source == unit else source)
        if add_connection(genome, changed, numerator, denominator) and to < unit:
            place += CONNECTION_WORDS
        place += CONNECTION_WORDS


@compiled
def formula_fits(genome: Words, unit: int, space: Space) -> bool:
    """Whether a copy of the unit's formula keeps to the limits, this mutation's included."""
    start = place_of(genome, unit * TARGET)
    terms = (place_of(genome, (unit + 1) * TARGET) - start) // CONNECTION_WORDS
    return terms <= 2 * MOST_TERMS and genome[1] + terms < space.max_connections


@compiled
def copy_unit(genome: Words, random: Random, space: Space) -> bool:
    """A second hidden unit with the formula of one, and a connection to some unit."""
    first = space.inputs + space.outputs
    if genome[0] <= first or genome[0] >= space.max_units:
        return False
    unit = first + below(random, genome[0] - first)
    if not formula_fits(genome, unit, space):
        return False
    target = random_end(genome, random, space)
    copy = append_unit(genome, 0)
    copy_formula(genome, unit, copy)
    numerator, denominator = fresh_weight(random)
    add_connection(genome, target * TARGET + copy, numerator, denominator)
    return True


@compiled
def repeat_formula(genome: Words, random: Random, space: Space) -> bool:
    """An output or hidden unit takes over the formula of another."""
    unit = random_target(genome, random, space)
    to = random_target(genome, random, space)
    if unit == to or not formula_fits(genome, unit, space):
        return False
    if may_loop(unit, space) and not may_loop(to, space):
        return False
    clear_unit(genome, to)
    copy_formula(genome, unit, to)
    return True


@compiled
def swap_sources(genome: Words, random: Random, space: Space) -> bool:
    """Two connections into different units swap their sources, two into one unit their weights."""
    if genome[1] < 2:
        return False
    start = connections_at(genome)
    a = start + CONNECTION_WORDS * below(random, genome[1])
    b = start + CONNECTION_WORDS * below(random, genome[1])
    if genome[a] // TARGET == genome[b] // TARGET:
        if a == b:
            return False
        for k in range(1, CONNECTION_WORDS):
            genome[a + k], genome[b + k] = genome[b + k], genome[a + k]
        return genome[a + 1] != genome[b + 1] or genome[a + 2] != genome[b + 2]
    one = genome[a] - (genome[a] & SOURCE_MASK) + (genome[b] & SOURCE_MASK)
    other = genome[b] - (genome[b] & SOURCE_MASK) + (genome[a] & SOURCE_MASK)
    if (genome[a] & SOURCE_MASK) == (genome[b] & SOURCE_MASK):
        return False
    for key in (one, other):
        place = place_of(genome, key)
        if place < size_of(genome) and genome[place] == key:
            return False
    numerator_a, denominator_a = genome[a + 1], genome[a + 2]
    numerator_b, denominator_b = genome[b + 1], genome[b + 2]
    remove_connection(genome, max(a, b))
    remove_connection(genome, min(a, b))
    add_connection(genome, one, numerator_a, denominator_a)
    add_connection(genome, other, numerator_b, denominator_b)
    return True


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
