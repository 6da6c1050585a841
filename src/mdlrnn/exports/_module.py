"""The PyTorch module. Imported only where PyTorch is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from ..checks import is_number, short
from ..corpus import match
from ..errors import InputError
from ..languages import language_from
from ..network import ACTIVATIONS, BOUNDARY, LEAST_TOTAL, Arithmetic, Network
from ._formulas import Formula, float_limit, program

Tensor = Any


class Batch(NamedTuple):
    """Distinct strings side by side, with what follows each prefix and how often."""

    indices: Tensor
    """(string, step), the boundary first; padded with 0."""
    targets: Tensor
    """(string, step): the symbol that follows."""
    counts: Tensor
    """(string, step): how often; 0 behind the end."""
    lengths: Tensor


class TorchNetwork(nn.Module):  # type: ignore[misc]
    """A network as a PyTorch module in float64, with the interpreter's recurrence.

    `weight` has a number for each connection, in the network's order, and `bias` one for each unit
    that has a bias; so what is absent stays absent. Connections that close a loop are ignored, as
    in every other place, and get a gradient of 0.
    """

    def __init__(
        self, network: Network, *, log: bool = False, straight_through: bool = False
    ) -> None:
        super().__init__()
        self.network = network
        self.log = log
        self.straight_through = straight_through
        self.weight = nn.Parameter(_doubles([float(c.weight) for c in network.connections]))
        biases = {u: unit.bias for u, unit in enumerate(network.units) if unit.bias is not None}
        self.bias = nn.Parameter(_doubles([float(bias) for bias in biases.values()]))
        self._bias_place = {u: place for place, u in enumerate(biases)}
        self._program = program(network)

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The probabilities of what comes next (or their logarithms): (batch, steps, symbols).

        `x` holds symbols' numbers, (batch, steps), the boundary's first, or rows for the inputs,
        (batch, steps, inputs); or it is a PackedSequence of either, and the answer is one too.
        Behind the end that `lengths` gives a string, everything is 0.
        """
        if isinstance(x, PackedSequence):
            padded, ends = pad_packed_sequence(x, batch_first=True)
            told = self(padded, ends)
            return pack_padded_sequence(told, ends, batch_first=True, enforce_sorted=False)
        rows = self._rows(x)
        weights, biases = self.weight.unbind(), self.bias.unbind()
        memory: dict[int, Tensor] | None = None
        told = []
        for t in range(rows.shape[1]):
            row = rows[:, t].unbind(1)
            values: dict[int, Tensor] = {}
            for formula in self._program.formulas:
                values[formula.unit] = self._unit(formula, row, values, memory, weights, biases)
            memory = {u: values[u] for u in self._program.memory}
            told.append(_distribution([values[u] for u in self._program.outputs]))
        chances = torch.stack(told, 1)
        answer = torch.log(chances) if self.log else chances
        if lengths is None:
            return answer
        ends = torch.as_tensor(lengths, device=answer.device)
        if tuple(ends.shape) != (rows.shape[0],):
            raise InputError(
                f"lengths has the shape {tuple(ends.shape)}, but there are {rows.shape[0]} "
                "strings; give one length for each."
            )
        behind = torch.arange(rows.shape[1], device=answer.device) >= ends[:, None]
        return answer.masked_fill(behind[:, :, None], 0.0)

    def _rows(self, x: Tensor) -> Tensor:
        inputs = self.network.inputs
        if not isinstance(x, torch.Tensor):
            raise InputError(f"x is {short(x)}; give a tensor of symbols' numbers or of rows.")
        if x.dim() == 2 and not x.is_floating_point() and x.dtype != torch.bool:
            if x.numel() and not 0 <= int(x.min()) <= int(x.max()) < inputs:
                raise InputError(
                    f"x holds the symbols {int(x.min())} to {int(x.max())}, but the network has "
                    f"{inputs} inputs; number them from 0 to {inputs - 1}."
                )
            rows = nn.functional.one_hot(x.long(), inputs)
        elif x.dim() == 3 and x.shape[2] == inputs:
            rows = x
        else:
            raise InputError(
                f"x has the shape {tuple(x.shape)} and holds {x.dtype}; give integers (batch, "
                f"steps) or rows (batch, steps, {inputs})."
            )
        if not rows.shape[1]:
            raise InputError("x has no steps; give the boundary symbol at least.")
        if not self.network.saturation and self.weight.dtype != torch.float64:
            # What is cut in place of the saturation is beyond the smaller types.
            raise InputError(
                f"the module holds {self.weight.dtype}, and a network whose saturation is off "
                "needs float64; call double() on the module."
            )
        return rows.to(self.weight.dtype)

    def _unit(
        self,
        formula: Formula,
        row: tuple[Tensor, ...],
        values: dict[int, Tensor],
        memory: dict[int, Tensor] | None,
        weights: tuple[Tensor, ...],
        biases: tuple[Tensor, ...],
    ) -> Tensor:
        # One sum after the other, as the interpreter adds them: a matrix product would add in
        # another order, and a floor or a step makes a difference in the last digit a whole one.
        parts = [weights[term.place] * values[term.source] for term in formula.forward]
        if memory is not None:
            parts += [weights[term.place] * memory[term.source] for term in formula.recurrent]
        total = row[formula.unit] if formula.reads else torch.zeros_like(row[0])
        if formula.product:
            if formula.forward:
                total = parts[0]
                for part in parts[1:]:
                    total = total * part
                total = torch.nan_to_num(total, 0.0, math.inf, -math.inf)
        else:
            for part in parts:
                total = total + part
        if formula.bias is not None:
            total = total + biases[self._bias_place[formula.unit]]
        limit = float_limit(self.network)
        total = torch.clamp(total, -limit, limit)
        arithmetic = THROUGH if self.straight_through else TENSORS
        return ACTIVATIONS[formula.activation].meaning(arithmetic, total)

    def batch(self, source: object) -> Batch:
        """The strings of a source (a list, a corpus, a file, a task) as tensors to train on."""
        corpus = match(language_from(source).corpus(), self.network)
        if corpus.alphabet is None:
            raise InputError("a numeric corpus has no symbols; give the module its rows instead.")
        place = {symbol: number for number, symbol in enumerate(corpus.alphabet)}
        counted = list(corpus.strings())
        codes = [[place[BOUNDARY], *(place[s] for s in string)] for string, _ in counted]
        lengths = torch.tensor([len(code) for code in codes])
        shape = len(codes), int(lengths.max())
        indices = torch.zeros(shape, dtype=torch.long)
        targets = torch.full(shape, place[BOUNDARY])
        counts = torch.zeros(shape, dtype=torch.float64)
        for number, (code, (_, count)) in enumerate(zip(codes, counted, strict=True)):
            indices[number, : len(code)] = torch.tensor(code)
            targets[number, : len(code) - 1] = torch.tensor(code[1:], dtype=torch.long)
            counts[number, : len(code)] = count
        made = Batch(indices, targets, counts, lengths)
        return Batch(*(tensor.to(self.weight.device) for tensor in made))

    def bits(self, batch: Batch, smoothing: float = 0.0) -> Tensor:
        """|D:G| of the batch in bits, to be minimised.

        Smoothing mixes so much of the uniform distribution in: it keeps |D:G| finite, and its
        gradient of use, where the network is sure of something wrong.
        """
        if not is_number(smoothing) or not 0 <= smoothing < 1:
            raise InputError(f"smoothing is {short(smoothing)}; give a number from 0 to below 1.")
        told = self(batch.indices)
        chances = told.exp() if self.log else told
        chance = chances.gather(2, batch.targets[:, :, None])[:, :, 0]
        chance = (1 - smoothing) * chance + smoothing / chances.shape[2]
        counted = batch.counts > 0
        return -(batch.counts[counted] * torch.log2(chance[counted])).sum()

    def extra_repr(self) -> str:
        return repr(self.network)


