"""What a folder of results is taken for: languages, networks, and the commands that find them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import Result as Called
from helpers.data import is_one_sentence
from helpers.results import result, write
from mdlrnn import InputError, Network, Search, Stop, evolve, zoo
from mdlrnn.interface._seeds import SEEDS
from mdlrnn.languages import language_from
from mdlrnn.proofs import _prove
from mdlrnn_lab.site._build import FOLDER, folder_names
from mdlrnn_lab.site._places import evolve_command, option_texts, places_in
from mdlrnn_lab.site._result import (
    COUNTER,
    FINITE,
    NUMBERS,
    STACK,
    UNKNOWN,
    chosen,
    known_of,
    results_at,
)

ANBN = zoo.load("anbn")


def only(folder: Path) -> list[Any]:
    (place,) = places_in(folder).found
    return results_at(place)


@pytest.mark.parametrize(
    ("source", "kind", "counters"),
    [
        ("a* b*", FINITE, 0),
        ("a^n b^n c^n", COUNTER, 2),
        ("dyck1", COUNTER, 1),
        ("dyck2", STACK, 1),
        ("addition", NUMBERS, 0),
    ],
)
def test_the_class_is_read_off_the_machine(source: str, kind: str, counters: int) -> None:
    known = known_of(language_from(source))
    assert (known.kind, known.counters) == (kind, counters)
    assert known.rules


def test_nothing_is_made_up_of_a_language_that_is_not_known() -> None:
    assert known_of(None).kind == UNKNOWN
    assert known_of(language_from(["ab", "aabb"])).kind == UNKNOWN


def test_folders_have_names_that_are_safe_and_differ() -> None:
    names = ["a^n b^n", "a* b*", "a+ b+", "A+ b+", "../../etc", "<b>", "con", "", "x" * 300, "日本"]
    found = folder_names([(name, "") for name in names])
    assert len(set(found)) == len(names)
    assert all(FOLDER.fullmatch(name) and len(name) < 70 for name in found)
    assert found[:2] == ["an-bn", "a-star-b-star"]
    assert folder_names([("con", "")]) != ["con"]


def test_a_path_in_a_result_is_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.lang"
    secret.write_text("S: a 1/2 -> S\nS: # 1/2\n")
    write(tmp_path / "out", "x.json", result(ANBN, "x", source={"name": str(secret)}))
    (found,) = only(tmp_path / "out")
    assert found.source is None
    assert found.command is None


def test_a_file_s_odd_name_is_left_out(tmp_path: Path) -> None:
    source = {"file": '../"x" y.lang', "text": "S: a 1/2 -> S\nS: # 1/2\n"}
    write(tmp_path, "x.json", result(ANBN, "x", source=source))
    (found,) = only(tmp_path)
    assert found.file.name == "language.lang"
    assert found.command == "mdlrnn evolve language.lang --seed 1 --generations 30"


def test_the_smallest_proved_network_is_chosen_then_the_lowest_score(tmp_path: Path) -> None:
    large, small = zoo.load("anbncn"), ANBN
    write(tmp_path, "1.json", result(large, "x", proved_best=False, mdl=900.0))
    write(tmp_path, "2.json", result(small, "x", proved_best=False, mdl=1000.0))
    results = [r for place in places_in(tmp_path).found for r in results_at(place)]
    assert chosen(results).network == large
    other = {"network": small.to_dict(), "mdl": 1200.0}
    write(tmp_path, "3.json", result(large, "x", proved_best=False, other=other, generations=77))
    results = [r for place in places_in(tmp_path).found for r in results_at(place)]
    found = chosen(results)
    assert (found.network, found.is_best, found.proved) == (small, False, True)
    assert found.score is not None
    assert found.score.mdl == pytest.approx(1200)


def test_networks_of_different_training_sets_are_not_compared_by_their_scores(
    tmp_path: Path,
) -> None:
    large, small = zoo.load("anbncn"), ANBN
    about: dict[str, Any] = {"source": {"name": "anbn"}, "proved_best": False}
    write(tmp_path, "1.json", result(small, "x", size=100, mdl=500.0, **about))
    write(tmp_path, "2.json", result(large, "x", size=500, mdl=2500.0, **about))
    write(tmp_path, "3.json", result(small, "x", size=500, mdl=3000.0, **about))
    results = [r for place in places_in(tmp_path).found for r in results_at(place)]
    assert [found.count for found in results] == [100, 500, 500]
    assert chosen(results) is results[1]
    write(tmp_path, "4.json", result(small, "x", size=100, source={"name": "anbn"}))
    results = [r for place in places_in(tmp_path).found for r in results_at(place)]
    assert chosen(results) is results[3], "proved, whatever it was found on"


def test_a_setting_becomes_options(tmp_path: Path) -> None:
    setting = 'old:encoding="paper",islands=3,crowding=False,unrestricted=False'
    source = {"name": "a^n b^n"}
    write(tmp_path, "x.json", result(ANBN, "x", setting=setting, source=source, size=50))
    (found,) = only(tmp_path)
    assert found.command == (
        'mdlrnn evolve "a^n b^n" --size 50 --seed 1 --encoding paper --set islands=3 '
        "--set crowding=no --set unrestricted=no --generations 30"
    )
    with pytest.raises(InputError, match="no field of Search"):
        option_texts({"__class__": 1})


@pytest.mark.parametrize("source", ["a^n b^n", "x; rm -rf y", "$(reboot)", '"', "anbn"])
def test_a_command_names_its_source_and_nothing_more(source: str) -> None:
    assert shlex.split(evolve_command(source, 5, 1)) == [
        "mdlrnn", "evolve", source, "--size", "5", "--seed", "1",
    ]  # fmt: skip


def test_the_command_of_a_run_finds_its_network_again(
    tmp_path: Path, run: Callable[..., Called]
) -> None:
    search = Search(islands=3, population=30, crossover_rate=0.1)
    stop = Stop(generations=80)
    evolve("a^n b^n", search, size=60, stop=stop, out="runs/one", prove=False, workers=1)
    (place,) = places_in(Path("runs")).found
    found = results_at(place)[0]
    assert found.repeats
    assert found.command is not None
    called = run(*shlex.split(found.command)[1:], "--out", "again", "--quiet")
    assert called.code == 0
    assert Network.load("again/best.json") == found.network


SMALL = ("--set", "islands=3", "--set", "population=30", "--seed", "5", "--workers", "1", "--quiet")
OPTIONS: list[tuple[str, ...]] = [
    ("--hold-out", "0.2"),
    ("--hold-out", "0.43", "--seed", "7"),
    ("--objective", "d"),
    ("--activations", "linear,relu,step", "--encoding", "tacl2022"),
    ("--set", "saturation=no", "--set", "unrestricted=yes", "--set", "crowding=no"),
    ("--patience", "30", "--set", "max_units=40"),
    ("--generations", "0"),
    ("--generations", "none", "--time", "1h", "--target", "1e6"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("source", ["a^n b^n", "words.txt"])
def test_a_command_has_every_option_of_its_run(
    run: Callable[..., Called], monkeypatch: pytest.MonkeyPatch, source: str,
    options: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.setattr(_prove, "available", lambda _: False)
    Path("words.txt").write_text("30\tthe cat\n20\ta dog sleeps\n9\tthe cat and the dog sleep\n")
    more = ("--words",) if source == "words.txt" else ("--size", "60")
    usual = () if "--generations" in options else ("--generations", "60")
    made = run("evolve", source, *more, *usual, *SMALL, *options, "--out", "runs/one")
    assert made.code == 0
    (found,) = only(Path("runs"))
    assert (found.repeats, found.cautions) == (True, ())
    assert found.command is not None
    assert run(*shlex.split(found.command)[1:], "--out", "again", "--quiet").code == 0
    assert Network.load("again/best.json") == found.network


def test_what_a_command_does_not_repeat_is_said(tmp_path: Path) -> None:
    search, stop = Search(islands=2, population=20), Stop(generations=20)
    evolve("a^n b^n", search, size=60, stop=stop, out=tmp_path / "run", hold_out=0.3,
           prove=False, workers=1)  # fmt: skip
    settings = json.loads((tmp_path / "run/settings.json").read_text())
    settings["search"]["migration_seconds"] = 2.5
    settings["objective"]["l1"] = 0.5
    settings["versions"]["mdlrnn"] = "0.0.1"
    (tmp_path / "run/settings.json").write_text(json.dumps(settings))
    shutil.copytree(tmp_path / "run", tmp_path / "lost")
    (tmp_path / "lost/settings.json").write_text(
        json.dumps(settings | {"corpus": {**settings["corpus"], "digest": "another"}})
    )
    lost, known = [results_at(place)[0] for place in places_in(tmp_path).found]
    assert known.command == (
        'mdlrnn evolve "a^n b^n" --size 60 --seed 1 --set islands=2 --set population=20 '
        "--set migration_seconds=2.5s --hold-out 0.3 --generations 20"
    )
    assert not known.repeats
    assert len(known.cautions) == 3
    assert len(lost.cautions) == 4
    assert "--hold-out" not in str(lost.command)
    assert re.match(r"The run kept \d\d strings out of its search", lost.cautions[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"language": "x", "netw', "not JSON"),
        ("[1, 2]", "holds no network"),
        (json.dumps({"network": ANBN.to_dict()}), "names no language"),
        (json.dumps(result(ANBN, "x") | {"network": {"format": "mdlrnn/1"}}), "is missing"),
        (json.dumps(result(ANBN, "x", source=["a"])), "its source is"),
        (json.dumps(result(ANBN, "x", other={})), "its other network"),
    ],
)
def test_a_broken_result_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "broken.json").write_text(text)
    write(tmp_path, "whole.json", result(ANBN, "a^n b^n"))
    write(tmp_path, "whole.others.json", {"language": "a^n b^n", "LSTM": 0.1})
    places = places_in(tmp_path)
    assert [place.language for place in places.found] == ["a^n b^n"]
    (problem,) = places.problems
    assert said in problem
    assert "broken.json" in problem
    assert is_one_sentence(problem)


@pytest.mark.parametrize("field", ["size", "seed", "mdl", "g", "scheme", "setting", "excess"])
@pytest.mark.parametrize("value", [None, -1, "x", [], {}, 1e999, True])
def test_odd_values_in_a_result_are_left_out(tmp_path: Path, field: str, value: Any) -> None:
    write(tmp_path, "x.json", result(ANBN, "x", source={"name": "anbn"}) | {field: value})
    (found,) = only(tmp_path)
    assert found.network == ANBN


def test_what_the_package_writes_beside_results_is_no_result(tmp_path: Path) -> None:
    """Figures and cells of `mdlrnn lab table`, baselines, an atlas; and pipes, which would hang."""
    write(tmp_path, "1.json", result(ANBN, "a^n b^n"))
    write(tmp_path / "table", "table.json", result(ANBN, "a^n b^n"))
    (tmp_path / "table" / "runs").mkdir()
    for name in ("figures", "cells", "rnn/anbn_100"):
        write(tmp_path / "table" / name, "anbn_100-1.json", {"mdl": 1.0})
    write(tmp_path / "rnns", "settings.json", {"format": "mdlrnn-baseline/1", "task": "anbn"})
    write(tmp_path / "rnns", "lstm-2.json", [])
    site = tmp_path / "site"
    write(site, "atlas.json", {"format": "mdlrnn-atlas/1", "title": "", "languages": []})
    write(site / "an-bn", "network.json", ANBN.to_dict())
    write(site / "an-bn", "findings.json", {})
    write(tmp_path / "seeds", SEEDS, [{"seed": 1, "folder": "seed-1", "g": 160}])
    write(tmp_path / "none", SEEDS, [])
    os.mkfifo(tmp_path / "pipe.json")
    os.mkfifo(site / "settings.json")
    found = places_in(tmp_path)
    assert [place.path.name for place in found.found] == ["1.json", "table.json"]
    assert found.problems == ()


def test_a_network_that_is_called_like_a_table_of_seeds_is_one(tmp_path: Path) -> None:
    write(tmp_path, SEEDS, result(ANBN, "a^n b^n"))
    assert len(places_in(tmp_path).found) == 1


def test_figures_without_runs_are_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "figures", "1.json", result(ANBN, "a^n b^n"))
    assert len(places_in(tmp_path).found) == 1
