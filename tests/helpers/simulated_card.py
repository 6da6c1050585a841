"""What the tests of `gpu` run in Numba's simulator, in a process of its own, since Numba decides
when it is imported whether kernels are simulated. Prints one JSON object."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from numba.core import types
from numba.cuda.simulator.kernelapi import FakeCUDAShared
from numba.np.numpy_support import as_dtype

from helpers.data import vectors
from mdlrnn import Corpus, Encoding, Network, Run, Search, Stop, evolve, resume, score_many, zoo
from mdlrnn.kernels import ANCESTRY, CONSTRUCTED
from mdlrnn.kernels.gpu import _feeding, _scoring
from mdlrnn.kernels.gpu import _feeding as _sweep
from mdlrnn.kernels.gpu import breeding as _breeding
from mdlrnn.kernels.gpu.breeding import batch_begin
from mdlrnn.network._units import ACTIVATIONS, Connection, Unit, Weight
from mdlrnn.results import Progress
from mdlrnn.search._archipelago import Archipelago, network_of
from mdlrnn.search._island import Problem, front_of, rows_of
from mdlrnn.search._migration import fits, island_problem
from mdlrnn.search.workers import _card_islands as _islands
from mdlrnn.search.workers import _card_islands as _roles
from mdlrnn.search.workers._card import evolve_on_card
from mdlrnn.search.workers._card_islands import Islands
from mdlrnn.search.workers._cards import arrive, depart, joined, migrate, on_card
from mdlrnn.search.workers._spread import Spread
from mdlrnn.search.workers._workers import workers_with_cards

warnings.filterwarnings("ignore", category=RuntimeWarning)  # random words overflow, as they should
sys.setswitchinterval(5e-5)  # the simulator's main thread only looks whether the others are done
STRINGS = ["ab", "aabb", "aaabbb", "ab"]


def problem(encoding: Encoding | None = None, **changes: Any) -> Problem:
    settings = {"islands": 2, "population": 6, "migration_interval": 2} | changes
    scheme = encoding or Encoding("paper")
    return Problem(Corpus.from_strings(STRINGS), Search(**settings), scheme, seed=3)


def pairs(networks: list[Network], corpus: Corpus, encoding: Encoding | None) -> list[Any]:
    here = score_many(networks, corpus, encoding, workers=1)
    there = score_many(networks, corpus, encoding, workers="cuda")
    return [
        [[s.g, s.d_given_g, s.l1, s.l2] for s in both] for both in zip(here, there, strict=True)
    ]


FEW = {"anbn_100": 1, "addition_100": 1, "population": 4}
MORE = {"anbn_100": 2, "addition_100": 1, "dyck2_200": 2, "population": 12}


def scores(how_many: str) -> Any:
    """Of the authors' networks, and of random ones with every activation, loops and products."""
    counts = dict(MORE if how_many == "more" else FEW)
    population = counts.pop("population")
    found = []
    for name, count in counts.items():
        known = vectors(name)
        found += pairs(known.networks[:count], known.corpus, known.encoding)
    every = Encoding("paper", tuple(ACTIVATIONS), products=True)
    task = problem(every, unrestricted=True, islands=1, population=population)
    islands = Islands(task)
    islands.begin()
    islands.advance(1)
    state = islands.states()[0]
    networks = [network_of(task, row) for row in rows_of(state)]
    found += pairs(networks, task.corpus, every)
    used = {unit.activation for network in networks for unit in network.units}
    products = any(unit.type == "product" for network in networks for unit in network.units)
    return {"pairs": found, "activations": len(used), "products": products}


def tangled(count: int, inputs: int, outputs: int) -> list[Network]:
    """Networks with loops, cycles, products and every activation; none of them is infinite."""
    draw = random.Random(7)
    names = list(ACTIVATIONS)

    def weight() -> Weight:
        return Weight(draw.choice([-1, 1]) * draw.randint(1, 3), draw.randint(1, 3))

    networks = []
    for _ in range(count):
        units = [Unit("linear")] * inputs
        units += [Unit("sigmoid", bias=Weight(1, draw.randint(1, 4))) for _ in range(outputs)]
        for _ in range(draw.randint(2, 9)):
            kind = "product" if draw.random() < 0.25 else "sum"
            units.append(Unit(draw.choice(names), kind, weight() if draw.random() < 0.6 else None))
        share = draw.choice([0.1, 0.25])
        connections = [
            Connection(source, target, kind, weight())
            for source in range(len(units))
            for target in range(inputs, len(units))
            for kind in ("forward", "recurrent")
            if draw.random() < share and (kind == "recurrent" or source != target)
        ]
        networks.append(Network(inputs, outputs, tuple(units), tuple(connections)))
    return networks


