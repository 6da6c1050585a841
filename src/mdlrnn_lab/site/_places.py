"""Which results a folder holds: JSON files of a benchmark, networks and run folders, by language.

Nothing is made of them here; a file that cannot be used is answered in one sentence, and the others
are gone on with.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import __version__
from mdlrnn.checks import is_integer, is_number, short
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.files import json_of, named, read_text
from mdlrnn.languages import EVERY_TASK, Language, split_size
from mdlrnn.network import OBJECTIVES, SCHEMES, Encoding, Network, counted
from mdlrnn.runs import BEST, SETTINGS, Settings, find_runs, read_settings, status_of
from mdlrnn.search import CARD, UNLIMITED, Search

OTHERS = ".others.json"
"""What a benchmark writes beside its results: figures of other models."""
LIST = "atlas.json"
"""The index for other programs; where it lies, an atlas may be written over."""
FORMAT = "mdlrnn-atlas/1"
SEEDS = "seeds.json"
"""What `evolve` with several seeds writes beside their runs: a table of them, a list."""
RUNS = "runs"
MEASURED = ("figures", "cells", "rnn")
"""What `mdlrnn lab table` writes beside its runs: what was measured of them, and other models."""
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
        data = json_of(text)
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


_PLAIN = re.compile(r"[\w^*+|(){}<>=,.\- ]+")
"""What a shell takes as it is between double quotes, as the docs write notations."""


HELD_OUT_TRIES = 400
"""Shares to try for what a run held out."""


class Held(NamedTuple):
    """What a run kept out of its search."""

    strings: int | None
    """None if they cannot be read."""
    share: float | None
    """None if it cannot be told: the run does not keep it."""


class Command(NamedTuple):
    """A command, and in sentences what it does not repeat of a search."""

    text: str | None
    cautions: tuple[str, ...] = ()


def evolve_command(
    source: str, size: int | None, seed: int | None, options: Sequence[str] = ()
) -> str:
    words = ["mdlrnn evolve", quoted(source)]
    words += [] if size is None else [f"--size {size}"]
    words += [] if seed is None else [f"--seed {seed}"]
    return " ".join([*words, *options])


def quoted(text: str) -> str:
    plain = shlex.quote(text)
    return f'"{text}"' if plain != text and _PLAIN.fullmatch(text) else plain


def option_texts(changes: Mapping[str, Any]) -> list[str]:
    """Fields of `Search` that are changed, as the options of `mdlrnn evolve`."""
    known = {field.name for field in fields(Search)}
    found = []
    for name, value in changes.items():
        if name not in known:
            raise InputError(f"{short(name)} is no field of Search; leave it out.")
        if isinstance(value, bool):
            found.append(f"--set {name}={'yes' if value else 'no'}")
        elif name == "encoding" and value in SCHEMES:
            found.append(f"--encoding {value}")
        elif is_number(value):
            found.append(f"--set {name}={value}{'s' if name == 'migration_seconds' else ''}")
        else:
            raise InputError(f"{name} is {short(value)}, for which there is no option; change it.")
    return found


def limits(generation: int | None, seconds: float | None) -> list[str]:
    """Up to the generation in which a network was found, else for as long."""
    if generation is not None:
        return [f"--generations {generation}"]
    return [] if seconds is None else [f"--time {math.ceil(seconds)}s"]


def command_of_run(
    settings: Settings,
    source: Language | None,
    file: str | None,
    held: Held | None,
    until: list[str] | None,
) -> Command:
    """`file` is what the site calls the file of the language; `until` are the options that end the
    search where the network was found, or None for the run's own limits."""
    about = settings.corpus
    given = file or about.get("notation") or about.get("task")
    if given is None and about.get("path"):
        given = Path(str(about["path"])).name
    if given is None:
        return Command(None)
    cautions = list(_cautions(settings, held))
    options = _changed(settings)
    name = next((name for name, known in OBJECTIVES.items() if known == settings.objective), None)
    if name is None:
        cautions.append(
            f"It minimised {settings.objective.title}, for which there is no option; the command "
            "minimises |D:G| + |G|."
        )
    elif name != "mdl":
        options.append(f"--objective {name}")
    usual = Encoding.every_part() if source is None else source.encoding()
    if settings.encoding != usual:
        options.append(f"--encoding {settings.encoding.scheme}")
        options.append(f"--activations {','.join(settings.encoding.activations)}")
        options += ["--products"] if settings.encoding.products else []
    if settings.device == CARD:
        options.append(f"--workers {settings.device}")
    if about.get("words"):
        options.append("--words")
    if held is not None and held.share is not None:
        options.append(f"--hold-out {held.share:g}")
    options += _own_limits(settings) if until is None else until
    size = None if "task" in about else about.get("size")
    text = evolve_command(str(given), size, settings.seed, options)
    return Command(text, tuple(cautions))


def _changed(settings: Settings) -> list[str]:
    """The options for the fields of `Search` that are not as usual."""
    usual = Search().to_dict()
    changes = {
        name: value for name, value in settings.search.to_dict().items() if value != usual[name]
    }
    if settings.device == CARD:  # where another number of islands is usual
        changes["islands"] = settings.search.islands
    return option_texts(changes)


def _own_limits(settings: Settings) -> list[str]:
    stop = settings.stop
    has_end = stop.generations is not None and stop.generations < UNLIMITED
    found = [f"--generations {stop.generations}"] if has_end else []
    if stop.seconds is not None:
        found.append(f"--time {f'{stop.seconds:.3f}'.rstrip('0').rstrip('.')}s")
    found += [] if stop.target is None else [f"--target {stop.target!r}"]
    return found + ([] if stop.patience is None else [f"--patience {stop.patience}"])


def _cautions(settings: Settings, held: Held | None) -> Iterator[str]:
    if held is not None and held.share is None:
        some = "some strings" if held.strings is None else counted(held.strings, "string")
        yield (
            f"The run kept {some} out of its search; which share that was is not known, and the "
            "command searches on all strings."
        )
    if settings.search.migration_seconds is not None:
        yield "It migrated by the clock, too, so the command may find other networks."
    made_by = settings.data["versions"].get("mdlrnn")
    if isinstance(made_by, str) and made_by != __version__:
        yield f"It was made by mdlrnn {made_by}; another version may find other networks."


def share_held_out(whole: Corpus, kept: str, held: int, seed: int) -> float | None:
    """The share of the strings that a run held out, of which the run keeps the strings alone: that
    with which a corpus, split with the seed, leaves the one with this digest."""
    share = held / whole.sequences
    spread = 5 * math.sqrt(share * (1 - share) / whole.sequences) + 0.001
    near = [n for n in range(1, 1000) if abs(n / 1000 - share) <= spread]
    # Round ones first, as people choose them.
    near.sort(key=lambda n: (n % 100 != 0, n % 50 != 0, n % 10 != 0, abs(n / 1000 - share)))
    for n in near[:HELD_OUT_TRIES]:
        with suppress(InputError):  # one side would be empty
            if whole.split(n / 1000, seed)[0].digest == kept:
                return n / 1000
    return None
