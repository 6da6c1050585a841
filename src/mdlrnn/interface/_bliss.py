"""`bliss`: a search on each training set of the BLISS benchmark, and how far it generalises."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._files import PathLike, named, read_text, save
from ..comparisons._bliss import STRINGS, Dataset, datasets, evaluate
from ..languages import Language
from ..network._network import Network
from ..proofs._prover import Prover
from ..proofs._solver import available
from ..search._settings import Search, Stop
from ._evolve import evolve
from ._say import json_text
from ._text import table

SECONDS = 60.0
"""Of each search."""
Row = dict[str, Any]
MADE_OF = ("language", "size", "seed", "asked")
"""What a row is about; `asked` is the number of test strings asked for."""


def bliss(
    folder: PathLike,
    languages: Sequence[str] = (),
    sizes: Sequence[int] = (),
    *,
    stop: Stop | None = None,
    search: Search | None = None,
    strings: int = STRINGS,
    threads: int | None = None,
    out: PathLike | None = None,
    tell: Callable[[str], object] | None = None,
) -> list[Row]:
    """A row for each language and training size of a clone of BLISS, all of them if none are named.

    With `out` the rows are kept there, and those of the same seed and number of test strings that
    it has already are not made again.
    """
    stop = stop or Stop(seconds=SECONDS)
    search = search or Search()
    rows = [] if out is None else _read(Path(out))
    known = {tuple(row[name] for name in MADE_OF) for row in rows}
    for dataset in datasets(Path(folder), languages):
        for size in sizes or dataset.sizes():
            if (dataset.name, size, search.seed, strings) in known:
                continue
            if tell is not None:
                tell(f"{dataset.name}, {size} strings")
            rows.append(_row(dataset, size, search, stop, strings, threads))
            if out is not None:
                save(out, json_text(rows) + "\n")
    return rows


def _row(
    dataset: Dataset, size: int, search: Search, stop: Stop, strings: int, threads: int | None
) -> Row:
    run = evolve(dataset.training(size), search, stop=stop, progress=False, threads=threads)
    result = evaluate(run.best, dataset, strings)
    row = {
        "language": dataset.name, "title": dataset.task.title, "size": size, "g": run.score.g,
        "d_given_g": run.score.d_given_g, "asked": strings, "strings": result.strings,
        "right": result.right,
        "run": result.run, "first_wrong": result.first_wrong, "theorem": None, "proved": None,
        "seed": run.search.seed, "seconds": run.statistics.seconds, "network": run.best.to_dict(),
    }  # fmt: skip
    machine = dataset.task.language
    if available("z3") and isinstance(machine, Language):
        proof = Prover(machine).prove(_spelled_as(machine, run.best))
        row |= {"proved": proof.proved, "theorem": proof.statement}
    return row


def _spelled_as(machine: Language, network: Network) -> Network:
    """The network with the symbols of the task here, which has other brackets."""
    assert network.alphabet is not None
    if len(network.alphabet) != len(machine.alphabet):
        return network
    names = dict(zip(sorted(network.alphabet), sorted(machine.alphabet), strict=True))
    return replace(network, alphabet=tuple(names[symbol] for symbol in network.alphabet))


def bliss_table(rows: Sequence[Row]) -> str:
    """`run / size` is the longest run from the shortest string on without a mistake, divided by the
    number of training strings."""
    cells = [
        [
            row["title"], f"{row['size']:,}", f"{row['g']:,}",
            f"{row['right']:,} of {row['strings']:,}", f"{row['run'] / row['size']:,.1f}",
            {True: "yes", False: "no", None: "-"}[row["proved"]],
        ]
        for row in rows
    ]  # fmt: skip
    return table(["language", "strings", "|G|", "right", "run / size", "theorem"], cells, left=1)


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    try:
        rows = list(json.loads(read_text(path, "table")))
        fits = all(row.keys() >= {*MADE_OF, "title", "g", "right", "run", "proved"} for row in rows)
    except (ValueError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise InputError(f"{named(path)} is no table of BLISS; choose another file.")
    return rows
