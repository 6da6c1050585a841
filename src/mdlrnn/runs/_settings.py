"""A run's settings.json: what is searched for and how, and proof that it is still the same.

The fingerprint is a hash of the file's own words, not of what this version makes of them. So a run
goes on after `Search` has got new fields, which it then has with the value that means "as before",
and after fields have got new names.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._version import __version__
from ..checks import check_integer
from ..errors import InputError
from ..files import reason_of
from ..network import Encoding, Objective
from ..search import CPU, DEVICES, LIMITS, UNLIMITED, Origin, Search, Stop
from ._files import (
    LOCK,
    LOG,
    SETTINGS,
    checkpoints,
    holder,
    is_held,
    is_sealed,
    now,
    read_log,
    read_object,
    read_sealed,
    write,
)

if TYPE_CHECKING:
    from ..search import Problem

FORMAT = "mdlrnn-run/2"
FIRST_FORMAT = "mdlrnn-run/1"
"""One object held the search, the encoding and the limits."""
RENAMED = {
    "further_mutations": "further_mutation_rate",
    "fresh_weights": "redraw_weight_rate",
    "compound_mutations": "compound_mutation_rate",
    "grafts": "crossover_rate",
    "stacks": "stack_rate",
    "anywhere": "unrestricted",
}
"""Fields of the first format, and what they are called since."""
_ENCODING_FIELDS = ("encoding", "activations", "products")


class Settings(NamedTuple):
    search: Search
    seed: int
    stop: Stop
    encoding: Encoding
    objective: Objective
    corpus: dict[str, Any]
    """Its name, what it was made from, whether its symbols are words, and its digest."""
    fingerprint: str
    data: dict[str, Any]
    """The file's own words."""

    @property
    def created(self) -> str:
        return str(self.data["created"])

    @property
    def device(self) -> str:
        """Where the run was begun or last went on: 'cpu' or 'cuda'."""
        return str(self.data.get("device", CPU))

    def with_device(self, device: str) -> Settings:
        return self._replace(data={**self.data, "device": device})

    def with_stop(self, stop: Stop) -> Settings:
        """The same run with other limits."""
        limits = stop.to_dict()
        place = "search" if self.data["format"] == FIRST_FORMAT else "stop"
        if place == "search":
            limits["generations"] = stop.last_generation
        data = {**self.data, place: {**self.data[place], **limits}}
        return self._replace(stop=stop, data=data)


def new_settings(
    problem: Problem, stop: Stop, about: Mapping[str, Any], device: str = CPU
) -> Settings:
    corpus = {**about, "digest": problem.corpus.digest}
    data: dict[str, Any] = {
        "format": FORMAT,
        "created": now(),
        "corpus": corpus,
        "search": {**problem.search.to_dict(), "seed": problem.seed},
        "stop": stop.to_dict(),
        "encoding": _encoding_data(problem.encoding),
        "objective": asdict(problem.objective),
        "versions": versions(),
    }
    if device != CPU:
        data["device"] = device
    data["fingerprint"] = fingerprint_of(data)
    return Settings(
        problem.search, problem.seed, stop, problem.encoding, problem.objective, corpus,
        data["fingerprint"], data,
    )  # fmt: skip


