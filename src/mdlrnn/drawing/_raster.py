"""Pictures as PNG and PDF, through Matplotlib (extra `plot`)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from .._errors import MissingExtra
from ._shapes import FADED, STYLES, Circle, Curve, Line, Shape, Words

if TYPE_CHECKING:
    from ._formats import Picture

DOTS = 200
"""Dots an inch in a PNG file."""
_INCH = 72.0


def raster(picture: Picture, kind: str) -> bytes:
    """The bytes of a 'png' or 'pdf' file."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(f"a {kind.upper()} file", "Matplotlib", "plot") from None
    figure = Figure(figsize=(picture.width / _INCH, picture.height / _INCH))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    axes.axis("off")
    for order, group in enumerate(picture.groups):
        for shape in group.shapes:
            _add(axes, shape, FADED if group.faded else 1.0, order)
    file = io.BytesIO()
    # Without a date the same picture is the same file; with type 42 its words can be searched.
    metadata: dict[str, Any] = {"Creator": "mdlrnn", "CreationDate": None} if kind == "pdf" else {}
    with rc_context({"pdf.fonttype": 42}):
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata)
    return file.getvalue()


def _add(axes: Any, shape: Shape, opacity: float, order: int) -> None:
    from matplotlib import patches
    from matplotlib.path import Path

    style = STYLES[shape.style]
    if isinstance(shape, Words):
        side = {"middle": "center", "start": "left", "end": "right"}[shape.anchor]
        weight = "bold" if shape.bold else "normal"
        # Dollar signs would start Matplotlib's mathematics.
        axes.text(
            shape.at.x, shape.at.y, shape.text, size=shape.size * 0.96, color=style.fill,
            ha=side, va="center_baseline", weight=weight, alpha=opacity, zorder=order,
            parse_math=False,
        )  # fmt: skip
        return
    closed = isinstance(shape, Line) and shape.closed
    stroked = style.stroke is not None and not closed
    look: dict[str, Any] = {
        "edgecolor": style.stroke if stroked else "none",
        "linewidth": style.width if stroked else 0,
        "facecolor": style.fill if (closed or isinstance(shape, Circle)) and style.fill else "none",
        "linestyle": (0, (5 / style.width, 3.5 / style.width)) if style.dashed else "solid",
        "alpha": opacity,
        "zorder": order,
    }
    if isinstance(shape, Circle):
        axes.add_patch(patches.Circle(shape.centre, shape.radius, **look))
        return
    points = [tuple(p) for p in shape.points]
    if isinstance(shape, Curve):
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)]
    else:
        codes = [Path.MOVETO, *[Path.LINETO] * (len(points) - 1)]
        if closed:
            points.append(points[0])
            codes.append(Path.CLOSEPOLY)
    axes.add_patch(patches.PathPatch(Path(points, codes), **look))
