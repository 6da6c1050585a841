"""The estimator: `fit` searches, the rest asks the network that was found."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..checks import check_integer, short
from ..corpus import Corpus, forbid_only_boundary, forbid_table
from ..errors import InputError, MissingExtra
from ..extraction import Learned, learned
from ..interface import evolve
from ..kernels import score_many
from ..network import (
    BOUNDARY,
    FLOAT,
    Network,
    Objective,
    Score,
    distribution,
    has_words,
    spelled,
    stepper,
    symbols_of,
)
from ..old import KEYWORDS, knows_old_fields, sentence
from ..search import Search, Stop


def deep_parameters(parameters: dict[str, Any], kinds: dict[str, type[Any]]) -> dict[str, Any]:
    """The parameters, and the fields of those that are settings: `search__islands`."""
    deep = dict(parameters)
    for name in kinds:
        value = parameters[name]
        if is_dataclass(value):
            deep |= {f"{name}__{field.name}": getattr(value, field.name) for field in fields(value)}
    return deep


def with_parameters(
    parameters: dict[str, Any], given: dict[str, Any], kinds: dict[str, type[Any]]
) -> dict[str, Any]:
    """The parameters with others in their places; `search__islands` changes a field of `search`."""
    changed = dict(parameters)
    inside: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        if name in KEYWORDS["MDLRNN"]:
            raise sentence(f"{name}= of MDLRNN", KEYWORDS["MDLRNN"][name])
        outer, _, inner = name.partition("__")
        if outer not in parameters:
            raise unknown(name, parameters)
        if not inner:
            changed[outer] = value
        elif outer not in kinds:
            raise InputError(f"{outer} has no parameters of its own; leave out {short(name)}.")
        elif inner not in {field.name for field in fields(kinds[outer])}:
            raise unknown(name, (f"{outer}__{field.name}" for field in fields(kinds[outer])))
        else:
            inside.setdefault(outer, {})[inner] = value
    for outer, values in inside.items():
        before = changed[outer]
        changed[outer] = replace(kinds[outer]() if before is None else before, **values)
    return changed


def unknown(name: str, known: Iterable[str]) -> InputError:
    return InputError(
        f"the estimator has no parameter {short(name)}; its parameters are {', '.join(known)}."
    )


def draw(
    network: Network, count: int, longest: int, random: np.random.RandomState
) -> list[tuple[str, ...]]:
    """So many strings; one that does not end by itself is cut after `longest` symbols."""
    assert network.alphabet is not None
    step = stepper(network, FLOAT)
    size = network.inputs
    rows = [[int(i == place) for i in range(size)] for place in range(size)]
    start = network.alphabet.index(BOUNDARY)
    strings = []
    for _ in range(count):
        string: list[str] = []
        values = step(rows[start], None)
        while len(string) < longest:
            chances = np.cumsum(distribution(network, values))
            place = min(int(np.searchsorted(chances, random.random_sample() * chances[-1],
                                            side="right")), size - 1)  # fmt: skip
            if place == start:
                break
            string.append(network.alphabet[place])
            values = step(rows[place], values)
        strings.append(tuple(string))
    return strings


PARAMETERS = (
    "search", "stop", "random_state", "objective", "alphabet", "words", "workers", "progress",
)  # fmt: skip
INSIDE: dict[str, type[Any]] = {"search": Search, "stop": Stop}
"""Parameters with parameters of their own."""
LONGEST = 1000
LARGEST_SEED = 2**31 - 1


@knows_old_fields
class MDLRNN:
    """The search for the network that describes strings best, as an estimator of scikit-learn.

    `search` and `stop` are a `Search` and a `Stop`; their fields can be set one by one, as
    `search__islands=4`, in `set_params` and in a grid. `random_state` is a seed, or a NumPy
    RandomState to draw one from; None is the seed 1, so that a fit repeats itself. `workers` is as
    in `evolve`.
    `alphabet` names symbols that may come though the strings to fit lack them; without it, strings
    with unknown symbols have the score −inf. With `words`, symbols are words between blanks.

    After `fit`: `best_`, the network; `score_`, what it costs; `front_`, the best network of each
    length with its score; `alphabet_`, the order of the symbols in `predict_proba`; `n_iter_`, the
    generations; `reason_`, why the search ended; `learned_`, what the network has learned, which
    is found when it is first asked for and needs the extra `prove`.
    """

    best_: Network
    score_: Score
    front_: tuple[tuple[Network, Score], ...]
    alphabet_: tuple[str, ...]
    n_iter_: int
    reason_: str
    _learned: Learned | None = None

    def __init__(
        self,
        search: Search | None = None,
        stop: Stop | None = None,
        random_state: Any = None,
        *,
        objective: Objective | str | None = None,
        alphabet: Sequence[str] | None = None,
        words: bool = False,
        workers: Any = None,
        progress: bool = False,
    ) -> None:
        # As given: scikit-learn clones an estimator by what it was made with. `fit` checks.
        self.search = search
        self.stop = stop
        self.random_state = random_state
        self.objective = objective
        self.alphabet = alphabet
        self.words = words
        self.workers = workers
        self.progress = progress

    def fit(self, X: Iterable[Any], y: object = None) -> Self:  # noqa: N803, scikit-learn's name
        """Search for a network. `X` is a list, an array or a column of strings; `y` is ignored."""
        corpus = self._corpus(X)
        seed = 1 if self.random_state is None else _seed(self.random_state)
        run = evolve(
            corpus, self.search, stop=self.stop, seed=seed, objective=self.objective,
            workers=self.workers, progress=self.progress, prove=False,
        )  # fmt: skip
        self._take(run.best, run.score, run.front, run.archipelago.generation, run.reason)
        return self

    def _take(
        self,
        best: Network,
        score: Score,
        front: Sequence[tuple[Network, Score]],
        generations: int,
        reason: str,
    ) -> None:
        assert best.alphabet is not None
        self.best_ = best
        self.score_ = score
        self.front_ = tuple(front)
        self.alphabet_ = best.alphabet
        self.n_iter_ = generations
        self.reason_ = reason

    @property
    def learned_(self) -> Learned:
        """The machine inside the network, its name and what is proved of it."""
        net = self._fitted()
        if self._learned is None or self._learned.network != net:
            self._learned = learned(net)
        return self._learned

    def predict_proba(self, X: Iterable[Any]) -> list[NDArray[np.float64]]:  # noqa: N803
        """For each string the probabilities of the next symbol, after the boundary and after each
        symbol: arrays (steps, symbols), with the symbols as in `alphabet_`."""
        net = self._fitted()
        return [net.probabilities(self._symbols(string)) for string in _listed(X)]

    def predict(self, X: Iterable[Any]) -> list[str]:  # noqa: N803
        """For each string the most probable next symbol; `#` is its end."""
        return [self.alphabet_[int(p[-1].argmax())] for p in self.predict_proba(X)]

    def score(self, X: Iterable[Any], y: object = None) -> float:  # noqa: N803
        """−bits a symbol, ends of strings included; so larger is better, and 0 is the best.

        It is −inf where a string has the probability 0 or a symbol that the network does not know.
        """
        net = self._fitted()
        corpus = Corpus.from_strings(_listed(X), words=self.words)
        if not set(corpus.alphabet or ()) <= set(self.alphabet_):
            return -inf
        if len(corpus.alphabet or ()) == 1:
            corpus = corpus.with_alphabet(self.alphabet_)
        (found,) = score_many([net], corpus, threads=1)
        return -found.d_given_g / corpus.characters

    def sample(
        self, n_samples: int = 1, *, random_state: Any = None, longest: int = LONGEST
    ) -> list[str]:
        """Random strings of the network; one that does not end is cut after `longest` symbols.

        Without `random_state` that of the estimator is used, and without one a seed of 0.
        """
        net = self._fitted()
        check_integer("n_samples", n_samples, 1)
        check_integer("longest", longest, 1)
        given = self.random_state if random_state is None else random_state
        random = np.random.RandomState(0 if given is None else _seed(given))
        words = self.words or has_words(self.alphabet_)
        return [spelled(string, words) for string in draw(net, n_samples, longest, random)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with `deep` also the fields of `search` and `stop`."""
        parameters = {name: getattr(self, name) for name in PARAMETERS}
        return deep_parameters(parameters, INSIDE) if deep else parameters

    def set_params(self, **params: Any) -> Self:
        """Other parameters; `search__islands=4` changes a field of `search`."""
        changed = with_parameters(self.get_params(deep=False), params, INSIDE)
        for name, value in changed.items():
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The parameters, and what was fitted as the JSON text of its networks."""
        state: dict[str, Any] = {"parameters": self.get_params(deep=False)}
        if hasattr(self, "best_"):
            entries = [(self.best_, self.score_), *self.front_]
            state["fitted"] = json.dumps(
                {
                    "networks": [network.to_dict() for network, _ in entries],
                    "scores": [[s.g, s.d_given_g, s.l1, s.l2] for _, s in entries],
                    "generations": self.n_iter_,
                    "reason": self.reason_,
                }
            )
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state["parameters"].items():
            setattr(self, name, value)
        if "fitted" in state:
            data = json.loads(state["fitted"])
            networks = map(Network.from_dict, data["networks"])
            scores = (Score(*numbers) for numbers in data["scores"])
            (best, score), *front = zip(networks, scores, strict=True)
            self._take(best, score, front, data["generations"], data["reason"])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_")

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn is told: the input is strings, and no target is needed."""
        try:
            from sklearn.utils import InputTags, Tags, TargetTags
        except ImportError:
            raise MissingExtra("the tags of scikit-learn", "scikit-learn", "sklearn") from None
        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )

    def __repr__(self) -> str:
        usual = MDLRNN().get_params(deep=False)
        told = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if value is not usual[name] and value != usual[name]
        ]
        return f"MDLRNN({', '.join(told)})"

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the network, once there is one."""
        return self.best_._repr_svg_() if hasattr(self, "best_") else None

    def _corpus(self, strings: Iterable[Any]) -> Corpus:
        corpus = Corpus.from_strings(_listed(strings), words=self.words)
        if self.alphabet is not None:
            return corpus.with_alphabet(self.alphabet)
        forbid_only_boundary(corpus)
        return corpus

    def _symbols(self, string: Any) -> Sequence[str]:
        if isinstance(string, str):
            return symbols_of(string, self.alphabet_, self.words)
        if isinstance(string, Sequence):
            return string
        raise InputError(f"{short(string)} is no string; give strings, or lists of their symbols.")

    def _fitted(self) -> Network:
        if not hasattr(self, "best_"):
            raise _not_fitted()
        return self.best_


def _listed(strings: Any) -> list[Any]:
    """A list of strings from what people have: a list, an array, a column of a table."""
    if isinstance(strings, str | bytes) or not isinstance(strings, Iterable):
        raise InputError(f"{short(strings)} is no list of strings; give one, as ['ab', 'aabb'].")
    forbid_table(strings)
    return list(strings)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(LARGEST_SEED))
    try:
        seed = -1 if isinstance(random_state, bool) else operator.index(random_state)
    except TypeError:
        seed = -1
    if seed < 0:
        raise InputError(
            f"random_state is {short(random_state)}; give an integer, 0 or more, a RandomState or "
            "None."
        )
    return seed


def _not_fitted() -> Exception:
    message = "the estimator is not fitted yet; call fit with strings first."
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return InputError(message)
    # Both, so that scikit-learn's tools and those of mdlrnn know it.
    kind = type("NotFitted", (InputError, NotFittedError), {})
    error: Exception = kind(message)
    return error
