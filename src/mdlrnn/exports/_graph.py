"""A network's graph, for networkx and for Graphviz."""

from __future__ import annotations

from typing import Any

from ..drawing import draw
from ..network._interpreter import plan
from ..network._network import Network
from ._extras import require


def networkx(network: Network) -> Any:
    """The network as a networkx.MultiDiGraph, whose nodes are the units' numbers.

    The graph has name, format and saturation, which is false where sums are not cut to ±10^6. A
    node has role, activation, type, bias (text, such as '-7/3'; '' for none) and symbol; an edge
    has kind, weight (a float), fraction (the weight as text) and ignored, which is true where a
    forward connection closes a loop and is not fed. Needs the extra `networkx`.
    """
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
    for c in network.connections:
        is_ignored = c.kind == "forward" and (c.source, c.target) in ignored
        graph.add_edge(
            c.source,
            c.target,
            key=c.kind,
            kind=c.kind,
            weight=float(c.weight),
            fraction=str(c.weight),
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
