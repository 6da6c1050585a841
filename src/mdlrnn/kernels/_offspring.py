"""An offspring: a copy of its parent with a part of another network, a stack or mutations; and the
table of mutations, with how often each is drawn.

To add a mutation: a function in `_mutations` that changes a row in place and returns whether it
did, and a line of the table here. A row has room for at least `GROWTH` more words than it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _mutations
from ._compile import compiled, dispatcher, inlined, shared
from ._genome import (
    CONNECTION_WORDS,
    HEADER,
    RECURRENT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Floats,
    Ints,
    Random,
    Space,
    Words,
    below,
    clear_unit,
    connections_at,
    copy_row,
    delete_units,
    descend,
    happens,
    insert,
    place_of,
    size_of,
    tidy,
    uniform,
)
from ._mutations import grow_stack

GROWTH = max(_mutations.SIMPLE_GROWTH, _mutations.COMPOUND_GROWTH)
"""The most words that one mutation adds on the way."""
MOST_FURTHER = 7
"""A bound on further mutations that does not depend on the room in a row, as results must not."""
ROOM = (1 + MOST_FURTHER) * GROWTH
"""The most words by which an offspring outgrows its parent."""


class Mutation(NamedTuple):
    name: str
    function: Callable[..., bool]
    """Of a row, a random state and the space; with `argument`, that comes first."""
    rate: float = 1.0
    """How often it is drawn, compared with the others of its table."""
    argument: int | None = None


SIMPLE = (
    Mutation("add unit", _mutations.add_unit),
    Mutation("remove unit", _mutations.remove_unit),
    Mutation("add forward", _mutations.connect, argument=_mutations.FORWARD),
    Mutation("remove forward", _mutations.disconnect, argument=_mutations.FORWARD),
    Mutation("add recurrent", _mutations.connect, argument=RECURRENT),
    Mutation("remove recurrent", _mutations.disconnect, argument=RECURRENT),
    Mutation("add bias", _mutations.set_bias, argument=True),
    Mutation("remove bias", _mutations.set_bias, argument=False),
    Mutation("change numerator", _mutations.change_weight, argument=_mutations.NUMERATOR),
    Mutation("change denominator", _mutations.change_weight, argument=_mutations.DENOMINATOR),
    Mutation("flip sign", _mutations.change_weight, argument=_mutations.SIGN),
    Mutation("change activation", _mutations.change_activation),
    Mutation("change type", _mutations.change_type),
)
"""The paper's."""
COMPOUND = (
    Mutation("rewrite unit", _mutations.rewrite),
    Mutation("grow unit", _mutations.grow),
    Mutation("redirect", _mutations.redirect),
    Mutation("copy unit", _mutations.copy_unit),
    Mutation("repeat formula", _mutations.repeat_formula),
    Mutation("swap sources", _mutations.swap_sources),
)
MUTATIONS = (*SIMPLE, *COMPOUND)
"""A mutation's kind is its place here."""
COMPOUND_START = len(SIMPLE)
CHANGE_TYPE = [mutation.name for mutation in SIMPLE].index("change type")

apply = dispatcher("apply", [(m.function, m.argument) for m in MUTATIONS])
"""(kind, genome, random, space): the mutation of that kind, and whether it changed something."""


def simple_rates(products: bool) -> Floats:
    """Sums of the rates; types change only where products are allowed."""
    rates = [m.rate for m in SIMPLE]
    if not products:
        rates[CHANGE_TYPE] = 0.0
    return np.cumsum(rates)


def compound_rates() -> Floats:
    return np.cumsum([m.rate for m in COMPOUND])


def mutation_rates(products: bool) -> tuple[Floats, Floats]:
    return simple_rates(products), compound_rates()


@compiled
def draw_kind(sums: Floats, random: Random) -> int:
    """A place, as likely as its rate."""
    drawn = uniform(random) * sums[sums.size - 1]
    kind = 0
    while drawn >= sums[kind]:
        kind += 1
    return kind


@compiled
def draw_mutation(random: Random, space: Space) -> int:
    if space.compound_mutation_rate > 0 and happens(space.compound_mutation_rate, random):
        return COMPOUND_START + draw_kind(space.compound_mutations, random)
    return draw_kind(space.simple_mutations, random)


@compiled
def next_mutation(count: int, least: int, random: Random, space: Space) -> int:
    """The kind of the next mutation after so many, of which there are at least 0 or 1 and by chance
    more; -1 where that was the last."""
    if count < least or (
        count < least + MOST_FURTHER
        and space.further_mutation_rate > 0
        and happens(space.further_mutation_rate, random)
    ):
        return draw_mutation(random, space)
    return -1


