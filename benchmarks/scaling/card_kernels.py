"""Where the time of a generation goes on a graphics card, kernel by kernel.

    python benchmarks/scaling/card_kernels.py
    python benchmarks/scaling/card_kernels.py --corpora dyck2_20000 --generations 310 --islands 1024

For each corpus a search runs for so many generations and prints how long one takes after the first
migration. Then it runs ten more and waits for each kernel. There no kernels run side by side, so
that those of a batch take longer together than a batch does otherwise. It needs the
source tree, a card and the extra `gpu`, and takes about half a minute a corpus.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from mdlrnn.interface._evolve import CARD_ISLANDS
from mdlrnn.kernels.gpu._cuda import name_of_card, require_card, synchronize
from mdlrnn.languages import language_from
from mdlrnn.search._island import Problem
from mdlrnn.search._settings import Search

MEASURED = 10
"""Generations in which kernels are waited for."""
BRED = ("choose", "change", "finish", "replace")
"""Kernels of `gpu._breeding`."""


class Clock:
    """Seconds by the name of a kernel."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., None]:
        def run(*given: Any) -> None:
            synchronize()
            began = time.perf_counter()
            work(*given)
            synchronize()
            self.spent[name] += time.perf_counter() - began

        return run


class Timed:
    """Stands in for a kernel and times each launch of it."""

    def __init__(self, name: str, kernel: Any, clock: Clock) -> None:
        self.name, self.kernel, self.clock = name, kernel, clock

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        return self.clock.timed(self.name, self.kernel[configuration])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpora", default="anbn_500,anbncndn_500")
    parser.add_argument("--generations", type=int, default=600)
    parser.add_argument("--islands", type=int, default=CARD_ISLANDS)
    parser.add_argument("--population", type=int, default=Search.population)
    given = parser.parse_args()
    require_card()
    print(name_of_card(), flush=True)
    for name in given.corpora.split(","):
        search = Search(islands=given.islands, population=given.population)
        source = language_from(name)
        problem = Problem(source.corpus(), search, search.encoding_for(source.encoding()))
        measure(name, problem, given.generations)


def measure(name: str, problem: Problem, generations: int) -> None:
    from mdlrnn.search.workers._card_islands import Islands
    from mdlrnn.search.workers._cards import advance_and_migrate

    search = problem.search
    islands = Islands(problem)
    islands.begin()
    islands.get_ready()
    first = search.migration_interval if search.migration_interval < generations else 0
    advance_and_migrate(islands, 0, first)
    began = time.perf_counter()
    advance_and_migrate(islands, first, generations)
    each = (time.perf_counter() - began) / (generations - first)
    rate = search.islands * search.population / each
    print(f"{name}, {search.islands} islands, {generations:,} generations")
    print(f"  {1e3 * each:.2f} ms a generation, {rate:,.0f} steps a second", flush=True)
    batches = MEASURED * len([size for size in islands._batch_sizes() if size])
    for kernel, spent in kernel_seconds(islands, generations + MEASURED).items():
        print(f"  {kernel:<8} {1e3 * spent / batches:7.3f} ms a batch", flush=True)


def kernel_seconds(islands: Any, generation: int) -> dict[str, float]:
    """Seconds by kernel, up to that generation."""
    from mdlrnn.kernels.gpu import breeding as _breeding
    from mdlrnn.search.workers import _card_islands as _islands

    clock = Clock()
    islands.repeated = [partial(islands._batch, deck) for deck in islands.decks]
    with ExitStack() as stack:
        for module, kernel in (*((_breeding, kernel) for kernel in BRED), (_islands, "plan")):
            timed = Timed(kernel, getattr(module, f"{kernel}_kernel"), clock)
            stack.enter_context(patch.object(module, f"{kernel}_kernel", timed))
        feed = clock.timed("feed", vars(_islands)["feed"])
        stack.enter_context(patch.object(_islands, "feed", feed))
        islands.advance(generation)
    return clock.spent


if __name__ == "__main__":
    main()
