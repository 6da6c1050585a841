"""Pictures as TikZ, a standalone LaTeX document that compiles with pdflatex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._shapes import FADED, STYLES, Circle, Curve, Line, Point, Shape, Words

if TYPE_CHECKING:
    from ._formats import Picture

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%",
    "&": r"\&", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": r"\ensuremath{-}", "×": r"\ensuremath{\times}", "…": r"\ldots{}",
    "␣": r"\textvisiblespace{}",
}  # fmt: skip


def tikz(picture: Picture) -> str:
    used = sorted({shape.style for group in picture.groups for shape in group.shapes})
    colours = sorted({c for name in used for c in STYLES[name][:2] if c is not None})
    lines = [
        r"\documentclass[tikz,border=2pt]{standalone}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{tikz}",
        *(f"\\definecolor{{{_colour(c)}}}{{HTML}}{{{c[1:].upper()}}}" for c in colours),
        r"\begin{document}",
        r"\begin{tikzpicture}[x=1pt,y=-1pt,font=\sffamily]",
    ]
    for group in picture.groups:
        if group.title:
            lines.append(f"% {_one_line(group.title)}")
        shapes = [_shape(shape) for shape in group.shapes]
        if group.faded:
            shapes = [f"\\begin{{scope}}[opacity={FADED},text opacity={FADED}]", *shapes]
            shapes.append(r"\end{scope}")
        lines += shapes
    return "\n".join([*lines, r"\end{tikzpicture}", r"\end{document}", ""])


def _shape(shape: Shape) -> str:
    style = STYLES[shape.style]
    if isinstance(shape, Words):
        size = f"\\fontsize{{{shape.size:g}}}{{{shape.size * 1.2:g}}}\\selectfont"
        bold = r"\bfseries" if shape.bold else ""
        anchor = {"middle": "center", "start": "west", "end": "east"}[shape.anchor]
        options = f"anchor={anchor},inner sep=0pt,text={_colour(style.fill or '#000000')}"
        return (
            f"\\node[{options},font=\\sffamily{bold}{size}] at {_at(shape.at)} "
            f"{{{_text(shape.text)}}};"
        )
    parts = []
    if style.stroke is not None and not (isinstance(shape, Line) and shape.closed):
        parts.append(f"draw={_colour(style.stroke)},line width={style.width:g}pt")
    if style.dashed:
        parts.append("dash pattern=on 5pt off 3.5pt")
    if style.fill is not None and (isinstance(shape, Circle) or getattr(shape, "closed", False)):
        parts.append(f"fill={_colour(style.fill)}")
    options = ",".join(parts)
    if isinstance(shape, Circle):
        return f"\\path[{options}] {_at(shape.centre)} circle[radius={shape.radius:g}pt];"
    if isinstance(shape, Curve):
        path = _at(shape.points[0])
        for i in range(1, len(shape.points), 3):
            one, two, end = map(_at, shape.points[i : i + 3])
            path += f" .. controls {one} and {two} .. {end}"
        return f"\\path[{options}] {path};"
    path = " -- ".join(map(_at, shape.points))
    return f"\\path[{options}] {path}{' -- cycle' if shape.closed else ''};"


def _at(point: Point) -> str:
    return f"({point.x:.2f},{point.y:.2f})"


def _colour(value: str) -> str:
    return f"c{value[1:]}"


def _text(text: str) -> str:
    """Words for pdflatex; what its fonts may lack is named by its code point."""
    return "".join(
        _SPECIAL[c] if c in _SPECIAL else c if " " <= c <= "~" else f"U+{ord(c):04X}" for c in text
    )


def _one_line(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text.replace("−", "-"))
