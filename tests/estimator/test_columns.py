"""Columns of tables as strings: pandas, and Hugging Face's datasets."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.data import is_one_sentence
from mdlrnn import MDLRNN, Corpus, InputError, Search, Stop, evolve, score, zoo

STRINGS = ["ab", "aabb", "ab", ""]


def table(kind: str) -> Any:
    if kind == "pandas":
        pandas = pytest.importorskip("pandas", reason="no column is read: pandas is not installed")
        return pandas.DataFrame({"text": STRINGS, "label": [1, 2, 3, 4]})
    datasets = pytest.importorskip("datasets", reason="no column is read: datasets is missing")
    return datasets.Dataset.from_dict({"text": STRINGS, "label": [1, 2, 3, 4]})


@pytest.mark.parametrize("kind", ["pandas", "datasets"])
def test_a_column_is_a_source_of_strings(kind: str) -> None:
    column = table(kind)["text"]
    assert Corpus.from_strings(column) == Corpus.from_strings(STRINGS)
    assert score(zoo.anbn(), column) == score(zoo.anbn(), STRINGS)
    stop = Stop(generations=1)
    run = evolve(column, Search(islands=1, population=4), stop=stop, progress=False, workers=1)
    assert run.best.alphabet == ("#", "a", "b")
    estimator = MDLRNN(Search(islands=1, population=4), stop, workers=1).fit(column)
    assert estimator.score(column) < 0


@pytest.mark.parametrize("kind", ["pandas", "datasets"])
def test_a_whole_table_is_refused(kind: str) -> None:
    for call in (Corpus.from_strings, MDLRNN().fit, lambda given: score(zoo.anbn(), given)):
        with pytest.raises(InputError) as caught:
            call(table(kind))
        assert "with the columns text label; give one of its columns." in str(caught.value)
        assert is_one_sentence(str(caught.value))


def test_a_missing_value_is_named() -> None:
    pandas = pytest.importorskip("pandas", reason="no column is read: pandas is not installed")
    with pytest.raises(InputError, match=r"strings\[1\] is a \w+; give a string"):
        Corpus.from_strings(pandas.Series(["ab", None]))
