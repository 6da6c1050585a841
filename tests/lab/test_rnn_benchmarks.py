"""benchmarks/rnns: what is kept of trained RNNs is what the tables of the docs show."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.rnns.__main__ import filled, keep, rows_of_all, show

from helpers.data import ROOT
from mdlrnn_lab.rnns._baseline import accuracy, best, keep_rows, opened, row_of
from mdlrnn_lab.rnns._configurations import Model, configurations

TABLES = ("paper_table.csv", "paper_table_unrestricted.csv")


@pytest.mark.parametrize("name", TABLES)
def test_the_table_has_the_cells_of_the_rows_that_are_kept(name: str) -> None:
    text = (ROOT / "docs" / "lab" / "tables" / name).read_text(encoding="utf-8")
    found = rows_of_all()
    assert filled(text, found) == text
    found["anbn_100"] = [row for row in found["anbn_100"] if row != best(found["anbn_100"])]
    assert filled(text, found) != text


def test_the_best_of_every_task_stands_beside_the_published() -> None:
    found = rows_of_all()
    head, *lines = "\n".join(show(found)).splitlines()
    assert head.split()[:2] == ["task", "paper"]
    assert [line.split()[0] for line in lines[: len(found)]] == list(found)
    assert len(found) == 15


def test_what_is_kept_is_what_was_trained(tmp_path: Path) -> None:
    measures = {
        "device": "cpu", "train_cross_entropy": 1 / 3, "test_cross_entropy": None,
        "test_deterministic_accuracy": None, "test_categorical_accuracy": 2 / 3, "seconds": 0.5,
    }  # fmt: skip
    chosen = configurations()[:2]
    rows = [row_of(Model(c, seed), measures) for c in chosen for seed in (1, 2)]
    with opened(tmp_path / "rnn" / "dyck1_100", {"task": "dyck1"}):
        keep_rows(tmp_path / "rnn" / "dyck1_100", "elman-2", rows)
    keep(tmp_path / "rnn", tmp_path)
    (again,) = rows_of_all(tmp_path).values()
    assert [(row["cell"], row["hidden"], row["lambda"], row["seed"]) for row in again] == [
        (row["cell"], row["hidden"], row["lambda"], row["seed"]) for row in sorted(rows, key=_order)
    ]
    for row in again:
        assert row["train_cross_entropy"] == pytest.approx(1 / 3, abs=1e-9)
        assert row["test_cross_entropy"] is None
        assert accuracy(row) == pytest.approx(2 / 3, abs=1e-9)
        assert row["seconds"] == 0.5


def _order(row: dict[str, object]) -> tuple[object, ...]:
    return row["regularisation"], row["lambda"], row["seed"]
