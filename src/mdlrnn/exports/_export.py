"""`export`: a network as a file of any of the formats, as the command writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .._checks import check_known
from .._errors import InputError
from .._files import PathLike, path_of, save
from ..network._network import Network
from ..runs._networks import network_from
from ._c import c
from ._graph import graphml, graphviz
from ._onnx import onnx_bytes
from ._python import python
from ._sympy import sympy
from ._torch import torch_bytes


class Format(NamedTuple):
    write: Callable[[Network, Path, bool, bool], str | bytes]
    """From the network, the file's path, and whether it shall be exact and a single step."""
    what: str
    has_exact: bool = False
    has_step: bool = False


FORMATS = {
    "torch": Format(
        lambda net, path, exact, step: torch_bytes(net),
        "a PyTorch module; mdlrnn.exports.load_torch reads it",
    ),
    "onnx": Format(
        lambda net, path, exact, step: onnx_bytes(net, step=step),
        "an ONNX graph over whole strings, or of one step",
        has_step=True,
    ),
    "sympy": Format(
        lambda net, path, exact, step: _formulas(net, path),
        "exact formulas: LaTeX where the file ends in .tex, else Python that needs SymPy",
    ),
    "python": Format(
        lambda net, path, exact, step: python(net, exact=exact),
        "one Python file that imports nothing",
        has_exact=True,
    ),
    "c": Format(lambda net, path, exact, step: c(net), "one C99 header"),
    "graphml": Format(
        lambda net, path, exact, step: graphml(net), "the graph, for networkx and other tools"
    ),
    "dot": Format(lambda net, path, exact, step: graphviz(net), "the graph, for Graphviz"),
}


def export(
    network: object, path: PathLike, to: str, *, exact: bool = False, step: bool = False
) -> None:
    """Write a network, or the best one of a run, as a file of another tool.

    `to` is one of `FORMATS`. `exact` makes Python compute in fractions; `step` makes ONNX one step
    with its memory as input and output, instead of whole strings.
    """
    check_known(to, FORMATS, "format")
    form = FORMATS[to]
    for asked, has, name in ((exact, form.has_exact, "exact"), (step, form.has_step, "step")):
        if asked and not has:
            fitting = next(key for key, each in FORMATS.items() if getattr(each, f"has_{name}"))
            raise InputError(f"{name} is for {fitting} only; leave it out for {to}.")
    target = path_of(path)
    save(target, form.write(network_from(network), target, exact, step))


def _formulas(network: Network, path: Path) -> str:
    made = sympy(network)
    return made.latex() if path.suffix == ".tex" else made.source()
