"""Networks as pictures: `draw(network)` lays one out; a `Drawing` is shown or saved.

The formats are SVG, TikZ and dot, which need nothing more, and PNG and PDF (extra `plot`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import InputError
from .._files import PathLike, save_bytes

if TYPE_CHECKING:
    from .._network import Network
    from ._layout import Layout
    from ._shapes import Picture

__all__ = ["FORMATS", "Drawing", "draw"]

FORMATS = ("svg", "png", "pdf", "tex", "dot")
MOST_UNITS = 300
"""Beyond that a drawing takes minutes and shows nothing."""


@dataclass(frozen=True)
class Drawing:
    """A network laid out. A notebook shows it; `save` writes it as its file's name says."""

    network: Network

    @cached_property
    def layout(self) -> Layout:
        from ._layout import lay_out

        return lay_out(self.network)

    @cached_property
    def picture(self) -> Picture:
        from ._picture import picture

        return picture(self.network, self.layout)

    def svg(self) -> str:
        return self.picture.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_bytes(self, kind: str) -> bytes:
        """The drawing in one of `FORMATS`."""
        if kind == "dot":
            from ._dot import dot

            return dot(self.network, self.layout).encode()
        return picture_bytes(self.picture, kind)

    def save(self, path: PathLike) -> None:
        """Write it in the format that the name ends with: .svg, .png, .pdf, .tex or .dot."""
        save_bytes(path, self.to_bytes(format_of(path)))


def draw(network: Network) -> Drawing:
    """The network as a drawing, in the manner of the paper's figures."""
    count = len(network.units)
    if count > MOST_UNITS:
        raise InputError(
            f"the network has {count} units, too many to draw; draw one of at most {MOST_UNITS}."
        )
    return Drawing(network)


def picture_bytes(picture: Picture, kind: str) -> bytes:
    """A drawing or a plot in one of `FORMATS` but dot, which knows networks only."""
    if kind == "svg":
        return picture.svg().encode()
    if kind == "tex":
        from ._tikz import tikz

        return tikz(picture).encode()
    if kind in ("png", "pdf"):
        from ._raster import raster

        return raster(picture, kind)
    raise InputError(f"a plot cannot be written as {kind!r}; use svg, png, pdf or tex.")


def format_of(path: PathLike) -> str:
    """The format that a file's name asks for."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        ends = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"{path}: its ending names no format; end it in one of {ends}.")
    return suffix