def versions() -> dict[str, str]:
    return {
        "mdlrnn": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def fingerprint_of(data: Mapping[str, Any]) -> str:
    """A hash of all that decides which networks are found: corpus, settings, objective."""
    search = {name: value for name, value in data["search"].items() if name not in LIMITS}
    whole = [data["corpus"]["digest"], search, data["objective"]]
    if data["format"] != FIRST_FORMAT:
        whole.append(data["encoding"])
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def write_settings(folder: Path, settings: Settings) -> None:
    write(folder / SETTINGS, json.dumps(settings.data, ensure_ascii=False, indent=1) + "\n")


def read_settings(folder: Path) -> Settings:
    path = folder / SETTINGS
    data = read_object(path, "settings")
    kind = data.get("format")
    if not isinstance(kind, str) or not kind.startswith("mdlrnn-run/"):
        raise InputError(f"{path}: not the settings of a run; choose the folder of a run.")
    if kind not in (FORMAT, FIRST_FORMAT):
        raise InputError(
            f'{path}: its format is "{kind[:40]}", and this version of mdlrnn reads "{FORMAT}"; '
            "update mdlrnn."
        )
    try:
        encoding, search, seed = _read_search(data)
        limits = data["search"] if kind == FIRST_FORMAT else data["stop"]
        if not isinstance(data["versions"], dict) or data.get("device", CPU) not in DEVICES:
            raise TypeError
        return Settings(
            search,
            seed,
            Stop.from_dict(limits),
            encoding,
            Objective(**data["objective"]),
            _corpus(data["corpus"]),
            str(data["fingerprint"]),
            {**data, "created": str(data["created"])},
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"{path}: something is missing or out of place; put back the file as the run wrote it."
        ) from None


def check_unchanged(folder: Path, settings: Settings) -> None:
    """Raise if somebody has changed what decides which networks are found."""
    if fingerprint_of(settings.data) != settings.fingerprint:
        raise InputError(
            f"{folder / SETTINGS} has been changed since the run began; put back the file as the "
            "run wrote it, or start a new run with the new settings."
        )


def _read_search(data: Mapping[str, Any]) -> tuple[Encoding, Search, int]:
    fields = dict(data["search"])
    if data["format"] == FIRST_FORMAT:
        scheme, activations, products = (fields.pop(name) for name in _ENCODING_FIELDS)
        fields = {
            RENAMED.get(name, name): value for name, value in fields.items() if name not in LIMITS
        }
    else:
        scheme, activations, products = (data["encoding"][name] for name in _ENCODING_FIELDS)
    seed = fields.pop("seed")
    check_integer("seed", seed, 0)
    encoding = Encoding(scheme, activations, products)
    return encoding, Search.from_dict(fields, encoding), seed


def _encoding_data(encoding: Encoding) -> dict[str, Any]:
    values = (encoding.scheme, list(encoding.activations), encoding.products)
    return dict(zip(_ENCODING_FIELDS, values, strict=True))


def _corpus(data: Any) -> dict[str, Any]:
    """Texts all of them, but for the training size and whether symbols are words."""
    if not isinstance(data, dict) or not isinstance(data["digest"], str):
        raise TypeError
    for name, value in data.items():
        kinds: Any = {"words": bool, "size": int}.get(name, str | None)
        if not isinstance(value, kinds):
            raise TypeError
    return data


class Status(NamedTuple):
    folder: Path
    status: str
    """'running', 'finished', 'stopped', 'interrupted' or 'broken'."""
    reason: str
    """Why it finished, or what is broken."""
    corpus: str | None = None
    generation: int = 0
    generations: int | None = None
    g: int | None = None
    d_given_g: float | None = None
    mdl: float | None = None
    steps: int = 0
    seconds: float = 0.0
    origin: Origin | None = None
    """How the best network came to be."""
    where: str = ""
    """Of a run that is running: on what, and which process directs it."""


def find_runs(root: Path) -> Iterator[Path]:
    """The run folders at or under a folder, by name."""
    if not root.is_dir():
        raise InputError(f"{root}: there is no such folder; give a folder with runs in it.")
    for place, folders, files in os.walk(root):
        folders.sort()
        has_checkpoint = any(f.startswith("checkpoint-") and f.endswith(".npz") for f in files)
        ours = LOCK in files and LOG in files
        if has_checkpoint or (SETTINGS in files and (ours or _says_so(Path(place)))):
            folders.clear()
            yield Path(place)


def status_of(folder: Path) -> Status:
    """Never an error: what cannot be read makes the run 'broken'."""
    try:
        if not (folder / SETTINGS).exists():
            raise InputError(f"{SETTINGS} is missing")
        settings = read_settings(folder)
        events = read_log(folder)
        running = is_held(folder / LOCK)
        for path in checkpoints(folder)[:1]:
            if not running and not is_sealed(read_sealed(path)):
                raise InputError(f"{path.name} is not intact")
        status, reason = _standing(running, events)
        seen = _latest(events)
        limit = settings.stop.last_generation
        return Status(
            folder, status, reason, settings.corpus.get("name"),
            generations=limit if limit < UNLIMITED else None, **seen, origin=_origin(events),
            where=_where(folder, events) if running else "",
        )  # fmt: skip
    except OSError as error:
        return Status(folder, "broken", reason_of(error))
    except (InputError, TypeError) as error:
        return Status(folder, "broken", str(error).replace(f"{folder}{os.sep}", ""))


def _standing(running: bool, events: list[dict[str, Any]]) -> tuple[str, str]:
    if running:
        return "running", ""
    last = events[-1] if events else {}
    if last.get("event") != "end":
        return "interrupted", ""
    reason = str(last.get("reason", ""))
    if reason == "failed":
        return "interrupted", "an error"
    return ("stopped", "") if reason == "stopped" else ("finished", reason)


def _where(folder: Path, events: list[dict[str, Any]]) -> str:
    told = [event["workers"] for event in events if isinstance(event.get("workers"), str)]
    return ", ".join([*told[-1:], *filter(None, [holder(folder / LOCK)])])


def _latest(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The last word on each number."""
    seen: dict[str, Any] = {}
    for name in ("generation", "g", "d_given_g", "mdl", "steps", "seconds"):
        for event in reversed(events):
            if isinstance(event.get(name), int | float):
                seen[name] = event[name]
                break
    return seen


def _origin(events: list[dict[str, Any]]) -> Origin | None:
    told = [event["origin"] for event in events if "origin" in event]
    return Origin.from_dict(told[-1]) if told else None


def _says_so(folder: Path) -> bool:
    """Whether settings.json is of a run; other programs have files of that name too."""
    if not (folder / SETTINGS).is_file():  # a pipe would be waited for
        return False
    try:
        with (folder / SETTINGS).open("rb") as file:
            return b'"mdlrnn-run/' in file.read(200)
    except OSError:
        return False