def uncut(part: str) -> Any:
    """Scores without saturation: of a stack that outgrows 10^6, cut and not, of random networks,
    and of a search; on a tree that counts as large, or on a small one."""
    _scoring.LARGE_TREE = 1 if part == "large" else 2048
    stack = zoo.golden("dyck2_pcfg")
    deep = Corpus.from_strings(["[" * 14 + "]" * 14, "()"])
    found = pairs([stack, replace(stack, saturation=True)], deep, None)
    corpus = Corpus.from_strings(STRINGS)
    networks = tangled(3, corpus.inputs, corpus.outputs)
    every = Encoding("paper", tuple(ACTIVATIONS), products=True)
    found += pairs([replace(network, saturation=False) for network in networks], corpus, every)
    run = evolve_on_card(problem(islands=1, population=4, saturation=False), Stop(generations=1))
    best = run.best.saturation, run.value == score_many([run.best], corpus, run.encoding)[0].mdl
    return {"pairs": found, "best": best}


def swept(count: str) -> Any:
    """Scores where a tree counts as large: networks that are swept, and some too long for it."""
    corpus = Corpus.from_strings([*STRINGS, "aababb", "abab"])
    networks = tangled(int(count), corpus.inputs, corpus.outputs)
    every = Encoding("paper", tuple(ACTIVATIONS), products=True)
    _scoring.LARGE_TREE = 1
    found = pairs(networks, corpus, every)
    _feeding.feed_kernel.cache_clear()
    _sweep.MOST_WORDS = 16
    return {"pairs": found + pairs(networks, corpus, every)}


def goes_on() -> Any:
    """An island that goes on in one go, in two, with wider rows, and with one thread in two that
    has work, in warps of four; and its networks' scores."""
    task = problem(population=4)
    whole = Islands(task)
    whole.begin()
    whole.advance(1)
    middle = whole.states()
    whole.advance(2)
    with patch.object(_islands, "spread_for", return_value=2):
        other = Islands(task)
    vars(_breeding)["WARP"] = 4
    other.upload(middle)
    other._widen()
    other.advance(2)
    names = ("genomes", "values", "lengths", "bits", "random", "front_lengths", "front_bits")
    same = True
    for one, two in zip(whole.states(), other.states(), strict=True):
        for name in names:
            a, b = getattr(one, name), getattr(two, name)
            same = same and bool(np.array_equal(a, b))
    wrong = 0.0
    for state in whole.states():
        known = [(v, row) for v, row in zip(state.values, rows_of(state), strict=True) if v < 1e300]
        known += [(g + d, row) for g, d, row in front_of(state)]
        rows = [network_of(task, row) for _, row in known]
        for (value, _), score in zip(
            known, score_many(rows, task.corpus, task.encoding), strict=True
        ):
            wrong = max(wrong, abs(score.mdl - value) / value)
    best = min(float(state.values.min()) for state in middle)
    return {
        "same": same,
        "batches": all(map(batches_are_whole, range(2, 130))),
        "wrong": wrong,
        "steps": whole.counters.copy_to_host()[:, 0].tolist(),
        "no worse": bool(whole.best()[0].min() <= best),
        "front": [entry[0] for entry in whole.front()],
    }


def clock() -> Any:
    """A run whose islands take longer to make than it may last, by a clock of which nothing else
    takes any time."""
    from mdlrnn.search import _evolve
    from mdlrnn.search.workers import _card

    now = [0.0]
    begin = Islands.begin

    def slowly(islands: Islands) -> None:
        begin(islands)
        now[0] += 100.0

    setattr(Islands, "begin", slowly)  # noqa: B010
    for module in (_card, _evolve):
        vars(module)["time"] = SimpleNamespace(monotonic=lambda: now[0])
    run = evolve_on_card(problem(islands=1, population=4), Stop(generations=1, seconds=50.0))
    return {"reason": run.reason, "steps": run.statistics.steps}


def batches_are_whole(population: int) -> bool:
    """Whether the batches of a generation follow on each other, none of them empty."""
    steps = 0
    while steps < population:
        begin, end = batch_begin(steps, population)
        if begin != steps or end <= begin:
            return False
        steps = end
    return steps == population


