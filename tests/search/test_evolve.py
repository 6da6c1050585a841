"""The search: what it returns, and that nothing but its settings decides it."""

from __future__ import annotations

import _thread
import math
import multiprocessing
import os
import random
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

import mdlrnn.search._evolve as evolve_module
import mdlrnn.search._island as island
from helpers.data import is_one_sentence
from mdlrnn import Corpus, Encoding, InputError, Objective, Run, Search, Stop, evolve, score, zoo
from mdlrnn.kernels._advance import IMPROVED_AT
from mdlrnn.kernels._genome import network_from_row, row_of
from mdlrnn.results import Progress
from mdlrnn.search._evolve import check_interval, evolve_islands
from mdlrnn.search._migration import is_crowded, patience_of
from mdlrnn.search._settings import UNLIMITED

CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [6, 4, 2, 1])
_RANDOM = random.Random(1)
NOISE = Corpus.from_strings(
    "".join(_RANDOM.choices("ab", k=_RANDOM.randint(1, 12))) for _ in range(60)
)
"""Strings without sense: |D:G| alone makes networks grow and grow on them."""
SEARCH = Search(expressions=False, islands=6, population=30, migration_interval=20)
"""Islands of both kinds: the last two are crowded."""
STOP = Stop(generations=120)
PROBLEM = island.Problem(CORPUS, SEARCH, Encoding.every_part())
# Settings under which networks grow fast when |G| costs nothing.
GROWING = replace(
    SEARCH, distinct=False, restarts=False, further_mutation_rate=0.5, redraw_weight_rate=0.1,
    compound_mutation_rate=0.5, crossover_rate=0.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def run() -> Run:
    return evolve(CORPUS, SEARCH, stop=STOP, workers=2)


def digest(search: Search = SEARCH, **options: Any) -> str:
    return evolve(CORPUS, search, stop=STOP, **options).archipelago.digest()


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_matter(run: Run, threads: int) -> None:
    assert digest(workers=threads) == run.archipelago.digest()


def test_processes_do_not_matter(run: Run) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert digest(workers=pool) == run.archipelago.digest()


def test_a_cluster_does_not_matter_even_when_a_worker_dies(run: Run) -> None:
    distributed = pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    )
    with cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        killed: list[int] = []

        def kill_one(progress: Progress) -> None:
            if progress.generation == 60 and not killed:
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        executor: Executor = client.get_executor(pure=False)
        assert digest(workers=executor, on_progress=kill_one) == run.archipelago.digest()
        assert killed


def test_another_seed_gives_other_networks(run: Run) -> None:
    assert digest(seed=8) != run.archipelago.digest()


@pytest.mark.parametrize("at", [0, 20, 80])
def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(run: Run, at: int) -> None:
    stopped = evolve(CORPUS, SEARCH, stop=STOP, on_progress=lambda p: p.generation >= at)
    assert (stopped.reason, stopped.archipelago.generation) == ("stopped", at)
    whole = evolve_islands(PROBLEM, STOP, start=stopped.archipelago)
    assert whole.archipelago.digest() == run.archipelago.digest()
    assert whole.front == run.front
    assert untimed(whole) == untimed(run)


def test_ctrl_c_gives_back_the_run_so_far(run: Run) -> None:
    def press(progress: Progress) -> None:
        if progress.generation == 40:
            _thread.interrupt_main()

    stopped = evolve(CORPUS, SEARCH, stop=STOP, on_progress=press)
    assert (stopped.reason, stopped.archipelago.generation) == ("stopped", 40)
    assert stopped.score == score(stopped.best, CORPUS, stopped.encoding)
    whole = evolve_islands(PROBLEM, STOP, start=stopped.archipelago)
    assert whole.archipelago.digest() == run.archipelago.digest()


def test_more_generations_go_on_from_fewer(run: Run) -> None:
    short = evolve(CORPUS, SEARCH, stop=Stop(generations=33))
    whole = evolve_islands(PROBLEM, STOP, start=short.archipelago)
    assert whole.archipelago.digest() == run.archipelago.digest()


def untimed(run: Run) -> list[dict[str, float]]:
    return [{k: v for k, v in entry.items() if k != "seconds"} for entry in run.history]


