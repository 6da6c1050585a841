"""Every mutation: a valid network comes out, and what it did can be undone by others."""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.kernels import KIND, from_python, mutated, randomness, roomy, space_for
from helpers.strategies import networks
from mdlrnn import Connection, Network, Unit, Weight
from mdlrnn.kernels import _mutations, _offspring
from mdlrnn.kernels._genome import HEADER, PRODUCT, UNIT_WORDS, network_from_row, row_of, size_of
from mdlrnn.kernels._offspring import COMPOUND_START, MUTATIONS, compound_rates, simple_rates

mutate = from_python(_offspring.mutate)
draw_kind = from_python(_offspring.draw_kind)
random_network = from_python(_mutations.random_network)


def facts(network: Network) -> dict[str, int]:
    kinds = [c.kind for c in network.connections]
    return {
        "units": len(network.units),
        "forward": kinds.count("forward"),
        "recurrent": kinds.count("recurrent"),
        "biases": sum(unit.bias is not None for unit in network.units),
        "products": sum(unit.type == "product" for unit in network.units),
    }


EXPECTED = {
    "add unit": {"units": 1, "forward": 1},
    "add forward": {"forward": 1},
    "remove forward": {"forward": -1},
    "add recurrent": {"recurrent": 1},
    "remove recurrent": {"recurrent": -1},
    "add bias": {"biases": 1},
    "remove bias": {"biases": -1},
    "change numerator": {},
    "change denominator": {},
    "flip sign": {},
    "change activation": {},
}


