"""|D:G| in bits, one node of the corpus tree after the other: the kernels' slow twin."""

from __future__ import annotations

import math

from ..network import Arithmetic, Network, Number, distribution, log2, stepper
from ._corpus import Corpus


def surprisal(network: Network, corpus: Corpus, arithmetic: Arithmetic) -> float:
    """Infinite if a target has probability 0. `corpus` is in the order of the network's units."""
    step = stepper(network, arithmetic)
    rows = [row.tolist() for row in corpus.input_rows]
    values: list[tuple[Number, ...]] = []
    chances: list[list[Number]] = []
    for above, symbol in zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True):
        values.append(step(rows[symbol], None if above < 0 else values[above]))
        given = distribution(network, values[-1])
        chances.append([1 - given[0], given[0]] if len(given) == 1 else given)
    items = zip(corpus.item_node, corpus.item_target, corpus.item_weight, strict=True)
    bits = []
    for node, target, weight in items:
        chance = chances[node][target]
        if chance <= 0:
            return math.inf
        bits.append(-float(weight) * log2(chance))
    return math.fsum(bits)
