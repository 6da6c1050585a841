"""The speed of scoring and of the search on this machine, beside plain NumPy."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mdlrnn.corpus import Corpus
from mdlrnn.kernels import Batch
from mdlrnn.languages import language_from
from mdlrnn.network import (
    ACTIVATIONS,
    FLOAT_CUT,
    LEAST_TOTAL,
    SATURATION,
    Arithmetic,
    Encoding,
    Network,
    plan,
)
from mdlrnn.search import (
    Problem,
    Search,
    epoch,
    is_crowded,
    network_of,
    new_island,
    random_states,
    rows_of,
)

Floats = NDArray[np.float64]

ARRAYS = Arithmetic(
    number=np.float64,
    relu=lambda x: np.maximum(x, 0.0),
    step=lambda x: (x > 0).astype(np.float64),
    floor=np.floor,
    remainder=np.mod,
    product=np.multiply,
    sigmoid=lambda x: 1.0 / (1.0 + np.exp(-x)),
    tanh=np.tanh,
    tidy=lambda x: x,
)


class PaddedBatch:
    """The sequences of a corpus: (sequence, step, input), and what each step weighs."""

    def __init__(self, corpus: Corpus) -> None:
        leaves = _ends(corpus)
        paths = [_path(corpus, int(node)) for node in leaves]
        steps = max(map(len, paths))
        targets = max(2, corpus.outputs)
        node_weight = np.zeros((len(corpus.parent), targets))
        node_weight[corpus.item_node, corpus.item_target] = corpus.item_weight
        through = np.bincount(np.concatenate(paths), minlength=len(corpus.parent))
        self.inputs = np.zeros((len(paths), steps, corpus.inputs))
        self.weights = np.zeros((len(paths), steps, targets))
        for number, path in enumerate(paths):
            self.inputs[number, : len(path)] = corpus.input_rows[corpus.symbol[path]]
            # What follows a prefix is split evenly among the sequences that run through it.
            self.weights[number, : len(path)] = node_weight[path] / through[path][:, None]

    def surprisal(self, network: Network) -> float:
        order, ignored = plan(network)
        into: list[list[tuple[int, float, bool]]] = [[] for _ in network.units]
        for c in network.connections:
            if c.kind == "recurrent" or (c.source, c.target) not in ignored:
                into[c.target].append((c.source, float(c.weight), c.kind == "recurrent"))
        evaluated = [u for u in range(network.inputs) if u not in order] + list(order)
        previous: Floats | None = None
        bits = 0.0
        with np.errstate(all="ignore"):
            for step in range(self.inputs.shape[1]):
                values = np.zeros((len(network.units), len(self.inputs)))
                for u in evaluated:
                    values[u] = self._unit(network, u, step, into[u], values, previous)
                bits += self._bits(network, values, self.weights[:, step])
                previous = values
        return bits

    def _unit(
        self,
        network: Network,
        u: int,
        step: int,
        into: list[tuple[int, float, bool]],
        values: Floats,
        previous: Floats | None,
    ) -> Floats:
        unit = network.units[u]
        forward = [w * values[s] for s, w, recurrent in into if not recurrent]
        back = []
        if previous is not None:
            back = [w * previous[s] for s, w, recurrent in into if recurrent]
        if unit.type == "product":
            total = np.zeros(len(self.inputs))
            if forward:
                total = np.nan_to_num(np.prod([*forward, *back], axis=0))
        else:
            total = (
                self.inputs[:, step, u].copy() if u < network.inputs else np.zeros(len(self.inputs))
            )
            for part in [*forward, *back]:
                total = total + part
        if unit.bias is not None:
            total = total + float(unit.bias)
        most = SATURATION if network.saturation else FLOAT_CUT
        total = np.clip(total, -most, most)
        value: Floats = ACTIVATIONS[unit.activation].meaning(ARRAYS, total)
        return value

    def _bits(self, network: Network, values: Floats, weights: Floats) -> float:
        outputs = values[network.inputs : network.inputs + network.outputs].T
        if network.outputs == 1:
            one = np.clip(outputs, 0.0, 1.0)
            chances = np.hstack((1.0 - one, one))
        else:
            positive = np.maximum(outputs, 0.0)
            total = positive.sum(axis=1, keepdims=True)
            even = np.full_like(positive, 1.0 / network.outputs)
            chances = np.where(total <= float(LEAST_TOTAL), even, positive / total)
        counted = weights > 0
        return float(-np.sum(weights[counted] * np.log2(chances[counted])))


def _ends(corpus: Corpus) -> NDArray[np.int64]:
    """The last node of each sequence: a leaf, or where a string ends."""
    last = np.bincount(corpus.parent[corpus.parent >= 0], minlength=len(corpus.parent)) == 0
    return np.flatnonzero(last)


def _path(corpus: Corpus, node: int) -> list[int]:
    path = []
    while node >= 0:
        path.append(node)
        node = int(corpus.parent[node])
    return path[::-1]


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
    text = (resources.files("mdlrnn_lab") / "data" / "bench_score.json").read_text(encoding="utf-8")
    for name, entry in json.loads(text).items():
        networks = [Network.from_dict(data) for data in entry["networks"]]
        encoding = Encoding("tacl2022", tuple(entry["activations"]), products=True)
        yield name, networks, encoding, entry["authors"]


def score_speeds(seconds: float, threads: int) -> Iterator[Speed]:
    """The speed of scoring, corpus by corpus: the best of several rounds, each `seconds` long."""
    for name, networks, encoding, authors in bench_networks():
        corpus = language_from(name).corpus()
        one_round = _one_round(corpus, encoding, networks, seconds / 5)
        one, many = _rate(one_round, 1), _rate(one_round, threads)
        padded = _padded_rate(corpus, networks, seconds)
        yield Speed(name, len(networks), authors, padded, one, threads, many)


def _one_round(
    corpus: Corpus, encoding: Encoding, networks: Sequence[Network], seconds: float
) -> Batch:
    """The networks so often that one thread takes about so long."""
    once = Batch(corpus, encoding, networks)
    once.score(0, len(networks))
    start = time.perf_counter()
    once.score(0, len(networks))
    spent = max(time.perf_counter() - start, 1e-6)
    return Batch(corpus, encoding, [*networks] * max(1, round(seconds / spent)))


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
        problem = Problem(language_from(name).corpus(), search, Encoding("tacl2022"))
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


BENCH_ISLANDS = 4096
"""Islands on the card where its speed is measured: enough to keep a large one busy."""
EVOLVED_ON_CARD = {
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
        one_round = _one_round(corpus, encoding, networks, threads * seconds / 3)
        yield CardSpeed(name, threads, _rate(one_round, threads), count / best)


def card_evolve_speeds(threads: int, islands: int) -> Iterator[CardSpeed]:
    """The default search at the same generations: so many islands on the card, two a thread on the
    CPU."""
    from mdlrnn.kernels import gpu

    gpu.require_card()
    for name, (before, measured) in EVOLVED_ON_CARD.items():
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
