"""How well a network does a task, as the paper measures it (section 4.2 and the experiments)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from ..corpus._corpus import Corpus, match
from ..languages import Transducer, Truth
from ..languages._truth import MARGIN, is_sure, leads, mistakes
from ..network._network import Network
from ._report import Failure, Measures, Report, Weighted
from ._tasks import SEED, Task

SHORTEST = 200
"""Strings of the language that are looked through for the first failure, besides both sets."""


def measure(
    network: Network,
    task: Task,
    size: int | None = None,
    seed: int = SEED,
    longest: int | None = None,
) -> Report:
    """The paper's measures on the training set and the test set of a task."""
    size = task.size if size is None else size
    network = named(network, task)
    train, early = measure_parts(network, task, [task.training(size, seed)])
    parts = task.test(size, seed, longest)
    weighted = None
    if task.weighted and longest is None:
        parts = iter(held := list(parts))
        lengths = [len(string) + 1 for part in held for string, _ in part.strings()]
        weighted = Weighted(len(lengths), sum(lengths))
    test, late = measure_parts(network, task, parts)
    if not test.characters:
        raise InputError(
            f"{task.title} has no strings longer than those of the training set and of up to "
            f"{longest} symbols; give a larger --longest."
        )
    first = _first(network, task, early, late)
    return Report(
        task.name, size, train, test, first, train.deterministic_steps > 0, task.title,
        task.language.noun, task.language.alphabet is not None, weighted,
    )  # fmt: skip


def named(network: Network, task: Task) -> Network:
    """A network without names for its units takes the symbols of the language in order."""
    symbols = task.language.alphabet
    if symbols is None or network.alphabet is not None:
        return network
    fits = network.inputs == network.outputs == len(symbols)
    return replace(network, alphabet=symbols) if fits else network


def _first(
    network: Network, task: Task, train: Failure | None, test: Failure | None
) -> Failure | None:
    """The failure on the shortest string, among the shortest of the language and both sets.

    A training set need not hold every short string, so that alone it would name a later one.
    """
    found = [failure for failure in (train, test) if failure is not None]
    if isinstance(task.language, Transducer):
        return found[0] if found else None
    least = min((failure.length for failure in found), default=math.inf)
    shortest = task.language.shortest(SHORTEST)
    strings = list(takewhile(lambda string: len(string) <= least, shortest))
    early = measure_parts(network, task, [Corpus.from_strings(strings)])[1]
    if early is not None:
        return early
    return min(found, key=lambda failure: failure.length, default=None)


def measure_parts(
    network: Network, task: Task, parts: Iterable[Corpus]
) -> tuple[Measures, Failure | None]:
    """The measures over all parts, and the failure on the shortest string."""
    total = Measures()
    first: Failure | None = None
    for part in parts:
        chances, corpus = fed(network, part)
        found, failure = judge(chances, corpus, truth_of(corpus, task), task.language.spelled)
        total = total.plus(found)
        if failure is not None and (first is None or failure.length < first.length):
            first = failure
    return total, first


def truth_of(corpus: Corpus, task: Task) -> Truth:
    """The truth, with the score that the paper calls optimal.

    It is that of the true distribution, but for Dyck-2 that of the paper's hand-built stack, which
    opens a bracket with probability 4/13, not 3/10; `Language.optimal` gives the true optimum.
    """
    truth = task.language.truth(corpus)
    if task.optimum is None:
        return truth
    return truth._replace(optimal_bits=bits_of(*fed(task.optimum(), corpus)))


def bits_of(chances: NDArray[np.float64], corpus: Corpus) -> float:
    """|D:G|"""
    each = chances[corpus.item_node, corpus.item_target]
    if np.any(each <= 0):
        return math.inf
    return float(-np.sum(corpus.item_weight * np.log2(each)))


def fed(network: Network, part: Corpus) -> tuple[NDArray[np.float64], Corpus]:
    from ..kernels._probabilities import distributions  # heavy: Numba

    corpus = match(part, network)
    return distributions(network, corpus), corpus


def judge(
    chances: NDArray[np.float64],
    corpus: Corpus,
    truth: Truth,
    spelled: Callable[[Sequence[Any]], str],
) -> tuple[Measures, Failure | None]:
    """The measures of a model that gives these chances, (node, target), to what follows each
    prefix, and its mistake on the shortest string, which `spelled` writes."""
    possible = truth.possible
    sure = is_sure(possible)
    right = sure & leads(possible, chances)
    margin = np.all((chances >= MARGIN) == possible, axis=1)
    strict = np.all((chances > 0) == possible, axis=1)
    steps = np.bincount(corpus.item_node, weights=corpus.item_weight, minlength=len(possible))
    wrong = mistakes(truth.chances, chances)
    broken = _carried(wrong, corpus)
    weights, ends = corpus.item_weight, truth.ends
    found = Measures(
        characters=corpus.characters,
        bits=bits_of(chances, corpus),
        optimal_bits=truth.optimal_bits,
        deterministic_steps=int(steps[sure].sum()),
        deterministic_right=int(steps[right].sum()),
        categorical_right=int(steps[margin].sum()),
        strictly_right=int(steps[strict].sum()),
        strings=int(weights[ends].sum()),
        strings_right=int(weights[ends & ~broken[corpus.item_node]].sum()),
    )
    if not np.any(wrong & (steps > 0)):
        return found, None
    if corpus.alphabet is None:
        # Every part of a sequence of numbers is a sequence, so the shortest ends at the mistake.
        last = int(np.flatnonzero(wrong & (steps > 0))[0])
    else:
        last = int(corpus.item_node[ends & broken[corpus.item_node]][0])
    path = _path(corpus, last)
    return found, _failure(path, wrong, corpus, chances, possible, spelled)


def _failure(
    path: list[int],
    wrong: NDArray[np.bool_],
    corpus: Corpus,
    chances: NDArray[np.float64],
    possible: NDArray[np.bool_],
    spelled: Callable[[Sequence[Any]], str],
) -> Failure:
    """The first mistake along a path of nodes."""
    node = next(node for node in path if wrong[node])
    if corpus.alphabet is None:
        names = tuple(map(str, range(chances.shape[1])))
        rows = corpus.input_rows[corpus.symbol[path]].astype(int)
        read: list[Any] = [tuple(row) for row in rows.tolist()]
    else:
        names = corpus.alphabet
        read = [names[symbol] for symbol in corpus.symbol[path][1:]]
    return Failure(
        spelled(read),
        path.index(node),
        " or ".join(name for name, can in zip(names, possible[node], strict=True) if can),
        ", ".join(
            f"P({name}) = {chance:.4g}" for name, chance in zip(names, chances[node], strict=True)
        ),
        len(read),
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
