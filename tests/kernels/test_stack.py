"""The mutation that adds a stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.kernels import from_python, randomness, space_for
from helpers.strategies import networks
from mdlrnn import Corpus, Encoding, Network, Search, Stop, Unit, evolve
from mdlrnn.kernels import _genome
from mdlrnn.kernels import _mutations as _stack
from mdlrnn.kernels._genome import TARGET, Space, network_from_row, row_of, size_of
from mdlrnn.kernels._mutations import STACK_GROWTH, STACK_UNITS
from mdlrnn.network._interpreter import EXACT, feed
from mdlrnn.network._units import ACTIVATIONS

STACK_ACTIVATIONS = ("linear", "floor", "mod3")
add_connection = from_python(_genome.add_connection)
append_stack = from_python(_stack.append_stack)
grow_stack = from_python(_stack.grow_stack)
has_stacks = from_python(_stack.has_stacks)


def space_of(network: Network, *activations: str, **changes: Any) -> Space:
    codes = np.array([ACTIVATIONS[name].code for name in activations], dtype=np.int64)
    return space_for(network, activations=codes, **changes)


def spacious(network: Network) -> NDArray[np.int64]:
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
    network = network_from_row(row[: int(size_of(row))], 4, 1)
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


@settings(max_examples=60, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_it_leaves_the_other_units_alone(network: Network, seed: int) -> None:
    row = spacious(network)
    if not grow_stack(row, randomness(seed), space_of(network, *ACTIVATIONS)):
        assert np.array_equal(row[: len(row_of(network))], row_of(network))
        return
    after = network_from_row(row[: int(size_of(row))], network.inputs, network.outputs)
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
    space = space_of(
        network,
        *ACTIVATIONS,
        max_units=len(network.units) + room // 2,
        max_connections=len(network.connections) + room,
    )
    row = spacious(network)
    if grow_stack(row, randomness(seed), space):
        assert row[0] <= space.max_units
        assert row[1] <= space.max_connections
    else:
        assert room // 2 < STACK_UNITS or room < 20


@pytest.mark.parametrize(
    ("activations", "products", "expected"),
    [
        (STACK_ACTIVATIONS, True, True),
        (("linear", "floor", "mod2"), True, True),
        (STACK_ACTIVATIONS, False, False),
        (("linear", "floor", "relu"), True, False),
        (("linear", "mod3"), True, False),
        (("floor", "mod3"), True, False),
    ],
)
def test_it_needs_its_parts(activations: tuple[str, ...], products: bool, expected: bool) -> None:
    network = Network(2, 1, (Unit(),) * 3)
    assert has_stacks(space_of(network, *activations, products=products)) == expected


@pytest.mark.parametrize("products", [False, True])
def test_where_the_parts_are_missing_it_changes_nothing(products: bool) -> None:
    corpus = Corpus.from_strings(["(())", "()", "()()", "((()))"])

    def values(stack_rate: float, encoding: Encoding) -> list[float]:
        search = Search(islands=1, population=20, stack_rate=stack_rate, encoding=encoding)
        run = evolve(corpus, search, stop=Stop(generations=30), workers=1)
        return list(run.archipelago.islands[0].values)

    without = Encoding(products=products)
    assert values(0.5, without) == values(0.0, without)
    whole = Encoding(activations=STACK_ACTIVATIONS, products=True)
    assert values(0.5, whole) != values(0.0, whole)
