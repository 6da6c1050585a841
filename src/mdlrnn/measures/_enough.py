"""How many strings are enough: which network would win with how many training strings.

On N strings drawn from a language a network's expected score is |G| + N · (its bits a string), a
straight line in N. They are the entropy of the language and what the network needs above it, which
is estimated on strings drawn from the language, the same for all networks: at each of their
prefixes the divergence of the network's distribution from the true one. So no network is below the
entropy by chance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..errors import InputError
from ..expressions import Expression
from ..files import PathLike, named, path_of, read_text
from ..languages import (
    Grammar,
    Language,
    Mean,
    language_of_run,
    language_with_rules,
    mean_of,
    means_of,
)
from ..machines import Machine, Transducer, Truth
from ..network import BOUNDARY, Encoding, Network, length
from ..runs import FRONT, check_holds_run, network_from, read_settings
from ._measures import fed, measure_parts
from ._measures import named as with_names

DRAWN = 20_000
"""Strings on which the bits above the entropy are estimated."""
SEED = 7
FEWEST_BITS = 4
IN_TEST = (
    "(Right in test: no mistake on the training strings and the first test strings; mdlrnn prove "
    "says whether that holds of all strings.)"
)


class Candidate(NamedTuple):
    name: str
    network: Network
    g: int
    bits: float
    """A string, on average; infinite if it gives a string of the language probability 0."""
    right: bool | None
    """Whether it makes no mistake on the training strings and the first test strings; None if that
    was not looked at."""
    bits_error: float | None = None
    """The standard error of the bits; None where they are not estimated."""

    def at(self, strings: float) -> float:
        """The score that is expected with so many strings."""
        return self.g + strings * self.bits if strings else float(self.g)


class Reign(NamedTuple):
    """From so many strings on, up to the next, a network has the lowest expected score."""

    first: int
    candidate: Candidate


class Enough(NamedTuple):
    title: str
    entropy: float
    """Of the language, bits a string."""
    candidates: tuple[Candidate, ...]
    reigns: tuple[Reign, ...]
    entropy_error: float | None = None
    """The standard error where it is estimated; None where it is computed."""

    @property
    def needed(self) -> int | None:
        """Strings from which on networks win that make no mistake in test, and keep winning."""
        return None if self.turning_point is None else self.turning_point.first

    @property
    def turning_point(self) -> Reign | None:
        """Where that begins."""
        found = None
        for reign in self.reigns:
            if not reign.candidate.right:
                found = None
            elif found is None:
                found = reign
        return found

    def to_dict(self) -> dict[str, object]:
        return {
            "language": self.title,
            "entropy": self.entropy,
            "entropy_error": self.entropy_error,
            "networks": [
                {
                    "name": c.name,
                    "g": c.g,
                    "bits_a_string": c.bits,
                    "bits_error": c.bits_error,
                    "right": c.right,
                }
                for c in self.candidates
            ],
            "reigns": [{"from": r.first, "name": r.candidate.name} for r in self.reigns],
            "needed": self.needed,
        }

    def __str__(self) -> str:
        """What `mdlrnn enough` prints."""
        width = max(8, *(len(c.name) for c in self.candidates))
        shown = [c for c in self.candidates if c.right is not None]
        texts = [_bits_text(c) for c in shown]
        room = max(14, *map(len, texts))
        entropy = Mean(self.entropy, self.entropy_error)
        lines = [
            f"{self.title}: entropy {entropy.text(4)} bits a string",
            "",
            f"{'network':<{width}}  {'|G|':>6}  {'bits a string':>{room}}  {'in test':>7}  wins",
        ]
        wins = _wins(self.reigns)
        for c, bits in zip(shown, texts, strict=True):
            right = "right" if c.right else "wrong"
            won = wins.get(c.name, "never")
            lines.append(f"{c.name:<{width}}  {c.g:>6,}  {bits:>{room}}  {right:>7}  {won}")
        others = len(self.candidates) - len(shown)
        if others:
            lines.append(f"and {others} more that never win")
        lines += ["", f"{self.verdict()} {IN_TEST}"]
        return "\n".join(lines)

    def verdict(self) -> str:
        if not any(c.right for c in self.candidates):
            return "None of these networks is right in test, so no number of strings makes one win."
        if self.needed is None:
            return "No number of strings makes a network that is right in test win for good."
        if self.needed <= 1:
            return "A network that is right in test wins from the first string on."
        return f"About {self.needed:,} strings make a network that is right in test win."


def _bits_text(candidate: Candidate) -> str:
    if math.isinf(candidate.bits):
        return "infinite"
    return Mean(candidate.bits, candidate.bits_error).text(4)


def _wins(reigns: Sequence[Reign]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, reign in enumerate(reigns):
        after = reigns[place + 1].first if place + 1 < len(reigns) else None
        first, last = f"{reign.first:,}", "" if after is None else f" to {after - 1:,}"
        text = f"from {first} on" if after is None else f"from {first}{last}"
        found[reign.candidate.name] = f"with {first}" if after == reign.first + 1 else text
    return found


def enough_strings(
    task: Language,
    networks: Sequence[tuple[str, Network]],
    encoding: Encoding,
    is_right: Callable[[Network], bool],
) -> Enough:
    """The lines of all networks, and who wins where.

    Whether a network is right takes long to say, so only those are asked about that win somewhere,
    or that need the fewest bits a string.
    """
    strings = _strings(task)
    truths = {strings.alphabet: task.truth(strings)}
    entropy = _entropy(task, truths[strings.alphabet], strings)
    candidates = []
    for name, network in networks:
        chances, corpus = fed(network, strings)
        fitting = _wider(encoding, Encoding.fitting(network, encoding.scheme))
        if corpus.alphabet not in truths:  # a network has its symbols in an order of its own
            truths[corpus.alphabet] = task.truth(corpus)
        excess = _excess(truths[corpus.alphabet], chances, corpus)
        errors = [mean.error for mean in (entropy, excess) if mean.error is not None]
        candidates.append(
            Candidate(
                name, network, length(network, fitting), entropy.value + excess.value, None,
                math.hypot(*errors) if errors else None,
            )
        )  # fmt: skip
    asked = {reign.candidate.name for reign in reigns(candidates)}
    asked |= {c.name for c in sorted(candidates, key=lambda c: c.bits)[:FEWEST_BITS]}
    judged = [c._replace(right=is_right(c.network)) if c.name in asked else c for c in candidates]
    return Enough(task.title, entropy.value, tuple(judged), reigns(judged), entropy.error)


def _entropy(language: Language, truth: Truth, strings: Corpus) -> Mean:
    if isinstance(language.rules, Machine | Grammar | Expression):
        return means_of(language.rules).entropy
    # The sequences of numbers that it is trained on are all there are.
    return Mean(truth.optimal_bits / strings.sequences)


def _excess(truth: Truth, chances: NDArray[np.float64], corpus: Corpus) -> Mean:
    """Bits a string above the entropy: the divergence after each prefix, as often as it comes."""
    steps = np.bincount(corpus.item_node, weights=corpus.item_weight, minlength=len(chances))
    true = np.where(truth.possible, truth.chances, 1.0)
    given = np.where(truth.possible, chances, 1.0)
    with np.errstate(divide="ignore"):
        each = np.sum(true * np.log2(true / given), axis=1)
    each = np.where(steps > 0, np.maximum(each, 0.0), 0.0)  # below 0 by rounding alone
    mean = float(np.sum(steps * each)) / corpus.sequences
    if corpus.alphabet is None or math.isinf(mean):  # numbers are all there are, not a sample
        return Mean(mean)
    whole = each.copy()
    for begin, end in zip(corpus.levels[1:-1], corpus.levels[2:], strict=True):
        whole[begin:end] += whole[corpus.parent[begin:end]]
    last = corpus.item_target == corpus.alphabet.index(BOUNDARY)
    return Mean(mean, mean_of(whole[corpus.item_node[last]], corpus.item_weight[last]).error)


def _wider(one: Encoding, other: Encoding) -> Encoding:
    """The encoding of the run, with what a network given beside it needs."""
    names = dict.fromkeys((*one.activations, *other.activations))
    return Encoding(one.scheme, tuple(names), one.products or other.products)


def _strings(language: Language) -> Corpus:
    if isinstance(language.rules, Transducer):
        return language.training(seed=SEED)
    return language.training(DRAWN if language.machine is not None else 500, SEED)


def reigns(candidates: Sequence[Candidate]) -> tuple[Reign, ...]:
    """The lower envelope of the lines, from one string on."""
    best = min(candidates, key=lambda c: (c.at(1), c.bits, c.g))
    found = [Reign(1, best)]
    strings = 1
    while True:
        crossings = [
            (_crossing(best, other), other.bits, other.g, place)
            for place, other in enumerate(candidates)
            if other.bits < best.bits
        ]
        if not crossings:
            return tuple(found)
        first, _, _, place = min(crossings)
        strings = max(strings + 1, first)
        best = candidates[place]
        found.append(Reign(strings, best))


def _crossing(one: Candidate, other: Candidate) -> int:
    """The first number of strings at which the other is lower."""
    if math.isinf(one.bits):
        return 1
    return max(1, math.floor((other.g - one.g) / (one.bits - other.bits)) + 1)


MOST = 40
"""Networks of a front that are looked at: those with the lowest scores."""
PARTS = 2
"""Of a test set, on which a network is right or not."""


def enough(
    run: object, language: object = None, *, networks: Sequence[object] = (), most: int = MOST
) -> Enough:
    """Which network of a run's front would win with how many strings, and how many would make a
    right one win; `networks` are compared beside those of the front with the lowest scores, at
    `most` that many.

    The language is the run's own, where that is known.
    """
    folder = getattr(run, "out", run)
    if not isinstance(folder, str | Path):
        raise InputError("the run is kept in no folder; give it one, or a run's folder.")
    home = path_of(folder)
    check_holds_run(home)
    settings = read_settings(home)
    task = _task(settings.corpus, home) if language is None else language_with_rules(language)
    chosen = _front(home, most)
    for place, other in enumerate(networks, start=1):
        name = named(other) if isinstance(other, str | Path) else f"given {place}"
        chosen.append((name, network_from(other)))
    encoding: Encoding = settings.encoding
    # Wrong networks fail on training strings already, which are soon looked through.
    parts = [task.training(task.size), *islice(task.tests(), PARTS)]

    def is_right(network: Network) -> bool:
        network = with_names(network, task)
        return all(measure_parts(network, task, [part])[1] is None for part in parts)

    return enough_strings(task, chosen, encoding, is_right)


def _task(about: dict[str, object], home: Path) -> Language:
    known = language_of_run(about)
    if known is None or known.rules is None:
        raise InputError(
            f"{named(home)} is about strings of a language that is not written down; name the "
            "language, as mdlrnn enough RUN LANGUAGE."
        )
    return known


def _front(home: Path, most: int) -> list[tuple[str, Network]]:
    path: PathLike = home / FRONT
    try:
        rows = json.loads(read_text(path, "front"))
        found = [
            (int(row["g"]), row["d_given_g"], Network.from_dict(row["network"])) for row in rows
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{named(path)} is no front of a run; choose the folder of a run."
        ) from None
    finite = [(g, bits, network) for g, bits, network in found if bits is not None]
    best = sorted(finite, key=lambda row: row[0] + row[1])[:most]
    if not best:
        raise InputError(f"{named(path)} holds no network with a finite score; let the run go on.")
    return [(f"|G| {g:,}", network) for g, _, network in sorted(best, key=lambda row: row[0])]
