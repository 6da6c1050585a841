"""What lies in a run's folder:

    settings.json   what is searched for, and how; written once, but for the limits
    corpus.npz      the corpus, so that going on needs nothing else
    log.jsonl       one event a line: start, progress, resume, end
    best.json       the best network at the last checkpoint
    front.json      the networks that no other beats in both |G| and |D:G|
    checkpoint-*    all islands, at the generation in the name; the two newest are kept
    lock            held by the process that works on the run

Here they are read and written; when, and what must fit together, is in `_runs`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ._errors import InputError, RunError
from ._files import read_text, write_atomically
from ._score import Objective
from ._search import Search

FORMAT = "mdlrnn-run/1"
SETTINGS, CORPUS, LOG = "settings.json", "corpus.npz", "log.jsonl"
BEST, FRONT, LOCK = "best.json", "front.json", "lock"
_CHECKPOINT = re.compile(r"checkpoint-(\d{9,})\.npz")


class Settings(NamedTuple):
    search: Search
    objective: Objective
    corpus: dict[str, Any]
    """Its name, the path it was read from, whether its symbols are words, and its digest."""
    fingerprint: str
    versions: dict[str, str]
    created: str


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def checkpoint_path(folder: Path, generation: int) -> Path:
    return folder / f"checkpoint-{generation:09}.npz"


def checkpoints(folder: Path) -> list[Path]:
    """The folder's checkpoints, newest first."""
    found = [(m, path) for path in folder.iterdir() if (m := _CHECKPOINT.fullmatch(path.name))]
    return [path for _, path in sorted(found, key=lambda item: int(item[0][1]), reverse=True)]


def holds_run(folder: Path) -> bool:
    return folder.is_dir() and bool((folder / SETTINGS).exists() or checkpoints(folder))


def write(path: Path, data: str | bytes) -> None:
    """`write_atomically`; where the disk refuses, the run stops with one sentence."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise cannot_write(path, error) from None


def cannot_write(path: Path, error: OSError) -> RunError:
    reason = (error.strerror or str(error)).lower()
    return RunError(
        f"{path}: cannot be written ({reason}); the run has stopped, and once that is put right "
        f"mdlrnn evolve --resume {path.parent} goes on from where it was last saved."
    )


def tidy(folder: Path) -> None:
    """Remove what a process left that was killed while it wrote. Only for who holds the lock."""
    for name in (SETTINGS, CORPUS, LOG, BEST, FRONT, "checkpoint-"):
        for path in folder.glob(f".{name}*"):
            with contextlib.suppress(OSError):
                path.unlink()


def write_settings(folder: Path, settings: Settings) -> None:
    code = settings.search.code()
    data = {
        "format": FORMAT,
        "created": settings.created,
        "corpus": settings.corpus,
        "search": settings.search.to_dict(),
        "objective": asdict(settings.objective),
        "encoding": asdict(code),
        "fingerprint": settings.fingerprint,
        "versions": settings.versions,
    }
    write(folder / SETTINGS, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def read_settings(folder: Path) -> Settings:
    path = folder / SETTINGS
    try:
        data = json.loads(read_text(path, "settings"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not JSON; put back the file as the run wrote it.") from None
    kind = data.get("format") if isinstance(data, dict) else None
    if not isinstance(kind, str) or not kind.startswith("mdlrnn-run/"):
        raise InputError(f"{path}: not the settings of a run; choose the folder of a run.")
    if kind != FORMAT:
        raise InputError(
            f'{path}: its format is "{kind}", and this version of mdlrnn reads "{FORMAT}"; '
            "update mdlrnn."
        )
    try:
        return Settings(
            Search.from_dict(data["search"]),
            Objective(**data["objective"]),
            _texts(data["corpus"], "digest"),
            str(data["fingerprint"]),
            _texts(data["versions"], "mdlrnn"),
            str(data["created"]),
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{path}: something is missing or out of place; put back the file as the run wrote it."
        ) from None


def _texts(data: Any, needed: str) -> dict[str, Any]:
    if not isinstance(data, dict) or not isinstance(data[needed], str):
        raise TypeError
    return data


def append_event(folder: Path, event: Mapping[str, Any]) -> None:
    """One more line in the log, whole or not at all."""
    path = folder / LOG
    line = _line({name: _finite(value) for name, value in event.items()}).encode()
    try:
        with path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, "no space left on device")
            except OSError:
                file.truncate(before)
                raise
    except OSError as error:
        raise cannot_write(path, error) from None


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The events; a line that a crash left half-written is passed over."""
    path = folder / LOG
    if not path.exists():
        return []
    events = []
    for line in read_text(path, "log").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            event = json.loads(line)
            if isinstance(event, dict) and isinstance(event.get("generation"), int):
                events.append(event)
    return events


def trim_log(folder: Path, generation: int) -> None:
    """Keep what happened up to this generation, from which the run goes on."""
    kept = (event for event in read_log(folder) if event["generation"] <= generation)
    write(folder / LOG, "".join(map(_line, kept)))


def write_front(folder: Path, front: Iterable[Mapping[str, Any]]) -> None:
    rows = ",\n".join(" " + json.dumps(entry, ensure_ascii=False) for entry in front)
    write(folder / FRONT, f"[\n{rows}\n]\n")


def _line(event: Mapping[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False) + "\n"


def _finite(value: Any) -> Any:
    """JSON has no infinity; a log says null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
