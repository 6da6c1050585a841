"""`mdlrnn export`."""

from __future__ import annotations

import click

from ..errors import InputError
from ..exports import FORMATS
from ..exports import export as export_network
from ._options import network_argument

_NEXT = {
    "python": "python {0} tries it on a string.",
    "c": "include it and call the function that ends in _step.",
    "torch": "mdlrnn.exports.load_torch({0!r}) reads it.",
    "onnx": "onnxruntime.InferenceSession({0!r}) runs it.",
}


@click.command()
@network_argument
@click.option(
    "--to",
    "kind",
    type=click.Choice(list(FORMATS)),
    help="What to write, of those listed above.",
)
@click.option("-o", "--out", type=click.Path(), required=True, help="The file to write.")
@click.option("--exact", is_flag=True, help="Python: compute in fractions instead of floats.")
@click.option("--step", is_flag=True, help="ONNX: one step, with its memory as input and output.")
def export(network: str, kind: str | None, out: str, exact: bool, step: bool) -> None:
    """Write a network, or the best one of a run, for another tool.

    \b
    torch    a PyTorch module; mdlrnn.exports.load_torch reads it
    onnx     an ONNX graph over whole strings, or with --step of one step
    sympy    exact formulas: LaTeX in a file .tex, else Python that needs SymPy
    python   one Python file that imports nothing, in floats or with --exact
    c        one C99 header
    graphml  the graph, for networkx and other tools
    dot      the graph, for Graphviz

    The first five compute what mdlrnn computes, in float64 or exactly, or are refused.
    """
    if kind is None:
        raise InputError(f"--to is missing; say what to write, one of {', '.join(FORMATS)}.")
    export_network(network, out, kind, exact=exact, step=step)
    click.echo(f"saved as {out}")
    if kind in _NEXT:
        click.echo(f"Next: {_NEXT[kind].format(out)}")
