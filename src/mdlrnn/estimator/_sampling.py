"""Random strings of a network: symbol after symbol by its own probabilities."""

from __future__ import annotations

import numpy as np

from ..network import BOUNDARY, FLOAT, Network, distribution, stepper


def draw(
    network: Network, count: int, longest: int, random: np.random.RandomState
) -> list[tuple[str, ...]]:
    """So many strings; one that does not end by itself is cut after `longest` symbols."""
    assert network.alphabet is not None
    step = stepper(network, FLOAT)
    size = network.inputs
    rows = [[int(i == place) for i in range(size)] for place in range(size)]
    start = network.alphabet.index(BOUNDARY)
    strings = []
    for _ in range(count):
        string: list[str] = []
        values = step(rows[start], None)
        while len(string) < longest:
            chances = np.cumsum(distribution(network, values))
            place = min(int(np.searchsorted(chances, random.random_sample() * chances[-1],
                                            side="right")), size - 1)  # fmt: skip
            if place == start:
                break
            string.append(network.alphabet[place])
            values = step(rows[place], values)
        strings.append(tuple(string))
    return strings
