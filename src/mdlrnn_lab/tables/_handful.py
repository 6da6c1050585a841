"""The benchmark of few strings of Yang and Piantadosi, as McCoy and Griffiths score it.

A folder has, for each language NAME, training strings in NAME-N.txt and many true strings in
NAME.txt, a string and its count a line. F is the harmonic mean of two shares: of the 25 likeliest
strings of the answer, those that are true; and of the 25 commonest true strings, those to which the
answer gives at least one in a million. Both come from the same probabilities.
"""

from __future__ import annotations

import heapq
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mdlrnn import Run, Stop, evolve
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.interface import table
from mdlrnn.network import BOUNDARY, Network

TOP = 25
LEAST = 1e-6
"""The probability from which a string counts as generated."""
SEARCH_SECONDS = 60.0
PATIENCE = 1_000
"""Generations without anything better after which a search ends."""
PUBLISHED = (
    ("Bayesian programs", {1: 0.22, 10: 0.776, 100: 0.928, 1000: 0.950}),
    ("LSTM, prior-trained", {1: 0.28, 10: 0.663, 100: 0.888, 1000: 0.938}),
    ("memorising", {1: 0.08, 10: 0.368, 100: 0.770, 1000: 0.923}),
)
"""Mean F over 54 languages, as the second authors publish it."""
SAMPLE = 200
"""True strings by which the bits of a string are measured."""
MOST_PREFIXES = 3_000
"""Prefixes that are looked at for the likeliest strings of a network."""


class Row(NamedTuple):
    """One search on one set of training strings."""

    language: str
    strings: int
    seed: int
    f: float
    mixture: float
    """F of all good expressions together; that of the answer where there are none."""
    bits: float
    """Bits a string of a sample of the true ones, under the answer; infinite if one is
    impossible."""
    inside: float
    """The share of the probability of the likeliest strings that true strings have."""
    seconds: float
    proved: bool
    """Whether the answer's network is proved to be its machine for every length."""
    answer: str


def languages_in(folder: Path) -> tuple[Path, list[str]]:
    """The folder that holds the strings, which may lie in a clone, and its languages."""
    inside = folder / "Models" / "FormalLanguageTheory-Complex" / "data"
    home = inside if inside.is_dir() else folder
    names = sorted(p.stem[:-2] for p in home.glob("*-1.txt")) if home.is_dir() else []
    found = [name for name in names if (home / f"{name}.txt").exists()]
    if not found:
        raise InputError(
            f"{folder} holds no files NAME-1.txt beside NAME.txt; give a clone of the repository "
            "piantado/Fleet, or the folder with its strings."
        )
    return home, found


def handful(
    folder: Path,
    languages: Sequence[str],
    sizes: Sequence[int],
    seeds: Sequence[int],
    seconds: float,
    out: Path | None,
    on_row: Callable[[Row], None],
) -> list[Row]:
    """Search on each language, size and seed; those that `out` holds already are not made again."""
    home, known = languages_in(folder)
    unknown = next((name for name in languages if name not in known), None)
    if unknown is not None:
        raise InputError(f"{unknown} is no language of {folder}; there are {', '.join(known)}.")
    rows = {} if out is None else {row[:3]: row for row in _kept(out)}
    found = []
    for name in languages or known:
        true = counts_in(home / f"{name}.txt")
        for size in sizes:
            for seed in seeds:
                row = rows.get((name, size, seed))
                if row is None:
                    given = counts_in(home / f"{name}-{size}.txt")
                    row = _row(name, size, seed, given, true, seconds)
                    if out is not None:
                        with out.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(row._asdict()) + "\n")
                found.append(row)
                on_row(row)
    return found