def migrates() -> Any:
    """Restarts, archives, and a ring with sets of parts of which some networks do not fit."""
    _roles.GROUP = 3
    task = problem(islands=5, population=4)
    islands = Islands(task)
    islands.begin()
    before = islands.states()
    never = 2**62
    # The second island of the first group waits on; the archives are the islands 0 and 3.
    islands.waits.copy_to_device(np.array([never, 0, never, never, 0]))
    migrate(islands, 0)
    after = islands.states()
    kept = [
        float(after[archive].values.min()) == float(before[i].values.min())
        or float(after[archive].values.min()) < float(before[i].values.min())
        for archive, i in ((0, 1), (3, 4))
    ]
    new = [not np.array_equal(before[i].values, after[i].values) for i in range(5)]
    ring = problem(Encoding.every_part(), islands=3, population=3, restarts=False)
    others = Islands(ring)
    others.begin()
    migrate(others, 0)
    fitting = [
        fits(row, island_problem(ring, _roles.role_of(island)))
        for island, state in enumerate(others.states())
        for row in rows_of(state)
    ]
    return {"kept": kept, "restarted": new, "fits": fitting}


def parts(kind: str) -> Any:
    """The islands of a run on one card and on two, after migrations: with restarts, and round a
    ring with sets of parts."""
    _roles.GROUP = 2
    same = []
    kinds = [(Encoding("paper"), True, 3), (Encoding.every_part(), False, 5)]
    for encoding, restarts, count in kinds[:1] if kind == "restarts" else kinds[1:]:
        task = problem(
            encoding, islands=count, population=3, migration_interval=1, restarts=restarts
        )
        whole = Islands(task)
        cards = [Islands(task, first, after) for first, after in _roles.parts_of(count, 2)]
        for one in (whole, *cards):
            one.begin()
        cards[1].make_room(2 * whole.words)
        for turn in range(2):
            for one in (whole, *cards):
                one.advance(turn + 1)
                if turn == 0 and restarts:  # all but the archives have nothing to lose
                    waits = one.waits.copy_to_host()
                    one.waits.copy_to_device(np.where(waits < _roles.NEVER, 0, waits))
            migrate(whole, turn)
            offers = joined([offer.here() for card in cards if (offer := depart(card)) is not None])
            givers = _roles.ring_givers(task.search, turn)
            begin = 0
            for card in cards:
                end = begin + len(_roles.travellers_among(task.search, card.count))
                own = offers.taken(givers[begin:end, 0])
                card.make_room(own.rows.shape[2])
                arrive(card, on_card(own, card.words), np.arange(end - begin)[:, None])
                begin = end
        digests = [Archipelago(whole.states()).digest()]
        digests.append(Archipelago(tuple(s for card in cards for s in card.states())).digest())
        same.append(digests[0] == digests[1])
    return {"same": same, "parts": [_roles.parts_of(5, n) for n in (1, 2, 9)]}


def runs(folder: str) -> Any:
    """A run, the same again, and one that is stopped and goes on."""
    search = Search(islands=2, population=3, migration_interval=2)
    common: dict[str, Any] = {"workers": "cuda", "seed": 5, "progress": False, "prove": False}
    whole = evolve(STRINGS, search, stop=Stop(generations=3), out=f"{folder}/a", **common)
    begun = evolve(STRINGS, search, stop=Stop(generations=0), **common)
    evolve(STRINGS, search, stop=Stop(generations=2), out=f"{folder}/b", **common)
    again = resume(f"{folder}/b", stop=Stop(generations=3), progress=False, prove=False)
    moved = resume(f"{folder}/b", stop=Stop(generations=4), workers=2, progress=False, prove=False)
    scored = score_many([net for net, _ in whole.front], STRINGS, whole.encoding, workers=1)
    stopped = evolve_on_card(
        Problem(Corpus.from_strings(STRINGS), search, Encoding("paper"), seed=5),
        Stop(generations=9),
        on_progress=lambda progress: progress.generation >= 1,
    )
    return {
        "digests": [whole.archipelago.digest(), again.archipelago.digest()],
        "front": [[s.g, s.d_given_g] for _, s in whole.front],
        "scored": [[s.g, s.d_given_g] for s in scored],
        "generations": [r.archipelago.generation for r in (whole, again, moved)],
        "stopped": [stopped.reason, stopped.archipelago.generation],
        "device": [
            json.loads(Path(folder, name, "settings.json").read_text()).get("device")
            for name in ("a", "b")
        ],
        "value": [whole.value, whole.score.mdl],
        "origins": [None if r.origin is None else r.origin.to_dict() for r in (whole, again)],
        "ancestries": [
            [
                sorted({int(row[ANCESTRY]) for row in rows_of(state)})
                for state in r.archipelago.islands
            ]
            for r in (begun, whole, again)
        ],
    }


def ancestries() -> Any:
    """What networks stem from that are marked as constructed, and their offspring."""
    search = Search(islands=1, population=6, elitist=False, distinct=False)
    islands = Islands(Problem(Corpus.from_strings(STRINGS), search, Encoding("paper"), seed=5))
    islands.begin()
    state = islands.states()[0]
    state.genomes[:, ANCESTRY] = CONSTRUCTED
    islands.upload([state])
    islands.advance(1)
    later = islands.states()[0]
    return [sorted({int(row[ANCESTRY]) for row in rows_of(each)}) for each in (state, later)]


