"""The estimator: fitting, asking, cloning, pickling, and what it refuses."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.data import is_one_sentence
from mdlrnn import MDLRNN, InputError, Network, Search, Stop, score, show, zoo
from mdlrnn.estimator._estimator import draw

STRINGS = ["a" * n + "b" * n for n in (1, 2, 3, 1, 1, 2, 4, 5, 1, 2, 1, 3)]


def small(**others: Any) -> MDLRNN:
    settings: dict[str, Any] = {
        "search": Search(islands=2, population=20), "stop": Stop(generations=30), "workers": 1,
    }  # fmt: skip
    return MDLRNN(**(settings | others))


@pytest.fixture(scope="module")
def fitted() -> MDLRNN:
    return small(random_state=3).fit(STRINGS)


def test_fit_finds_what_evolve_finds(fitted: MDLRNN) -> None:
    from mdlrnn import evolve

    run = evolve(
        STRINGS, Search(islands=2, population=20), stop=Stop(generations=30), seed=3, progress=False
    )
    assert fitted.best_ == run.best
    assert fitted.score_ == run.score
    assert fitted.front_ == run.front
    assert fitted.alphabet_ == ("#", "a", "b")
    assert (fitted.n_iter_, fitted.reason_) == (30, "generations")


def test_fitting_again_gives_the_same_and_leaves_the_parameters_alone() -> None:
    estimator = small(random_state=3)
    before = estimator.get_params()
    assert estimator.fit(STRINGS) is estimator
    first = estimator.best_
    assert estimator.fit(STRINGS[::-1], y=[1] * 12).best_ == first, "nor does the order matter"
    assert estimator.get_params() == before


def test_probabilities_are_the_networks(fitted: MDLRNN) -> None:
    told = fitted.predict_proba(["aab", "", ("a", "b")])
    assert [p.shape for p in told] == [(4, 3), (1, 3), (3, 3)]
    assert np.array_equal(told[0], fitted.best_.probabilities("aab"))
    ends = [fitted.alphabet_[p[-1].argmax()] for p in told]
    assert fitted.predict(["aab", "", ("a", "b")]) == ends
    alone = fitted.predict_proba(["aab"])[0]
    assert np.array_equal(alone, told[0]), "a string's answer does not depend on the others"


def test_the_score_is_bits_a_symbol_and_larger_is_better(fitted: MDLRNN) -> None:
    bits = score(fitted.best_, STRINGS).d_given_g
    symbols = sum(len(string) + 1 for string in STRINGS)
    assert fitted.score(STRINGS) == pytest.approx(-bits / symbols)
    assert fitted.score(["ab", ""]) < 0
    assert math.isfinite(fitted.score(["ab"]))
    assert fitted.score(["abc"]) == -math.inf


def test_a_symbol_that_may_come_can_be_named_before() -> None:
    estimator = small(alphabet=("#", "a", "b", "c")).fit(STRINGS)
    assert estimator.alphabet_ == ("#", "a", "b", "c")
    assert estimator.predict_proba(["c"])[0].shape == (2, 4)


def test_words_are_symbols_on_request() -> None:
    estimator = small(words=True).fit(["the dog barks", "the cat sleeps"])
    assert estimator.alphabet_ == ("#", "barks", "cat", "dog", "sleeps", "the")
    assert estimator.predict_proba(["the dog"])[0].shape == (3, 6)
    assert all(isinstance(string, str) for string in estimator.sample(3))
    assert estimator.score(["the dog sleeps"]) < 0


def test_samples_follow_the_networks_probabilities() -> None:
    strings = draw(zoo.anbn(), 2000, 100, np.random.RandomState(1))
    assert all(s == ("a",) * (len(s) // 2) + ("b",) * (len(s) // 2) for s in strings)
    assert abs(sum(len(s) == 2 for s in strings) / 2000 - 0.3) < 0.05


def test_samples_repeat_and_end(fitted: MDLRNN) -> None:
    assert fitted.sample(5) == fitted.sample(5)
    assert fitted.sample(5, random_state=1) != fitted.sample(5, random_state=2)
    assert max(map(len, fitted.sample(50, longest=3))) <= 3
    state = np.random.RandomState(4)
    assert fitted.sample(5, random_state=state) != fitted.sample(5, random_state=state)


def test_parameters_are_kept_as_given_and_reach_inside() -> None:
    search = Search(islands=3)
    estimator = MDLRNN(search=search, random_state=1)
    assert estimator.get_params(deep=False)["search"] is search
    assert estimator.get_params()["search__islands"] == 3
    assert "stop__seconds" not in estimator.get_params()
    assert estimator.set_params(search__islands=5, stop__seconds=2) is estimator
    assert estimator.search == Search(islands=5)
    assert estimator.stop == Stop(seconds=2)
    assert repr(MDLRNN(random_state=2)) == "MDLRNN(random_state=2)"


def test_it_is_pickled_by_its_parameters_and_the_json_of_its_networks(fitted: MDLRNN) -> None:
    state = fitted.__getstate__()
    assert set(state) == {"parameters", "fitted"}
    assert isinstance(state["fitted"], str)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.get_params() == fitted.get_params()
    for name in ("best_", "score_", "front_", "alphabet_", "n_iter_", "reason_"):
        assert getattr(again, name) == getattr(fitted, name), name
    assert again.sample(3) == fitted.sample(3)
    assert not hasattr(pickle.loads(pickle.dumps(MDLRNN())), "best_")


def test_a_notebook_shows_the_network(fitted: MDLRNN) -> None:
    assert fitted._repr_svg_() == show.draw(fitted.best_).svg()
    assert MDLRNN()._repr_svg_() is None


def test_it_needs_no_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from mdlrnn import MDLRNN, Search, Stop, InputError\n"
        "e = MDLRNN(Search(islands=1, population=4), Stop(generations=1), workers=1)\n"
        "print(e.fit(['ab', 'aabb']).score(['ab']) < 0)\n"
        "try: MDLRNN().predict([])\n"
        "except InputError as error: print(error)\n"
        "try: MDLRNN().__sklearn_tags__()\n"
        "except InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    right, unfitted, missing = done.stdout.splitlines()
    assert right == "True"
    assert unfitted.startswith("the estimator is not fitted yet; ")
    assert missing.endswith('which is not installed; run pip install "mdlrnn[sklearn]".')


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "one string": (lambda: small().fit("aabb"), "'aabb' is no list of strings; "),
    "a number": (lambda: small().fit(3), "3 is no list of strings; "),  # type: ignore[arg-type]
    "numbers": (lambda: small().fit([1.5]), "strings[0] is a float; "),
    "a matrix": (
        lambda: small().fit(np.array([["ab"], ["b"]])), "are a ndarray of shape (2, 1); ",
    ),
    "none": (lambda: small().fit([]), "there are no strings; "),
    "empty ones": (lambda: small().fit(["", ""]), "all strings of the corpus are empty; "),
    "a boundary": (lambda: small().fit(["a#"]), "strings[0]: '#' is in the string"),
    "a seed of -1": (lambda: small(random_state=-1).fit(["a"]), "random_state is -1; "),
    "a seed of text": (lambda: small(random_state="1").fit(["a"]), "random_state is '1'; "),
    "a search of 3": (lambda: small(search=3).fit(["a"]), "search is 3; make it with Search("),
    "an alphabet that lacks b": (
        lambda: small(alphabet=("#", "a")).fit(["ab"]), "no unit for the symbol 'b'; ",
    ),
    "not fitted": (lambda: MDLRNN().predict_proba(["a"]), "the estimator is not fitted yet; "),
    "no such parameter": (lambda: MDLRNN().set_params(islands=3), "has no parameter 'islands'; "),
    "no such field": (lambda: MDLRNN().set_params(search__isles=3), "no parameter 'search__isles'"),
    "no field at all": (lambda: MDLRNN().set_params(words__x=3), "words has no parameters of its"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_fitted_is_said_in_one_sentence(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.predict_proba(["ac"]), "the network has no unit for the symbol 'c'"),
        (lambda e: e.predict_proba([3]), "3 is no string; "),
        (lambda e: e.predict_proba("ab"), "'ab' is no list of strings; "),
        (lambda e: e.sample(0), "n_samples is 0; "),
        (lambda e: e.score([]), "there are no strings; "),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_sentence(
    fitted: MDLRNN, call: Any, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        call(fitted)
    assert message in str(caught.value)
    assert is_one_sentence(str(caught.value))


def test_the_best_is_a_network(fitted: MDLRNN) -> None:
    assert isinstance(fitted.best_, Network)
    assert all(isinstance(network, Network) for network, _ in fitted.front_)
