"""Mutations of whole units, crossover, tidying up, and the bound under which scoring gives up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from helpers.kernels import KIND, from_python, mutated, randomness, roomy, space_for
from helpers.strategies import networks
from mdlrnn import Connection, Corpus, Encoding, Network, Stop, Unit, Weight, score, zoo
from mdlrnn.kernels import _genome, _mutations, _offspring
from mdlrnn.kernels import _offspring as _crossover
from mdlrnn.kernels._genome import Words, network_from_row, row_of, size_of
from mdlrnn.kernels._offspring import MUTATIONS
from mdlrnn.kernels._plan import Tree, Workspace, tree_of, workspace_for
from mdlrnn.kernels._scoring import surprisal
from mdlrnn.network._interpreter import FLOAT, ignored_connections, stepper
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem
from mdlrnn.search._settings import Search

apply = from_python(_offspring.apply)
cross_over = from_python(_crossover.cross_over)
fresh_number = from_python(_genome.fresh_number)
mutate = from_python(_offspring.mutate)
random_network = from_python(_mutations.random_network)
tidy = from_python(_genome.tidy)

COMPOUND = [mutation.name for mutation in _offspring.COMPOUND]
STRINGS = ["aabb", "ab", "aab", "bba", "aaabbb", "b"]


def wandered(seed: int, unrestricted: bool = False) -> Network:
    """A network without forward loops to which a search might come, over #, a and b."""
    random = randomness(seed)
    bare = Network(3, 3, (Unit(),) * 6)
    space = space_for(bare, unrestricted=unrestricted, compound_mutation_rate=0.5)
    row = np.zeros(4096, dtype=np.int64)
    random_network(row, random, space)
    for _ in range(seed % 12):
        mutate(row, random, space, 1)
    network = network_from_row(row[: int(size_of(row))], 3, 3, ("#", "a", "b"))
    return network if not ignored_connections(network) else wandered(seed + 1, unrestricted)


SEARCHED = st.integers(0, 10_000).map(wandered)
SEARCHED_UNRESTRICTED = st.integers(0, 10_000).map(lambda seed: wandered(seed, True))


def formula(network: Network, unit: int) -> tuple[Unit, tuple[tuple[Any, ...], ...]]:
    into = sorted(
        (c.kind, c.source, c.weight.numerator, c.weight.denominator)
        for c in network.connections
        if c.target == unit
    )
    return (network.units[unit], tuple(into))


def shape(network: Network, unit: int) -> tuple[object, ...]:
    """The formula but for the numbers of hidden units, which crossover may change."""
    own, into = formula(network, unit)
    first = network.inputs + network.outputs
    return own, sorted((kind, min(source, first), *weight) for kind, source, *weight in into)


def changed_units(before: Network, after: Network) -> list[int]:
    both = range(min(len(before.units), len(after.units)))
    return [unit for unit in both if formula(before, unit) != formula(after, unit)]


@pytest.mark.parametrize("name", COMPOUND)
@settings(max_examples=60, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32), unrestricted=st.booleans())
def test_compound_mutations_give_valid_networks(
    name: str, network: Network, seed: int, unrestricted: bool
) -> None:
    after = mutated(network, KIND[name], seed, unrestricted=unrestricted)
    if after is None:
        return
    changed = changed_units(network, after)
    new = len(after.units) - len(network.units)
    assert new == (1 if name in ("grow unit", "copy unit") else 0)
    assert len(changed) <= (2 if name in ("redirect", "swap sources") else 1)
    if name not in ("redirect", "swap sources"):
        least = 0 if unrestricted and new else network.inputs
        assert all(unit >= least for unit in changed)


