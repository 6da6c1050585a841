"""A picture, and the formats in which it is written: SVG and TikZ, which need nothing more, and PNG
and PDF (extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .._errors import InputError
from .._files import PathLike, save
from ._raster import raster
from ._shapes import Group
from ._svg import svg
from ._tikz import tikz

FORMATS = ("svg", "png", "pdf", "tex", "dot")
"""Of a network's drawing."""
PLOT_FORMATS = FORMATS[:-1]
"""Of a plot or a machine: dot knows networks only."""


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing or a plot. A notebook shows it; `save` writes it as its file's name says."""

    width: float
    height: float
    groups: tuple[Group, ...]
    title: str = ""

    def svg(self) -> str:
        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {self.width:.0f} by {self.height:.0f} points)"

    def save(self, path: PathLike) -> None:
        """Write it in the format that the name ends with: .svg, .png, .pdf or .tex."""
        save(path, picture_bytes(self, format_of(path, PLOT_FORMATS)))


def picture_bytes(picture: Picture, kind: str) -> bytes:
    """A drawing or a plot in one of `FORMATS` but dot, which knows networks only."""
    if kind == "svg":
        return svg(picture).encode()
    if kind == "tex":
        return tikz(picture).encode()
    if kind in ("png", "pdf"):
        return raster(picture, kind)
    raise InputError(f"a plot cannot be written as {kind!r}; use svg, png, pdf or tex.")


def format_of(path: PathLike, formats: Sequence[str] = FORMATS) -> str:
    """The format, one of these, that a file's name asks for."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in formats:
        ends = ", ".join(f".{name}" for name in formats)
        why = "dot is for networks alone" if suffix == "dot" else "its ending names no format"
        raise InputError(f"{path}: {why}; end it in one of {ends}.")
    return suffix
