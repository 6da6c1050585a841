"""A network as a language model of NLTK."""

from __future__ import annotations

import math

import pytest

from helpers.data import is_one_sentence
from mdlrnn import InputError, exports, score, zoo

pytest.importorskip("nltk", reason="no language model is made: NLTK is not installed")


def test_scores_are_the_networks_probabilities() -> None:
    net = zoo.anbn()
    model = exports.nltk(net)
    told = net.probabilities("aab")
    assert model.score("a", ("<s>", "a")) == told[1][1]
    assert model.score("b", ("a", "a", "b")) == told[3][2]
    assert model.score("</s>", ("a", "a", "b")) == told[3][0]
    assert model.score("b", ("a", "a")) == told[2][2], "from a shorter prefix again"
    assert model.score("a") == told[0][1]
    assert sum(model.score(word, ("a",)) for word in ("a", "b", "</s>")) == pytest.approx(1)
    assert model.score("x", ("a",)) == model.score("a", ("x",)) == 0.0
    assert model.logscore("x") == -math.inf
    assert {"a", "b", "</s>"} <= set(model.vocab)


def test_entropy_is_the_corpus_cost_a_symbol() -> None:
    net = zoo.anbn()
    model = exports.nltk(net)
    bits = score(net, ["aaabbb"]).d_given_g / 7
    grams = list(model.ngrams("aaabbb"))
    assert grams[1] == ("<s>", "a", "a")
    assert model.entropy(grams) == pytest.approx(bits, rel=1e-9)
    assert model.perplexity(grams) == pytest.approx(2**bits, rel=1e-9)


def test_generated_strings_are_of_the_language() -> None:
    words = exports.nltk(zoo.anbn()).generate(400, random_seed=1)
    *strings, _ = "".join("," if word == "</s>" else word for word in words).split(",")
    assert len(strings) > 10
    for string in strings:
        n = len(string) // 2
        assert string == "a" * n + "b" * n


def test_long_contexts_are_read_once_and_without_recursion() -> None:
    model = exports.nltk(zoo.dyck1())
    assert model.score("]", tuple("[]" * 3000 + "[")) > 0.5


def test_what_it_cannot_do_is_said() -> None:
    for call, message in (
        (lambda: exports.nltk(zoo.addition()), "the network does not name its symbols; "),
        (lambda: exports.nltk(zoo.anbn()).fit([]), "a network is searched for, not fitted here; "),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert message in str(caught.value)
        assert is_one_sentence(str(caught.value))
