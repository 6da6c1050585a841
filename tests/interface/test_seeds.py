"""Several seeds, and what is said of a search that did not do well."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import mdlrnn
from helpers.commands import Result
from mdlrnn import Corpus, InputError, Objective, Score, Search, Stop, evolve
from mdlrnn.cli._outcome import FEWEST_STEPS, advice
from mdlrnn.measures._measures import list_length, trigram_length

STRINGS = ["ab", "aabb", "aaabbb", "aaaabbbb"]
SMALL = Search(islands=2, population=10)
SHORT = Stop(generations=4)


def test_the_best_of_several_seeds_comes_first(tmp_path: Path) -> None:
    best = evolve(
        STRINGS, SMALL, stop=SHORT, seed=5, seeds=3, out=tmp_path / "all", workers=1, progress=False
    )
    runs = [best, *best.others]
    assert sorted(run.seed for run in runs) == [5, 6, 7]
    assert [run.value for run in runs] == sorted(run.value for run in runs)
    alone = evolve(STRINGS, SMALL, stop=SHORT, seed=best.seed, workers=1)
    assert alone.archipelago.digest() == best.archipelago.digest()
    rows = json.loads((tmp_path / "all" / "seeds.json").read_text())
    assert [row["seed"] for row in rows] == [run.seed for run in runs]
    home = tmp_path / "all" / rows[0]["folder"]
    assert mdlrnn.score(home, STRINGS, best.encoding).g == rows[0]["g"]


def test_seeds_from_the_command_line(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("\n".join(STRINGS))
    small = ["--set", "islands=2", "--set", "population=10", "--generations", "3"]
    shown = run("evolve", "own.txt", "--seeds", "2", *small, "--out", "all")
    assert shown.code == 0
    assert shown.out.startswith("seed  |G|")
    assert "The best of these:" in shown.out
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        "seed-1", "seed-2", "seeds.json",
    ]  # fmt: skip
    refused = run("evolve", "--resume", "all/seed-1", "--seeds", "2")
    assert refused.code == 2
    assert "--seeds are for new runs" in refused.err


@pytest.mark.parametrize("seeds", [0, -1, "4", 2.5, True])
def test_a_wrong_number_of_seeds(seeds: object) -> None:
    with pytest.raises(InputError, match="seeds is"):
        evolve(STRINGS, SMALL, stop=SHORT, seeds=seeds)  # type: ignore[arg-type]


def test_simple_descriptions_of_a_corpus() -> None:
    corpus = Corpus.from_strings(["ab"] * 8)
    assert list_length(corpus) == pytest.approx(3 * 1.584962500721156)
    assert 0 < trigram_length(corpus) < 20
    letters = Corpus.from_strings(["qwertyuiopasdfghjklzxcvbnm"])
    assert trigram_length(letters) > 88  # the logarithm of 26 factorial
    mixed = Corpus.from_strings(["ab", "ab", "aab", "b"])
    assert list_length(mixed) == pytest.approx(10 * 1.584962500721156 + 6)


def test_a_network_worse_than_something_simple_is_called_so() -> None:
    corpus = Corpus.from_strings(["abc"] * 500 + ["cba"] * 500)
    run = evolve(corpus, SMALL, stop=Stop(generations=0), workers=1, prove=False)
    poor = replace(run, score=Score(100, 5_000.0))
    (sentence,) = advice(poor, corpus)
    assert sentence.startswith("The best network is worse than something simple: ")
    simple = min(list_length(corpus), trigram_length(corpus))
    assert f"about {simple:,.0f} bits, {5_100 - simple:,.0f} fewer" in sentence
    assert advice(replace(run, score=Score(100, 200.0)), corpus) == []
    assert advice(replace(poor, objective=Objective.named("d")), corpus) == []


def test_a_run_that_stagnates_is_told_so() -> None:
    corpus = Corpus.from_strings(STRINGS)
    run = evolve(corpus, SMALL, stop=Stop(generations=0), workers=1, prove=False)
    good = replace(run, score=Score(50, 1.0), reason="time")
    steps = 2 * FEWEST_STEPS
    late = good.statistics._replace(steps=steps, seconds=60.0)
    found = {**run.history[-1], "steps": steps / 10, "seconds": 6.0}
    still = replace(good, statistics=late, history=(found,))
    (sentence,) = advice(still, corpus)
    assert sentence.startswith("Nothing better was found after 6.0 s, in 90 % of the steps.")
    assert advice(replace(still, reason="target"), corpus) == []
    lively = replace(still, history=({**found, "steps": 0.9 * steps},))
    assert advice(lively, corpus) == []