def _distribution(outputs: list[Tensor]) -> Tensor:
    if len(outputs) == 1:
        return torch.clamp(outputs[0], 0.0, 1.0)[:, None]
    positive = [torch.relu(output) for output in outputs]
    total = torch.zeros_like(positive[0])
    for value in positive:
        total = total + value
    told = total > float(LEAST_TOTAL)
    # What is divided by must not be 0 even where the quotient is not taken: its gradient would be.
    divisor = torch.where(told, total, torch.ones_like(total))
    even = torch.full_like(total, 1.0 / len(outputs))
    return torch.stack([torch.where(told, value / divisor, even) for value in positive], 1)


class _Step(torch.autograd.Function):  # type: ignore[misc]
    """A step whose gradient is that of a sigmoid."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        slope = torch.sigmoid(ctx.saved_tensors[0])
        return gradient * slope * (1 - slope)


class _Floor(torch.autograd.Function):  # type: ignore[misc]
    """A floor whose gradient is 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.floor(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


def _arithmetic(step: Callable[[Tensor], Tensor], floor: Callable[[Tensor], Tensor]) -> Arithmetic:
    return Arithmetic(
        number=float,
        relu=torch.relu,
        step=step,
        floor=floor,
        remainder=torch.remainder,
        product=torch.mul,
        sigmoid=torch.sigmoid,
        tanh=torch.tanh,
        tidy=lambda x: x,
    )


TENSORS = _arithmetic(lambda x: (x > 0).to(x.dtype), torch.floor)
THROUGH = _arithmetic(_Step.apply, _Floor.apply)
"""The same values, and gradients for step and floor, which have none of their own."""


def _doubles(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)
