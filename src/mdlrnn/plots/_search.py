"""How a search went: its history and its front, as data, from a `Run` or a run's folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from .._errors import InputError
from .._files import PathLike, path_of, read_text
from ..runs._files import FRONT, check_holds_run, read_log

if TYPE_CHECKING:
    from ..search._run import Run


class History(NamedTuple):
    """The best network so far, each time it was looked at or improved."""

    generation: tuple[int, ...]
    g: tuple[float, ...]
    d_given_g: tuple[float, ...]

    @property
    def mdl(self) -> tuple[float, ...]:
        return tuple(g + d for g, d in zip(self.g, self.d_given_g, strict=True))


class Front(NamedTuple):
    """|G| and |D:G| of the networks that no other beats in both; `best` is a place in the list."""

    g: tuple[int, ...]
    d_given_g: tuple[float, ...]
    best: int | None


def history(run: Run | PathLike) -> History:
    if _is_run(run):
        end = {"generation": run.archipelago.generation, "g": run.score.g,
               "d_given_g": run.score.d_given_g}  # fmt: skip
        return _history([*run.history, end])
    return _history(read_log(_folder(run)))


def _is_run(run: object) -> TypeGuard[Run]:
    return hasattr(run, "archipelago")


def _history(events: Iterable[Mapping[str, Any]]) -> History:
    """Steps without a finite |D:G| are left out: there is no place for them on paper."""
    rows = [
        (int(event["generation"]), float(event["g"]), float(event["d_given_g"]))
        for event in events
        if all(isinstance(event.get(key), int | float) for key in ("generation", "g", "d_given_g"))
        and float("-inf") < event["d_given_g"] < float("inf")
    ]
    generation, g, d = zip(*rows, strict=True) if rows else ((), (), ())
    return History(tuple(generation), tuple(g), tuple(d))


def front(run: Run | PathLike) -> Front:
    if _is_run(run):
        pairs = [(score.g, score.d_given_g) for _, score in run.front]
    else:
        pairs = _saved_front(_folder(run))
    finite = [(g, d) for g, d in pairs if d < float("inf")]
    best = min(range(len(finite)), key=lambda i: sum(finite[i]), default=None)
    return Front(tuple(g for g, _ in finite), tuple(d for _, d in finite), best)


def _saved_front(folder: Path) -> list[tuple[int, float]]:
    path = folder / FRONT
    if not path.exists():
        return []
    try:
        return [
            (int(row["g"]), float(row["d_given_g"])) for row in json.loads(read_text(path, "front"))
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: not a front as a run writes it; put back the file as it was."
        ) from None


def _folder(path: object) -> Path:
    folder = path_of(path)
    check_holds_run(folder)
    return folder