@pytest.mark.parametrize("name", [*EXPECTED, "remove unit", "change type"])
@settings(max_examples=60, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_mutation_gives_a_valid_network_and_does_what_it_says(
    name: str, network: Network, seed: int
) -> None:
    after = mutated(network, KIND[name], seed)
    if after is None:
        return
    assert after != network
    before_facts, after_facts = facts(network), facts(after)
    change = {key: after_facts[key] - before_facts[key] for key in before_facts}
    if name == "remove unit":
        assert change["units"] == -1
        assert change["forward"] <= 0
        assert change["recurrent"] <= 0
    elif name == "change type":
        assert abs(change.pop("products")) == 1
        assert not any(change.values())
    else:
        assert {key: value for key, value in change.items() if value} == EXPECTED[name]


@settings(max_examples=50, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_a_random_mutation_always_finds_something_to_change(network: Network, seed: int) -> None:
    row = roomy(network)
    mutate(row, randomness(seed), space_for(network), 1)
    after = network_from_row(row[: int(size_of(row))], network.inputs, network.outputs)
    assert after != network


def test_an_offspring_need_not_be_mutated() -> None:
    row = roomy(SMALL[0])
    mutate(row, randomness(1), space_for(SMALL[0]), 0)
    assert np.array_equal(row, roomy(SMALL[0]))


@settings(max_examples=50, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_limits_are_kept(network: Network, seed: int) -> None:
    units, connections = len(network.units), len(network.connections)
    assert mutated(network, KIND["add unit"], seed, max_units=units) is None
    for name in ("add forward", "add recurrent", "add unit"):
        assert mutated(network, KIND[name], seed, max_connections=connections) is None


def test_products_appear_only_where_they_are_allowed() -> None:
    network = Network(1, 1, (Unit(), Unit()), (Connection(0, 1, "forward", Weight(1)),))
    rates = simple_rates(False)
    space = space_for(network, products=False, compound_mutation_rate=0.2, simple_mutations=rates)
    random = randomness(5)
    row = np.zeros(4096, dtype=np.int64)
    row[: row_of(network).size] = row_of(network)
    for _ in range(2000):
        if size_of(row) > 3000:
            break
        mutate(row, random, space, 1)
        codes = row[HEADER : HEADER + UNIT_WORDS * int(row[0]) : UNIT_WORDS]
        assert (codes < PRODUCT).all()
    assert KIND["change type"] not in {draw_kind(rates, random) for _ in range(2000)}
    assert mutated(network, KIND["change type"], 1, products=False) is None


def test_every_mutation_is_drawn() -> None:
    random = randomness(6)
    for rates in (simple_rates(True), compound_rates()):
        assert {draw_kind(rates, random) for _ in range(500)} == set(range(len(rates)))


@settings(max_examples=60, deadline=None)
@given(inputs=st.integers(1, 6), outputs=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_random_networks_feed_every_output_and_have_no_hidden_units(
    inputs: int, outputs: int, seed: int
) -> None:
    units = (Unit(),) * (inputs + outputs)
    space = space_for(Network(inputs, outputs, units))
    row = np.zeros(1024, dtype=np.int64)
    random_network(row, randomness(seed), space)
    network = network_from_row(row[: int(size_of(row))], inputs, outputs)
    assert network.hidden == 0
    fed = {c.target for c in network.connections if c.kind == "forward"}
    assert fed == set(range(inputs, inputs + outputs))
    assert all(c.source < inputs for c in network.connections)


def distance(a: Network, b: Network) -> float:
    """How far a is from b: sizes first, then what differs; 0 only if they are equal."""
    total = 50.0 * abs(len(a.units) - len(b.units))
    for x, y in zip(a.units, b.units, strict=False):
        total += (x.activation != y.activation) + (x.type != y.type) + _apart(x.bias, y.bias)
    ends = [{(c.source, c.target, c.kind): c.weight for c in n.connections} for n in (a, b)]
    for key in ends[0].keys() | ends[1].keys():
        total += _apart(ends[0].get(key), ends[1].get(key))
    return total


def _apart(x: Weight | None, y: Weight | None) -> float:
    """What is too much costs little, since taking it away is one step."""
    if y is None:
        return 0.0 if x is None else 1.0
    if x is None:
        return 12.0
    steps = abs(abs(x.numerator) - abs(y.numerator)) + abs(x.denominator - y.denominator)
    return min(11.0, steps + ((x.numerator > 0) != (y.numerator > 0)))


def way_back(start: Network, goal: Network, most: int = 3000) -> int | None:
    """Mutations from start to goal by best-first search over sampled mutations, or None."""
    order = count()
    queue = [(distance(start, goal), next(order), 0, start)]
    seen = {start}
    for turn in range(most):
        if not queue:
            return None
        _, _, steps, here = heapq.heappop(queue)
        if here == goal:
            return steps
        for kind in range(COMPOUND_START):
            for sample in range(6):
                there = mutated(here, kind, 1000 * turn + 10 * kind + sample)
                if there is not None and there not in seen:
                    seen.add(there)
                    entry = (distance(there, goal) + steps, next(order), steps + 1, there)
                    heapq.heappush(queue, entry)
    return None


SMALL = [
    Network(
        2, 1, (Unit(), Unit(), Unit("sigmoid", bias=Weight(-2, 1)), Unit("relu")),
        (
            Connection(0, 3, "forward", Weight(1, 2)),
            Connection(3, 2, "forward", Weight(3, 1)),
            Connection(3, 3, "recurrent", Weight(1, 1)),
        ),
    ),
    Network(
        1, 1, (Unit(), Unit(), Unit("square", "product", Weight(1, 3))),
        (Connection(0, 1, "forward", Weight(1)), Connection(2, 1, "recurrent", Weight(-1, 2))),
    ),
]  # fmt: skip


@pytest.mark.parametrize("name", [mutation.name for mutation in MUTATIONS])
@pytest.mark.parametrize("network", SMALL, ids=["counter", "product"])
def test_every_mutation_can_be_undone(network: Network, name: str) -> None:
    for seed in range(3):
        after = mutated(network, KIND[name], seed)
        if after is not None:
            assert way_back(after, network) is not None, (name, after.to_dict())


@settings(max_examples=50, deadline=None)
@given(network=networks(), seed=st.integers(0, 2**32))
def test_further_mutations_and_fresh_weights_keep_networks_valid(
    network: Network, seed: int
) -> None:
    space = space_for(network, further_mutation_rate=0.9, redraw_weight_rate=0.5)
    row = np.concatenate([roomy(network), np.zeros(200, dtype=np.int64)])
    random = randomness(seed)
    mutate(row, random, space, 1)
    after = network_from_row(row[: int(size_of(row))], network.inputs, network.outputs)
    assert np.array_equal(row_of(after), row[: int(size_of(row))])
