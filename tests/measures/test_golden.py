"""Golden networks: the published scores, and that those of our own are right however deep."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from helpers.data import is_one_sentence
from mdlrnn import Encoding, InputError, Network, score, zoo
from mdlrnn.languages import EVERY_TASK
from mdlrnn.machines._machine import Machine
from mdlrnn.network._interpreter import EXACT, distribution, feed, input_rows
from mdlrnn_lab.tables._regularisers import PUBLISHED, golden_encoding

OURS = {
    "anbn_pcfg": (139, 1531.77),
    "anbncn": (241, 1483.91),
    "dyck1_pcfg": (113, 1544.48),
    "dyck2_pcfg": (579, 2121.53),
    "arithmetic": (357, 2581.30),
    "toy_english": (429, 2232.74),
}


@pytest.mark.parametrize("task", zoo.golden_names())
def test_golden_networks_score_as_published_or_lower(task: str) -> None:
    network = zoo.golden(task)
    found = score(network, EVERY_TASK[task].training(500), golden_encoding(task))
    assert (found.g, round(found.d_given_g, 2)) == OURS[task]
    g, d_given_g = PUBLISHED[task]
    assert found.g + found.d_given_g <= g + d_given_g + 0.01
    assert Network.from_dict(network.to_dict()) == network


def test_dyck1_takes_seven_bits_more_where_more_activations_are_allowed() -> None:
    network = zoo.golden("dyck1_pcfg")
    corpus = EVERY_TASK["dyck1_pcfg"].training(500)
    assert score(network, corpus, Encoding.fitting(network, "abudy2025")).g == 113 + 7


@pytest.mark.parametrize("task", [None, "anbn", "", ["arithmetic"]])
def test_other_tasks_have_no_golden_network(task: Any) -> None:
    with pytest.raises(InputError, match="unknown golden network") as caught:
        zoo.golden(task)
    assert is_one_sentence(str(caught.value))


def test_a_golden_network_is_proposed_that_has_the_name_in_front() -> None:
    with pytest.raises(InputError, match=r"did you mean anbn_pcfg\?"):
        zoo.golden("anbn")


def chances(network: Network, string: Any) -> list[dict[str, Fraction]]:
    assert network.alphabet is not None
    rows = input_rows(network, string)
    return [
        dict(zip(network.alphabet, distribution(network, values), strict=True))
        for values in feed(network, rows, EXACT)
    ]


@pytest.mark.parametrize(("task", "off"), [("arithmetic", 0.0034), ("toy_english", 0.0067)])
def test_golden_networks_give_the_true_probabilities(task: str, off: float) -> None:
    language = EVERY_TASK[task].rules
    assert isinstance(language, Machine)
    network = zoo.golden(task)
    for string in list(language.shortest(60)):
        given = chances(network, string)
        for place, step in enumerate(given):
            truth = language.next(string[:place]).distribution
            assert all(abs(p - truth.get(symbol, 0)) < off for symbol, p in step.items())


def test_a_stack_without_saturation_holds_any_number_of_symbols() -> None:
    network = zoo.golden("arithmetic")
    deep = "(" * 500 + "1" + "+1)" * 500
    # Every symbol must come where it comes, or is an operand of two.
    for step, symbol in zip(chances(network, deep), deep + "#", strict=True):
        assert step[symbol] > (0.999 if symbol in "+)#" else 0.3)
    cut = chances(replace(network, saturation=True), deep)
    assert any(step[symbol] < 0.3 for step, symbol in zip(cut, deep + "#", strict=True))
