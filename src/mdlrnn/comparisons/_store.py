"""The folder of a baseline: what is trained is kept, and a killed training goes on.

    settings.json        the task, its training set and how long to train
    <cell>-<hidden>.json the measures of the models of that cell and size that are done
    <cell>-<hidden>.npz  models of that cell and size on their way
    results.csv, .json   all measures as one table
    lock                 held by the process that trains

What is in progress is saved as plain arrays; loading it runs no code.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import InputError
from .._files import read_text, reason_of, save, write_atomically
from ..runs._lock import acquire, holder
from ..runs._sealed import read_sealed, seal, unseal
from ._configurations import Configuration, Model

FORMAT = "mdlrnn-baseline/1"
SETTINGS, LOCK = "settings.json", "lock"
RESULTS = ("results.csv", "results.json")
KEYS = ("cell", "hidden", "regularisation", "lambda", "seed")

Row = dict[str, Any]


@contextmanager
def opened(folder: Path, settings: Mapping[str, Any]) -> Iterator[None]:
    """The folder for this baseline alone, while inside; it is made where there is none."""
    refuse_others(folder, settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = acquire(folder / LOCK)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be used ({reason_of(error)}); choose another folder."
        ) from None
    if file is None:
        who = holder(folder / LOCK) or "another process"
        raise InputError(f"{folder}: {who} is training in this folder; wait for it to end.")
    with file:
        save(folder / SETTINGS, _text({"format": FORMAT, **settings}))
        yield


def refuse_others(folder: Path, settings: Mapping[str, Any]) -> None:
    """What was trained on other data, or otherwise, must not be mixed with this."""
    path = folder / SETTINGS
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(_foreign(folder))):
            raise InputError(
                f"{folder} exists and holds no baseline; choose a new folder, or an empty one."
            )
        return
    kept = _read(path)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise InputError(f"{path} is not of a baseline; choose another folder.")
    for name, value in settings.items():
        if kept.get(name) != value:
            raise InputError(
                f"{folder} holds a baseline whose {name} is {kept.get(name)!r}, not {value!r}; "
                "choose another folder."
            )


def row_of(model: Model, measures: Mapping[str, Any]) -> Row:
    c = model.configuration
    return {
        "cell": c.cell,
        "hidden": c.hidden,
        "regularisation": c.regularisation,
        "lambda": c.strength,
        "seed": model.seed,
        **measures,
    }


def model_of(row: Mapping[str, Any]) -> Model:
    cell, hidden, kind, strength, seed = (row[key] for key in KEYS)
    return Model(Configuration(cell, hidden, kind, strength), seed)


def rows_of(folder: Path, group: str) -> list[Row]:
    """What is done of a group."""
    path = folder / f"{group}.json"
    if not path.exists():
        return []
    rows = _read(path)
    try:
        for row in rows:
            model_of(row)
    except (TypeError, KeyError):
        raise InputError(f"{path} holds no results; delete it to train these again.") from None
    return list(rows)


def keep_rows(folder: Path, group: str, rows: Iterable[Row]) -> None:
    save(folder / f"{group}.json", _text(sorted(rows, key=_order)))
    (folder / f"{group}.npz").unlink(missing_ok=True)


def all_rows(folder: Path, groups: Iterable[str]) -> list[Row]:
    return [row for group in groups for row in rows_of(folder, group)]


def write_results(folder: Path, rows: Sequence[Row]) -> None:
    """What is infinite or does not apply is null in JSON and empty in the CSV file."""
    for name, text in zip(RESULTS, (csv_text(rows), _text(rows)), strict=True):
        save(folder / name, text)


def csv_text(rows: Sequence[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else list(KEYS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def save_progress(
    folder: Path, group: str, wanted: Sequence[Model], arrays: Mapping[str, Any]
) -> None:
    names = json.dumps([row_of(model, {}) for model in wanted])
    try:
        write_atomically(folder / f"{group}.npz", seal({"models": np.array(names), **arrays}))
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({reason_of(error)}); make room there."
        ) from None


def load_progress(folder: Path, group: str) -> tuple[tuple[Model, ...], dict[str, Any]] | None:
    """Models on their way and their arrays, or None."""
    path = folder / f"{group}.npz"
    if not path.exists():
        return None
    try:
        arrays = unseal(read_sealed(path))
        found = tuple(model_of(row) for row in json.loads(str(arrays["models"])))
    except (InputError, KeyError, TypeError, ValueError):
        raise InputError(f"{path} is damaged; delete it to train these again.") from None
    return found, arrays


def _order(row: Row) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS)


def _foreign(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name != LOCK)


def _read(path: Path) -> Any:
    try:
        return json.loads(read_text(path, "file"))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not JSON; delete it to train these again.") from None


def _text(data: Any) -> str:
    return json.dumps(_finite(data), indent=1) + "\n"


def _finite(data: Any) -> Any:
    if isinstance(data, float) and not np.isfinite(data):
        return None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
