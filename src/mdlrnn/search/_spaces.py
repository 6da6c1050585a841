"""Which parts each island searches with, where the code says which parts a network has.

A part that a language does not need only dilutes the search, and nobody knows beforehand which it
needs. So islands search with different sets side by side. |G| depends on the network alone, and
their scores compare.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ..kernels._genome import (
    CONNECTION_WORDS,
    HEADER,
    PRODUCT,
    SOURCE_MASK,
    TARGET,
    UNIT_WORDS,
    Words,
    size_of,
)
from ..network._activations import ACTIVATIONS, DEFAULT_ACTIVATIONS
from ._island import Problem


class PartSet(NamedTuple):
    further: tuple[str, ...] = ()
    """Activations beyond the paper's."""
    products: bool = False
    unrestricted: bool = False


REMAINDERS = tuple(name for name, record in ACTIVATIONS.items() if (record.modulus or 0) > 1)
EVERY = tuple(name for name in ACTIVATIONS if name not in DEFAULT_ACTIVATIONS)
SETS = (
    PartSet(),
    PartSet(REMAINDERS),
    PartSet(("abs",), products=True),
    PartSet(unrestricted=True),
    PartSet(EVERY, products=True),
)
"""The islands after the archive take them in turn. Five sets, since kinds of islands repeat every
eight (`_migration`), so that in the long run each set meets each kind."""
ARCHIVE_SET = PartSet(EVERY, products=True, unrestricted=True)
"""The archive has room for whatever another island has found."""


def part_set(island: int) -> PartSet:
    return SETS[(island - 1) % len(SETS)] if island else ARCHIVE_SET


@lru_cache(maxsize=1024)
def island_problem(problem: Problem, island: int) -> Problem:
    """The problem as this island sees it: with its own parts, of those that are allowed."""
    encoding, search = problem.encoding, problem.search
    if not encoding.says_parts:
        return problem
    own = part_set(island)
    names = tuple(n for n in encoding.activations if n in (*DEFAULT_ACTIVATIONS, *own.further))
    return problem._replace(
        encoding=replace(encoding, activations=names, products=encoding.products and own.products),
        search=replace(search, unrestricted=search.unrestricted or own.unrestricted),
    )


def fits(row: Words, problem: Problem) -> bool:
    """Whether a network of the corpus is in the space of this problem."""
    words = row[: int(size_of(row))]
    end = HEADER + UNIT_WORDS * int(row[0])
    codes = {int(code) for code in words[HEADER:end:UNIT_WORDS]}
    allowed = {ACTIVATIONS[name].code for name in problem.encoding.activations}
    if not {code % PRODUCT for code in codes} <= allowed:
        return False
    if max(codes) >= PRODUCT and not problem.encoding.products:
        return False
    if problem.search.unrestricted:
        return True
    keys = words[end::CONNECTION_WORDS]
    inputs, outputs = problem.corpus.inputs, problem.corpus.outputs
    sources, targets = keys & SOURCE_MASK, keys // TARGET
    from_output = (sources >= inputs) & (sources < inputs + outputs)
    return not (from_output.any() or (targets < inputs).any())