@pytest.mark.parametrize("name", COMPOUND)
@settings(max_examples=60, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_compound_mutations_keep_the_limits(name: str, network: Network, seed: int) -> None:
    units, connections = len(network.units), len(network.connections)
    limits = {"max_units": units, "max_connections": max(connections, 1)}
    after = mutated(network, KIND[name], seed, **limits)
    assert after is None or len(after.units) <= units
    assert after is None or len(after.connections) <= max(connections, 1)


def test_numbers_are_as_likely_as_their_code_is_short() -> None:
    random = randomness(3)
    drawn = np.bincount([min(fresh_number(random), 16) for _ in range(40_000)]) / 40_000
    assert drawn[0] == 0
    assert drawn[1] == pytest.approx(1 / 2, abs=0.02)
    assert drawn[2] == pytest.approx(1 / 8, abs=0.01)
    assert drawn[7] == pytest.approx(1 / 32, abs=0.01)
    assert drawn[16] == pytest.approx(1 / 16, abs=0.01)


@settings(max_examples=80, deadline=None)
@given(network=SEARCHED | SEARCHED_UNRESTRICTED)
def test_tidying_changes_no_prediction_and_costs_no_bits(network: Network) -> None:
    row = roomy(network)
    tidy(row, network.inputs + network.outputs, np.zeros(256, dtype=np.int64))
    after = network_from_row(
        row[: int(size_of(row))], network.inputs, network.outputs, ("#", "a", "b")
    )
    assert np.array_equal(row_of(after), row[: int(size_of(row))])
    corpus = Corpus.from_strings(STRINGS)
    encoding = Encoding.fitting(network)
    before = score(network, corpus, encoding)
    tidied = score(after, corpus, encoding)
    assert tidied.g <= before.g
    assert tidied.d_given_g == pytest.approx(before.d_given_g, rel=1e-9)


def test_tidying_takes_out_what_reaches_no_output() -> None:
    network = zoo.load("anbn")
    dead = Network(
        3, 3, (*network.units, Unit("relu"), Unit("square", bias=Weight(2, 4))),
        (
            *network.connections,
            Connection(6, 7, "forward", Weight(1)),
            Connection(7, 8, "forward", Weight(1)),
            Connection(8, 7, "recurrent", Weight(1)),
        ),
    )  # fmt: skip
    row = roomy(dead)
    tidy(row, 6, np.zeros(256, dtype=np.int64))
    assert np.array_equal(row[: int(size_of(row))], row_of(network))


def outputs_along(network: Network, string: str) -> list[list[float]]:
    """The value of every output unit after each symbol."""
    step = stepper(network, FLOAT)
    values = []
    every = None
    for symbol in string:
        every = step([1.0 if symbol == letter else 0.0 for letter in "#ab"], every)
        values.append([float(v) for v in every[network.inputs : network.inputs + network.outputs]])
    return values


@settings(max_examples=80, deadline=None)
@given(
    network=SEARCHED,
    donor=SEARCHED,
    seed=st.integers(0, 2**32),
)
def test_crossover_brings_one_output_and_leaves_the_others(
    network: Network, donor: Network, seed: int
) -> None:
    row = np.concatenate([roomy(network), np.zeros(row_of(donor).size, dtype=np.int64)])
    space = space_for(network, max_units=200, max_connections=200)
    assert cross_over(row, row_of(donor), randomness(seed), space, np.zeros(256, dtype=np.int64))
    after = network_from_row(row[: int(size_of(row))], 3, 3, ("#", "a", "b"))
    assert np.array_equal(row_of(after), row[: int(size_of(row))])
    here, given_, got = (outputs_along(n, "#aabab") for n in (network, donor, after))
    fits = [
        all(
            math.isclose(x[k], (y if k == output else z)[k], rel_tol=1e-9, abs_tol=1e-9)
            for x, y, z in zip(got, given_, here, strict=True)
            for k in range(3)
        )
        for output in range(3)
    ]
    assert any(fits)


@settings(max_examples=80, deadline=None)
@given(network=SEARCHED_UNRESTRICTED, donor=SEARCHED_UNRESTRICTED, seed=st.integers(0, 2**32))
def test_crossover_leaves_other_formulas_where_outputs_feed_others(
    network: Network, donor: Network, seed: int
) -> None:
    row = np.concatenate([roomy(network), np.zeros(row_of(donor).size, dtype=np.int64)])
    space = space_for(network, max_units=200, max_connections=200, unrestricted=True)
    assert cross_over(row, row_of(donor), randomness(seed), space, np.zeros(256, dtype=np.int64))
    after = network_from_row(row[: int(size_of(row))], 3, 3, ("#", "a", "b"))
    assert np.array_equal(row_of(after), row[: int(size_of(row))])
    taken = [output for output in (3, 4, 5) if shape(after, output) == shape(donor, output)]
    kept = [unit for unit in range(6) if shape(after, unit) == shape(network, unit)]
    assert any({*kept, output} == set(range(6)) for output in taken)


@pytest.mark.parametrize("unrestricted", [False, True])
def test_connections_go_anywhere_only_if_they_may(unrestricted: bool) -> None:
    connections = [c for seed in range(100) for c in wandered(seed, unrestricted).connections]
    assert any(3 <= c.source < 6 for c in connections) == unrestricted
    assert any(c.target < 3 for c in connections) == unrestricted


def test_crossover_shares_the_units_that_both_have() -> None:
    network = zoo.load("anbn")
    row = np.concatenate([roomy(network), np.zeros(200, dtype=np.int64)])
    for seed in range(8):
        space = space_for(network)
        assert cross_over(
            row, row_of(network), randomness(seed), space, np.zeros(256, dtype=np.int64)
        )
        assert np.array_equal(row[: int(size_of(row))], row_of(network))


def call_surprisal(row: Words, tree: Tree, work: Workspace, limit: float) -> float:
    """`surprisal` as it lies in the cache; compiled once more it would take some seconds."""
    return surprisal(row, tree, work, limit)


bits_within: Callable[..., float] = njit(nogil=True, error_model="numpy")(call_surprisal)


@settings(max_examples=80, deadline=None)
@given(network=SEARCHED | SEARCHED_UNRESTRICTED, share=st.floats(0, 2))
def test_scoring_gives_up_only_above_the_limit(network: Network, share: float) -> None:
    corpus = Corpus.from_strings(STRINGS)
    tree = tree_of(corpus)
    work = workspace_for(tree, 64, 256)
    row = row_of(network)
    bits = bits_within(row, tree, work, math.inf)
    limit = share * (bits if bits < math.inf else 40.0)
    bounded = bits_within(row, tree, work, limit)
    assert bounded == bits or (bounded == math.inf and bits > limit)
    for r in range(tree.full + 1):
        bound = tree.lower_bounds[tree.chunk_start[r]]
        assert 0 <= bound <= 40.0
    assert bits >= tree.lower_bounds[tree.chunk_start[tree.full]] - 1e-9


def test_no_network_of_an_elitist_island_gets_worse() -> None:
    corpus = Corpus.from_strings(["ab", "aabb", "ab", "aaabbb"])
    search = Search(islands=1, population=20, elitist=True)
    problem = Problem(corpus, search, Encoding())
    start = evolve_islands(problem, Stop(generations=0), workers=1)
    end = evolve_islands(problem, Stop(generations=40), workers=1, start=start.archipelago)
    assert (end.archipelago.islands[0].values <= start.archipelago.islands[0].values).all()
    assert end.value < start.value


def test_apply_knows_every_kind() -> None:
    network = zoo.load("anbncn")
    for kind in range(len(MUTATIONS)):
        done = [
            apply(kind, roomy(network), randomness(seed), space_for(network)) for seed in range(20)
        ]
        assert any(done), MUTATIONS[kind]
