"""The PyTorch module: what it takes, its gradients, and the way back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import is_one_sentence
from helpers.strategies import networks, weights
from mdlrnn import Connection, Corpus, InputError, Network, Unit, Weight, exports, prove, score, zoo
from mdlrnn.network._code import length
from mdlrnn.network._encoding import Encoding
from mdlrnn.network._interpreter import plan

torch = pytest.importorskip("torch", reason="no module is made: PyTorch is not installed")
from_torch = exports.from_torch
STRINGS = ["ab", "aabb", "aabb", "aaabbb", ""]


def indices(network: Network, string: str) -> Any:
    assert network.alphabet is not None
    return torch.tensor([network.alphabet.index(symbol) for symbol in f"#{string}"])


# What it takes


def test_indices_and_one_hot_rows_are_the_same() -> None:
    net = zoo.anbn()
    module = exports.torch(net)
    numbers = indices(net, "aabb")[None]
    told = module(numbers)
    assert told.shape == (1, 5, 3)
    assert told.dtype == torch.float64
    assert torch.equal(told, module(torch.nn.functional.one_hot(numbers, 3)))
    assert np.array_equal(told[0].detach().numpy(), net.probabilities("aabb"))


def test_strings_of_different_lengths_stand_side_by_side() -> None:
    net = zoo.anbn()
    module = exports.torch(net)
    strings = ["aabb", "", "ab"]
    padded = torch.zeros(3, 5, dtype=torch.long)
    lengths = torch.tensor([len(string) + 1 for string in strings])
    for row, string in enumerate(strings):
        padded[row, : lengths[row]] = indices(net, string)
    told = module(padded, lengths).detach().numpy()
    for row, string in enumerate(strings):
        assert np.array_equal(told[row, : lengths[row]], net.probabilities(string))
        assert not told[row, lengths[row] :].any()


def test_packed_sequences_come_back_packed() -> None:
    net = zoo.anbn()
    sequences = [indices(net, string) for string in ("ab", "aabb")]
    packed = torch.nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    told, lengths = torch.nn.utils.rnn.pad_packed_sequence(
        exports.torch(net)(packed), batch_first=True
    )
    assert lengths.tolist() == [3, 5]
    assert np.array_equal(told[0, :3].detach().numpy(), net.probabilities("ab"))


def test_logarithms_on_request() -> None:
    net = zoo.dyck1()
    numbers = indices(net, "[[]")[None]
    told = exports.torch(net, log=True)(numbers)
    assert torch.equal(told, torch.log(exports.torch(net)(numbers)))


def test_a_network_with_one_output_gives_the_chance_of_1() -> None:
    rows = [[1, 1], [0, 1], [0, 0]]
    told = exports.torch(zoo.addition())(torch.tensor([rows]))
    assert told.shape == (1, 3, 1)
    assert told[0, :, 0].tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[0]], "x is [[0]]; give a tensor"),
        (torch.tensor([[0, 3]]), "x holds the symbols 0 to 3, but the network has 3 inputs"),
        (torch.tensor([[0, -1]]), "x holds the symbols -1 to 0"),
        (torch.zeros(1, 2, 4), "x has the shape (1, 2, 4)"),
        (torch.zeros(2, 2), "x has the shape (2, 2) and holds torch.float32"),
        (torch.zeros(1, 0, dtype=torch.long), "x has no steps; "),
    ],
)
def test_what_is_no_batch_is_refused(x: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        exports.torch(zoo.anbn())(x)
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))


# Training


def test_bits_are_the_corpus_cost() -> None:
    net = zoo.anbn()
    for log in (False, True):
        module = exports.torch(net, log=log)
        bits = module.bits(module.batch(STRINGS))
        assert bits.item() == pytest.approx(score(net, STRINGS).d_given_g, rel=1e-12)


def test_every_weight_has_its_gradient() -> None:
    """Against differences, on a network without jumps."""
    net = Network(
        2, 2,
        (Unit(), Unit(), Unit(bias=Weight(2)), Unit("sigmoid"), Unit("tanh", "product")),
        (
            Connection(0, 3, "forward", Weight(1, 2)),
            Connection(1, 4, "forward", Weight(3, 2)),
            Connection(3, 4, "recurrent", Weight(2, 3)),
            Connection(4, 2, "forward", Weight(1, 3)),
            Connection(4, 3, "recurrent", Weight(-1)),
        ),
        ("#", "a"),
    )  # fmt: skip
    module = exports.torch(net)
    batch = module.batch(["a", "aaa", "aa"])

    def bits(weight: Any, bias: Any) -> Any:
        return torch.func.functional_call(
            _Bits(module, batch), {"module.weight": weight, "module.bias": bias}
        )

    assert torch.autograd.gradcheck(bits, (module.weight, module.bias))


class _Bits(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self, module: Any, batch: Any) -> None:
        super().__init__()
        self.module, self.batch = module, batch

    def forward(self) -> Any:
        return self.module.bits(self.batch)


def test_straight_through_changes_gradients_and_no_value() -> None:
    net = zoo.anbn()
    plain, through = exports.torch(net), exports.torch(net, straight_through=True)
    for module in (plain, through):
        module.bits(module.batch(STRINGS), smoothing=0.01).backward()
    numbers = indices(net, "aaabbbb")[None]
    assert torch.equal(plain(numbers), through(numbers))
    into_counter = [place for place, c in enumerate(net.connections) if c.target == 6]
    assert not plain.weight.grad[into_counter].any(), "step has no gradient"
    assert through.weight.grad[into_counter].all()


def test_gradients_stay_finite_where_nothing_is_positive() -> None:
    dead = Network(2, 2, (Unit(), Unit(), Unit("relu", bias=Weight(-1)), Unit()), (), ("#", "a"))
    module = exports.torch(dead)
    module.bits(module.batch(["a"])).backward()
    assert torch.isfinite(module.bias.grad).all()


def test_connections_that_close_a_loop_are_kept_and_have_no_gradient() -> None:
    looping = replace(
        zoo.anbn(),
        connections=(*zoo.anbn().connections, Connection(5, 6, "forward", Weight(9))),
    )
    assert plan(looping).ignored == {(5, 6)}
    module = exports.torch(looping, straight_through=True)
    module.bits(module.batch(STRINGS)).backward()
    place = next(i for i, c in enumerate(looping.connections) if (c.source, c.target) == (5, 6))
    assert module.weight.grad[place] == 0
    assert from_torch(module, tolerance=0) == looping


def test_a_disturbed_network_is_trained_back_to_a_theorem() -> None:
    """benchmarks/exports/round_trip.py has the table; this is one of its lines."""
    pytest.importorskip("z3", reason="no theorem is proved: z3 is not installed")
    torch.set_num_threads(1)
    module = exports.torch(zoo.anbn())
    random = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=random, dtype=torch.float64)
    corpus = Corpus.from_strings(["a" * n + "b" * n for n in range(1, 12)],
                                 [int(700 * 0.7**n) for n in range(1, 12)])  # fmt: skip
    before = score(from_torch(module, tolerance=0), corpus)
    batch = module.batch(corpus)
    adam = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(200):
        adam.zero_grad()
        (module.bits(batch, smoothing=0.001) / batch.counts.sum()).backward()
        adam.step()
    found = from_torch(module, tolerance=0.3)
    after = score(found, corpus)
    assert before.g > 800
    assert before.d_given_g > 1.5 * after.d_given_g
    assert after.g <= score(zoo.anbn(), corpus).g
    assert prove(found, "anbn").proved


# The way back


@given(networks(weight=weights(1000)), st.booleans())
@settings(max_examples=60)
def test_an_untrained_module_gives_its_network_back(network: Network, saturation: bool) -> None:
    network = replace(network, saturation=saturation)
    assert from_torch(exports.torch(network), tolerance=0) == network


@given(networks(weight=weights(50)), st.sampled_from((0.001, 0.02, 0.3)), st.booleans())
@settings(max_examples=60)
def test_weights_come_back_within_the_tolerance_and_no_dearer(
    network: Network, tolerance: float, saturation: bool
) -> None:
    network = replace(network, saturation=saturation)
    found = from_torch(exports.torch(network), tolerance=tolerance)
    assert found.saturation is saturation
    kept = {(c.kind, c.source, c.target): c.weight for c in found.connections}
    for c in network.connections:
        weight = kept.get((c.kind, c.source, c.target))
        now = 0 if weight is None else weight.fraction
        assert abs(now - c.weight.fraction) <= tolerance + 1e-9
    encoding = Encoding.fitting(network)
    assert length(found, encoding) <= length(network, encoding)
    lost = {(c.source, c.target) for c in network.connections if c.kind == "forward"}
    lost -= {(c.source, c.target) for c in found.connections if c.kind == "forward"}
    assert plan(found).ignored == plan(network).ignored - lost, "no connection comes to life"


def test_a_factor_of_a_product_is_never_left_out() -> None:
    product = Network(
        2, 2, (Unit(), Unit(), Unit(), Unit("linear", "product")),
        (Connection(0, 3, "forward", Weight(1)), Connection(1, 3, "forward", Weight(1, 1000))),
        ("#", "a"),
    )  # fmt: skip
    found = from_torch(exports.torch(product), tolerance=0.5)
    assert len(found.connections) == 2
    module = exports.torch(product)
    with torch.no_grad():
        module.weight[1] = 0.0
    with pytest.raises(InputError, match="a weight is 0 where leaving its connection out would"):
        from_torch(module, tolerance=0)


def test_what_cannot_come_back_is_said_in_one_sentence() -> None:
    module = exports.torch(zoo.anbn())
    with torch.no_grad():
        module.weight[0] = float("nan")
    for call, message in (
        (lambda: from_torch(module), "weight[0] of the module is nan; "),
        (lambda: from_torch(torch.nn.Linear(2, 2)), "is no module of mdlrnn; "),
        (lambda: from_torch(module, tolerance=-1), "tolerance is -1; "),
        (lambda: from_torch(module, tolerance=float("nan")), "tolerance is nan; "),
        (lambda: module.batch("addition"), "the corpus has 2 inputs and 1 outputs"),
        (lambda: module.batch(["abc"]), "the network has no unit for the symbol 'c'"),
        (lambda: module.bits(module.batch(["ab"]), smoothing=1), "smoothing is 1; "),
        (
            lambda: exports.torch(zoo.addition()).batch("addition"),
            "a numeric corpus has no symbols; ",
        ),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert message in str(caught.value)
        assert is_one_sentence(str(caught.value)), str(caught.value)


def test_a_module_is_kept_in_a_file_that_holds_no_code(tmp_path: Path) -> None:
    net = zoo.dyck2()
    exports.export(net, tmp_path / "net.pt", "torch")
    module = exports.load_torch(tmp_path / "net.pt")
    assert from_torch(module, tolerance=0) == net
    (tmp_path / "text.pt").write_text("nothing")
    torch.save({"format": "other"}, tmp_path / "other.pt")
    torch.save(torch.nn.Linear(1, 1), tmp_path / "code.pt")
    for name in ("text.pt", "other.pt", "code.pt", "absent.pt"):
        with pytest.raises(InputError) as caught:
            exports.load_torch(tmp_path / name)
        assert is_one_sentence(str(caught.value))


def test_modules_are_pickled_whole(tmp_path: Path) -> None:
    module = exports.torch(zoo.anbn(), straight_through=True)
    torch.save(module, tmp_path / "module.pt")
    again = torch.load(tmp_path / "module.pt", weights_only=False)
    numbers = indices(zoo.anbn(), "aabb")[None]
    assert torch.equal(again(numbers), module(numbers))
