"""Elman, GRU and LSTM cells over many models at once: every array has the models in front.

The formulas, the gates' order, both biases and the first weights are those of torch.nn.RNN, GRU,
LSTM and Linear, so that a model here is the model one would train alone. (Two biases that are only
ever added still matter: Adam moves each of them, so that their sum moves twice as fast.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

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
