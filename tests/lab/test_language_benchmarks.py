"""benchmarks/languages: every language can be drawn from, and runs are kept and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.languages import _catalogue, _tables
from benchmarks.languages._baselines import baselines

from helpers.commands import printed_by
from helpers.data import ROOT
from mdlrnn import Corpus
from mdlrnn.languages import EVERY_TASK, language_from

LANGUAGE = ROOT / "benchmarks/languages/files/golden_mean.lang"
TINY = "tiny:islands=1,population=20"


def bench(*arguments: object) -> str:
    return printed_by("benchmarks.languages", *arguments)


def test_there_are_eighty_languages_and_each_has_a_name_and_strings() -> None:
    entries = [*_catalogue.catalogue(), *_catalogue.tasks()]
    assert len({entry.name for entry in entries}) == len(entries) >= 80
    for entry in entries:
        source = language_from(entry.source)
        assert source.machine is not None, entry.name
        assert source.rules is not None
        assert source.training(4).sequences == 4  # pairs of numbers come in squares


def test_every_task_can_be_named_and_has_its_own_size() -> None:
    sizes = {entry.source: entry.size for entry in _catalogue.tasks()}
    assert sizes == {name: task.size for name, task in EVERY_TASK.items()}


def test_runs_are_kept_and_two_settings_compared(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = ("run", out, "--languages", "a^n,golden_mean", "--seeds", "1", "--seconds", 0.01,
           "--size", 20, "--processes", 1)  # fmt: skip
    one = ("run", out, "--languages", "golden_mean", *run[4:])
    first = bench(*one, "--setting", TINY)
    assert first.count("golden_mean ") == 2, "as they end, and in the table"
    again = bench(*one, "--setting", TINY, "--setting", 'old:encoding="paper",islands=1')
    assert again.count("golden_mean ") == 3
    kept = json.loads((out / "golden_mean--tiny--1.json").read_text())
    assert kept["source"] == {"file": "golden_mean.lang", "text": LANGUAGE.read_text()}
    assert kept["size"] == 20
    found = bench("compare", out, TINY, 'old:encoding="paper",islands=1')
    assert "tiny: " in found
    assert "lower median: " in found


@pytest.mark.slow
def test_the_workers_of_a_cluster_do_what_processes_do(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    run = ("--languages", "golden_mean", "--seeds", "1-2", "--seconds", 0.01, "--size", 20,
           "--setting", TINY, "--cluster", "local:2")  # fmt: skip
    found = bench("run", tmp_path / "out", *run)
    assert found.count("golden_mean ") == 4, "as they end, and in the table"
    assert len(list((tmp_path / "out").glob("*.json"))) == 2


def test_the_corpora_of_a_folder_are_languages_too(tmp_path: Path) -> None:
    (tmp_path / "Ab.train.txt").write_text("3\tab\n1\tb\n")
    (tmp_path / "Ab.test.txt").write_text("30\tab\n10\tb\n")
    (tmp_path / "Lone.train.txt").write_text("ab\n")
    (entry,) = _catalogue.collection(tmp_path)
    assert entry.name == "corpus Ab"
    found = bench(
        "run", tmp_path / "out", "--folder", tmp_path, "--languages", "corpus Ab", "--seeds", "1",
        "--seconds", 0.01, "--setting", TINY, "--processes", 1,
    )  # fmt: skip
    assert "corpus Ab " in found


@pytest.mark.parametrize(
    ("values", "expected"), [([3.0], (3, 3, 3)), ([4.0, 1.0, 2.0, 9.0, 5.0], (2, 4, 5))]
)
def test_quartiles(values: list[float], expected: tuple[float, ...]) -> None:
    assert _tables.quartiles(values) == expected


def test_what_a_user_would_take_instead() -> None:
    training = Corpus.from_strings(["ab"] * 60 + ["aabb"] * 40)
    test = Corpus.from_strings(["ab"] * 6 + ["aabb"] * 3 + ["c"])
    found = baselines(training, test)
    assert list(found) == ["n-gram", "ALERGIA", "LSTM"]
    least = 9 * 0.9182958340544896
    for name, bits in found.items():
        if bits is not None:
            assert least < bits < 100, name
    assert baselines(training, test)["n-gram"] == found["n-gram"]


def test_the_results_that_are_kept_are_of_all_languages_and_tasks() -> None:
    (runs,) = _tables.read(ROOT / "benchmarks" / "languages" / "results").values()
    names = {entry.name for entry in (*_catalogue.catalogue(), *_catalogue.tasks())}
    assert set(runs) == names
