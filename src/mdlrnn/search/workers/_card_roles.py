"""What each island on a card is for: which is an archive, what it may use, what it starts from.

Islands stand in groups of sixteen, each with an archive as the CPU's search has one, and with the
sets of parts, the founders and the patience that sixteen islands have there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import Words, compound_rates
from .._island import Problem, tools_for
from .._migration import ARCHIVE, NOTHING, RESTARTS, SETS, exchange_of, island_problem, patience_of
from .._settings import Search
from ..suggest._founders import begins_with_founders, founders_for

GROUP = 16
"""Islands with one archive, which is the first of them."""
FOUNDER_PERIOD = 15
"""Sets of parts repeat every five islands, founders every three."""
NEVER = 2**62


class Founders(NamedTuple):
    rows: tuple[Words, ...]
    given: NDArray[np.int64]
    """Which of them an island starts from, by island and place; -1 for none."""


def role_of(island: int) -> int:
    """The number under which the CPU's search knows such an island: 0 is an archive."""
    return ARCHIVE if island % GROUP == 0 else island


def kind_of(problem: Problem, role: int) -> int:
    """Which of the spaces an island has: 0 is the archive's."""
    return 0 if role == ARCHIVE or not problem.encoding.says_parts else 1 + (role - 1) % len(SETS)


def archives_among(count: int) -> NDArray[np.int64]:
    """Of so many islands those that are archives."""
    return np.arange(0, count, GROUP)


def givers_to_archives(offers: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each archive the islands of its group that offer something, in order; else -1."""
    padded = np.zeros(len(archives_among(offers.size)) * GROUP, dtype=np.int64)
    padded[: offers.size] = offers
    numbers = np.arange(padded.size).reshape(-1, GROUP)
    return np.where(padded.reshape(-1, GROUP) > 0, numbers, -1)


def parts_of(count: int, cards: int) -> list[tuple[int, int]]:
    """Which islands are on which card, where a run has several: whole groups, as many on each, from
    the first of them to the one after the last."""
    groups = len(archives_among(count))
    used = min(cards, groups)
    edges = [min(count, GROUP * (groups * card // used)) for card in range(used + 1)]
    return list(pairwise(edges))


def travellers_among(search: Search, count: int) -> NDArray[np.int64]:
    """Of so many islands those that send networks round a ring."""
    kind = exchange_of(search)
    if kind == NOTHING:
        return np.arange(0)
    return archives_among(count) if kind == RESTARTS else np.arange(count)


def ring_givers(search: Search, turn: int) -> NDArray[np.int64]:
    """For each that sends, the one that it receives from, as in `search._migration.homes_of`."""
    count = len(travellers_among(search, search.islands))
    if count < 2:
        return np.full((count, 1), -1, dtype=np.int64)
    return ((np.arange(count) - 1 - turn % (count - 1)) % count)[:, None]


def waits_of(search: Search, roles: Sequence[int]) -> NDArray[np.int64]:
    """For each island the steps without improvement after which it restarts."""
    patience = np.array([patience_of(role) for role in roles], dtype=np.int64)
    waits = search.migration_interval * search.population * patience
    waits[[role == ARCHIVE for role in roles]] = NEVER
    return waits


def spaces_of(problem: Problem) -> tuple[NDArray[Any], ...]:
    """Activations, their counts, products and unrestricted, and rates, by kind."""
    kinds = 1 + len(SETS) if problem.encoding.says_parts else 1
    spaces = [tools_for(island_problem(problem, kind)).space for kind in range(kinds)]
    longest = max(space.activations.size for space in spaces)
    activations = np.zeros((kinds, longest), dtype=np.int64)
    for kind, space in enumerate(spaces):
        activations[kind, : space.activations.size] = space.activations
    return (
        activations,
        np.array([space.activations.size for space in spaces], dtype=np.int64),
        np.array([(s.products, s.unrestricted) for s in spaces], dtype=np.int64),
        np.stack([space.simple_mutations for space in spaces]),
        compound_rates(),
    )


def founders_of(problem: Problem, roles: Sequence[int]) -> Founders:
    by_period: dict[int, tuple[Words, ...]] = {0: ()}
    if begins_with_founders(problem):
        for role in range(1, 1 + FOUNDER_PERIOD):
            by_period[role] = founders_for(problem, role)[: problem.search.population]
    rows = tuple(row for own in by_period.values() for row in own)
    most = max(map(len, by_period.values()))
    starts = np.cumsum([0, *(len(own) for own in by_period.values())])
    given = np.full((len(roles), max(most, 1)), -1, dtype=np.int64)
    for island, role in enumerate(roles):
        period = 0 if role == ARCHIVE or not rows else 1 + (role - 1) % FOUNDER_PERIOD
        size = len(by_period[period])
        given[island, :size] = starts[period] + np.arange(size)
    return Founders(rows, given)
