"""Exports of networks whose saturation is off: stacks deeper than a million holds, numbers that run
into what is cut in its place, and the switch in every file and on every way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.data import is_one_sentence
from helpers.exports import (
    SQUARES,
    Case,
    agrees,
    case_of,
    deep_cases,
    module_of,
    run_c,
    run_onnx,
    run_onnx_by_steps,
    run_python,
    run_torch,
)
from mdlrnn import Connection, InputError, Network, Unit, Weight, exports, zoo
from mdlrnn.network._interpreter import EXACT, EXACT_CUT, FLOAT, FLOAT_CUT, distribution, feed

deep = pytest.mark.parametrize("case", deep_cases(), ids=lambda case: case.network.name)


@deep
def test_the_cut_would_change_what_is_predicted(case: Case) -> None:
    assert not case.network.saturation
    cut = case_of(replace(case.network, saturation=True), case.rows)
    assert np.abs(cut.expected - case.expected).max() > 1e-9


def test_squares_run_into_what_float64_is_cut_to() -> None:
    *_, last = feed(SQUARES, [[0]] * 40, FLOAT)
    assert last == (0.0, FLOAT_CUT, FLOAT_CUT, FLOAT_CUT**2, FLOAT_CUT**2)


@deep
def test_plain_python(case: Case) -> None:
    assert agrees(case, run_python(exports.python(case.network), case))


@deep
def test_exact_python(case: Case) -> None:
    short = case._replace(rows=case.rows if case.network.alphabet else case.rows[:12])
    found = run_python(exports.python(case.network, exact=True), short)
    told = [distribution(case.network, v) for v in feed(case.network, short.rows, EXACT)]
    assert [[Fraction(p.n, p.d) for p in row] for row in found] == told


def test_exact_python_cuts_where_the_interpreter_does() -> None:
    """One output, so that no long fractions are divided: 1/4 of the rest of a square by 4."""
    network = Network(
        1, 1,
        (Unit(), Unit(), Unit("mod4"), Unit("square", bias=Weight(-1))),
        (
            Connection(3, 3, "recurrent", Weight(-2)),
            Connection(3, 2, "forward", Weight(1)),
            Connection(2, 1, "forward", Weight(1, 4)),
        ),
        saturation=False,
    )  # fmt: skip
    space = module_of(exports.python(network, exact=True))
    step, clip, state = space["step"], space["clip"], None
    most = 2**EXACT_CUT
    for size in (most - 1, most, most + 1, 2 * most - 1, 2 * most, 2 * most + 1, 5 * most):
        for n, d in ((size, 1), (-size, 1), (size, 3), (3 * size, 2), (-5 * size, 4)):
            found, told = clip(space["Q"](n, d)), EXACT.cut(Fraction(n, d))
            assert (found.n, found.d) == told.as_integer_ratio()
    for values in feed(network, [[0]] * 24, EXACT):
        state, (chance,) = step(state, (0,))
        assert (state[0].n, state[0].d) == values[3].as_integer_ratio()
        assert Fraction(chance.n, chance.d) == values[1]
    assert values[3] == Fraction(2) ** (2 * EXACT_CUT)
    assert values[1] == 0, "and it was 1/4 before"


def test_exact_python_writes_and_shows_numbers_of_any_length() -> None:
    """Python neither reads nor shows more than 4,300 decimal digits of an integer."""
    squares = [Unit("square", bias=Weight(3)), *([Unit("square")] * 13)]
    network = Network(
        1, 2, (Unit(), Unit(), Unit(bias=Weight(1)), *squares),
        (
            *(Connection(3 + i, 4 + i, "forward", Weight(1)) for i in range(13)),
            Connection(16, 1, "forward", Weight(1)),
        ),
        saturation=False,
    )  # fmt: skip
    space = module_of(exports.python(network, exact=True))
    assert space["test"]()
    _, (chance, _) = space["step"](None, (0,))
    power = 3 ** (2**14)
    assert (chance.n, chance.d) == (power, power + 1)
    assert repr(chance) == f"{power:#x}/{power + 1:#x}"


def test_c(tmp_path: Path) -> None:
    tried = deep_cases()
    for case, found in zip(tried, run_c(tried, tmp_path), strict=True):
        assert agrees(case, found), case.network.name


@deep
def test_torch(case: Case) -> None:
    assert agrees(case, run_torch(case))


@deep
def test_onnx(case: Case) -> None:
    assert agrees(case, run_onnx(case))
    assert agrees(case, run_onnx_by_steps(case))


@pytest.mark.parametrize("name", ["arithmetic", "dyck2_pcfg"])
def test_nltk(name: str) -> None:
    pytest.importorskip("nltk", reason="no language model is made: NLTK is not installed")
    (case,) = [case for case in deep_cases() if case.network.name == name]
    model = exports.nltk(case.network)
    alphabet = case.network.alphabet
    assert alphabet is not None
    string = [alphabet[place] for place in case.symbols[1:]]
    for gram, chances in zip(model.ngrams(string), case.expected, strict=True):
        *context, word = gram
        place = alphabet.index("#" if word == "</s>" else word)
        assert model.score(word, tuple(context)) == chances[place]


# The switch is kept


def test_a_trained_module_comes_back_without_saturation(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="no module is made: PyTorch is not installed")
    network = zoo.golden("arithmetic")
    exports.export(network, tmp_path / "net.pt", "torch")
    module = exports.load_torch(tmp_path / "net.pt")
    assert exports.from_torch(module, tolerance=0) == network
    torch.set_num_threads(1)
    batch = module.batch(["(" * 20 + "1" + "+1)" * 20, "(1+1)", "1"])
    adam = torch.optim.Adam(module.parameters(), lr=1e-4)
    with torch.no_grad():
        module.bias += 0.01
    before = exports.from_torch(module, tolerance=0)
    for _ in range(3):
        adam.zero_grad()
        module.bits(batch, smoothing=0.001).backward()
        assert all(torch.isfinite(each.grad).all() for each in module.parameters())
        adam.step()
    trained = exports.from_torch(module, tolerance=0)
    assert trained != before
    assert not trained.saturation
    assert exports.from_torch(module, tolerance=0.1) == network


def test_a_module_in_a_smaller_type_is_refused() -> None:
    """It holds no 10^140; with saturation it holds 10^6."""
    torch = pytest.importorskip("torch", reason="no module is made: PyTorch is not installed")
    symbols = torch.tensor([[0, 1, 4]])
    module = exports.torch(zoo.golden("arithmetic")).float()
    with pytest.raises(InputError, match="needs float64; call double") as caught:
        module(symbols)
    assert is_one_sentence(str(caught.value))
    assert module.double()(symbols).dtype == torch.float64
    saturated = exports.torch(replace(zoo.golden("arithmetic"), saturation=True)).float()
    assert saturated(symbols).dtype == torch.float32


def test_the_onnx_file_has_it(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="no ONNX file is written: onnx is not installed")
    for step in (False, True):
        exports.onnx(zoo.golden("dyck2_pcfg"), tmp_path / "net.onnx", step=step)
        model = onnx.load(tmp_path / "net.onnx")
        about = {entry.key: entry.value for entry in model.metadata_props}
        assert Network.from_dict(json.loads(about["network"])) == zoo.golden("dyck2_pcfg")


@pytest.mark.parametrize("saturation", [True, False])
def test_graphs_have_it(saturation: bool) -> None:
    network = replace(zoo.golden("dyck2_pcfg"), saturation=saturation)
    assert ('comment="saturation is off"' in exports.graphviz(network)) is not saturation
    networkx: Any = pytest.importorskip("networkx", reason="networkx is not installed")
    assert exports.networkx(network).graph["saturation"] is saturation
    again = networkx.parse_graphml(exports.graphml(network), int, force_multigraph=True)
    assert again.graph["saturation"] is saturation


@pytest.mark.parametrize("write", [lambda net: exports.python(net), exports.c], ids=["python", "c"])
def test_files_say_it_to_who_reads_them(write: Callable[[Network], str]) -> None:
    network = zoo.golden("arithmetic")
    note = "Saturation is off: sums are not cut to 10^6."
    assert note in write(network)
    assert note not in write(replace(network, saturation=True))
