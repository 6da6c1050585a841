"""Saturation switched off: in files, in exact numbers, in float64, in kernels and in a search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from helpers.commands import Result
from helpers.data import is_one_sentence
from helpers.strategies import networks
from mdlrnn import Corpus, InputError, Network, Search, Stop, evolve, exports, score, zoo
from mdlrnn.corpus._corpus import match, surprisal
from mdlrnn.kernels._scoring import distributions
from mdlrnn.languages import EVERY_TASK
from mdlrnn.network._interpreter import EXACT, EXACT_CUT, FLOAT, FLOAT_CUT, feed
from mdlrnn.network._units import Connection, Unit, Weight
from mdlrnn.proofs._prove import prove
from mdlrnn.search._settings import AS_BEFORE

DOUBLING = Network(
    1,
    1,
    (Unit(), Unit(bias=Weight(1))),
    (Connection(1, 1, "recurrent", Weight(2)),),
    saturation=False,
)
"""2^n - 1 after n steps."""
SQUARING = replace(DOUBLING, units=(Unit(), Unit("square", bias=Weight(1))))
CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb", "abab", "", "b", "bbbbbbbbbbbb"])


def last(network: Network, steps: int, arithmetic: object) -> object:
    return list(feed(network, [[0]] * steps, arithmetic))[-1][1]  # type: ignore[arg-type]


def test_files_say_it_only_where_it_is_off(tmp_path: Path) -> None:
    assert "saturation" not in zoo.anbn().to_json()
    assert Network.from_dict(DOUBLING.to_dict()) == DOUBLING != replace(DOUBLING, saturation=True)
    DOUBLING.save(tmp_path / "net.json")
    assert not Network.load(tmp_path / "net.json").saturation
    with pytest.raises(InputError, match="true or false") as caught:
        Network.from_dict({**DOUBLING.to_dict(), "saturation": 3})
    assert is_one_sentence(str(caught.value))


def test_no_sum_is_cut() -> None:
    assert last(DOUBLING, 300, EXACT) == Fraction(2**300 - 1)
    assert last(DOUBLING, 50, FLOAT) == 2.0**50 - 1
    assert last(replace(DOUBLING, saturation=True), 300, EXACT) == 10**6


def test_what_grows_without_end_stays_within_memory() -> None:
    assert last(SQUARING, 60, EXACT) == Fraction(1 << EXACT_CUT) ** 2
    assert last(SQUARING, 60, FLOAT) == FLOAT_CUT**2
    assert math.isfinite(FLOAT_CUT**2)


@settings(max_examples=40)
@given(networks(inputs=3, outputs=3))
def test_kernels_follow_it(network: Network) -> None:
    network = replace(network, saturation=False, alphabet=("#", "a", "b"))
    expected = surprisal(network, CORPUS, FLOAT)
    found = score(network, CORPUS).d_given_g
    assert not math.isnan(found)
    # A floor of what is rounded otherwise may differ by a whole, and the score with it.
    if all(unit.activation in ("linear", "relu", "square", "abs") for unit in network.units):
        assert found == pytest.approx(expected, rel=1e-6)


def test_kernels_hold_a_deep_stack() -> None:
    network = zoo.golden("arithmetic")
    deep = Corpus.from_strings(["(" * 20 + "1" + "+1)" * 20])
    assert score(network, deep).d_given_g == pytest.approx(42.0, abs=2)
    assert score(replace(network, saturation=True), deep).d_given_g == math.inf
    both = [replace(network, saturation=cut) for cut in (True, False)]
    found = [distributions(each, match(deep, network)) for each in both]
    assert (found[0] != found[1]).any()


def test_a_search_without_it_gives_networks_without_it() -> None:
    search = Search(islands=2, population=10, saturation=False)
    run = evolve(CORPUS, search=search, stop=Stop(generations=3))
    assert not run.best.saturation
    assert not any(network.saturation for network, _ in run.front)
    assert score(run.best, CORPUS, run.encoding).mdl == pytest.approx(run.score.mdl)
    assert AS_BEFORE["saturation"] is True
    with pytest.raises(InputError, match="saturation is 'no'"):
        Search(saturation="no")  # type: ignore[arg-type]


def test_a_proof_reaches_further_without_it() -> None:
    pytest.importorskip("z3")
    language = EVERY_TASK["dyck2_pcfg"].rules
    network = zoo.golden("dyck2_pcfg")
    proof = prove(replace(network, saturation=False), language)  # type: ignore[arg-type]
    assert proof.proved
    notes = " ".join(proof.notes)
    assert "saturation is off" in notes
    assert "up to 32 symbols on the stack" in notes  # with it, 11


def test_exports_follow_it() -> None:
    """Each of them; tests/exports/test_saturation_off.py has the others."""
    network = zoo.golden("dyck2_pcfg")
    deep = "([" * 10 + "])" * 10
    space: dict[str, Any] = {}
    exec(exports.python(network), space)
    state, found = space["START"], []
    for symbol in f"#{deep}":
        state, chances = space["step"](state, symbol)
        found.append(list(chances))
    assert found == network.probabilities(deep).tolist()
    assert found != replace(network, saturation=True).probabilities(deep).tolist()


def test_commands_switch_it_off(run: Callable[..., Result]) -> None:
    replace(zoo.golden("arithmetic"), saturation=True).save("net.json")
    deep = "(" * 20 + "1" + "+1)" * 20
    assert "probability 0" in run("feed", "net.json", deep).out
    assert "costs 4" in run("feed", "net.json", deep, "--no-saturation").out
    run(
        "evolve",
        "anbn_100",
        "--set",
        "saturation=no",
        "--generations",
        2,
        "--set",
        "islands=2",
        "--out",
        "r",
    )
    assert '"saturation": false' in Path("r/best.json").read_text()
