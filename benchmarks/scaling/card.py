"""What a search on a graphics card is worth: does it repeat itself, do its scores agree with the
CPU's, and is it as good as the CPU's at the same number of steps?

    python benchmarks/scaling/card.py
    python benchmarks/scaling/card.py --corpora anbn_500 --generations 300

For the last question eight groups of sixteen islands, which send each other nothing, stand beside
eight searches of the CPU with sixteen islands and other seeds; --groups for more of both, and
--without-cpu for those of the card alone. It needs the source tree, a card and the extra `gpu`, and
takes a few minutes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from mdlrnn.kernels._scoring import score_many
from mdlrnn.kernels.gpu._cuda import name_of_card, require_card
from mdlrnn.languages import language_from
from mdlrnn.network._encoding import Encoding
from mdlrnn.network._units import ACTIVATIONS
from mdlrnn.search._archipelago import Archipelago, network_of
from mdlrnn.search._evolve import evolve_islands
from mdlrnn.search._island import Problem, rows_of
from mdlrnn.search._settings import Search, Stop

GROUP = 16


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpora", default="anbn_500,dyck1_500,addition_400,anbncndn_500")
    parser.add_argument("--generations", type=int, default=1000)
    parser.add_argument("--islands", type=int, default=512, help="for the first two questions")
    parser.add_argument("--groups", type=int, default=8)
    parser.add_argument("--without-cpu", action="store_true")
    given = parser.parse_args()
    require_card()
    print(name_of_card(), flush=True)
    repeats_and_agrees(given.islands)
    for name in given.corpora.split(","):
        compare(name, given.generations, given.groups, not given.without_cpu)


def repeats_and_agrees(islands: int) -> None:
    """With every activation, products, and connections from anywhere to anywhere."""
    from mdlrnn.search.workers._card_islands import Islands
    from mdlrnn.search.workers._cards import advance_and_migrate

    encoding = Encoding("paper", tuple(ACTIVATIONS), products=True)
    search = Search(islands=islands, unrestricted=True, migration_interval=20)
    problem = Problem(language_from("anbn_100").corpus(), search, encoding)
    digests = []
    for _ in range(2):
        there = Islands(problem)
        there.begin()
        advance_and_migrate(there, 0, 39)
        states = there.states()
        digests.append(Archipelago(states).digest())
    print(f"repeats itself: {digests[0] == digests[1]}", flush=True)
    worst, count = 0.0, 0
    for state in states[::GROUP]:
        networks = [network_of(problem, row) for row in rows_of(state)]
        scores = score_many(networks, problem.corpus, encoding)
        for score, value in zip(scores, state.values.tolist(), strict=True):
            if not np.isfinite(value):
                assert score.mdl == value
                continue
            worst, count = max(worst, abs(score.mdl - value) / value), count + 1
    print(f"{count} networks agree with the CPU within {worst:.1e}, relative", flush=True)


def problem_of(name: str, islands: int, seed: int = 1) -> Problem:
    source = language_from(name)
    search = Search(islands=islands)
    return Problem(source.corpus(), search, search.encoding_for(source.encoding()), seed=seed)


def compare(name: str, generations: int, groups: int, with_cpu: bool) -> None:
    from mdlrnn.search.workers import _cards as _migration
    from mdlrnn.search.workers._card_islands import Islands

    def no_ring(search: Search, turn: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        return np.full((groups, 1), -1, dtype=np.int64)

    vars(_migration)["ring_givers"] = no_ring
    problem = problem_of(name, groups * GROUP)
    began = time.perf_counter()
    there = Islands(problem)
    there.begin()
    _migration.advance_and_migrate(there, 0, generations)
    found = there.best()[0].reshape(groups, GROUP).min(axis=1).tolist()
    steps = generations * GROUP * problem.search.population
    print(f"{name}, {steps:,} steps each, {groups} searches")
    say("card", found, time.perf_counter() - began)
    if with_cpu:
        began = time.perf_counter()
        stop = Stop(generations=generations)
        seeds = range(1, groups + 1)
        here = [evolve_islands(problem_of(name, GROUP, seed), stop).value for seed in seeds]
        say("CPU", here, time.perf_counter() - began)


def say(device: str, values: list[float], seconds: float) -> None:
    print(
        f"  {device:<5} median {statistics.median(values):,.2f}, "
        f"{min(values):,.2f} to {max(values):,.2f}, {seconds:.1f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