@inlined
def mutate(genome: Words, random: Random, space: Space, least: int) -> None:
    """So many mutations at least, 0 or 1, and by chance more; each redrawn until it changes
    something."""
    count = 0
    kind = next_mutation(count, least, random, space)
    while kind >= 0:
        if apply(kind, genome, random, space):
            count += 1
            kind = next_mutation(count, least, random, space)
        else:
            kind = draw_mutation(random, space)


SIGN_MASK = (1 << 30) - 1


@inlined
def cross_over(
    genome: Words, donor: Words, random: Random, space: Space, places: NDArray[np.int64]
) -> bool:
    """Give `genome` one of the donor's outputs. `places` is scratch, a place per unit.

    Hidden units that come along and that the network has already are shared.
    """
    inputs = space.inputs
    first = inputs + space.outputs
    if genome[0] + donor[0] - first > space.max_units:
        return False
    if genome[1] + donor[1] > space.max_connections:
        return False
    output = inputs + below(random, space.outputs)
    mark_ancestors(donor, output, first, places)
    clear_unit(genome, output)
    bring_units(genome, donor, output, places)
    bring_connections(genome, donor, output, first, places)
    merge_twins(genome, first, places)
    descend(genome, donor)
    return True


@compiled
def mark_ancestors(genome: Words, output: int, first: int, marks: NDArray[np.int64]) -> None:
    """1 for the output and every hidden unit that it depends on, inputs and outputs apart."""
    for u in range(genome[0]):
        marks[u] = 1 if u == output else 0
    changed = True
    while changed:
        changed = False
        for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
            source = genome[at] & SOURCE_MASK
            if source >= first and marks[source] == 0 and marks[genome[at] // TARGET] == 1:
                marks[source] = 1
                changed = True


@compiled
def bring_units(genome: Words, donor: Words, output: int, places: NDArray[np.int64]) -> None:
    """The output becomes the donor's; its other marked units are appended. In place of the marks
    come the units' numbers here, plus 1."""
    unit = genome[0]
    for u in range(donor[0]):
        if u == output:
            places[u] = output + 1
        elif places[u] != 0:
            unit += 1
            places[u] = unit
    insert(genome, connections_at(genome), UNIT_WORDS * (unit - genome[0]))
    genome[0] = unit
    for u in range(donor[0]):
        if places[u] != 0:
            there = HEADER + UNIT_WORDS * (places[u] - 1)
            for k in range(UNIT_WORDS):
                genome[there + k] = donor[HEADER + UNIT_WORDS * u + k]


@compiled
def bring_connections(
    genome: Words, donor: Words, output: int, first: int, places: NDArray[np.int64]
) -> None:
    """The donor's connections to the units that were brought. They stay in order, since the units
    did: those to the output first, the others last of all."""
    start, end = place_of(donor, output * TARGET), place_of(donor, (output + 1) * TARGET)
    to = place_of(genome, output * TARGET)
    insert(genome, to, end - start)
    genome[1] += (end - start) // CONNECTION_WORDS
    for at in range(start, end, CONNECTION_WORDS):
        copy_connection(donor, at, genome, to, first, places)
        to += CONNECTION_WORDS
    to = size_of(genome)
    for at in range(place_of(donor, first * TARGET), size_of(donor), CONNECTION_WORDS):
        if places[donor[at] // TARGET] != 0:
            copy_connection(donor, at, genome, to, first, places)
            to += CONNECTION_WORDS
            genome[1] += 1


@compiled
def copy_connection(
    donor: Words, at: int, genome: Words, to: int, first: int, places: NDArray[np.int64]
) -> None:
    key = donor[at]
    source = key & SOURCE_MASK
    if source >= first:
        source = places[source] - 1
    genome[to] = (places[key // TARGET] - 1) * TARGET + (key & RECURRENT) + source
    for k in range(1, CONNECTION_WORDS):
        genome[to + k] = donor[at + k]


@compiled
def merge_twins(genome: Words, first: int, twins: NDArray[np.int64]) -> None:
    """Hidden units with the same formula become one, unless both go to the same unit. `twins` is
    scratch, a place per unit.

    After each merger the search begins again, since others may have become the same. Units that
    are merged with a lower one stay where they are until the end, and count as gone.
    """
    link_twins(genome, first, twins)
    u = first
    while u < genome[0]:
        twin = twin_of(genome, u, twins)
        if twin == 0:
            u += 1
            continue
        twins[twin] = -1 - twins[twin]
        redirect(genome, twin, u, twins)
        u = first
    for u in range(genome[0]):
        twins[u] = 0 if twins[u] < 0 else 1
    delete_units(genome, twins)


@compiled
def link_twins(genome: Words, first: int, links: NDArray[np.int64]) -> None:
    """For each hidden unit the next one that may have the same formula; 0 if there is none."""
    sign_units(genome, links)
    for u in range(first, genome[0]):
        sign = links[u]
        v = u + 1
        while v < genome[0] and links[v] != sign:
            v += 1
        links[u] = v if v < genome[0] else 0


@compiled
def twin_of(genome: Words, unit: int, twins: NDArray[np.int64]) -> int:
    """The first unit to be merged with this one; 0 if there is none, or if this one is gone."""
    twin = twins[unit]
    if twin < 0:
        return 0
    while twin != 0:
        following = twins[twin]
        if following < 0:
            following = -1 - following
        elif same_formula(genome, unit, twin) and not share_target(genome, unit, twin, twins):
            return twin
        twin = following
    return 0


@compiled
def sign_units(genome: Words, signs: NDArray[np.int64]) -> None:
    """A number for each unit, from its words and its connections' weights: units with the same
    formula have the same, most others do not."""
    for u in range(genome[0]):
        at = HEADER + UNIT_WORDS * u
        sign = genome[at] + 31 * genome[at + 1] + 961 * genome[at + 2]
        signs[u] = sign & SIGN_MASK
    for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
        target = genome[at] // TARGET
        weight = 7 + (genome[at] & RECURRENT) + 131 * genome[at + 1] + 17161 * genome[at + 2]
        signs[target] = (signs[target] + weight) & SIGN_MASK


@compiled
def same_formula(genome: Words, u: int, v: int) -> bool:
    """Whether two units compute the same by their formulas, each its own loop included."""
    for k in range(UNIT_WORDS):
        if genome[HEADER + UNIT_WORDS * u + k] != genome[HEADER + UNIT_WORDS * v + k]:
            return False
    start, other, end = place_of(genome, u * TARGET), place_of(genome, v * TARGET), size_of(genome)
    i = 0
    while start + i < end and genome[start + i] // TARGET == u:
        key = genome[start + i] + (v - u) * TARGET
        # A loop of u stands where u sorts among the sources, one of v where v does.
        if key & SOURCE_MASK == u:
            key += v - u
        place = other + i
        if place >= end or genome[place] != key:
            place = place_of(genome, key)
            if place >= end or genome[place] != key:
                return False
        for k in range(1, CONNECTION_WORDS):
            if genome[start + i + k] != genome[place + k]:
                return False
        i += CONNECTION_WORDS
    return other + i >= end or genome[other + i] // TARGET != v


@compiled
def share_target(genome: Words, u: int, v: int, gone: NDArray[np.int64]) -> bool:
    """Whether both units, u before v, have a connection of one kind to one unit that is not gone,
    loops apart."""
    for at in range(connections_at(genome), size_of(genome), CONNECTION_WORDS):
        key = genome[at]
        if key & SOURCE_MASK == v and key // TARGET != v and gone[key // TARGET] >= 0:
            place = place_of(genome, key - v + u)
            if genome[place] == key - v + u:
                return True
    return False


@compiled
def redirect(genome: Words, unit: int, to: int, gone: NDArray[np.int64]) -> None:
    """Let what goes out from `unit` go out from `to`, a lower one, that has no connection there."""
    start = connections_at(genome)
    for at in range(start, size_of(genome), CONNECTION_WORDS):
        key = genome[at]
        if key & SOURCE_MASK != unit or gone[key // TARGET] < 0:
            continue
        key += to - unit
        numerator, denominator = genome[at + 1], genome[at + 2]
        place = at
        while place > start and genome[place - CONNECTION_WORDS] > key:
            for k in range(CONNECTION_WORDS):
                genome[place + k] = genome[place - CONNECTION_WORDS + k]
            place -= CONNECTION_WORDS
        genome[place] = key
        genome[place + 1] = numerator
        genome[place + 2] = denominator


@shared
def make_offspring(
    parent: Words,
    donor: Words,
    crossing: bool,
    stacking: bool,
    child: Words,
    random: Random,
    space: Space,
    scratch: Ints,
) -> None:
    """Write the offspring into `child`, which has room for it.

    Where `crossing`, it takes an output from the donor; where `stacking`, it gets a stack. Either
    may find nothing to do, and then a mutation takes its place.
    """
    copy_row(parent, child)
    descend(child, parent)
    changed = False
    if crossing:
        changed = cross_over(child, donor, random, space, scratch)
    elif stacking:
        changed = grow_stack(child, random, space)
    mutate(child, random, space, 0 if changed else 1)
    if space.compound_mutation_rate > 0:
        tidy(child, space.inputs + space.outputs, scratch)