def test_the_run_says_why_it_ended(run: Run) -> None:
    assert run.reason == "generations"
    assert run.archipelago.generation == STOP.generations == STOP.last_generation == 120
    assert (run.stop, run.search) == (STOP, replace(SEARCH, encoding=run.encoding))
    assert run.statistics.steps == 120 * 6 * 30
    easy = evolve(CORPUS, SEARCH, stop=replace(STOP, target=run.value))
    assert (easy.reason, easy.value) == ("target", run.value)
    assert easy.archipelago.generation <= 120
    idle = evolve(CORPUS, SEARCH, stop=Stop(generations=10_000, patience=40))
    assert idle.reason == "patience"
    assert idle.archipelago.generation - idle.archipelago.improved_at >= 40
    brief = evolve(CORPUS, SEARCH, stop=Stop(seconds=0.2))
    assert brief.reason == "time"
    assert brief.statistics.seconds >= 0.2
    none = evolve(CORPUS, SEARCH, stop=Stop(generations=0))
    assert (none.reason, none.statistics.steps) == ("generations", 0)


def test_the_best_network_has_the_score_that_is_claimed(run: Run) -> None:
    assert run.encoding == Encoding.every_part()
    assert run.score == score(run.best, CORPUS, run.encoding)
    assert run.value == run.score.mdl == min(entry["value"] for entry in run.history)
    assert run.best.alphabet == CORPUS.alphabet


def test_the_front_is_the_lower_left_edge_and_its_scores_are_true(run: Run) -> None:
    for (_, one), (_, other) in pairwise(run.front):
        assert one.g < other.g
        assert one.d_given_g > other.d_given_g
    for network, claimed in run.front:
        assert claimed == score(network, CORPUS, run.encoding)
        assert math.isfinite(claimed.d_given_g)
    noted = [(g, bits) for g, bits, _ in run.archipelago.front()]
    assert noted == [(s.g, s.d_given_g) for _, s in run.front]
    assert min(s.mdl for _, s in run.front) <= run.value
    for state in run.archipelago.islands:
        for i in range(SEARCH.population):
            g, bits = int(state.lengths[i]), float(state.bits[i])
            assert any(a <= g and b <= bits for a, b in noted) or math.isinf(bits)


def test_the_history_falls(run: Run) -> None:
    values = [entry["value"] for entry in run.history]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)
    generations = [entry["generation"] for entry in run.history]
    assert generations == sorted(generations)
    assert generations[0] == 0


@pytest.mark.parametrize("tournament", [2, 3, 5])
@pytest.mark.parametrize("distinct", [True, False])
def test_no_island_ever_loses_its_best(tournament: int, distinct: bool) -> None:
    seen: list[tuple[float, ...]] = []

    def look(progress: Progress) -> None:
        seen.append(progress.island_values)

    search = replace(
        SEARCH,
        migration_interval=2,
        tournament=tournament,
        distinct=distinct,
        restarts=False,
    )
    run = evolve(CORPUS, search, stop=Stop(generations=60), on_progress=look)
    assert len(seen) > 20
    for before, after in pairwise(seen):
        assert all(now <= then for then, now in zip(before, after, strict=True))
    for state in run.archipelago.islands:
        assert state.best_value[0] == state.values.min()


@pytest.mark.parametrize("crowded", [False, True])
def test_on_a_crowded_island_a_good_network_does_not_drive_out_the_others(crowded: bool) -> None:
    corpus = Corpus.from_strings(["ab", "aabb", "aaabbb", "aaaabbbb"], [600, 400, 200, 100])
    problem = island.Problem(corpus, replace(SEARCH, crossover_rate=0.0), Encoding())
    state = island.new_island(problem, island.random_states(1, 1)[0])
    good = row_of(zoo.load("anbn"))
    state.genomes[0, : good.size] = good
    state.values[0] = score(zoo.load("anbn"), corpus, problem.encoding).mdl
    after = island.epoch(problem, state, 60, crowded)
    assert (after.values <= state.values).all()
    near = int((after.values < after.values.min() + 100).sum())
    assert near <= 3 if crowded else near >= 27


def test_islands_of_every_patience_are_crowded_and_not() -> None:
    kinds = {(is_crowded(SEARCH, i), patience_of(i)) for i in range(1, 16)}
    assert kinds == {(crowded, waits) for crowded in (False, True) for waits in (1, 4, 16)}
    assert not any(is_crowded(Search.paper(), i) for i in range(16))
    assert not any(is_crowded(replace(SEARCH, elitist=False), i) for i in range(16))


def test_migration_spreads_the_best_network() -> None:
    ring = replace(SEARCH, restarts=False)
    alone, together = (
        evolve(CORPUS, replace(ring, migration_size=size), stop=Stop(generations=20))
        for size in (0, 2)
    )
    assert alone.archipelago.migrations == together.archipelago.migrations == 1
    before = sorted(state.values.min() for state in alone.archipelago.islands)
    after = sorted(state.values.min() for state in together.archipelago.islands)
    assert before[0] == after[0]
    assert after[1] == before[0]


