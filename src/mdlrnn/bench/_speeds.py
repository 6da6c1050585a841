"""The speed of scoring and of the search, on this machine, in one run.

The networks are finite-scoring ones with known scores; `authors` is how many of them the authors'
released code scored a second on one core of another machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from ..corpus._corpus import Corpus
from ..kernels._scoring import Batch
from ..network._encoding import Encoding
from ..network._network import Network
from ..search._archipelago import network_of
from ..search._island import Problem, epoch, new_island, random_states, rows_of
from ..search._settings import Search
from ..tasks._sources import source_from
from ._padded import PaddedBatch


class Speed(NamedTuple):
    """Networks, or steps of the search, a second."""

    corpus: str
    measured: int
    """How many networks, or steps, were measured."""
    authors: float
    """The authors' released code on one core of another machine, measured once."""
    padded: float
    """Networks that plain NumPy scores a second over the padded batch, in this run."""
    one: float
    """One thread."""
    threads: int
    many: float
    """All of `threads` threads together."""

    @property
    def ratio(self) -> float:
        """One thread against plain NumPy."""
        return self.one / self.padded

    @property
    def authors_ratio(self) -> float:
        return self.one / self.authors

    @property
    def scaling(self) -> float:
        return self.many / self.one


def bench_networks() -> Iterator[tuple[str, list[Network], Encoding, float]]:
    """A corpus' name, its networks, their encoding, and the speed of the authors' code."""
    text = (resources.files("mdlrnn") / "data" / "bench_score.json").read_text(encoding="utf-8")
    for name, entry in json.loads(text).items():
        networks = [Network.from_dict(data) for data in entry["networks"]]
        encoding = Encoding("tacl2022", tuple(entry["activations"]), products=True)
        yield name, networks, encoding, entry["authors"]


def score_speeds(seconds: float, threads: int) -> Iterator[Speed]:
    """The speed of scoring, corpus by corpus: the best of several rounds, each `seconds` long."""
    for name, networks, encoding, authors in bench_networks():
        corpus = source_from(name).corpus()
        batch = Batch(corpus, encoding, networks)
        batch.score(0, len(networks))
        start = time.perf_counter()
        batch.score(0, len(networks))
        once = time.perf_counter() - start
        copies = max(1, round(seconds / 5 / max(once, 1e-6)))
        one_round = Batch(corpus, encoding, networks * copies)
        one = _rate(one_round, 1)
        many = _rate(one_round, threads)
        padded = _padded_rate(corpus, networks, seconds)
        yield Speed(name, len(networks), authors, padded, one, threads, many)


def _rate(batch: Batch, threads: int) -> float:
    count = len(batch.lengths)
    blocks = list(pairwise(count * i // (8 * threads) for i in range(8 * threads + 1)))
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(lambda block: batch.score(*block), blocks))
            best = min(best, time.perf_counter() - start)
    return count / best


def _padded_rate(corpus: Corpus, networks: Sequence[Network], seconds: float) -> float:
    """Networks a second, as many as there is time for."""
    padded = PaddedBatch(corpus)
    done = 0
    start = time.perf_counter()
    while done < len(networks) and time.perf_counter() - start < seconds:
        padded.surprisal(networks[done])
        done += 1
    return done / (time.perf_counter() - start)


EVOLVED = ("anbn_500", "dyck1_500")
AUTHORS_STEPS = 800.0
"""Steps a second of the authors' whole search on anbn_500, with its cache, on one core."""
WARM_UP, MEASURED = 100, 400
"""Generations before the clock starts, and while it runs."""


def evolve_speeds(threads: int, population: int = 500, seconds: float = 1.0) -> Iterator[Speed]:
    """The speed of the paper's search: the same islands on one thread and on all."""
    for name in EVOLVED:
        search = Search.paper(population=population)
        problem = Problem(source_from(name).corpus(), search, Encoding("tacl2022"))
        islands = 2 * max(threads, 2)
        states = [
            epoch(problem, new_island(problem, random), WARM_UP)
            for random in random_states(1, islands)
        ]
        steps = islands * MEASURED * population
        rates = []
        for count in (1, threads):
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(partial(epoch, problem, generations=1), states))
                start = time.perf_counter()
                list(pool.map(partial(epoch, problem, generations=MEASURED), states))
                rates.append(steps / (time.perf_counter() - start))
        networks = [network_of(problem, row) for row in rows_of(states[0])]
        padded = _padded_rate(problem.corpus, networks, seconds)
        yield Speed(name, steps, AUTHORS_STEPS, padded, rates[0], threads, rates[1])
