"""|D:G| by plain NumPy over a padded batch, as one would write it first.

It is what the kernels are measured against in one run. The strings of a corpus stand side by side,
each distinct one once, and a network is fed step by step, unit by unit, to all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus
from ..network._activations import ACTIVATIONS, Arithmetic
from ..network._interpreter import FLOAT_CUT, LEAST_TOTAL, SATURATION, plan
from ..network._network import Network

Floats = NDArray[np.float64]

ARRAYS = Arithmetic(
    number=np.float64,
    relu=lambda x: np.maximum(x, 0.0),
    step=lambda x: (x > 0).astype(np.float64),
    floor=np.floor,
    remainder=np.mod,
    product=np.multiply,
    sigmoid=lambda x: 1.0 / (1.0 + np.exp(-x)),
    tanh=np.tanh,
    tidy=lambda x: x,
)


class PaddedBatch:
    """The sequences of a corpus: (sequence, step, input), and what each step weighs."""

    def __init__(self, corpus: Corpus) -> None:
        leaves = _ends(corpus)
        paths = [_path(corpus, int(node)) for node in leaves]
        steps = max(map(len, paths))
        targets = max(2, corpus.outputs)
        node_weight = np.zeros((len(corpus.parent), targets))
        node_weight[corpus.item_node, corpus.item_target] = corpus.item_weight
        through = np.bincount(np.concatenate(paths), minlength=len(corpus.parent))
        self.inputs = np.zeros((len(paths), steps, corpus.inputs))
        self.weights = np.zeros((len(paths), steps, targets))
        for number, path in enumerate(paths):
            self.inputs[number, : len(path)] = corpus.input_rows[corpus.symbol[path]]
            # What follows a prefix is split evenly among the sequences that run through it.
            self.weights[number, : len(path)] = node_weight[path] / through[path][:, None]

    def surprisal(self, network: Network) -> float:
        order, ignored = plan(network)
        into: list[list[tuple[int, float, bool]]] = [[] for _ in network.units]
        for c in network.connections:
            if c.kind == "recurrent" or (c.source, c.target) not in ignored:
                into[c.target].append((c.source, float(c.weight), c.kind == "recurrent"))
        evaluated = [u for u in range(network.inputs) if u not in order] + list(order)
        previous: Floats | None = None
        bits = 0.0
        with np.errstate(all="ignore"):
            for step in range(self.inputs.shape[1]):
                values = np.zeros((len(network.units), len(self.inputs)))
                for u in evaluated:
                    values[u] = self._unit(network, u, step, into[u], values, previous)
                bits += self._bits(network, values, self.weights[:, step])
                previous = values
        return bits

    def _unit(
        self,
        network: Network,
        u: int,
        step: int,
        into: list[tuple[int, float, bool]],
        values: Floats,
        previous: Floats | None,
    ) -> Floats:
        unit = network.units[u]
        forward = [w * values[s] for s, w, recurrent in into if not recurrent]
        back = []
        if previous is not None:
            back = [w * previous[s] for s, w, recurrent in into if recurrent]
        if unit.type == "product":
            total = np.zeros(len(self.inputs))
            if forward:
                total = np.nan_to_num(np.prod([*forward, *back], axis=0))
        else:
            total = (
                self.inputs[:, step, u].copy() if u < network.inputs else np.zeros(len(self.inputs))
            )
            for part in [*forward, *back]:
                total = total + part
        if unit.bias is not None:
            total = total + float(unit.bias)
        most = SATURATION if network.saturation else FLOAT_CUT
        total = np.clip(total, -most, most)
        value: Floats = ACTIVATIONS[unit.activation].meaning(ARRAYS, total)
        return value

    def _bits(self, network: Network, values: Floats, weights: Floats) -> float:
        outputs = values[network.inputs : network.inputs + network.outputs].T
        if network.outputs == 1:
            one = np.clip(outputs, 0.0, 1.0)
            chances = np.hstack((1.0 - one, one))
        else:
            positive = np.maximum(outputs, 0.0)
            total = positive.sum(axis=1, keepdims=True)
            even = np.full_like(positive, 1.0 / network.outputs)
            chances = np.where(total <= float(LEAST_TOTAL), even, positive / total)
        counted = weights > 0
        return float(-np.sum(weights[counted] * np.log2(chances[counted])))


def _ends(corpus: Corpus) -> NDArray[np.int64]:
    """The last node of each sequence: a leaf, or where a string ends."""
    last = np.bincount(corpus.parent[corpus.parent >= 0], minlength=len(corpus.parent)) == 0
    return np.flatnonzero(last)


def _path(corpus: Corpus, node: int) -> list[int]:
    path = []
    while node >= 0:
        path.append(node)
        node = int(corpus.parent[node])
    return path[::-1]
