"""What `mdlrnn bench` measures: this machine's speed on fixed networks and corpora.

The networks are finite-scoring ones with known scores; `authors` is how many of them the authors'
released code scored a second on one core of a 2-core machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from ._corpus import Corpus
from ._encoding import Encoding
from ._network import Network
from ._score import Objective
from ._search import Search
from ._tasks import task_named


class Speed(NamedTuple):
    """Networks, or steps of the search, a second."""

    corpus: str
    measured: int
    """How many networks, or steps, were measured."""
    authors: float
    """The authors' released code on one core of a 2-core machine."""
    one: float
    """One thread."""
    threads: int
    many: float
    """All of `threads` threads together."""

    @property
    def ratio(self) -> float:
        return self.one / self.authors

    @property
    def scaling(self) -> float:
        return self.many / self.one


def named_corpus(name: str) -> Corpus:
    """The paper's training set of that task and size."""
    task, size = name.rsplit("_", 1)
    return task_named(task).training(int(size))


def score_speeds(seconds: float, threads: int) -> Iterator[Speed]:
    """The speed of scoring, corpus by corpus: the best of several rounds, each `seconds` long."""
    from ._kernels._batch import Batch

    text = (resources.files("mdlrnn") / "data" / "bench_score.json").read_text(encoding="utf-8")
    for name, entry in json.loads(text).items():
        networks = [Network.from_dict(data) for data in entry["networks"]]
        encoding = Encoding("tacl2022", tuple(entry["activations"]), products=True)
        corpus = named_corpus(name)
        batch = Batch(corpus, encoding, networks)
        batch.score(0, len(networks))
        start = time.perf_counter()
        batch.score(0, len(networks))
        once = time.perf_counter() - start
        copies = max(1, round(seconds / 5 / max(once, 1e-6)))
        one_round = Batch(corpus, encoding, networks * copies)
        one = _rate(one_round, 1)
        many = _rate(one_round, threads)
        yield Speed(name, len(networks), entry["authors"], one, threads, many)


def _rate(batch: object, threads: int) -> float:
    from ._kernels._batch import Batch

    assert isinstance(batch, Batch)
    count = len(batch.lengths)
    blocks = list(pairwise(count * i // (8 * threads) for i in range(8 * threads + 1)))
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(lambda block: batch.score(*block), blocks))
            best = min(best, time.perf_counter() - start)
    return count / best


EVOLVED = ("anbn_500", "dyck1_500")
AUTHORS_STEPS = 800.0
"""Steps a second of the authors' whole search on anbn_500, with its cache, on one core."""
WARM_UP, MEASURED = 100, 400
"""Generations before the clock starts, and while it runs."""


def evolve_speeds(threads: int, population: int = 500) -> Iterator[Speed]:
    """The speed of the paper's search: the same islands on one thread and on all."""
    from ._island import Problem, epoch, random_states, settle

    for name in EVOLVED:
        search = Search.paper(population=population, encoding="tacl2022")
        problem = Problem(named_corpus(name), search, Objective())
        islands = 2 * max(threads, 2)
        states = [
            epoch(problem, settle(problem, random), WARM_UP) for random in random_states(1, islands)
        ]
        steps = islands * MEASURED * population
        rates = []
        for count in (1, threads):
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(partial(epoch, problem, generations=1), states))
                start = time.perf_counter()
                list(pool.map(partial(epoch, problem, generations=MEASURED), states))
                rates.append(steps / (time.perf_counter() - start))
        yield Speed(name, steps, AUTHORS_STEPS, rates[0], threads, rates[1])