@pytest.mark.parametrize(("crossover_rate", "generations"), [(0.0, 200), (0.25, 180)])
def test_rows_that_grow_change_nothing(
    monkeypatch: pytest.MonkeyPatch, crossover_rate: float, generations: int
) -> None:
    search = replace(GROWING, population=15, crossover_rate=crossover_rate)
    stop = Stop(generations=generations)
    digests, widths = set(), []
    for words in (8, 16384):
        monkeypatch.setattr(island, "ROW_WORDS", words)
        grown = evolve(NOISE, search, stop=stop, objective=Objective.named("d")).archipelago
        digests.add(grown.digest())
        widths += [state.genomes.shape[1] for state in grown.islands]
        assert max(row.size for state in grown.islands for row in island.rows_of(state)) > 256
    assert len(digests) == 1
    assert 256 < max(widths[:6]) < 16384 == min(widths[6:])


def test_networks_stay_within_their_bounds() -> None:
    search = replace(GROWING, max_units=8, max_connections=16)
    grown = evolve(NOISE, search, stop=Stop(generations=300), objective="d")
    rows = [row for state in grown.archipelago.islands for row in island.rows_of(state)]
    networks = [network_from_row(row, 3, 3, CORPUS.alphabet) for row in rows]
    assert max(len(network.units) for network in networks) == 8
    assert max(len(network.connections) for network in networks) == 16


@pytest.mark.parametrize("name", ["g", "d", "d+l1", "d+l2"])
def test_the_objective_is_what_falls(name: str) -> None:
    objective = Objective.named(name)
    run = evolve(CORPUS, SEARCH, stop=STOP, objective=objective)
    assert run.value == pytest.approx(objective(run.score), rel=1e-12)
    assert run.value <= run.history[0]["value"]


def test_products_and_other_activations_are_used_only_where_allowed() -> None:
    names = ("linear", "relu", "mod2")
    encoding = Encoding(activations=names, products=True)
    search = replace(SEARCH, encoding=encoding, distinct=False)
    run = evolve(NOISE, search, stop=STOP, objective=Objective.named("d"))
    assert run.encoding == encoding
    units = [unit for network, _ in run.front for unit in network.units]
    assert {unit.activation for unit in units} <= set(names)
    rows = [row for state in run.archipelago.islands for row in island.rows_of(state)]
    every = [unit for row in rows for unit in network_from_row(row, 3, 3, CORPUS.alphabet).units]
    assert "product" in {unit.type for unit in every}


def test_numeric_corpora_are_searched_too() -> None:
    corpus = Corpus.from_sequences([[[0.0], [1.0], [1.0]]], [[[0.0], [0.0], [1.0]]])
    run = evolve(corpus, SEARCH, stop=Stop(generations=40))
    assert (run.best.inputs, run.best.outputs, run.best.alphabet) == (1, 1, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"islands": 0}, {"population": 1}, {"tournament": 1}, {"tournament": 31},
        {"migration_size": 30}, {"migration_seconds": 0}, {"encoding": "morse"},
        {"encoding": ("linear",)}, {"crossover_rate": 0.96}, {"stack_rate": math.nan},
        {"further_mutation_rate": -0.1}, {"unrestricted": 1}, {"max_units": 4097},
    ],
)  # fmt: skip
def test_senseless_settings_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        replace(SEARCH, **changes)
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0}, {"seconds": math.inf}, {"target": math.nan}, {"target": "low"},
        {"patience": 0}, {"generations": True}, {"generations": -1},
    ],
)  # fmt: skip
def test_senseless_limits_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        Stop(**limits)
    assert is_one_sentence(str(caught.value))


def test_without_a_limit_a_search_has_the_generations_of_the_paper() -> None:
    assert Stop().last_generation == Stop(target=1.0, patience=3).last_generation == 25_000
    assert Stop(seconds=1.0).last_generation == UNLIMITED
    assert Stop(generations=3, seconds=1.0).last_generation == 3


def test_settings_survive_a_dictionary() -> None:
    encoding = Encoding(products=True)
    search = Search.paper(encoding=encoding)
    assert Search.from_dict(search.to_dict(), encoding) == search
    assert search.islands == 250
    with pytest.raises(InputError, match="newer version"):
        Search.from_dict({**search.to_dict(), "novelty": 1})
    stop = Stop(patience=5, seconds=2.5, proved=True)
    assert Stop.from_dict(stop.to_dict()) == stop
    older = {name: value for name, value in stop.to_dict().items() if name != "proved"}
    assert Stop.from_dict(older) == replace(stop, proved=False)


