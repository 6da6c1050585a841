"""Where runs stand, from their folders alone: what `mdlrnn runs` lists."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from ..files import reason_of
from ..search import UNLIMITED, Origin
from ._files import LOCK, LOG, SETTINGS, checkpoints, holder, is_held, read_log
from ._sealed import is_sealed, read_sealed
from ._settings import read_settings


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
