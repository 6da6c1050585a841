"""How well a network does a task, as the paper measures it (section 4.2 and the experiments)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._corpus import Corpus, match
from ._network import BOUNDARY, Network
from ._tasks import SEED, Task

EPSILON = 0.005
"""The paper's categorical margin: what gets less counts as impossible."""
SHORTEST = 200
"""Strings of the language that are looked through for the first failure, besides both sets."""


class Failure(NamedTuple):
    """The first place where a network is wrong."""

    string: str
    """The shortest string that it gets wrong, or for addition the two numbers."""
    step: int
    """Symbols read before the mistake, not counting the boundary."""
    expected: str
    given: str


class Measures(NamedTuple):
    """Over one set: bits, and how many steps of each sort were right."""

    characters: int = 0
    bits: float = 0.0
    optimal_bits: float = 0.0
    deterministic_steps: int = 0
    deterministic_right: int = 0
    categorical_right: int = 0
    """Steps where possible symbols get at least epsilon and the others less."""
    strictly_right: int = 0
    """The same with epsilon 0: possible symbols above 0, the others exactly 0."""
    strings: int = 0
    strings_right: int = 0
    """Strings that are right at every step: deterministic steps, or where there are none, all."""

    def plus(self, other: Measures) -> Measures:
        sums: Any = (a + b for a, b in zip(self, other, strict=True))
        return Measures(*sums)


class Report(NamedTuple):
    task: str
    size: int
    train: Measures
    test: Measures
    first_failure: Failure | None
    by_symbol: bool
    """Whether the task has deterministic steps; Dyck languages have none."""

    def to_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"task": self.task, "size": self.size}
        for name, part in (("train", self.train), ("test", self.test)):
            steps = part.characters
            data[f"{name}_characters"] = steps
            data[f"{name}_cross_entropy"] = part.bits / steps
            data[f"optimal_{name}_cross_entropy"] = part.optimal_bits / steps
            data[f"{name}_deterministic_accuracy"] = _share(
                part.deterministic_right, part.deterministic_steps
            )
            categorical = self.task != "addition"
            data[f"{name}_categorical_accuracy"] = (
                _share(part.categorical_right, steps) if categorical else None
            )
            data[f"{name}_categorical_accuracy_at_0"] = (
                _share(part.strictly_right, steps) if categorical else None
            )
            data[f"{name}_string_accuracy"] = _share(part.strings_right, part.strings)
        failure = self.first_failure
        data["first_failure"] = None if failure is None else failure._asdict()
        return data


def _share(right: int, all_of: int) -> float | None:
    return right / all_of if all_of else None


def measure(network: Network, task: Task, size: int | None = None, seed: int = SEED) -> Report:
    """The paper's measures on the training set and the test set of a task."""
    size = task.size if size is None else size
    network = _named(network, task)
    train = measure_parts(network, task, [task.training(size, seed)])
    test = measure_parts(network, task, task.test(size, seed))
    first = _first(network, task, train[1], test[1])
    return Report(task.name, size, train[0], test[0], first, train[0].deterministic_steps > 0)


def _named(network: Network, task: Task) -> Network:
    """A network without names for its units takes the symbols of the language in order."""
    if task.language is None or network.alphabet is not None:
        return network
    symbols = task.language.alphabet
    fits = network.inputs == network.outputs == len(symbols)
    return replace(network, alphabet=symbols) if fits else network


def _first(
    network: Network, task: Task, train: Failure | None, test: Failure | None
) -> Failure | None:
    """The failure on the shortest string, among the shortest of the language and both sets.

    A training set need not hold every short string, so that alone it would name a later one.
    """
    found = [failure for failure in (train, test) if failure is not None]
    if task.language is None:
        return found[0] if found else None
    least = min((len(failure.string) for failure in found), default=math.inf)
    shortest = islice(task.language.strings(), SHORTEST)
    strings = list(takewhile(lambda string: len(string) <= least, shortest))
    early = measure_parts(network, task, [Corpus.from_strings(strings)])[1]
    if early is not None:
        return early
    return min(found, key=lambda failure: len(failure.string), default=None)


