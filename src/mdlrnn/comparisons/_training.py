"""Training many models as one: full batch, Adam, cross-entropy and what regularises it.

The loss of a model is its cross-entropy in nats a character, plus λ times the sum of the absolute
values (L1) or squares (L2) of all its weights and biases. Losses are added up over models; since no
model's loss depends on another's weights and Adam works on each number alone, each is trained as if
it were by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ._cells import NAMES, Weights, first_weights
from ._configurations import Model
from ._tree import Tree, loss

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
