"""Training many models as one: full batch, Adam, cross-entropy and what regularises it.

The loss of a model is its cross-entropy in nats a character, plus λ times the sum of the absolute
values (L1) or squares (L2) of all its weights and biases. Losses are added up over models; since no
model's loss depends on another's weights and Adam works on each number alone, each is trained as if
it were by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mdlrnn.corpus import Corpus
from mdlrnn.languages import Language

from ._configurations import Model, configurations, groups, models
from ._model import NAMES, Tree, Weights, first_weights, loss, tree_of

LEARNING_RATE = 0.001
BETAS = (0.9, 0.999)
"""As in the paper, section 4.1."""

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


class Training:
    """Models of one cell and size on their way; `epoch` says how far."""

    def __init__(
        self, wanted: Sequence[Model], tree: Tree, outputs: int, weights: Weights | None = None
    ) -> None:
        self.models = tuple(wanted)
        self.tree = tree
        self.cell = wanted[0].configuration.cell
        self.epoch = 0
        self.seconds = 0.0
        """Spent so far, for who keeps the time."""
        device = str(tree.rows.device)
        if weights is None:
            weights = first_weights(self.models, tree.rows.shape[1], outputs, device)
        self.weights = weights
        self._adam = torch.optim.Adam(
            [self.weights[name] for name in NAMES], LEARNING_RATE, BETAS, fused=True
        )
        self._penalties = [
            (power, strengths)
            for power, kind in ((1, "l1"), (2, "l2"))
            if any(strengths := self._strengths(kind))
        ]

    def steps(self, epochs: int) -> Iterator[Tensor]:
        """Train up to this epoch; after each, the losses that it began with, one a model."""
        while self.epoch < epochs:
            self._adam.zero_grad(set_to_none=True)
            losses = self.losses()
            losses.sum().backward()
            self._adam.step()
            self.epoch += 1
            yield losses.detach()

    def losses(self) -> Tensor:
        found = loss(self.cell, self.weights, self.tree)
        for power, strengths in self._penalties:
            each = [
                (values.abs() if power == 1 else values.square()).flatten(1).sum(1)
                for values in self.weights.values()
            ]
            found = found + found.new_tensor(strengths) * torch.stack(each).sum(0)
        return found

    def to_arrays(self) -> Arrays:
        """All that the training needs to go on exactly."""
        found: Arrays = {"epoch": np.array(self.epoch), "seconds": np.array(self.seconds)}
        for name in NAMES:
            found[name] = _array(self.weights[name])
            for part, values in self._adam.state.get(self.weights[name], {}).items():
                found[f"{name}/{part}"] = _array(values)
        return found

    def restore(self, arrays: Mapping[str, Any]) -> None:
        self.epoch = int(arrays["epoch"])
        self.seconds = float(arrays["seconds"])
        with torch.no_grad():
            for name in NAMES:
                self.weights[name].copy_(torch.from_numpy(np.array(arrays[name])))
        state = self._adam.state_dict()
        if self.epoch:
            state["state"] = {
                number: {
                    part: torch.from_numpy(np.array(arrays[f"{name}/{part}"]))
                    for part in ("step", "exp_avg", "exp_avg_sq")
                }
                for number, name in enumerate(NAMES)
            }
        self._adam.load_state_dict(state)

    def _strengths(self, kind: str) -> list[float]:
        found = [model.configuration for model in self.models]
        return [c.strength if c.regularisation == kind else 0.0 for c in found]


def _array(values: Tensor) -> np.ndarray[Any, np.dtype[Any]]:
    array: np.ndarray[Any, np.dtype[Any]] = values.detach().cpu().numpy()
    return array


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


class TrainingSpeed(NamedTuple):
    """Seconds for an epoch of all models of a group."""

    group: str
    models: int
    alone: float
    """One after the other, as plain PyTorch: a model's time times their number."""
    together: float

    @property
    def ratio(self) -> float:
        return self.alone / self.together


def training_speeds(task: Language, size: int, seeds: int, epochs: int) -> Iterator[TrainingSpeed]:
    """For each cell and size; both ways on one thread of the CPU."""
    torch.set_num_threads(1)
    corpus = task.training(size)
    for group, members in groups(models(configurations(), seeds)):
        alone = _alone(members, corpus, epochs) * len(members)
        yield TrainingSpeed(group, len(members), alone, _together(members, corpus, epochs))


def _alone(members: Sequence[Model], corpus: Corpus, epochs: int) -> float:
    """Seconds an epoch of one model, over one model of each regularisation."""
    one_each = [model for model in members if model.seed == 1]
    spent = 0.0
    for model in one_each:
        steps = train_reference(model, corpus, epochs + 1)
        next(steps)  # the first sets things up
        begin = time.perf_counter()
        for _ in steps:
            pass
        spent += time.perf_counter() - begin
    return spent / len(one_each) / epochs


def _together(members: Sequence[Model], corpus: Corpus, epochs: int) -> float:
    training = Training(members, tree_of(corpus), corpus.outputs)
    steps = training.steps(epochs + 1)
    next(steps)
    begin = time.perf_counter()
    for _ in steps:
        pass
    return (time.perf_counter() - begin) / epochs
