"""Crossover beside the same done plainly, with a dictionary of connections."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.kernels import from_python, randomness, space_for
from mdlrnn import Network, Unit
from mdlrnn.kernels import _genome, _mutations, _offspring
from mdlrnn.kernels import _offspring as _crossover
from mdlrnn.kernels._genome import Words, network_from_row, row_of, size_of

cross_over = from_python(_crossover.cross_over)
mutate = from_python(_offspring.mutate)
random_network = from_python(_mutations.random_network)
tidy = from_python(_genome.tidy)

INPUTS = OUTPUTS = 3
FIRST = INPUTS + OUTPUTS
BARE = Network(INPUTS, OUTPUTS, (Unit(),) * FIRST)
Into = dict[tuple[str, int, int], Any]
"""Weights by kind, source and target."""


def relatives(
    seed: int, unrestricted: bool, mutations: tuple[int, int, int]
) -> tuple[Words, Words]:
    """Two rows of one descent, which have many units in common."""
    random = randomness(seed)
    space = space_for(
        BARE, unrestricted=unrestricted, compound_mutation_rate=0.5, max_connections=200
    )
    row = np.zeros(8192, dtype=np.int64)
    random_network(row, random, space)
    before, one, other = mutations
    for _ in range(before):
        mutate(row, random, space, 1)
    rows = row.copy(), row.copy()
    for each, count in zip(rows, (one, other), strict=True):
        for _ in range(count):
            mutate(each, random, space, 1)
    return rows


def network_in(row: Words) -> Network:
    return network_from_row(row[: int(size_of(row))], INPUTS, OUTPUTS)


def parts(network: Network) -> tuple[dict[int, Unit], Into]:
    into = {(c.kind, c.source, c.target): c.weight for c in network.connections}
    return dict(enumerate(network.units)), into


def crossed_plainly(network: Network, donor: Network, output: int) -> tuple[list[Unit], Into]:
    units, into = parts(network)
    given_units, given_into = parts(donor)
    brought = {output}
    while True:
        more = {s for _, s, t in given_into if t in brought and s >= FIRST} - brought
        if not more:
            break
        brought |= more
    number = {output: output}
    for unit in sorted(brought - {output}):
        number[unit] = len(units)
        units[len(units)] = given_units[unit]
    units[output] = given_units[output]
    into = {key: weight for key, weight in into.items() if key[2] != output}
    for (kind, source, target), weight in given_into.items():
        if target in brought:
            into[
                kind, number.get(source, source) if source >= FIRST else source, number[target]
            ] = weight
    while twins := first_twins(units, into):
        into = without_twin(into, *twins)
        del units[twins[1]]
    order = {unit: place for place, unit in enumerate(sorted(units))}
    return [units[unit] for unit in order], {
        (kind, order[source], order[target]): weight
        for (kind, source, target), weight in into.items()
    }


def first_twins(units: dict[int, Unit], into: Into) -> tuple[int, int] | None:
    hidden = sorted(unit for unit in units if unit >= FIRST)
    for u in hidden:
        for v in hidden:
            if u < v and units[u] == units[v] and are_alike(u, v, into) and are_apart(u, v, into):
                return u, v
    return None


def are_alike(u: int, v: int, into: Into) -> bool:
    of_u = {(k, v if s == u else s): w for (k, s, t), w in into.items() if t == u}
    of_v = {(k, s): w for (k, s, t), w in into.items() if t == v}
    return of_u == of_v


def are_apart(u: int, v: int, into: Into) -> bool:
    return not any(s == v and t != v and (k, u, t) in into for k, s, t in into)


def without_twin(into: Into, u: int, v: int) -> Into:
    return {(k, u if s == v else s, t): w for (k, s, t), w in into.items() if t != v}


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    unrestricted=st.booleans(),
    mutations=st.tuples(st.integers(0, 40), st.integers(0, 6), st.integers(0, 6)),
    is_tidy=st.booleans(),
)
def test_crossover_is_that_of_a_plain_program(
    seed: int, unrestricted: bool, mutations: tuple[int, int, int], is_tidy: bool
) -> None:
    row, donor = relatives(seed, unrestricted, mutations)
    scratch = np.zeros(512, dtype=np.int64)
    if is_tidy:
        tidy(row, FIRST, scratch)
        tidy(donor, FIRST, scratch)
    here, there = network_in(row), network_in(donor)
    space = space_for(BARE, max_units=400, max_connections=1000, unrestricted=unrestricted)
    assert cross_over(row, donor, randomness(seed + 1), space, scratch)
    after = network_in(row)
    assert np.array_equal(row_of(after), row[: int(size_of(row))]), "sorted, nothing twice"
    units, into = parts(after)
    expected = [crossed_plainly(here, there, INPUTS + output) for output in range(OUTPUTS)]
    assert (list(units.values()), into) in expected
