"""The mutation that adds a stack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdlrnn import Corpus, Network, Search, Unit, evolve
from mdlrnn._interpreter import EXACT, feed
from mdlrnn._kernels import _space
from mdlrnn._kernels._edit import add_connection
from mdlrnn._kernels._genome import TARGET, network_of, row_of, size_of
from mdlrnn._kernels._stack import (
    STACK_GROWTH,
    STACK_UNITS,
    append_stack,
    grow_stack,
    has_stacks,
)
from mdlrnn._network import ACTIVATIONS
from strategies import networks
from test_mutations import randomness, space_for

STACK_ACTIVATIONS = ("linear", "floor", "mod3")


def space_of(network: Network, *activations: str, products: int = 1) -> np.ndarray:
    space = space_for(network)[: _space.ACTIVATION]
    space[_space.PRODUCTS] = products
    space[_space.ACTIVATION_COUNT] = len(activations)
    return np.concatenate([space, [ACTIVATIONS.index(name) for name in activations]])


def spacious(network: Network) -> np.ndarray:
    return np.concatenate([row_of(network), np.zeros(STACK_GROWTH, dtype=np.int64)])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    symbols=st.lists(st.integers(0, 3), max_size=25),
    modulus=st.sampled_from(["mod2", "mod3"]),
)
def test_it_is_a_stack(seed: int, symbols: list[int], modulus: str) -> None:
    bare = Network(4, 1, (Unit(),) * 5)
    row = spacious(bare)
    top = append_stack(row, randomness(seed), space_of(bare, "linear", "floor", modulus))
    add_connection(row, 4 * TARGET + top, 1, 1)
    network = network_of(row[: int(size_of(row))], 4, 1)
    pops = next(c.source for c in network.connections if c.weight.fraction == -1)
    inputs = [c for c in network.connections if c.source < 4]
    popping = {c.source for c in inputs if c.target == pops}
    digit = {c.source: int(c.weight.fraction) for c in inputs if c.target != pops}
    rows = [[int(i == symbol) for i in range(4)] for symbol in symbols]
    stack: list[int] = []
    for symbol, values in zip(symbols, feed(network, rows, EXACT), strict=True):
        if symbol in popping:
            stack = stack[:-1]
        else:
            stack.append(digit.get(symbol, 0))
        assert values[4] == (stack[-1] if stack else 0)


@settings(max_examples=150, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_it_leaves_the_other_units_alone(network: Network, seed: int) -> None:
    row = spacious(network)
    if not grow_stack(row, randomness(seed), space_of(network, *ACTIVATIONS)):
        assert np.array_equal(row[: len(row_of(network))], row_of(network))
        return
    after = network_of(row[: int(size_of(row))], network.inputs, network.outputs)
    assert np.array_equal(row_of(after), row[: int(size_of(row))]), "sorted, nothing twice"
    assert len(after.units) == len(network.units) + STACK_UNITS
    old = range(len(network.units))
    assert sum(network.units[u] != after.units[u] for u in old) <= 1
    new = set(after.connections) - set(network.connections)
    assert len({c.target for c in new if c.target in old}) == 1, "one unit reads the top"
    into = {c.source for c in new if c.target not in old}
    assert all(source < network.inputs or source not in old for source in into)


@settings(max_examples=60, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32), room=st.integers(0, 30))
def test_it_keeps_the_limits(network: Network, seed: int, room: int) -> None:
    space = space_of(network, *ACTIVATIONS)
    space[_space.MOST_UNITS] = len(network.units) + room // 2
    space[_space.MOST_CONNECTIONS] = len(network.connections) + room
    row = spacious(network)
    if grow_stack(row, randomness(seed), space):
        assert row[0] <= space[_space.MOST_UNITS]
        assert row[1] <= space[_space.MOST_CONNECTIONS]
    else:
        assert room // 2 < STACK_UNITS or room < 20


@pytest.mark.parametrize(
    ("activations", "products", "expected"),
    [
        (STACK_ACTIVATIONS, 1, True),
        (("linear", "floor", "mod2"), 1, True),
        (STACK_ACTIVATIONS, 0, False),
        (("linear", "floor", "relu"), 1, False),
        (("linear", "mod3"), 1, False),
        (("floor", "mod3"), 1, False),
    ],
)
def test_it_needs_its_parts(activations: tuple[str, ...], products: int, expected: bool) -> None:
    network = Network(2, 1, (Unit(),) * 3)
    assert has_stacks(space_of(network, *activations, products=products)) == expected


@pytest.mark.parametrize("products", [False, True])
def test_where_the_parts_are_missing_it_changes_nothing(products: bool) -> None:
    corpus = Corpus.from_strings(["(())", "()", "()()", "((()))"])

    def values(stacks: float, **settings: object) -> list[float]:
        search = Search(islands=1, population=20, generations=30, stacks=stacks, **settings)  # type: ignore[arg-type]
        return list(evolve(corpus, search, threads=1).archipelago.islands[0].values)

    assert values(0.5, products=products) == values(0.0, products=products)
    whole = {"products": True, "activations": STACK_ACTIVATIONS}
    assert values(0.5, **whole) != values(0.0, **whole)
