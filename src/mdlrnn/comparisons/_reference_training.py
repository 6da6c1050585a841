"""One RNN trained as one would write it first: torch.nn layers over a padded batch.

It is what batched training is timed against (`mdlrnn bench baseline`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

from ..corpus._corpus import Corpus
from ._configurations import Model
from ._training import BETAS, LEARNING_RATE

_LAYERS = {"elman": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def train_reference(model: Model, corpus: Corpus, epochs: int) -> Iterator[float]:
    """The losses, epoch after epoch; the first weights are PyTorch's own."""
    configuration = model.configuration
    torch.manual_seed(model.seed)
    layer = _LAYERS[configuration.cell](corpus.inputs, configuration.hidden, batch_first=True)
    output = nn.Linear(configuration.hidden, max(2, corpus.outputs))
    parameters = [*layer.parameters(), *output.parameters()]
    adam = torch.optim.Adam(parameters, LEARNING_RATE, BETAS)
    inputs, targets = _padded(corpus)
    for _ in range(epochs):
        adam.zero_grad()
        chances = torch.log_softmax(output(layer(inputs)[0]), 2)
        loss = -(chances * targets).sum()
        if configuration.regularisation == "l1":
            loss = loss + configuration.strength * sum(p.abs().sum() for p in parameters)
        elif configuration.regularisation == "l2":
            loss = loss + configuration.strength * sum(p.square().sum() for p in parameters)
        loss.backward()
        adam.step()
        yield float(loss.detach())


def _padded(corpus: Corpus) -> tuple[Tensor, Tensor]:
    """Inputs (sequence, step, input), and (sequence, step, target) with the share of each.

    A sequence is a path to a leaf of the tree or to where a string ends; what a prefix is followed
    by is split evenly among the sequences that run through it, which leaves the sum as it is.
    """
    ends = np.bincount(corpus.parent[1:], minlength=len(corpus.parent)) == 0
    if corpus.alphabet is not None:
        ends[corpus.item_node[corpus.item_target == corpus.alphabet.index("#")]] = True
    paths = [_path(corpus, int(node)) for node in np.flatnonzero(ends)]
    through = np.bincount(np.concatenate(paths), minlength=len(corpus.parent))
    share = np.zeros((len(corpus.parent), max(2, corpus.outputs)))
    share[corpus.item_node, corpus.item_target] = corpus.item_weight / corpus.item_weight.sum()
    steps = max(map(len, paths))
    inputs = np.zeros((len(paths), steps, corpus.inputs), np.float32)
    targets = np.zeros((len(paths), steps, share.shape[1]), np.float32)
    for number, path in enumerate(paths):
        inputs[number, : len(path)] = corpus.input_rows[corpus.symbol[path]]
        targets[number, : len(path)] = share[path] / through[path][:, None]
    return torch.from_numpy(inputs), torch.from_numpy(targets)


def _path(corpus: Corpus, node: int) -> list[int]:
    path = []
    while node >= 0:
        path.append(node)
        node = int(corpus.parent[node])
    return path[::-1]
