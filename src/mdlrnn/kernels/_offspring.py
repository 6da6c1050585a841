"""An offspring: a copy of its parent with a part of another network, a stack or mutations."""

from __future__ import annotations

from ._compile import shared
from ._crossover import cross_over
from ._edit import tidy
from ._genome import Words, copy_row
from ._mutate import mutate
from ._random import Random
from ._space import Space
from ._stack import grow_stack
from ._types import Ints


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
    changed = False
    if crossing:
        changed = cross_over(child, donor, random, space, scratch)
    elif stacking:
        changed = grow_stack(child, random, space)
    mutate(child, random, space, 0 if changed else 1)
    if space.compound_mutation_rate > 0:
        tidy(child, space.inputs + space.outputs, scratch)
