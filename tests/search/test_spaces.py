"""Islands with different sets of parts: which they are, what may move, and that runs repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import mdlrnn
from helpers.strategies import networks
from mdlrnn import Corpus, Encoding, Network, Search, Stop
from mdlrnn.kernels._genome import network_from_row, row_of
from mdlrnn.languages import language_from
from mdlrnn.network._code import length
from mdlrnn.network._units import Connection, Unit, Weight
from mdlrnn.search._island import Problem, rows_of
from mdlrnn.search._migration import fits, island_problem

CORPUS = Corpus.from_strings(["ab", "aabb", "b", ""], [4, 2, 1, 1])
SMALL = Search(islands=6, population=20, migration_interval=5)


def problem_of(search: Search = SMALL, encoding: Encoding | None = None) -> Problem:
    return Problem(CORPUS, search, encoding or Encoding.every_part())


def test_published_schemes_have_one_space() -> None:
    for encoding in (Encoding(), Encoding("tacl2022", products=True)):
        problem = problem_of(encoding=encoding)
        assert all(island_problem(problem, island) is problem for island in range(16))


def test_islands_have_different_parts_of_those_allowed() -> None:
    spaces = [island_problem(problem_of(), island) for island in range(6)]
    assert len({(p.encoding, p.search.unrestricted) for p in spaces}) == 6
    assert spaces[0].encoding == Encoding.every_part()
    assert spaces[1].encoding == Encoding("parts")
    few = Encoding("parts", ("linear", "mod3"))
    for island in range(16):
        own = island_problem(problem_of(encoding=few), island).encoding
        assert set(own.activations) <= {"linear", "mod3"}
        assert not own.products


@given(networks(inputs=3, outputs=3))
def test_the_archive_has_room_for_every_network(network: Network) -> None:
    assert fits(row_of(network), island_problem(problem_of(), 0))


@given(networks(inputs=3, outputs=3))
def test_a_network_fits_where_its_parts_and_connections_are_allowed(network: Network) -> None:
    for island in range(6):
        own = island_problem(problem_of(), island)
        expected = {u.activation for u in network.units} <= set(own.encoding.activations)
        expected &= own.encoding.products or all(u.type == "sum" for u in network.units)
        if not own.search.unrestricted:
            expected &= all(not 3 <= c.source < 6 and c.target >= 3 for c in network.connections)
        assert fits(row_of(network), own) == expected


def test_a_connection_from_an_output_fits_unrestricted_islands_only() -> None:
    odd = Network(3, 3, (Unit(),) * 6, (Connection(3, 4, "forward", Weight(1)),))
    found = [fits(row_of(odd), island_problem(problem_of(), island)) for island in range(6)]
    assert found == [True, False, False, False, True, False]


@pytest.mark.parametrize("restarts", [True, False])
def test_networks_stay_in_the_space_of_their_island(restarts: bool) -> None:
    search = Search(islands=6, population=20, migration_interval=5, restarts=restarts)
    run = mdlrnn.evolve(CORPUS, search, stop=Stop(generations=60), workers=1, progress=False)
    assert run.archipelago.migrations == 12
    problem = Problem(CORPUS, run.search, run.encoding)
    for island, state in enumerate(run.archipelago.islands):
        own = island_problem(problem, island)
        for row, g in zip(rows_of(state), state.lengths.tolist(), strict=True):
            assert fits(row, own)
            assert length(network_from_row(row, 3, 3), Encoding.every_part()) == g


def test_runs_repeat_on_any_number_of_threads() -> None:
    digests = {
        mdlrnn.evolve(
            CORPUS, SMALL, stop=Stop(generations=40), workers=threads, progress=False
        ).archipelago.digest()
        for threads in (1, 2)
    }
    assert len(digests) == 1


def test_a_run_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    whole = mdlrnn.evolve(CORPUS, SMALL, stop=Stop(generations=40), progress=False)
    folder = tmp_path / "run"
    mdlrnn.evolve(CORPUS, SMALL, stop=Stop(generations=17), out=folder, progress=False)
    again = mdlrnn.resume(folder, stop=Stop(generations=40), progress=False)
    assert again.archipelago.digest() == whole.archipelago.digest()
    assert again.encoding == Encoding.every_part()


def test_the_papers_tasks_keep_the_papers_units_and_others_get_every_part() -> None:
    assert language_from("anbn").encoding() == Encoding()
    assert "mod3" in language_from("dyck2").encoding().activations
    for given_ in ("a^n b^3n", ["ab", "aabb"], CORPUS):
        assert language_from(given_).encoding() == Encoding.every_part()


def test_a_scheme_s_name_takes_the_papers_units_under_it() -> None:
    every, task = Encoding.every_part(), Encoding("paper", ("linear", "mod3"), products=True)
    assert Search(encoding="paper").encoding_for(every) == Encoding()
    assert Search(encoding="parts").encoding_for(task) == every
    assert Search(encoding="parts").encoding_for(every) == every
    assert Search.paper().unrestricted  # the paper bars no connection
    assert Search.paper().encoding_for(every) == Encoding()
    assert Search.paper().encoding_for(task) == task
