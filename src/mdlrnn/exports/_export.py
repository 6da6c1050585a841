"""`export`: a network as a file of any format; and the small exports: SymPy, NLTK, networkx."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks import check_kind, check_known
from ..errors import InputError
from ..files import PathLike, named, path_of, save
from ..network import Network, plan
from ..runs import network_from
from ..show import draw
from ._c import c
from ._formulas import require
from ._onnx import onnx_bytes
from ._python import python
from ._torch import torch_bytes

if TYPE_CHECKING:
    from ._language_model import NetworkModel
    from ._symbolic import SymbolicNetwork


def sympy(network: Network) -> SymbolicNetwork:
    """The network's formulas in SymPy, over exact rationals: each unit, and what each symbol does.

    Needs the extra `sympy`.
    """
    check_kind(network, Network, "give a Network")
    require("sympy", "formulas in SymPy", "SymPy", "sympy")
    from ._symbolic import symbolic

    return symbolic(network)


def nltk(network: Network) -> NetworkModel:
    """The network as an `nltk.lm.api.LanguageModel`: score, logscore, entropy, perplexity and
    generate.

    A context is the whole string so far, without or with NLTK's `<s>` before it; the end of the
    string is the word `</s>`. Needs the extra `nltk`.
    """
    check_kind(network, Network, "give a Network")
    require("nltk", "a language model for NLTK", "NLTK", "nltk")
    if network.alphabet is None:
        raise InputError("the network does not name its symbols; give it an alphabet first.")
    from ._language_model import NetworkModel

    return NetworkModel(network)


def networkx(network: Network) -> Any:
    """The network as a networkx.MultiDiGraph, whose nodes are the units' numbers.

    The graph has name, format and saturation, which is false where sums are not cut to ±10^6. A
    node has role, activation, type, bias (text, such as '-7/3'; '' for none) and symbol; an edge
    has kind, weight (a float), fraction (the weight as text) and ignored, which is true where a
    forward connection closes a loop and is not fed. Needs the extra `networkx`.
    """
    check_kind(network, Network, "give a Network")
    require("networkx", "a graph of networkx", "networkx", "networkx")
    import networkx as library

    graph = library.MultiDiGraph(
        name=network.name or "", format="mdlrnn/1", saturation=network.saturation
    )
    for u, unit in enumerate(network.units):
        graph.add_node(
            u,
            role=network.role(u),
            activation=unit.activation,
            type=unit.type,
            bias="" if unit.bias is None else str(unit.bias),
            symbol=_symbol(network, u),
        )
    ignored = plan(network).ignored
    for connection in network.connections:
        is_ignored = (
            connection.kind == "forward" and (connection.source, connection.target) in ignored
        )
        graph.add_edge(
            connection.source,
            connection.target,
            key=connection.kind,
            kind=connection.kind,
            weight=float(connection.weight),
            fraction=str(connection.weight),
            ignored=is_ignored,
        )
    return graph


def _symbol(network: Network, unit: int) -> str:
    if network.alphabet is None or network.role(unit) == "hidden":
        return ""
    return network.alphabet[unit % network.inputs]


def graphml(network: Network) -> str:
    """The same graph as GraphML, which graph tools read."""
    graph = networkx(network)
    import networkx as library

    return "\n".join(library.generate_graphml(graph)) + "\n"


def graphviz(network: Network) -> str:
    """The network in Graphviz's language, with colours and labels."""
    return draw(network).to_bytes("dot").decode()


class Format(NamedTuple):
    write: Callable[[Network, Path, bool, bool], str | bytes]
    """From the network, the file's path, and whether it shall be exact and a single step."""
    what: str
    endings: tuple[str, ...]
    """Of files that are written so where nothing else is said."""
    has_exact: bool = False
    has_step: bool = False


FORMATS = {
    "torch": Format(
        lambda net, path, exact, step: torch_bytes(net),
        "a PyTorch module; mdlrnn.exports.load_torch reads it",
        (".pt", ".pth"),
    ),
    "onnx": Format(
        lambda net, path, exact, step: onnx_bytes(net, step=step),
        "an ONNX graph over whole strings, or of one step",
        (".onnx",),
        has_step=True,
    ),
    "sympy": Format(
        lambda net, path, exact, step: _formulas(net, path),
        "exact formulas: LaTeX where the file ends in .tex, else Python that needs SymPy",
        (".tex",),
    ),
    "python": Format(
        lambda net, path, exact, step: python(net, exact=exact),
        "one Python file that imports nothing",
        (".py",),
        has_exact=True,
    ),
    "c": Format(lambda net, path, exact, step: c(net), "one C99 header", (".h", ".c")),
    "graphml": Format(
        lambda net, path, exact, step: graphml(net),
        "the graph, for networkx and other tools",
        (".graphml",),
    ),
    "dot": Format(
        lambda net, path, exact, step: graphviz(net), "the graph, for Graphviz", (".dot", ".gv")
    ),
}


def export(
    network: object,
    path: PathLike,
    to: str | None = None,
    *,
    exact: bool = False,
    step: bool = False,
) -> None:
    """Write a network, or the best one of a run, as a file of another tool.

    `to` is one of `FORMATS`; without it the file's ending says it. `exact` makes Python compute in
    fractions; `step` makes ONNX one step with its memory as input and output, instead of whole
    strings.
    """
    to = to or format_by_ending(path)
    check_known(to, FORMATS, "format")
    form = FORMATS[to]
    for asked, has, name in ((exact, form.has_exact, "exact"), (step, form.has_step, "step")):
        if asked and not has:
            fitting = next(key for key, each in FORMATS.items() if getattr(each, f"has_{name}"))
            raise InputError(f"{name} is for {fitting} only; leave it out for {to}.")
    target = path_of(path)
    save(target, form.write(network_from(network), target, exact, step))


def format_by_ending(path: PathLike) -> str:
    ending = path_of(path).suffix.lower()
    found = next((name for name, form in FORMATS.items() if ending in form.endings), None)
    if found is None:
        raise InputError(
            f"{named(path)}: its ending does not say what to write; say it with --to, one of "
            f"{', '.join(FORMATS)}."
        )
    return found


def _formulas(network: Network, path: Path) -> str:
    made = sympy(network)
    return made.latex() if path.suffix == ".tex" else made.source()