def _kept(out: Path) -> Iterator[Row]:
    if not out.exists():
        return
    for number, line in enumerate(out.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield Row(**json.loads(line))
        except (ValueError, TypeError):
            if line.strip():
                raise InputError(
                    f"{out}: line {number} is no row of this benchmark; give another file."
                ) from None


def counts_in(path: Path) -> dict[str, int]:
    """The strings of a file with their counts."""
    found: dict[str, int] = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    for line in lines:
        string, tab, number = line.rpartition("\t")
        if tab and number.strip().isdecimal():
            found[string] = found.get(string, 0) + int(number)
    if not found:
        raise InputError(f"{path} has no lines of a string, a TAB and its count; check the path.")
    return found


def _row(
    name: str, size: int, seed: int, given: dict[str, int], true: dict[str, int], seconds: float
) -> Row:
    began = time.monotonic()
    corpus = Corpus.from_strings([s for s, number in given.items() for _ in range(number)])
    stop = Stop(seconds=seconds, proved=True, patience=PATIENCE)
    run = evolve(corpus, stop=stop, seed=seed, workers=1, progress=False)
    spent = time.monotonic() - began
    likeliest, chance = _predictor(run)
    mixture = run.mixture
    f = f_of(likeliest, chance, true)
    both = f if mixture is None else f_of(mixture.likeliest(TOP), mixture.probability, true)
    sample = Random(0).choices(list(true), list(true.values()), k=SAMPLE)
    bits = -sum(math.log2(p) if (p := chance(s)) > 0 else -math.inf for s in sample) / SAMPLE
    whole = sum(p for _, p in likeliest)
    inside = sum(p for s, p in likeliest if s in true) / whole if whole else 0.0
    answer = run.expression.notation if run.expression is not None else _name(run)
    return Row(
        name, size, seed, f, both, bits, inside, spent,
        run.reason == "proved", answer,
    )  # fmt: skip


def _name(run: Run) -> str:
    found = run.learned
    return "a network" if found is None or found.name is None else f"a network: {found.name}"


Likeliest = list[tuple[Any, float]]


def _predictor(run: Run) -> tuple[Likeliest, Callable[[str], float]]:
    expression = run.expression
    if expression is not None:
        return expression.likeliest(TOP), expression.likely
    return likeliest_of(run.best), lambda string: _chance(run.best, string)


def likeliest_of(network: Network, most: int = TOP) -> Likeliest:
    """The likeliest strings of a network."""
    assert network.alphabet is not None
    found: Likeliest = []
    order = count()
    heap: list[tuple[float, int, str, bool]] = [(-1.0, next(order), "", False)]
    for _ in range(MOST_PREFIXES):
        if not heap or len(found) >= most:
            break
        weight, _, prefix, ended = heapq.heappop(heap)
        if ended:
            found.append((prefix, -weight))
            continue
        row = network.probabilities(prefix)[-1]
        for symbol, p in zip(network.alphabet, row, strict=True):
            if p > 0:
                is_end = symbol == BOUNDARY
                longer = prefix if is_end else prefix + symbol
                heapq.heappush(heap, (weight * float(p), next(order), longer, is_end))
    return found


def _chance(network: Network, string: str) -> float:
    assert network.alphabet is not None
    if any(symbol not in network.alphabet for symbol in string):
        return 0.0
    found = 1.0
    for row, symbol in zip(network.probabilities(string), (*string, BOUNDARY), strict=True):
        found *= float(row[network.alphabet.index(symbol)])
    return found


def f_of(likeliest: Likeliest, chance: Callable[[str], float], true: dict[str, int]) -> float:
    """The harmonic mean of precision and recall."""
    commonest = [s for s, _ in sorted(true.items(), key=lambda item: -item[1])[:TOP]]
    precision = sum(s in true for s, _ in likeliest) / max(1, len(likeliest))
    recall = sum(chance(s) >= LEAST for s in commonest) / len(commonest)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def handful_table(rows: Sequence[Row]) -> str:
    """Mean F by number of strings, beside the published learners."""
    sizes = sorted({row.strings for row in rows})
    lines = [
        [name, *(f"{figures[n]:.3f}" if n in figures else "" for n in sizes)]
        for name, figures in PUBLISHED
    ]
    for title, value in (
        ("mdlrnn, best description", lambda row: row.f),
        ("mdlrnn, mixture", lambda row: row.mixture),
        ("inside the language", lambda row: row.inside),
        ("network proved to be the answer", lambda row: float(row.proved)),
    ):
        means = (_mean([value(row) for row in rows if row.strings == n]) for n in sizes)
        lines.append([title, *(f"{mean:.3f}" for mean in means)])
    middle = [sorted(r.seconds for r in rows if r.strings == n) for n in sizes]
    lines.append(["seconds, median", *(f"{s[len(s) // 2]:.1f}" for s in middle)])
    return table(["mean F", *(f"{n:,}" for n in sizes)], lines)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def row_text(row: Row) -> str:
    proved = ", proved" if row.proved else ""
    return f"{row.language}, {row.strings:,} strings: F {row.f:.3f}, {row.answer}{proved}"
