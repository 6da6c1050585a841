"""`python -m benchmarks.rnns`: keep rows of trained RNNs, show the best, fill them into a table."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mdlrnn.interface._text import table
from mdlrnn.languages import TASKS
from mdlrnn_lab.rnns._baseline import accuracy, best, kept
from mdlrnn_lab.rnns._configurations import type_title
from mdlrnn_lab.tables._formal_languages import rnn_words
from mdlrnn_lab.tables._sheet import cross_entropy, percent, published_for

RESULTS = Path(__file__).parent / "results"
MEASURES = (
    "train_cross_entropy", "test_cross_entropy", "test_deterministic_accuracy",
    "test_categorical_accuracy",
)  # fmt: skip
COLUMNS = ("cell", "hidden", "regularisation", "lambda", "seed", "device", *MEASURES, "seconds")
KINDS = {"by training": "train_cross_entropy", "by test": "test_cross_entropy"}
"""The rows of the table and what selects the RNN of each."""

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rnns", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("keep", help="rows of trained RNNs").add_argument("folder", type=Path)
    commands.add_parser("show", help="the best, beside the published")
    commands.add_parser("fill", help="the cells of a table").add_argument("table", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "keep":
        keep(arguments.folder, RESULTS)
    elif arguments.command == "show":
        print("\n".join(show(rows_of_all())))
    else:
        file: Path = arguments.table
        file.write_text(filled(file.read_text(encoding="utf-8"), rows_of_all()), encoding="utf-8")


def keep(folder: Path, into: Path) -> None:
    """What the table needs of the rows of each baseline in a folder."""
    for home in sorted(path.parent for path in folder.glob("*/settings.json")):
        with (into / f"{home.name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for row in kept(home):
                writer.writerow([_short(row[column]) for column in COLUMNS])


def rows_of_all(folder: Path = RESULTS) -> dict[str, list[Row]]:
    """The rows of each training set, by its name (anbn_100), in the order of the table."""
    names = (f"{task.name}_{size}" for task in TASKS.values() for size in task.sizes)
    paths = {name: folder / f"{name}.csv" for name in names}
    return {name: list(_read(path)) for name, path in paths.items() if path.exists()}


def show(found: dict[str, list[Row]]) -> Iterator[str]:
    lines = []
    for name, rows in found.items():
        task, _, size = name.rpartition("_")
        theirs = published_for(task, int(size))
        assert theirs is not None
        ours = best(rows)
        assert ours is not None
        same = sorted(_entropies(row for row in rows if _kind(row) == _kind(ours)))
        printed = sorted(_entropies(row for row in rows if _is_theirs(row, theirs)))
        published = theirs["rnn_test_cross_entropy_bits"]
        lines.append(
            [
                name,
                f"{published:.3f}",
                f"{theirs['rnn_type']}, {theirs['rnn_size']}",
                f"{ours['test_cross_entropy']:.3f}",
                _title(ours),
                f"{100 * (ours['test_cross_entropy'] / published - 1):+.1f} %",
                _listed(same),
                _listed(printed[:3]),
            ]
        )
    head = ["task", "paper", "its RNN", "here", "RNN", "", "its seeds", "the paper's RNN"]
    yield table(head, lines, 1)
    yield ""
    yield from rnn_words([row for rows in found.values() for row in rows])


def filled(text: str, found: dict[str, list[Row]]) -> str:
    """The CSV table with the cells of the RNNs that are trained."""
    names = {
        f"{task.title}, {size:,}": f"{task.name}_{size}"
        for task in TASKS.values()
        for size in task.sizes
    }
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for cells in csv.reader(io.StringIO(text)):
        if cells[1] in KINDS:
            ours = best(found.get(names.get(cells[0], ""), []), KINDS[cells[1]])
            if ours is not None:
                cells[4], cells[7], cells[8] = cells_of(ours)
        writer.writerow(cells)
    return out.getvalue()


def cells_of(row: Row) -> tuple[str, str, str]:
    return cross_entropy(row["test_cross_entropy"]), percent(accuracy(row)), _title(row)


def _read(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            numbers = {name: float(row[name]) if row[name] else None for name in MEASURES}
            yield {
                **row, **numbers, "hidden": int(row["hidden"]), "seed": int(row["seed"]),
                "lambda": float(row["lambda"]), "seconds": float(row["seconds"]),
            }  # fmt: skip


def _short(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else "" if value is None else f"{value}"


def _title(row: Row) -> str:
    return f"{type_title(row['cell'], row['regularisation'])}, {row['hidden']}"


def _kind(row: Row) -> tuple[Any, ...]:
    return row["cell"], row["hidden"], row["regularisation"], row["lambda"]


def _is_theirs(row: Row, theirs: Row) -> bool:
    """Of the published type and size; the paper does not say which strength was the best."""
    return _title(row) == f"{theirs['rnn_type']}, {theirs['rnn_size']}"


def _entropies(rows: Iterable[Row]) -> list[float]:
    return [row["test_cross_entropy"] for row in rows if row["test_cross_entropy"] is not None]


def _listed(values: Iterable[float]) -> str:
    return " ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    main()