def measure_strings(network: Network, corpora: Iterable[Corpus]) -> Measures:
    """Bits alone, for strings of an unknown language."""
    total = Measures()
    for corpus in corpora:
        bits, _ = _bits(*_fed(network, corpus))
        total = total.plus(Measures(corpus.characters, bits, strings=corpus.sequences))
    return total


def measure_parts(
    network: Network, task: Task, parts: Iterable[Corpus]
) -> tuple[Measures, Failure | None]:
    """The measures over all parts, and the failure on the shortest string."""
    total = Measures()
    first: Failure | None = None
    for part in parts:
        chances, corpus = _fed(network, part)
        found, failure = judge(chances, corpus, truth_of(corpus, task))
        total = total.plus(found)
        if failure is not None and (first is None or len(failure.string) < len(first.string)):
            first = failure
    return total, first


class Truth(NamedTuple):
    """What the language says of every prefix of a corpus."""

    possible: NDArray[np.bool_]
    """(node, symbol): what can follow."""
    by_symbol: bool
    """Whether the language has deterministic steps."""
    optimal_bits: float


def truth_of(corpus: Corpus, task: Task) -> Truth | None:
    """None for addition, where every digit is certain."""
    if task.language is None:
        return None
    assert corpus.alphabet is not None
    phases, kinds = task.language.phases(corpus)
    # The last row is for what is off the language, numbered -1: nothing can follow.
    allowed = np.zeros((len(kinds) + 1, len(corpus.alphabet)), dtype=bool)
    for number, kind in enumerate(kinds):
        allowed[number] = [symbol in kind.allowed for symbol in corpus.alphabet]
    return Truth(
        allowed[phases],
        bool(np.any(allowed.sum(axis=1) == 1)),
        (
            optimal_bits(task, corpus)
            if task.baseline
            else task.language.cost(corpus, phases, kinds)
        ),
    )


def judge(
    chances: NDArray[np.float64], corpus: Corpus, truth: Truth | None
) -> tuple[Measures, Failure | None]:
    """The measures of whoever gives these chances, (node, target), to what follows each prefix."""
    return _addition(chances, corpus) if truth is None else _language(chances, corpus, truth)


def _chances(network: Network, corpus: Corpus) -> NDArray[np.float64]:
    from ._kernels._probabilities import distributions

    return distributions(network, corpus)


def _bits(chances: NDArray[np.float64], corpus: Corpus) -> tuple[float, NDArray[np.float64]]:
    """|D:G|, and the chance of each item."""
    each = chances[corpus.item_node, corpus.item_target]
    if np.any(each <= 0):
        return math.inf, each
    return float(-np.sum(corpus.item_weight * np.log2(each))), each


def optimal_bits(task: Task, corpus: Corpus) -> float:
    """The score that the paper calls optimal.

    It is that of the true distribution, but for Dyck-2 that of the paper's hand-built stack, which
    opens a bracket with probability 4/13, not 3/10; `Language.optimal` gives the true optimum.
    """
    if task.baseline is not None:
        return _bits(*_fed(task.baseline(), corpus))[0]
    assert task.language is not None
    return task.language.optimal(corpus)


def _fed(network: Network, part: Corpus) -> tuple[NDArray[np.float64], Corpus]:
    corpus = match(part, network)
    return _chances(network, corpus), corpus


