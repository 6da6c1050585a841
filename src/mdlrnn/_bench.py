"""What `mdlrnn bench` measures: this machine's speed on fixed networks and corpora.

The networks are finite-scoring ones with known scores; `authors` is how many of them the authors'
released code scored a second on one core of a 2-core machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ._corpus import Corpus
from ._encoding import Encoding
from ._network import Network


class Speed(NamedTuple):
    corpus: str
    networks: int
    authors: float
    """Networks a second, as published."""
    one: float
    """Networks a second on one thread."""
    threads: int
    many: float
    """Networks a second on `threads` threads."""

    @property
    def ratio(self) -> float:
        return self.one / self.authors

    @property
    def scaling(self) -> float:
        return self.many / self.one


def packaged_corpus(name: str) -> Corpus:
    if name.startswith("addition_"):
        return addition(round(int(name.removeprefix("addition_")) ** 0.5))
    with resources.as_file(resources.files("mdlrnn") / "data" / "corpora" / f"{name}.txt") as path:
        return Corpus.load(path)


def addition(numbers: int) -> Corpus:
    """All pairs of numbers below `numbers`, least significant bit first, and their sums."""
    steps = (2 * (numbers - 1) - 1).bit_length() + 1
    n, m = (side.ravel() for side in np.meshgrid(*2 * (np.arange(numbers),), indexing="ij"))
    places = np.arange(steps)
    digits = [(number[:, None] >> places) & 1 for number in (n, m, n + m)]
    return Corpus.from_sequences(np.stack(digits[:2], axis=2), digits[2][:, :, None])


def score_speeds(seconds: float, threads: int) -> Iterator[Speed]:
    """The speed of scoring, corpus by corpus: the best of several rounds, each `seconds` long."""
    from ._kernels._batch import Batch

    text = (resources.files("mdlrnn") / "data" / "bench_score.json").read_text(encoding="utf-8")
    for name, entry in json.loads(text).items():
        networks = [Network.from_dict(data) for data in entry["networks"]]
        encoding = Encoding("tacl2022", tuple(entry["activations"]), products=True)
        corpus = packaged_corpus(name)
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
