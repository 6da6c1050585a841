"""Networks that exports are tried on, and what the interpreter says of a long string of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from helpers.bounds import BOUNDED, Undecided
from helpers.data import ROOT
from mdlrnn import Connection, Network, Unit, Weight, zoo
from mdlrnn.network._activations import ACTIVATIONS
from mdlrnn.network._interpreter import FLOAT, distribution, feed, stepper

RANDOM_NETWORKS = 200
LONGEST = 200
CLOSE = 1e-12


class Case(NamedTuple):
    """A network, what it is fed, and its probabilities by the interpreter."""

    network: Network
    rows: list[list[Any]]
    expected: NDArray[np.float64]

    @property
    def is_smooth(self) -> bool:
        """Whether it has an activation that libraries round each in its own way."""
        return any(ACTIVATIONS[unit.activation].smooth for unit in self.network.units)

    @property
    def symbols(self) -> list[int]:
        return [row.index(1) for row in self.rows]


def known_networks() -> list[Network]:
    """The zoo, and the networks of docs/found."""
    found = [
        replace(Network.load(path), name=f"found_{path.stem}")
        for path in sorted((ROOT / "docs" / "found").glob("*.json"))
    ]
    return [*(zoo.load(name) for name in zoo.names()), *found]


@cache
def cases() -> tuple[Case, ...]:
    """The known networks and the random ones, each with a random string of up to 200 symbols."""
    choose = Random(20)
    networks = known_networks()
    networks += [random_network(choose, f"random_{i}") for i in range(RANDOM_NETWORKS)]
    made = []
    for number, network in enumerate(networks):
        steps = LONGEST + 1 if number % 4 == 0 else choose.randint(1, LONGEST + 1)
        rows = random_rows(choose, network, steps)
        told = [distribution(network, values) for values in feed(network, rows, FLOAT)]
        made.append(Case(network, rows, np.array(told)))
    return tuple(made)


def random_network(choose: Random, name: str) -> Network:
    """Any network, the odd ones included: loops, dead units, connections into inputs."""
    inputs = choose.randint(2, 4)
    symbolic = choose.random() < 0.75
    outputs = inputs if symbolic else choose.randint(1, 3)

    def weight() -> Weight:
        size = choose.choice((1, 1, 1, 2, 3, 5, 7, 9, 100_000 if choose.random() < 0.1 else 1))
        return Weight(choose.choice((1, -1)) * size, choose.choice((1, 1, 1, 2, 3, 4, 5, 7)))

    units = [Unit()] * inputs
    for _ in range(outputs + choose.randint(0, 6)):
        kind = "product" if choose.random() < 0.25 else "sum"
        bias = weight() if choose.random() < 0.5 else None
        units.append(Unit(choose.choice(tuple(ACTIVATIONS)), kind, bias))
    connections: dict[tuple[int, int, str], Connection] = {}
    for _ in range(choose.randint(len(units), 3 * len(units))):
        kind = choose.choice(("forward", "forward", "recurrent"))
        source = choose.randrange(len(units))
        target = choose.randrange(0 if choose.random() < 0.1 else inputs, len(units))
        connections[source, target, kind] = Connection(source, target, kind, weight())
    alphabet = tuple("#abc"[:inputs]) if symbolic else None
    return Network(inputs, outputs, tuple(units), tuple(connections.values()), alphabet, name)


def random_rows(choose: Random, network: Network, steps: int) -> list[list[Any]]:
    if network.alphabet is None:
        values = (0, 1, 1, -1, 0.5, 2, 2_000_000)
        return [[choose.choice(values) for _ in range(network.inputs)] for _ in range(steps)]
    start = network.alphabet.index("#")
    others = [i for i in range(network.inputs) if i != start]
    places = [start, *(choose.choice(others) for _ in range(steps - 1))]
    return [[int(i == place) for i in range(network.inputs)] for place in places]


def agrees(case: Case, found: Any) -> bool:
    """Whether an export's probabilities are the interpreter's: to the last bit where all that is
    computed is sums, products and comparisons, else to 1e-12.

    A network may blow rounding up from step to step, or step just where it rounds. From there on
    floats have no right answer, and the string is looked at only so far.
    """
    given = np.asarray(found, np.float64).reshape(case.expected.shape)
    if not case.is_smooth:
        return bool(np.array_equal(given, case.expected))
    far = np.flatnonzero(np.abs(given - case.expected).max(axis=1) > CLOSE)
    if not len(far):
        return True
    return int(far[0]) >= decided_steps(case.network, case.rows)


def decided_steps(network: Network, rows: Sequence[Sequence[Any]]) -> int:
    """So many steps have probabilities that float64 gives to 1e-13 in any library."""
    step = stepper(network, BOUNDED)
    values: tuple[Any, ...] | None = None
    for number, row in enumerate(rows):
        try:
            values = step(row, values)
            chances = distribution(network, values)
        except Undecided:
            return number
        if any(float(chance.error) > CLOSE / 10 for chance in chances):
            return number
    return len(rows)


def padded(chosen: Sequence[Case]) -> Iterator[Any]:
    """The strings of cases of one network, as numbers, padded with 0."""
    longest = max(len(case.rows) for case in chosen)
    for case in chosen:
        yield case.symbols + [0] * (longest - len(case.rows))
