"""`atlas`: a folder of results as a site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mdlrnn.checks import check_integer, is_number, short
from mdlrnn.errors import InputError
from mdlrnn.files import PathLike, path_of
from mdlrnn.old import knows_old

from .site import SECONDS, TITLE, Site, build


@knows_old("atlas")
def atlas(
    results: PathLike,
    out: PathLike = "atlas",
    *,
    title: str = TITLE,
    seconds: float = SECONDS,
    workers: int = 1,
    docs: str | None = None,
    tell: Callable[[str], object] | None = None,
) -> Site:
    """Write a site with a page for each language of a folder of results, and an index of them.

    Results are run folders, files of `python -m benchmarks.languages run`, and files of networks.
    For each language one network is drawn, proved and read, `seconds` long each; what was found out
    is kept in the site, and a second call only does what is missing. `docs` is an address to link
    to. `workers` is a number of processes. They are started afresh, so a script that asks for
    several of them must not do its work when it is imported.
    """
    if not is_number(seconds) or seconds <= 0:
        raise InputError(f"seconds is {short(seconds)}; give a number above 0.")
    check_integer("workers", workers, 1)
    return build(
        path_of(results), Path(path_of(out)), title=title, seconds=float(seconds),
        processes=workers, docs=docs, tell=tell,
    )  # fmt: skip
