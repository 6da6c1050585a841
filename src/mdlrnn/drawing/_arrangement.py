"""The order of units in a drawing: several are tried, and the clearest layout is taken."""

from __future__ import annotations

from random import Random

from ..network._network import Network
from ._clarity import clarity
from ._layout import Layout, ask_graphviz, pointing_back

TRIALS, FEW_TRIALS = 16, 6
"""Further layouts to choose from, if the first one has something crossed."""
SEVERAL, MANY = 24, 60
"""Units up to which many are tried, and up to which any are: a layout takes ever longer."""
CROWDED = 100
"""Connections beyond which none is tried."""


def lay_out(network: Network) -> Layout:
    """The clearest of several layouts; they differ in the order in which units are named."""
    random = Random(0)
    last = network.inputs + network.outputs
    ranks = [
        list(range(network.inputs)),
        list(range(network.inputs, last)),
        list(range(last, len(network.units))),
    ]
    back = pointing_back(network)
    best = ask_graphviz(network, ranks, back)
    if len(network.units) > MANY or len(network.connections) > CROWDED:
        return best
    least = clarity(best)
    for _ in range(TRIALS if len(network.units) <= SEVERAL else FEW_TRIALS):
        if not any(least[:-1]):
            break
        for units in ranks:
            random.shuffle(units)
        other = ask_graphviz(network, ranks, back)
        # Only what is clearer counts, so that units stand in the order of numbers if they can.
        if clarity(other) < least:
            best, least = other, clarity(other)
    return best
