"""How the best network came to be: kept in its row, its run and its folder, and printed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helpers.commands import Result, refused
from helpers.kernels import from_python, randomness, space_for
from mdlrnn import Corpus, Encoding, InputError, Search, Stop, evolve, resume, suggest
from mdlrnn.kernels import ANCESTRY, CONSTRUCTED, RANDOM, UNKNOWN, _offspring, marked, row_of
from mdlrnn.kernels._genome import DESCENDED
from mdlrnn.runs import status_of
from mdlrnn.runs._checkpoint import from_bytes, to_bytes
from mdlrnn.search import Archipelago, Origin, Problem, epoch, new_island, random_states, rows_of
from mdlrnn.search._archipelago import origin_of
from mdlrnn.search.suggest._founders import founders_for

STRINGS = ["ab", "aabb", "aaabbb", "aaaabbbb", "ab", "aabb", "ab", "aaaaabbbbb"] * 6
make_offspring = from_python(_offspring.make_offspring)
SMALL = Search(expressions=False, islands=3, population=20, migration_interval=5)


def problem_of(search: Search, encoding: Encoding | None = None) -> Problem:
    corpus = Corpus.from_strings(STRINGS)
    return Problem(corpus, search, encoding or Encoding.every_part())


def ancestries(rows: list[np.ndarray]) -> set[int]:
    return {int(row[ANCESTRY]) for row in rows}


def test_suggested_networks_fit_the_strings_and_come_shortest_first() -> None:
    found = suggest(STRINGS)
    assert found
    assert len(set(found)) == len(found)
    scores = [score_of(network).mdl for network in found]
    assert scores == sorted(scores)
    assert np.isfinite(scores[0])


def score_of(network: object):  # type: ignore[no-untyped-def]
    from mdlrnn import score

    return score(network, STRINGS, Encoding.every_part())


def test_numbers_suggest_nothing() -> None:
    with pytest.raises(InputError, match="networks are constructed from strings"):
        suggest("addition")


def test_a_run_that_ends_at_once_says_that_it_constructed_its_network(tmp_path: Path) -> None:
    run = evolve(STRINGS, SMALL, stop=Stop(generations=0), out=tmp_path / "r", prove=False)
    assert run.origin == Origin(True, 0)
    assert str(run.origin) == "constructed from the strings"
    assert run.best == suggest(STRINGS)[0]
    assert status_of(tmp_path / "r").origin == run.origin


def test_without_founders_all_networks_are_evolved_from_random_ones(tmp_path: Path) -> None:
    search = dataclasses.replace(SMALL, founders=False)
    run = evolve(STRINGS, search, stop=Stop(generations=20), out=tmp_path / "r", prove=False)
    assert run.origin is not None
    assert not run.origin.constructed
    assert str(run.origin) == f"evolved from random networks in {run.origin.steps:,} steps"
    assert run.origin.steps == run.history[-1]["steps"]
    for state in run.archipelago.islands:
        assert ancestries(rows_of(state)) == {RANDOM}


@pytest.mark.parametrize("scheme", ["paper", "tacl2022"])
def test_founders_are_a_setting_whatever_the_encoding(scheme: str) -> None:
    encoding = Encoding(scheme)
    assert founders_for(problem_of(SMALL, encoding), 1) == ()
    asked = problem_of(dataclasses.replace(SMALL, founders=True), encoding)
    rows = founders_for(asked, 1)
    assert rows
    assert ancestries(list(rows)) == {CONSTRUCTED}
    assert founders_for(problem_of(dataclasses.replace(SMALL, founders=False)), 1) == ()


def test_what_descends_from_a_constructed_network_says_so() -> None:
    problem = problem_of(dataclasses.replace(SMALL, crossover_rate=0.0, population=60))
    founders = founders_for(problem, 1)
    state = new_island(problem, random_states(1, 2)[1], founders)
    assert ancestries(rows_of(state)) == {RANDOM, CONSTRUCTED}
    later = epoch(problem, state, 10)
    assert DESCENDED in ancestries(rows_of(later))
    same = {row.tobytes() for row in founders}
    for row in rows_of(later):
        if row[ANCESTRY] == CONSTRUCTED:
            assert row.tobytes() in same


@pytest.mark.parametrize(("parent", "donor", "child"), [
    (RANDOM, RANDOM, RANDOM), (RANDOM, CONSTRUCTED, DESCENDED), (CONSTRUCTED, RANDOM, DESCENDED),
    (DESCENDED, RANDOM, DESCENDED), (RANDOM, UNKNOWN, UNKNOWN),
])  # fmt: skip
def test_an_offspring_of_two_stems_from_both(parent: int, donor: int, child: int) -> None:
    row = row_of(suggest(STRINGS)[0])
    space = space_for(suggest(STRINGS)[0], compound_mutation_rate=0.5)
    room = np.zeros(4096, dtype=np.int64)
    make_offspring(
        marked(row, parent), marked(row, donor), True, False, room, randomness(1), space,
        np.zeros(256, dtype=np.int64),
    )  # fmt: skip
    assert room[ANCESTRY] == child


def test_ancestry_changes_nothing_else() -> None:
    problem = problem_of(SMALL)
    founders = founders_for(problem, 1)
    random = random_states(3, 2)[1]
    one = epoch(problem, new_island(problem, random, founders), 12)
    plain = epoch(problem, new_island(problem, random, [marked(r, RANDOM) for r in founders]), 12)
    assert Archipelago((one,)).digest() == Archipelago((plain,)).digest()
    assert ancestries(rows_of(plain)) == {RANDOM}
    assert ancestries(rows_of(one)) != {RANDOM}


def test_the_origin_goes_through_migrations_checkpoints_and_resuming(tmp_path: Path) -> None:
    whole = evolve(STRINGS, SMALL, stop=Stop(generations=40), out=tmp_path / "a", prove=False)
    evolve(STRINGS, SMALL, stop=Stop(generations=20), out=tmp_path / "b", prove=False)
    again = resume(tmp_path / "b", stop=Stop(generations=40), prove=False)
    assert again.origin == whole.origin
    each = zip(again.archipelago.islands, whole.archipelago.islands, strict=True)
    for one, other in each:
        assert [r[ANCESTRY] for r in rows_of(one)] == [r[ANCESTRY] for r in rows_of(other)]
    archive = rows_of(whole.archipelago.islands[0])
    assert DESCENDED in ancestries(archive), "only island 1 began with founders"


def test_checkpoints_of_earlier_versions_do_not_tell() -> None:
    problem = problem_of(SMALL)
    random = random_states(1, 3)
    islands = tuple(new_island(problem, each, founders_for(problem, i))
                    for i, each in enumerate(random))  # fmt: skip
    data = to_bytes(Archipelago(islands), "f")
    assert ancestries(rows_of(from_bytes(data, problem, "f").islands[1])) == {RANDOM, CONSTRUCTED}
    old = without_ancestry(data)
    assert ancestries(rows_of(from_bytes(old, problem, "f").islands[1])) == {UNKNOWN}
    assert origin_of(rows_of(from_bytes(old, problem, "f").islands[1])[0], 0, 9) is None
    random_only = problem._replace(search=dataclasses.replace(SMALL, founders=False))
    kept = from_bytes(old, random_only, "f").islands[0]
    assert ancestries(rows_of(kept)) == {RANDOM}, "there the run cannot have had any"


def without_ancestry(data: bytes) -> bytes:
    from mdlrnn.runs import seal, unseal

    arrays = dict(unseal(data))
    about = json.loads(str(arrays["about"]))
    del about["ancestry"]
    arrays["about"] = np.array(json.dumps(about))
    return seal(arrays)


def test_a_tie_that_evolved_does_not_count_as_constructed() -> None:
    row = np.array([1, 0, 0, 0, DESCENDED])
    assert origin_of(row, 0, 500) == Origin(True, 500)
    assert origin_of(marked(row, CONSTRUCTED), 300, 500) == Origin(True, 0)
    assert origin_of(marked(row, RANDOM), 300, 500) == Origin(False, 300)


@pytest.mark.parametrize("kept", [None, 3, {}, {"constructed": 1, "steps": 0},
                                  {"constructed": True, "steps": -1},
                                  {"constructed": True, "steps": 10**400}])  # fmt: skip
def test_a_log_that_says_something_else_tells_no_origin(kept: object) -> None:
    assert Origin.from_dict(kept) is None


def test_a_network_of_the_first_generation_was_drawn() -> None:
    assert str(Origin(False, 0)) == "drawn at random"
    assert str(Origin(False, 1)) == "evolved from random networks in 1 step"


def test_commands_print_it(run: Callable[..., Result]) -> None:
    Path("s.txt").write_text("\n".join(STRINGS))
    size = ("--set", "islands=3", "--set", "population=20", "--set", "expressions=off")
    code, out, _ = run("evolve", "s.txt", *size, "--generations", 0, "--out", "r")
    assert code == 0
    assert "The best network was constructed from the strings." in out
    code, out, _ = run("evolve", "s.txt", *size, "--generations", 20, "--set", "founders=off",
                       "--out", "q")  # fmt: skip
    assert "The best network was evolved from random networks in" in out
    assert "origin      constructed from the strings" in run("runs", "--watch", "r").out
    assert json.loads(run("runs", "r", "--json").out)[0]["origin"] == {
        "constructed": True, "steps": 0,
    }  # fmt: skip
    assert run("report", "r", "-o", "r.html").code == 0
    assert "<dt>origin</dt><dd>constructed from the strings</dd>" in Path("r.html").read_text()
    refused(run("evolve", "s.txt", "--set", "founders=3", "--out", "p"), "give yes, no or none")
