"""`mdlrnn lab rnns`: the paper's classical RNNs on a task, beside the published best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from mdlrnn.cli import command, json_option
from mdlrnn.interface import say, say_json, table
from mdlrnn.languages import Language
from mdlrnn.measures import percent_text
from mdlrnn.search import workers_from

from .._sized import with_size
from ..rnns import accuracy, require_torch, selected, train, type_title
from ..tables import published_for
from ._training import shown

SHOWN = 8
"""Rows of the table that are shown; the files have all."""


@command()
@click.argument("task", metavar="TASK")
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="The task's training size.")
@click.option(
    "--configs",
    default="all",
    show_default=True,
    metavar="NAMES",
    help="Which, by the first parts of their names: elman,gru-32,lstm-4-l1-0.1",
)
@click.option(
    "--seeds", type=click.IntRange(1), default=3, show_default=True, help="Models of each."
)
@click.option(
    "--epochs", type=click.IntRange(1), default=1_000, show_default=True, help="As in the paper."
)
@click.option(
    "--workers", metavar="WHO",
    help="A number of threads of PyTorch; tcp://HOST:PORT of a Dask scheduler, local:N or a .yaml "
    "file; cuda, or cuda@ before one of these. [default: 1]",
)  # fmt: skip
@click.option("--out", metavar="DIR", help="The folder. [default: baselines/TASK_SIZE]")
@click.option("--quiet", is_flag=True, help="Say nothing but the end.")
@json_option
def rnns(
    task: str,
    size: int | None,
    configs: str,
    seeds: int,
    epochs: int,
    workers: str | None,
    out: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train Elman, GRU and LSTM networks on TASK and measure them as mdlrnn test does.

    The paper's 84 configurations: 2, 4, 32 and 128 hidden units; no regularisation, or L1 or L2
    with λ = 1, 0.1 or 0.01. All models of one cell and size train as one. What is done is kept in
    the folder, as results.csv and results.json; called again, the command trains what is missing.
    On a cluster each worker trains all models of one cell and size at a time.
    """
    if workers_from(workers).cluster is None:
        require_torch()
    chosen = selected(configs.split(","))
    known, size = with_size(task, size)
    folder = Path(out) if out is not None else Path("baselines") / f"{known.name}_{size}"
    with shown(quiet, folder) as tell:
        rows = train(
            folder, known, chosen, size=size, seeds=seeds, epochs=epochs, workers=workers,
            on_progress=tell,
        )  # fmt: skip
    if as_json:
        say_json({"folder": str(folder), "rows": rows, "published": _beside(known, size)})
    else:
        _report(rows, folder, known, size)


def _beside(task: Language, size: int) -> dict[str, Any] | None:
    return published_for(task.name, size)


def _report(rows: Sequence[dict[str, Any]], folder: Path, task: Language, size: int) -> None:
    ordered = sorted(rows, key=lambda row: (row["test_cross_entropy"] or float("inf"), row["seed"]))
    words = "deterministic" if ordered[0]["test_deterministic_accuracy"] is not None else ""
    head = ["RNN", "hidden", "λ", "seed", "train CE", "test CE", f"{words or 'categorical'} acc."]
    shown = [
        [
            type_title(row["cell"], row["regularisation"]),
            f"{row['hidden']}",
            f"{row['lambda']:g}" if row["lambda"] else "",
            f"{row['seed']}",
            _number(row["train_cross_entropy"]),
            _number(row["test_cross_entropy"]),
            _percent(accuracy(row)),
        ]
        for row in ordered[:SHOWN]
    ]
    count = "1 model" if len(rows) == 1 else f"{len(rows):,} models"
    say(f"{task.title}, {size:,}: {count}, best test cross-entropy first\n")
    say(table(head, shown, 1))
    optimal = _number(ordered[0]["optimal_test_cross_entropy"])
    say(f"\ncross-entropy in bits a character; optimal {optimal}")
    perfect = sum(accuracy(row) == 1 for row in rows)
    say(f"models with 100 % test accuracy: {perfect}")
    printed = _beside(task, size)
    if printed is not None:
        best, theirs = ordered[0]["test_cross_entropy"], printed["rnn_test_cross_entropy_bits"]
        say(
            f"published best RNN: {printed['rnn_type']}, {printed['rnn_size']} hidden, "
            f"test CE {theirs:.4f}, accuracy {printed['rnn_accuracy']} %"
        )
        if best is not None:
            say(f"the best here differs by {100 * (best / theirs - 1):+.1f} %")
    say(f"\nAll rows: {folder / 'results.csv'} and results.json")


def _number(value: float | None) -> str:
    return "infinite" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{percent_text(value)} %"
