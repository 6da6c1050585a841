"""The objective (paper, section 3.1 and the probe of its last section): |G|, |D:G| and kin."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

from ._corpus import Corpus, match
from ._encoding import Encoding, check_encodable
from ._errors import InputError
from ._network import Network


@dataclass(frozen=True, slots=True)
class Score:
    """What a network costs, in bits. Scores compare by `mdl`: the lower, the better."""

    g: int
    """|G|, the length of the network's encoding."""
    d_given_g: float
    """|D:G|, the surprisal of the corpus; infinite if a symbol that occurs has probability 0."""
    l1: float = 0.0
    """Sum of the absolute weights, biases included."""
    l2: float = 0.0
    """Sum of the squared weights, biases included."""

    @property
    def mdl(self) -> float:
        return self.g + self.d_given_g

    def __lt__(self, other: Score) -> bool:
        return self.mdl < other.mdl

    def __le__(self, other: Score) -> bool:
        return self.mdl <= other.mdl

    def __repr__(self) -> str:
        return f"Score(mdl={self.mdl:.6g}, g={self.g}, d_given_g={self.d_given_g:.6g})"


_OBJECTIVES = {
    "mdl": (1.0, 1.0, 0.0, 0.0),
    "g": (1.0, 0.0, 0.0, 0.0),
    "d": (0.0, 1.0, 0.0, 0.0),
    "d+l1": (0.0, 1.0, 1.0, 0.0),
    "d+l2": (0.0, 1.0, 0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Objective:
    """What is minimised: a weighted sum of |G|, |D:G| and two classical regularisers."""

    g: float = 1.0
    d: float = 1.0
    l1: float = 0.0
    l2: float = 0.0

    def __post_init__(self) -> None:
        multipliers = (self.g, self.d, self.l1, self.l2)
        if not all(math.isfinite(m) and m >= 0 for m in multipliers) or not any(multipliers):
            raise InputError(
                f"the multipliers {multipliers} are no objective; "
                "give finite numbers, 0 or more, at least one above 0."
            )

    @classmethod
    def named(cls, name: str) -> Objective:
        """'mdl', 'g', 'd', 'd+l1' or 'd+l2', all multipliers 1."""
        if name not in _OBJECTIVES:
            raise InputError(f"unknown objective {name!r}; use one of {', '.join(_OBJECTIVES)}.")
        return cls(*_OBJECTIVES[name])

    def __call__(self, score: Score) -> float:
        terms = (
            (self.g, score.g), (self.d, score.d_given_g), (self.l1, score.l1), (self.l2, score.l2),
        )  # fmt: skip
        return math.fsum(m * value for m, value in terms if m)


def score(network: Network, corpus: Corpus, encoding: Encoding | None = None) -> Score:
    """|G| and |D:G| of one network. Without an encoding, the paper's, as the network needs it."""
    return score_many([network], corpus, encoding, threads=1)[0]


def score_many(
    networks: Sequence[Network],
    corpus: Corpus,
    encoding: Encoding | None = None,
    *,
    threads: int | None = None,
) -> list[Score]:
    """The scores of many networks, on as many threads as asked for (by default, all cores)."""
    from ._kernels._batch import Batch

    threads = (os.cpu_count() or 1) if threads is None else threads
    if threads < 1:
        raise InputError(f"threads is {threads}; give 1 or more, or None for all cores.")
    for network in networks:
        if encoding is not None:
            check_encodable(network, encoding)
    results: list[Score | None] = [None] * len(networks)
    for (corpus_here, encoding_here), places in _alike(networks, corpus, encoding).items():
        batch = Batch(corpus_here, encoding_here, [networks[i] for i in places])
        blocks = _blocks(len(places), threads)
        if len(blocks) == 1:
            batch.score(*blocks[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                for done in [pool.submit(batch.score, *block) for block in blocks]:
                    done.result()
        for i, (g, d, l1, l2) in zip(places, batch.results(), strict=True):
            results[i] = Score(g, d, l1, l2)
    return [result for result in results if result is not None]


def _alike(
    networks: Sequence[Network], corpus: Corpus, encoding: Encoding | None
) -> dict[tuple[Corpus, Encoding], list[int]]:
    """Which networks see the corpus through the same alphabet and are encoded the same way."""
    seen: dict[tuple[object, ...], tuple[Corpus, Encoding]] = {}
    groups: dict[tuple[Corpus, Encoding], list[int]] = {}
    for i, network in enumerate(networks):
        fitting = encoding or Encoding.fitting(network)
        key = (network.alphabet, network.inputs, network.outputs, fitting)
        if key not in seen:
            seen[key] = (match(corpus, network), fitting)
        groups.setdefault(seen[key], []).append(i)
    return groups


def _blocks(count: int, threads: int) -> list[tuple[int, int]]:
    """Several blocks a thread, so that no thread waits long for the last one."""
    parts = 1 if threads == 1 else min(count, 8 * threads)
    edges = [count * i // parts for i in range(parts + 1)] if parts else [0, 0]
    return list(pairwise(edges))