def _addition(chances: NDArray[np.float64], corpus: Corpus) -> tuple[Measures, Failure | None]:
    """All steps are deterministic; a digit is right if it has the larger chance."""
    bits, each = _bits(chances, corpus)
    right = each > 0.5
    weights = corpus.item_weight
    wrong_nodes = np.zeros(len(corpus.parent), dtype=bool)
    wrong_nodes[corpus.item_node[~right]] = True
    broken = _carried(wrong_nodes, corpus)
    last = np.bincount(corpus.parent[corpus.parent >= 0], minlength=len(corpus.parent)) == 0
    ends = last[corpus.item_node]
    strings = int(weights[ends].sum())
    strings_right = int(weights[ends & ~broken[corpus.item_node]].sum())
    failure = None
    if wrong_nodes.any():
        node = int(np.flatnonzero(wrong_nodes)[0])
        at = int(np.flatnonzero((corpus.item_node == node) & ~right)[0])
        path = _path(corpus, node)
        rows = corpus.input_rows[corpus.symbol[path]].astype(int)
        numbers = [sum(int(bit) << i for i, bit in enumerate(rows[:, k])) for k in range(2)]
        expected = int(corpus.item_target[at])
        failure = Failure(
            f"{numbers[0]} + {numbers[1]}",
            len(path) - 1,
            f"{expected} (digit {len(path) - 1} of the sum)",
            f"P(1) = {chances[node, 1]:.6g}",
        )
    steps = int(weights.sum())
    good = int(weights[right].sum())
    return Measures(steps, bits, 0.0, steps, good, 0, 0, strings, strings_right), failure


def _language(
    chances: NDArray[np.float64], corpus: Corpus, truth: Truth
) -> tuple[Measures, Failure | None]:
    assert corpus.alphabet is not None
    possible = truth.possible
    sure = possible.sum(axis=1) == 1
    guessed = np.argmax(chances, axis=1)
    named = sure & (guessed == np.argmax(possible, axis=1))
    margin = np.all((chances >= EPSILON) == possible, axis=1)
    strict = np.all((chances > 0) == possible, axis=1)
    steps = np.bincount(corpus.item_node, weights=corpus.item_weight, minlength=len(possible))
    wrong = (sure & ~named) if truth.by_symbol else ~margin
    broken = _carried(wrong, corpus)
    ends = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    weights = corpus.item_weight
    bits, _ = _bits(chances, corpus)
    found = Measures(
        characters=corpus.characters,
        bits=bits,
        optimal_bits=truth.optimal_bits,
        deterministic_steps=int(steps[sure].sum()),
        deterministic_right=int(steps[named].sum()),
        categorical_right=int(steps[margin].sum()),
        strictly_right=int(steps[strict].sum()),
        strings=int(weights[ends].sum()),
        strings_right=int(weights[ends & ~broken[corpus.item_node]].sum()),
    )
    return found, _first_failure(wrong & (steps > 0), broken, ends, corpus, chances, possible)


def _first_failure(
    wrong: NDArray[np.bool_],
    broken: NDArray[np.bool_],
    ends: NDArray[np.bool_],
    corpus: Corpus,
    chances: NDArray[np.float64],
    possible: NDArray[np.bool_],
) -> Failure | None:
    """The shortest string with a mistake in it, and the first mistake."""
    if not wrong.any():
        return None
    names = corpus.alphabet
    assert names is not None
    closing = corpus.item_node[ends & broken[corpus.item_node]]
    path = _path(corpus, int(closing[0]))
    string = "".join(names[symbol] for symbol in corpus.symbol[path][1:])
    node = next(node for node in path if wrong[node])
    return Failure(
        string,
        path.index(node),
        " or ".join(name for name, can in zip(names, possible[node], strict=True) if can),
        ", ".join(
            f"P({name}) = {chance:.4g}" for name, chance in zip(names, chances[node], strict=True)
        ),
    )


def _carried(marked: NDArray[np.bool_], corpus: Corpus) -> NDArray[np.bool_]:
    """Nodes that are marked or stand below a marked one."""
    found = marked.copy()
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        found[begin:end] |= found[corpus.parent[begin:end]]
    return found


def _path(corpus: Corpus, node: int) -> list[int]:
    path = list(_upwards(corpus, node))
    return path[::-1]


def _upwards(corpus: Corpus, node: int) -> Iterator[int]:
    while node >= 0:
        yield node
        node = int(corpus.parent[node])
