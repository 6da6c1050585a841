"""Elman, GRU and LSTM cells, many models at once: fed each distinct prefix once, and trained.

All as one: full batch, Adam, cross-entropy and what regularises it. The loss of a model is its
cross-entropy in nats a character, plus λ times the sum of the absolute values (L1) or squares (L2)
of all its weights and biases. Losses are added up over models; since no model's loss depends on
another's weights and Adam works on each number alone, each is trained as if it were by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mdlrnn.corpus import Corpus
from mdlrnn.languages import Language

from ._configurations import CELLS, Model, configurations, groups, models

GATES = {"elman": 1, "gru": 3, "lstm": 4}
NAMES = ("input", "recurrent", "input_bias", "recurrent_bias", "output", "output_bias")

Weights = dict[str, Tensor]
State = tuple[Tensor, ...]
"""The hidden values, and for an LSTM its cells: (model, node, unit) each."""


def first_weights(
    wanted: Sequence[Model], inputs: int, outputs: int, device: str = "cpu"
) -> Weights:
    """Uniform on ±1/√hidden, as PyTorch has it, drawn from each model's seed.

    A model draws the same whatever it trains beside, and the seven regularisations of one seed
    start from the same weights.
    """
    configuration = wanted[0].configuration
    cell, hidden = configuration.cell, configuration.hidden
    wide = GATES[cell] * hidden
    shapes = {
        "input": (inputs, wide),
        "recurrent": (hidden, wide),
        "input_bias": (1, wide),
        "recurrent_bias": (1, wide),
        "output": (hidden, outputs),
        "output_bias": (1, outputs),
    }
    drawn: dict[str, list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]] = {}
    for model in wanted:
        random = np.random.default_rng([model.seed, CELLS.index(cell), hidden])
        for name, shape in shapes.items():
            values = random.uniform(-1, 1, shape) / np.sqrt(hidden)
            drawn.setdefault(name, []).append(values.astype(np.float32))
    return {
        name: torch.tensor(np.stack(arrays), device=device, requires_grad=True)
        for name, arrays in drawn.items()
    }


def rest(cell: str, recurrent: Tensor, nodes: int) -> State:
    """The state before anything is fed."""
    models, hidden, _ = recurrent.shape
    zeros = recurrent.new_zeros((models, nodes, hidden))
    return (zeros, zeros) if cell == "lstm" else (zeros,)


def step(cell: str, recurrent: Tensor, fed: Tensor, bias: Tensor, state: State) -> State:
    """One step; `fed` is what the inputs give the gates, (model, node, gate), bias included.

    `bias` is the recurrent bias of a GRU; in the others it is part of `fed`.
    """
    if cell == "elman":
        return (torch.tanh(torch.baddbmm(fed, state[0], recurrent)),)
    if cell == "gru":
        return _gru(recurrent, fed, bias, state[0])
    return _lstm(recurrent, fed, state)


def fed_by(cell: str, weights: Weights, rows: Tensor) -> Tensor:
    """What each input row gives to the gates, (model, row, gate).

    The recurrent bias is added here too, but not in a GRU, whose reset gate comes between.
    """
    models = weights["input"].shape[0]
    bias = weights["input_bias"]
    if cell != "gru":
        bias = bias + weights["recurrent_bias"]
    return torch.baddbmm(bias, rows.expand(models, *rows.shape), weights["input"])


def _gru(recurrent: Tensor, fed: Tensor, bias: Tensor, hidden: Tensor) -> State:
    size = hidden.shape[2]
    back = torch.baddbmm(bias, hidden, recurrent)
    fed_gates, fed_new = fed.split((2 * size, size), 2)
    back_gates, back_new = back.split((2 * size, size), 2)
    reset, update = torch.sigmoid(fed_gates + back_gates).split(size, 2)
    new = torch.tanh(torch.addcmul(fed_new, reset, back_new))
    return (torch.lerp(new, hidden, update),)


def _lstm(recurrent: Tensor, fed: Tensor, state: State) -> State:
    hidden, cells = state
    size = hidden.shape[2]
    gates = torch.baddbmm(fed, hidden, recurrent)
    first, candidate, last = gates.split((2 * size, size, size), 2)
    write, keep = torch.sigmoid(first).split(size, 2)
    cells = torch.addcmul(keep * cells, write, torch.tanh(candidate))
    return torch.sigmoid(last) * torch.tanh(cells), cells


class Tree(NamedTuple):
    rows: Tensor
    """Distinct input rows, (row, input)."""
    symbols: Tensor
    """The row that is fed at each node."""
    sizes: tuple[int, ...]
    """Nodes of each level."""
    parents: tuple[Tensor | None, ...]
    """For each level, places on the level before; None where they are all, in order."""
    places: Tensor
    """Node · targets + target of each item."""
    shares: Tensor
    """How often each item comes, divided by the number of characters."""
    single: bool
    """One output, read as the probability of 1."""


def tree_of(corpus: Corpus, device: str = "cpu") -> Tree:
    sizes, parents = [], []
    before = None
    for begin, end in pairwise(corpus.levels.tolist()):
        above = np.arange(0) if before is None else corpus.parent[begin:end] - before
        whole = before is not None and np.array_equal(above, np.arange(begin - before))
        first = before is None
        parents.append(None if first or whole else _tensor(above.astype(np.int64), device))
        sizes.append(end - begin)
        before = begin
    places = corpus.item_node.astype(np.int64) * max(corpus.outputs, 2) + corpus.item_target
    shares = corpus.item_weight / corpus.item_weight.sum()
    return Tree(
        _tensor(corpus.input_rows.astype(np.float32), device),
        _tensor(corpus.symbol.astype(np.int64), device),
        tuple(sizes),
        tuple(parents),
        _tensor(places, device),
        _tensor(shares.astype(np.float32), device),
        corpus.outputs == 1,
    )


def log_chances(cell: str, weights: Weights, tree: Tree) -> Tensor:
    """(model, node, target): natural logarithms, for training."""
    fed = fed_by(cell, weights, tree.rows).index_select(1, tree.symbols)
    recurrent, bias = weights["recurrent"], weights["recurrent_bias"]
    before: list[Tensor] = []
    if cell == "gru":
        offsets = _Deferred.apply(bias.expand_as(fed), recurrent, before).split(tree.sizes, 1)
        parts = fed.split(tree.sizes, 1)
    else:
        parts = offsets = _Deferred.apply(fed, recurrent, before).split(tree.sizes, 1)
    levels = _levels(cell, recurrent.detach(), tree, parts, offsets, before)
    return _logarithms(_outputs(weights, torch.cat(list(levels), 1)), tree.single)


def loss(cell: str, weights: Weights, tree: Tree) -> Tensor:
    """Cross-entropy of each model, in nats a character."""
    chances = log_chances(cell, weights, tree).flatten(1)
    return -(chances.index_select(1, tree.places) * tree.shares).sum(1)


def chances_of(cell: str, weights: Weights, tree: Tree) -> Tensor:
    """(model, node, target): probabilities in float64, for tests as long as one likes."""
    with torch.inference_mode():
        fed = fed_by(cell, weights, tree.rows)
        parts = (fed.index_select(1, part) for part in tree.symbols.split(tree.sizes))
        offsets = repeat(weights["recurrent_bias"], len(tree.sizes))
        levels = _levels(cell, weights["recurrent"], tree, parts, offsets, None)
        outputs = [_outputs(weights, hidden) for hidden in levels]
        return _logarithms(torch.cat(outputs, 1).double(), tree.single).exp()


class _Deferred(torch.autograd.Function):  # type: ignore[misc]
    """What is added to hidden · recurrent, passed on as it is; the gradient of the recurrent
    weights is taken here, for all nodes in one product, instead of a large one at every level.

    `before` holds the hidden values that meet the recurrent weights, once all levels are fed.
    """

    @staticmethod
    def forward(ctx: Any, added: Tensor, recurrent: Tensor, before: list[Tensor]) -> Tensor:
        ctx.before = before
        return added.view_as(added)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        hidden = torch.cat(ctx.before, 1)
        return gradient, torch.bmm(hidden.transpose(1, 2), gradient), None


def _levels(
    cell: str,
    recurrent: Tensor,
    tree: Tree,
    fed: Iterable[Tensor],
    offsets: Iterable[Tensor],
    before: list[Tensor] | None,
) -> Iterator[Tensor]:
    state = rest(cell, recurrent, tree.sizes[0])
    for above, part, offset in zip(tree.parents, fed, offsets, strict=True):
        if above is not None:
            state = tuple(values.index_select(1, above) for values in state)
        if before is not None:
            before.append(state[0].detach())
        state = step(cell, recurrent, part, offset, state)
        yield state[0]


def _outputs(weights: Weights, hidden: Tensor) -> Tensor:
    return torch.baddbmm(weights["output_bias"], hidden, weights["output"])


def _logarithms(outputs: Tensor, single: bool) -> Tensor:
    if single:
        outputs = torch.cat((torch.zeros_like(outputs), outputs), 2)  # softmax is then a sigmoid
    return torch.log_softmax(outputs, 2)


def _tensor(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], device: str) -> Tensor:
    return torch.from_numpy(np.array(array)).to(device)


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