def test_a_field_that_a_search_has_not_is_refused() -> None:
    assert Search().but({"population": 7}) == Search(population=7)
    for make in (Search().but, lambda changes: Search.paper(**changes)):
        with pytest.raises(
            InputError, match="Search has no field 'grafts'; its fields are"
        ) as caught:
            make({"grafts": 0.5})
        assert is_one_sentence(str(caught.value))


def test_a_search_takes_the_encoding_that_fits_the_source_unless_it_has_its_own() -> None:
    fitting = Encoding(activations=("linear", "mod2"), products=True)
    assert Search().encoding_for(fitting) == fitting
    assert Search(encoding="tacl2022").encoding_for(fitting) == replace(fitting, scheme="tacl2022")
    assert Search(encoding=Encoding()).encoding_for(fitting) == Encoding()


def test_limits_too_small_for_the_corpus_are_refused() -> None:
    corpus = Corpus.from_strings(["ab"])
    with pytest.raises(InputError, match="max_units is 5, but the corpus needs 3 inputs"):
        evolve(corpus, Search(max_units=5))
    with pytest.raises(InputError, match="max_connections is 2, but each of the 3 outputs"):
        evolve(corpus, Search(max_connections=2))


def test_random_networks_keep_to_the_limit_of_connections() -> None:
    corpus = Corpus.from_strings(["abcd"])
    search = Search(islands=2, population=50, max_connections=5)
    run = evolve(corpus, search, stop=Stop(generations=0))
    rows = [row for state in run.archipelago.islands for row in state.genomes]
    assert max(int(row[1]) for row in rows) <= 5


def test_progress_is_told_even_when_there_is_nothing_left_to_do() -> None:
    told = []
    search, stop = Search(islands=1, population=5), Stop(generations=0)
    evolve(["ab"], search, stop=stop, on_progress=lambda p: told.append(p.generation))
    assert told == [0]


def test_a_corpus_of_empty_strings_is_refused() -> None:
    with pytest.raises(InputError, match="all strings of the corpus are empty"):
        evolve(Corpus.from_strings(["", ""]), Search(islands=1, population=5))


def test_stagnant_islands_hand_over_their_best_and_restart() -> None:
    """A tiny corpus is solved at once, so that every island stagnates at every migration."""
    corpus = Corpus.from_strings(["ab", "ab", "abab"])
    search = Search(expressions=False, islands=4, population=20, migration_interval=20)
    seen: list[Progress] = []
    run = evolve(corpus, search, stop=Stop(generations=60), on_progress=seen.append)
    best = math.inf
    for progress in seen:
        best = min(best, *progress.island_values)
        assert min(progress.island_values) == best, "the best network is never lost"
    restarted = [
        state for state in run.archipelago.islands[1:] if state.counters[IMPROVED_AT] > 20 * 20
    ]
    assert restarted, "some island restarted after the first migration"
    assert run.value == best


def test_without_restarts_networks_travel_instead() -> None:
    corpus = Corpus.from_strings(["ab", "aabb", "aaabbb"])
    plain = replace(SEARCH, islands=3, migration_interval=10, restarts=False)
    values, alone = (
        evolve(corpus, search, stop=Stop(generations=30)).archipelago.islands
        for search in (plain, replace(plain, migration_size=0))
    )
    assert [s.values.tolist() for s in values] != [s.values.tolist() for s in alone]


def test_the_clock_starts_when_the_first_island_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    run_legs = vars(evolve_module)["run_legs"]

    def slowly(*arguments: Any) -> Any:
        made = run_legs(*arguments)
        now[0] += 100.0 if len(made) == 1 else 0.0
        return made

    monkeypatch.setattr(evolve_module, "run_legs", slowly)
    monkeypatch.setattr(evolve_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    found = evolve_islands(PROBLEM, Stop(generations=20, seconds=50.0), workers=1)
    assert found.reason == "generations"
    assert found.statistics.seconds == 0.0


def test_looks_are_closer_where_nothing_keeps_networks_small() -> None:
    free = PROBLEM._replace(objective=Objective(g=0, d=1))
    held = PROBLEM._replace(objective=Objective(g=0, d=1, l1=1))
    few = PROBLEM._replace(search=replace(SEARCH, migration_interval=10**6))
    often = free._replace(search=few.search)
    assert check_interval(held) == check_interval(PROBLEM)
    assert check_interval(often) == round(check_interval(few) / 16)
