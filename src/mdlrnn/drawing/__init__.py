"""Networks as pictures: `draw(network)` lays one out; a `Drawing` is shown or saved.

The formats are SVG, TikZ and dot, which need nothing more, and PNG and PDF (extra `plot`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .._errors import InputError
from .._files import PathLike, save
from ..network._network import Network
from ._arrangement import lay_out
from ._dot import dot
from ._formats import FORMATS as FORMATS
from ._formats import Picture, format_of, picture_bytes
from ._layout import Layout
from ._picture import picture

__all__ = ["FORMATS", "Drawing", "draw"]

MOST_UNITS = MOST_CONNECTIONS = 300
"""Beyond that a drawing takes minutes and shows nothing."""


@dataclass(frozen=True)
class Drawing:
    """A network laid out. A notebook shows it; `save` writes it as its file's name says."""

    network: Network

    @cached_property
    def layout(self) -> Layout:
        return lay_out(self.network)

    @cached_property
    def picture(self) -> Picture:
        return picture(self.network, self.layout)

    def svg(self) -> str:
        return self.picture.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_bytes(self, kind: str) -> bytes:
        """The drawing in one of `FORMATS`."""
        if kind == "dot":
            return dot(self.network, self.layout).encode()
        return picture_bytes(self.picture, kind)

    def save(self, path: PathLike) -> None:
        """Write it in the format that the name ends with: .svg, .png, .pdf, .tex or .dot."""
        save(path, self.to_bytes(format_of(path)))


def draw(network: Network) -> Drawing:
    """The network as a drawing, in the manner of the paper's figures."""
    for what, count, most in (
        ("units", len(network.units), MOST_UNITS),
        ("connections", len(network.connections), MOST_CONNECTIONS),
    ):
        if count > most:
            raise InputError(
                f"the network has {count} {what}, too many to draw; draw one of at most {most}."
            )
    return Drawing(network)
