"""The speed of a graphics card beside the threads of the same machine, in one run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from mdlrnn.kernels import Batch
from mdlrnn.languages import language_from
from mdlrnn.search import Problem, Search, epoch, is_crowded, new_island, random_states

from ._speeds import bench_networks

BENCH_ISLANDS = 4096
"""Islands on the card where its speed is measured: enough to keep a large one busy."""
EVOLVED = {
    "anbn_500": (100, 400),
    "anbncndn_500": (100, 100),
    "dyck1_500": (100, 400),
    "addition_400": (100, 100),
    "dyck2_20000": (40, 40),
}
"""Generations before the clock starts, and while it runs; the same on both devices."""


class CardSpeed(NamedTuple):
    """Networks, or steps of the search, a second."""

    corpus: str
    threads: int
    many: float
    """All of `threads` threads together."""
    card: float

    @property
    def ratio(self) -> float:
        return self.card / self.many


def card_score_speeds(seconds: float, threads: int) -> Iterator[CardSpeed]:
    """Scoring networks that are there already, the best of several rounds."""
    # Imported here: without a card nothing of CUDA is needed.
    from mdlrnn.kernels import gpu

    gpu.require_card()
    from mdlrnn.kernels import gpu

    for name, networks, encoding, _ in bench_networks():
        corpus = language_from(name).corpus()
        copies = -(-gpu.MOST_NETWORKS // len(networks))
        card = gpu.CardBatch(corpus, encoding, (networks * copies)[: gpu.MOST_NETWORKS])
        count = card.load(0)
        card.run(count)
        gpu.synchronize()
        best, ends = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < ends:
            start = time.perf_counter()
            card.run(count)
            gpu.synchronize()
            best = min(best, time.perf_counter() - start)
        yield CardSpeed(name, threads, _thread_rate(name, threads, seconds), count / best)


def _thread_rate(name: str, threads: int, seconds: float) -> float:
    networks, encoding = next((n, e) for known, n, e, _ in bench_networks() if known == name)
    corpus = language_from(name).corpus()
    once = Batch(corpus, encoding, networks)
    once.score(0, len(networks))
    start = time.perf_counter()
    once.score(0, len(networks))
    spent = max(time.perf_counter() - start, 1e-6)
    batch = Batch(corpus, encoding, networks * max(1, round(threads * seconds / 3 / spent)))
    count = len(batch.lengths)
    blocks = list(pairwise(count * i // (8 * threads) for i in range(8 * threads + 1)))
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(3):
            start = time.perf_counter()
            list(pool.map(lambda block: batch.score(*block), blocks))
            best = min(best, time.perf_counter() - start)
    return count / best


def card_evolve_speeds(threads: int, islands: int) -> Iterator[CardSpeed]:
    """The default search at the same generations: so many islands on the card, two a thread on the
    CPU."""
    from mdlrnn.kernels import gpu

    gpu.require_card()
    for name, (before, measured) in EVOLVED.items():
        card = _card_rate(name, islands, before, measured)
        yield CardSpeed(name, threads, _search_rate(name, threads, before, measured), card)


def _problem(name: str, islands: int) -> Problem:
    source = language_from(name)
    search = Search(islands=islands)
    return Problem(source.corpus(), search, search.encoding_for(source.encoding()))


def _card_rate(name: str, islands: int, before: int, measured: int) -> float:
    from mdlrnn.kernels import gpu
    from mdlrnn.search import Islands

    problem = _problem(name, islands)
    there = Islands(problem)
    there.begin()
    there.advance(before)
    gpu.synchronize()
    start = time.perf_counter()
    there.advance(before + measured)
    gpu.synchronize()
    steps = islands * problem.search.population * measured
    return steps / (time.perf_counter() - start)


def _search_rate(name: str, threads: int, before: int, measured: int) -> float:
    problem = _problem(name, 2 * threads)
    states = [new_island(problem, random) for random in random_states(1, 2 * threads)]
    crowded = [is_crowded(problem.search, island) for island in range(2 * threads)]
    go_on = partial(epoch, problem)
    with ThreadPoolExecutor(threads) as pool:
        states = list(pool.map(go_on, states, [before] * len(states), crowded))
        start = time.perf_counter()
        list(pool.map(go_on, states, [measured] * len(states), crowded))
        spent = time.perf_counter() - start
    return len(states) * problem.search.population * measured / spent
