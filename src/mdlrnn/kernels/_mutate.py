"""Which mutations there are, how often each is drawn, and drawing them.

To add one: a function in `_simple` or `_compound` (or a file of its own, for a motif of several
units) that changes a row in place and returns whether it did, and a line of the table here. A row
has room for at least `GROWTH` more words than it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import _compound, _simple
from ._compile import compiled, dispatcher, inlined
from ._genome import RECURRENT, Floats, Words
from ._space import Random, Space, happens, uniform

GROWTH = max(_simple.SIMPLE_GROWTH, _compound.COMPOUND_GROWTH)
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
    Mutation("add unit", _simple.add_unit),
    Mutation("remove unit", _simple.remove_unit),
    Mutation("add forward", _simple.connect, argument=_simple.FORWARD),
    Mutation("remove forward", _simple.disconnect, argument=_simple.FORWARD),
    Mutation("add recurrent", _simple.connect, argument=RECURRENT),
    Mutation("remove recurrent", _simple.disconnect, argument=RECURRENT),
    Mutation("add bias", _simple.set_bias, argument=True),
    Mutation("remove bias", _simple.set_bias, argument=False),
    Mutation("change numerator", _simple.change_weight, argument=_simple.NUMERATOR),
    Mutation("change denominator", _simple.change_weight, argument=_simple.DENOMINATOR),
    Mutation("flip sign", _simple.change_weight, argument=_simple.SIGN),
    Mutation("change activation", _simple.change_activation),
    Mutation("change type", _simple.change_type),
)
"""The paper's."""
COMPOUND = (
    Mutation("rewrite unit", _compound.rewrite),
    Mutation("grow unit", _compound.grow),
    Mutation("redirect", _compound.redirect),
    Mutation("copy unit", _compound.copy_unit),
    Mutation("repeat formula", _compound.repeat_formula),
    Mutation("swap sources", _compound.swap_sources),
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