def cards(folder: str) -> Any:
    """Two seeds on two workers, each with a card of its own, and the same one after the other."""
    search = Search(islands=1, population=3, migration_interval=2)
    common: dict[str, Any] = {
        "seed": 5, "seeds": 2, "stop": Stop(generations=1), "progress": False, "prove": False,
    }  # fmt: skip
    here = every(evolve(STRINGS, search, workers="cuda", **common))
    seen = []
    results = Spread.results

    def watched(self: Spread, look: Any) -> Any:
        seen.extend(self._client.run(os.getenv, "CUDA_VISIBLE_DEVICES").values())
        return results(self, look)

    Spread.results = watched  # type: ignore[method-assign]
    there = every(evolve(STRINGS, search, workers="cuda@local:2", out=folder, **common))
    return {
        "digests": [[run.archipelago.digest() for run in runs] for runs in (here, there)],
        "values": [[run.value for run in runs] for runs in (here, there)],
        "front": [[[s.g, s.d_given_g] for _, s in runs[0].front] for runs in (here, there)],
        "best": [run.archipelago.best_row()[0] for run in there],
        "folders": [str(run.out) for run in there],
        "cards": sorted(seen),
    }


def every(run: Run) -> list[Run]:
    return [run, *run.others]


def spread(folder: str) -> Any:
    """A run on one card, on those of two workers, and on these while one of them is lost."""
    search = Search(islands=3, population=3, migration_interval=1)
    task = Problem(Corpus.from_strings(STRINGS), search, Encoding("paper"), seed=5)
    _roles.GROUP = 2
    whole = evolve_on_card(task, Stop(generations=2))
    digests = [whole.archipelago.digest()]
    killed: list[str] = []
    described: list[str] = []
    with workers_with_cards("local:2") as workers:
        workers.client.run(set_group, 2)
        for is_lost in (False, True):

            def look(progress: Progress, is_lost: bool = is_lost) -> None:
                described.append(progress.workers)
                if is_lost and progress.generation == 1 and not killed:
                    killed.append(sorted(workers.client.nthreads())[0])
                    os.kill(workers.client.run(os.getpid)[killed[0]], signal.SIGKILL)
                    while killed[0] in (there := workers.client.nthreads()) or len(there) < 2:
                        time.sleep(0.05)  # it is started again, as another one
                    workers.client.run(set_group, 2)

            run = evolve(
                task.corpus, replace(search, encoding=task.encoding), stop=Stop(generations=2),
                workers=("cuda", workers), seed=5, progress=False, prove=False, on_progress=look,
                out=f"{folder}/{is_lost}",
            )  # fmt: skip
            digests.append(run.archipelago.digest())
        again = resume(
            f"{folder}/True", stop=Stop(generations=3), workers=("cuda", workers), progress=False,
            prove=False,
        )  # fmt: skip
    more = evolve_on_card(task, Stop(generations=3))
    front = [[[s.g, s.d_given_g] for _, s in one.front] for one in (more, again)]
    return {
        "digests": digests,
        "later": [more.archipelago.digest(), again.archipelago.digest()],
        "killed": len(killed),
        "front": front,
        "described": sorted({text.split(" of ")[0] for text in described}),
    }


def set_group(size: int) -> None:
    from mdlrnn.search.workers import _card_islands as roles

    roles.GROUP = size


def one_array_a_place() -> None:
    """Let all threads of a block have the same shared array, even where they ask at the same time:
    the simulator looks for it and makes it in two steps, between which threads may switch."""
    lock, plain = threading.Lock(), FakeCUDAShared.array

    def array(self: Any, shape: Any, dtype: Any) -> Any:
        if shape == 0:
            return plain(self, shape, dtype)
        caller = sys._getframe(1)
        place = caller.f_code.co_filename, caller.f_lineno
        with lock:
            found = self._allocations.get(place)
            if found is None:
                kind = as_dtype(dtype) if isinstance(dtype, types.Type) else dtype
                found = self._allocations[place] = np.empty(shape, kind)
        return found

    FakeCUDAShared.array = array


if __name__ == "__main__":
    one_array_a_place()
    cases: dict[str, Any] = {
        "scores": scores, "swept": swept, "goes_on": goes_on, "migrates": migrates, "runs": runs,
        "cards": cards, "clock": clock, "uncut": uncut,
        "parts": parts, "spread": spread, "ancestries": ancestries,
    }  # fmt: skip
    print(json.dumps(cases[sys.argv[1]](*sys.argv[2:])))
