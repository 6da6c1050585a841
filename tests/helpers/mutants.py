"""Networks near those of the zoo: what a search, or a slip of the pen, would make of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from helpers.data import stack_network
from mdlrnn import Connection, Network, Unit, Weight, zoo

TARGETS = {
    "anbn": "anbn", "anbncn": "anbncn", "anb2n": "anb2n", "anbmcnm": "anbmcnm",
    "dyck1": "dyck1", "addition": "addition", "dyck2": "dyck2", "dyck2_short": "dyck2",
    "arithmetic": "arithmetic",
}  # fmt: skip
"""Networks of the zoo, and one whose stack is a fraction, with the language each is for."""
_ACTIVATIONS = ("linear", "relu", "sigmoid", "square", "floor", "step", "mod2", "mod3")


def target(name: str) -> Network:
    """The network of that name."""
    return stack_network(name) if name == "arithmetic" else zoo.load(name)


def _weights() -> st.SearchStrategy[Weight]:
    numerator = st.sampled_from([-15, -4, -3, -2, -1, 1, 2, 3, 5, 7])
    return st.builds(Weight, numerator, st.sampled_from([1, 1, 1, 2, 3]))


def _nudged(weight: Weight, by: int) -> Weight:
    return Weight(weight.numerator + by or 2 * by, weight.denominator)


@st.composite
def mutants(draw: st.DrawFn, name: str, most: int = 2) -> Network:
    """A network after one or two mutations."""
    network = target(name)
    for _ in range(draw(st.integers(1, most))):
        network = draw(_mutated(network))
    return network


@st.composite
def _mutated(draw: st.DrawFn, network: Network) -> Network:
    units, connections = list(network.units), list(network.connections)
    kind = draw(st.sampled_from(["weight", "bias", "activation", "remove", "add", "unit"]))
    inner = st.integers(network.inputs, len(units) - 1)
    if kind == "weight":
        place = draw(st.integers(0, len(connections) - 1))
        nudge = draw(st.sampled_from([-1, 1]))
        old = connections[place]
        connections[place] = replace(old, weight=_nudged(old.weight, nudge))
    elif kind == "bias":
        place = draw(inner)
        units[place] = replace(units[place], bias=draw(st.none() | _weights()))
    elif kind == "activation":
        place = draw(inner)
        units[place] = replace(units[place], activation=draw(st.sampled_from(_ACTIVATIONS)))
    elif kind == "remove":
        connections.pop(draw(st.integers(0, len(connections) - 1)))
    else:
        if kind == "unit":
            units.append(Unit(draw(st.sampled_from(_ACTIVATIONS)), "sum", draw(_weights())))
            connections.append(Connection(draw(inner), len(units) - 1, "forward", draw(_weights())))
        ends = st.integers(0, len(units) - 1)
        source = len(units) - 1 if kind == "unit" else draw(ends)
        new = Connection(source, draw(ends), draw(st.sampled_from(["forward", "recurrent"])),
                         draw(_weights()))  # fmt: skip
        same = [(c.kind, c.source, c.target) for c in connections]
        if (new.kind, new.source, new.target) not in same:
            connections.append(new)
    return replace(network, units=tuple(units), connections=tuple(connections), name=None)
