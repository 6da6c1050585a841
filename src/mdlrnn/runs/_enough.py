"""`enough`: the networks of a run, and others beside them, as lines over the number of strings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from .._errors import InputError
from .._files import PathLike, named, read_text
from ..network._encoding import Encoding
from ..network._network import Network
from ..tasks._enough import Enough
from ..tasks._enough import enough as enough_strings
from ..tasks._measures import measure_parts
from ..tasks._measures import named as with_names
from ..tasks._sources import source_of, task_from
from ..tasks._tasks import Task
from ._files import FRONT, check_holds_run
from ._networks import network_from
from ._settings import read_settings

MOST = 40
"""Networks of a front that are looked at: those with the lowest scores."""
PARTS = 2
"""Of a test set, on which a network is right or not."""


def enough(
    run: object, language: object = None, *, networks: Sequence[object] = (), most: int = MOST
) -> Enough:
    """Which network of a run's front would win with how many strings, and how many would make a
    right one win; `networks` are looked at beside the front, of which those with the lowest scores
    are, at `most` so many.

    The language is the run's own, where that is known.
    """
    folder = getattr(run, "folder", run)
    if not isinstance(folder, str | Path):
        raise InputError("the run is kept in no folder; give it one, or a run's folder.")
    home = Path(folder)
    check_holds_run(home)
    settings = read_settings(home)
    task = _task(settings.corpus, home) if language is None else task_from(language)
    chosen = _front(home, most)
    for place, other in enumerate(networks, start=1):
        name = named(other) if isinstance(other, str | Path) else f"given {place}"
        chosen.append((name, network_from(other)))
    encoding: Encoding = settings.encoding
    # Wrong networks fail on training strings already, which are soon looked through.
    parts = [task.training(task.size), *islice(task.test(), PARTS)]

    def is_right(network: Network) -> bool:
        network = with_names(network, task)
        return all(measure_parts(network, task, [part])[1] is None for part in parts)

    return enough_strings(task, chosen, encoding, is_right)


def _task(about: dict[str, object], home: Path) -> Task:
    known = source_of(about)
    if known is None or known.task is None:
        raise InputError(
            f"{named(home)} is about strings of a language that is not written down; name the "
            "language, as mdlrnn enough RUN LANGUAGE."
        )
    return known.task


def _front(home: Path, most: int) -> list[tuple[str, Network]]:
    path: PathLike = home / FRONT
    try:
        rows = json.loads(read_text(path, "front"))
        found = [
            (int(row["g"]), row["d_given_g"], Network.from_dict(row["network"])) for row in rows
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{named(path)} is no front of a run; choose the folder of a run."
        ) from None
    finite = [(g, bits, network) for g, bits, network in found if bits is not None]
    best = sorted(finite, key=lambda row: row[0] + row[1])[:most]
    if not best:
        raise InputError(f"{named(path)} holds no network with a finite score; let the run go on.")
    return [(f"|G| {g:,}", network) for g, _, network in sorted(best, key=lambda row: row[0])]
