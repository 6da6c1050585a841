"""Which results a folder holds: JSON files of a benchmark, networks and run folders, by language.

Nothing is made of them here; a file that cannot be used is answered in one sentence, and the others
are gone on with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from .._checks import is_integer, short
from .._errors import InputError
from .._files import named, read_text
from ..network._network import Network
from ..runs._files import BEST, SETTINGS
from ..runs._settings import read_settings
from ..runs._status import find_runs, status_of
from ..tasks._tasks import EVERY_TASK, split_size

OTHERS = ".others.json"
"""What a benchmark writes beside its results: figures of other models."""
LIST = "atlas.json"
"""The index for other programs; where it lies, an atlas may be written over."""
FORMAT = "mdlrnn-atlas/1"
SEEDS = "seeds.json"
"""What `evolve` with several seeds writes beside their runs: a table of them, a list."""
RUNS = "runs"
MEASURED = ("figures", "cells", "rnn")
"""What `mdlrnn reproduce` writes beside its runs: what was measured of them, and other models."""
BASELINE = b'"mdlrnn-baseline/'
"""How the settings of a baseline, which has no networks of ours, begin."""
HEAD = 200
"""Bytes that say what a file is."""


class Place(NamedTuple):
    """A result that was not looked into yet."""

    language: str
    """As people call it."""
    key: str
    """Results of one language have the same."""
    path: Path
    """A file, or the folder of a run."""
    data: dict[str, Any] | None
    """What the file holds; None for a run."""


class Places(NamedTuple):
    found: tuple[Place, ...]
    problems: tuple[str, ...]
    """A sentence for each file or run that cannot be used."""


def places_in(folder: Path) -> Places:
    """The results at or under a folder, in the order of their names."""
    found: list[Place] = []
    problems: list[str] = []
    runs = list(find_runs(folder))
    for path in [*_files(folder, set(runs)), *runs]:
        try:
            found.append(_of_run(path) if path.is_dir() else _of_file(path))
        except InputError as error:
            problems.append(str(error))
    if not found:
        raise InputError(_nothing(folder, problems))
    return Places(tuple(found), tuple(problems))


def _nothing(folder: Path, problems: list[str]) -> str:
    remedy = "give a folder with runs, or with results of the benchmark of languages"
    if not problems:
        return f"{named(folder)} holds no results; {remedy}."
    return (
        f"{named(folder)} holds no result that can be used ({problems[0].rstrip('.')}); {remedy}."
    )


def _files(folder: Path, runs: set[Path]) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        if here in runs or _is_own(here):
            folders.clear()
            continue
        measured = MEASURED if RUNS in folders else ()
        folders[:] = sorted(name for name in folders if name not in measured)
        # A pipe or the like would be waited for.
        paths = (here / name for name in sorted(files))
        yield from (path for path in paths if path.is_file() and _is_result(path))


def _is_own(folder: Path) -> bool:
    """Whether it is an atlas or a baseline: made by this package, and no result."""
    return f'"{FORMAT}"'.encode() in _head(folder / LIST) or BASELINE in _head(folder / SETTINGS)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") if path.is_file() else BytesIO() as file:
            return file.read(HEAD)
    except OSError:
        return b""


def _is_result(path: Path) -> bool:
    if path.name == SEEDS and _head(path).startswith(b"["):
        return False
    return path.name.endswith(".json") and not path.name.endswith(OTHERS)


def _of_file(path: Path) -> Place:
    text = read_text(path, "result")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{named(path)}: not JSON; make this result again.") from None
    if isinstance(data, dict) and str(data.get("format")).startswith("mdlrnn/"):
        data = {"language": str(data.get("name") or path.stem), "network": data}
    if not isinstance(data, dict) or not isinstance(data.get("network"), dict):
        raise InputError(f"{named(path)}: holds no network; take it out of the folder.")
    if not isinstance(data.get("language"), str) or not data["language"].strip():
        raise InputError(f"{named(path)}: names no language; make this result again.")
    try:
        Network.from_dict(data["network"])
    except InputError as error:
        raise InputError(f"{named(path)}: {error}") from None
    other = data.get("other")
    if other is not None:
        try:
            Network.from_dict(other["network"])
        except (InputError, KeyError, TypeError):
            raise InputError(f"{named(path)}: its other network is none; make it again.") from None
    source = data.get("source")
    if source is None:
        source = {"name": data["language"]}
    elif not isinstance(source, dict) or not all(map(_is_text, source.values())):
        raise InputError(f"{named(path)}: its source is {short(source)}; make this result again.")
    return Place(data["language"], _key(source), path, {**data, "source": source})


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _of_run(folder: Path) -> Place:
    status = status_of(folder)
    if status.status == "broken":
        raise InputError(f"{named(folder)}: this run is broken ({status.reason}); take it out.")
    if not (folder / BEST).exists():
        raise InputError(f"{named(folder)}: the run has saved no network yet; take it out.")
    Network.load(folder / BEST)
    about = read_settings(folder).corpus
    task, notation = about.get("task"), about.get("notation")
    if isinstance(task, str) and split_size(task)[0] in EVERY_TASK:
        stem = split_size(task)[0]
        return Place(f"task {stem}", _key({"name": stem}), folder, None)
    if isinstance(notation, str):
        return Place(notation, _key({"name": notation}), folder, None)
    name = str(about.get("name") or folder.name)
    return Place(name, _key({"name": name, "digest": about["digest"]}), folder, None)


def _key(source: dict[str, Any]) -> str:
    return json.dumps(source, sort_keys=True)


def whole_number(value: object, least: int = 0, most: int = 10**12) -> int | None:
    """The value if it is such a number; what stands in a file may be anything."""
    return value if is_integer(value) and least <= value <= most else None
