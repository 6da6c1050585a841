"""Classical RNNs trained together are the RNNs that PyTorch trains alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from helpers.data import corpus
from mdlrnn import Corpus
from mdlrnn.languages import SEED, TASKS
from mdlrnn.machines._machine import MARGIN, Machine
from mdlrnn.machines._transducer import addition
from mdlrnn_lab.rnns._baseline import reports
from mdlrnn_lab.rnns._configurations import (
    CELLS,
    Configuration,
    Model,
    configurations,
    groups,
    models,
)
from mdlrnn_lab.rnns._training import GATES, Training, Weights, chances_of, first_weights, tree_of

torch.set_num_threads(1)
LAYERS = {"elman": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


class Alone(nn.Module):  # type: ignore[misc]
    """One RNN as anybody would write it."""

    def __init__(self, cell: str, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.layer = LAYERS[cell](inputs, hidden, batch_first=True)
        self.out = nn.Linear(hidden, outputs)

    def forward(self, x: Any) -> Any:
        return self.out(self.layer(x)[0])

    def take(self, weights: Weights, number: int) -> None:
        """The weights of one model of a batch."""
        mine = {name: values[number].detach() for name, values in weights.items()}
        with torch.no_grad():
            self.layer.weight_ih_l0.copy_(mine["input"].T)
            self.layer.weight_hh_l0.copy_(mine["recurrent"].T)
            self.layer.bias_ih_l0.copy_(mine["input_bias"][0])
            self.layer.bias_hh_l0.copy_(mine["recurrent_bias"][0])
            self.out.weight.copy_(mine["output"].T)
            self.out.bias.copy_(mine["output_bias"][0])


def padded(strings: list[tuple[str, int]], alphabet: tuple[str, ...]) -> tuple[Any, ...]:
    """One-hot inputs, targets and weights, as a padded batch."""
    longest = max(len(string) for string, _ in strings) + 1
    x = np.zeros((len(strings), longest, len(alphabet)), np.float32)
    y = np.zeros((len(strings), longest), np.int64)
    w = np.zeros((len(strings), longest), np.float32)
    for i, (string, count) in enumerate(strings):
        for step, (now, following) in enumerate(pairwise(f"#{string}#")):
            x[i, step, alphabet.index(now)] = 1
            y[i, step] = alphabet.index(following)
            w[i, step] = count
    return torch.tensor(x), torch.tensor(y), torch.tensor(w / w.sum())


def plain_losses(
    net: Alone, data: Corpus, kind: str, strength: float, epochs: int
) -> Iterator[float]:
    """A plain PyTorch loop: the losses, epoch after epoch."""
    assert data.alphabet is not None
    strings = [("".join(string), count) for string, count in data.strings()]
    x, y, w = padded(strings, data.alphabet)
    adam = torch.optim.Adam(net.parameters(), lr=0.001, betas=(0.9, 0.999))
    for _ in range(epochs):
        adam.zero_grad()
        each = nn.functional.cross_entropy(net(x).transpose(1, 2), y, reduction="none")
        loss = (each * w).sum()
        if kind == "l1":
            loss = loss + strength * sum(p.abs().sum() for p in net.parameters())
        if kind == "l2":
            loss = loss + strength * sum(p.square().sum() for p in net.parameters())
        loss.backward()
        adam.step()
        yield loss.item()


@pytest.mark.parametrize("cell", CELLS)
def test_models_trained_together_have_the_losses_of_a_plain_loop(cell: str) -> None:
    data = corpus("anbn_100")
    wanted = (
        Model(Configuration(cell, 4), 1),
        Model(Configuration(cell, 4, "l1", 0.01), 1),
        Model(Configuration(cell, 4, "l2", 0.1), 2),
        Model(Configuration(cell, 4), 3),
    )
    training = Training(wanted, tree_of(data), data.outputs)
    alone = []
    for number, model in enumerate(wanted):
        net = Alone(cell, data.inputs, 4, data.outputs)
        net.take(training.weights, number)
        c = model.configuration
        alone.append(list(plain_losses(net, data, c.regularisation, c.strength, 60)))
    together = torch.stack(list(training.steps(60))).T
    assert torch.allclose(together, torch.tensor(alone), rtol=0, atol=1e-5)
    assert (together[:, -1] < together[:, 0]).all()


def test_addition_has_the_losses_of_a_plain_loop() -> None:
    data = addition().training(100)
    wanted = models([Configuration("gru", 4)], 2)
    training = Training(wanted, tree_of(data), 1)
    n, m = (side.ravel() for side in np.meshgrid(np.arange(10), np.arange(10), indexing="ij"))
    bits = [(number[:, None] >> np.arange(6)) & 1 for number in (n, m, n + m)]
    x = torch.tensor(np.stack(bits[:2], 2), dtype=torch.float32)
    y = torch.tensor(bits[2], dtype=torch.float32)
    alone = []
    for number in range(2):
        net = Alone("gru", 2, 4, 1)
        net.take(training.weights, number)
        adam = torch.optim.Adam(net.parameters(), lr=0.001)
        each = []
        for _ in range(40):
            adam.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(net(x)[..., 0], y)
            loss.backward()
            adam.step()
            each.append(loss.item())
        alone.append(each)
    together = torch.stack(list(training.steps(40))).T
    assert torch.allclose(together, torch.tensor(alone), rtol=0, atol=1e-5)


def test_a_model_trains_the_same_whatever_it_trains_beside() -> None:
    data = corpus("anbn_100")
    tree = tree_of(data)
    wanted = models([c for c in configurations() if c.group == "lstm-2"], 2)
    last = list(Training(wanted, tree, data.outputs).steps(20))[-1]
    alone = list(Training(wanted[5:6], tree, data.outputs).steps(20))[-1]
    assert alone[0] == pytest.approx(float(last[5]), abs=1e-6)


def test_a_saved_training_goes_on_exactly() -> None:
    data = corpus("anbn_100")
    tree = tree_of(data)
    wanted = models([Configuration("gru", 4), Configuration("gru", 4, "l1", 0.1)], 1)
    whole = Training(wanted, tree, data.outputs)
    losses = torch.stack(list(whole.steps(30)))
    first = Training(wanted, tree, data.outputs)
    list(first.steps(13))
    second = Training(wanted, tree, data.outputs)
    second.restore(first.to_arrays())
    assert torch.equal(torch.stack(list(second.steps(30))), losses[13:])


def test_first_weights_are_spread_as_pytorch_spreads_them() -> None:
    wanted = models([Configuration("gru", 32)], 3)
    weights = first_weights(wanted, 3, 3)
    for name, values in weights.items():
        assert values.abs().max() <= 1 / np.sqrt(32), name
        assert not torch.equal(values[0], values[1])
    assert weights["recurrent"].shape == (3, 32, GATES["gru"] * 32)
    spread = weights["recurrent"].detach().std()
    assert float(spread) == pytest.approx(1 / np.sqrt(32 * 3), rel=0.05)
    same = first_weights((Model(Configuration("gru", 32, "l2", 1.0), 2),), 3, 3)
    assert torch.equal(same["input"][0], weights["input"][1])


def test_groups_hold_one_cell_and_size_each() -> None:
    found = groups(models(configurations(), 3))
    assert len(configurations()) == len(set(configurations())) == 84
    assert len(found) == 12
    assert all(len(members) == 21 for _, members in found)


@pytest.mark.parametrize("name", ["anbn", "dyck1"])
def test_an_rnn_has_the_measures_of_a_pass_over_the_strings(name: str) -> None:
    """Against the definitions in docs/paper.md, string by string with a plain PyTorch RNN."""
    task, size = TASKS[name], 100
    assert isinstance(task.rules, Machine)
    data = task.training(size, SEED)
    training = Training(models([Configuration("lstm", 4)], 2), tree_of(data), data.outputs)
    for _ in training.steps(150):
        pass
    drawn = list(islice(next(task.tests(size, SEED)).strings(), 40))
    some = Corpus.from_strings([s for s, _ in drawn], [count for _, count in drawn])
    found = reports("lstm", training.weights, task, size, data, [some])[1]
    net = Alone("lstm", data.inputs, 4, data.outputs)
    net.take(training.weights, 1)
    bits, steps, sure, named, categorical = 0.0, 0, 0, 0, 0
    assert some.alphabet is not None
    for symbols, count in some.strings():
        string = "".join(symbols)
        x, y, _ = padded([(string, 1)], some.alphabet)
        with torch.no_grad():
            chances = torch.softmax(net(x)[0].double(), 1).numpy()
        for step, target in enumerate(y[0].tolist()):
            possible = set(task.rules.next(string[:step]).allowed)
            row = dict(zip(some.alphabet, chances[step], strict=True))
            bits -= count * np.log2(chances[step][target])
            steps += count
            if len(possible) == 1:
                sure += count
                named += count * (max(row, key=row.__getitem__) in possible)
            categorical += count * all((row[s] >= MARGIN) == (s in possible) for s in row)
    assert found["test_cross_entropy"] == pytest.approx(bits / steps, rel=1e-5)
    expected = named / sure if sure else None
    assert found["test_deterministic_accuracy"] == expected
    assert found["test_categorical_accuracy"] == pytest.approx(categorical / steps, abs=0.002)


def test_chances_are_distributions() -> None:
    for data in (corpus("dyck1_100"), addition().training(16)):
        weights = first_weights(models([Configuration("elman", 32)], 2), data.inputs, data.outputs)
        found = chances_of("elman", weights, tree_of(data))
        assert found.shape == (2, len(data.parent), max(2, data.outputs))
        assert torch.allclose(found.sum(2), torch.ones(()).double())


def test_models_that_take_turns_are_measured_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    task = TASKS["anbn"]
    data = task.training(100, SEED)
    weights = first_weights(models([Configuration("gru", 4)], 5), data.inputs, data.outputs)
    some = Corpus.from_strings(["a" * n + "b" * n for n in range(20, 30)])
    at_once = reports("gru", weights, task, 100, data, [some])
    monkeypatch.setattr("mdlrnn_lab.rnns._baseline.MOST_NUMBERS", 2 * 12 * len(some.parent))
    in_turns = reports("gru", weights, task, 100, data, [some])
    for one, other in zip(at_once, in_turns, strict=True):
        assert one["test_cross_entropy"] == pytest.approx(other["test_cross_entropy"], rel=1e-6)
    assert len({row["test_cross_entropy"] for row in at_once}) == 5
