"""Elman, GRU and LSTM cells over many models at once, fed each distinct prefix once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mdlrnn.corpus import Corpus

from ._configurations import CELLS, Model

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
