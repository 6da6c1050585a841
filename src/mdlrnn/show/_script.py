"""What the page's script needs to know of a network: its parts, its order of feeding, its bits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from ..network import (
    BOUNDARY,
    FLOAT,
    Encoding,
    Network,
    Part,
    distribution,
    has_words,
    parts,
    plan,
    spelled,
    stepper,
)
from ._drawing import Drawing, connection_title, unit_title

KINDS = {
    "part": "which parts are allowed",
    "count": "number of units",
    "activation": "activation",
    "type": "sum or product",
    "outgoing": "number of outgoing connections",
    "target": "target of a connection",
    "weight": "weight",
    "kind": "forward or recurrent",
    "cost": "cost of the activation",
    "bias": "bias or its absence",
}
"""The colours of the bit string, as in Figure 2."""
DRAWS = 30
TELLING, LONGEST_EXAMPLE = 4, 12
"""Symbols of an example: so many that something is to be seen, and few enough for one look."""


def page_data(drawing: Drawing, encoding: Encoding, example: str | None = None) -> dict[str, Any]:
    net = drawing.network
    order, ignored = plan(net)
    written = described_parts(net, encoding)
    fed = net.to_dict()
    # JavaScript reads numbers as doubles, so that only strings keep large ones whole.
    for item in (*fed["units"], *fed["connections"]):
        for name in ("weight", "bias"):
            if item.get(name):
                item[name] = [str(value) for value in item[name]]
    fed["order"] = [*(u for u in range(net.inputs) if u not in order), *order]
    fed["ignored"] = [
        number
        for number, c in enumerate(net.connections)
        if c.kind == "forward" and (c.source, c.target) in ignored
    ]
    fed["shown"] = shown_units(net)
    titles = {net.connections.index(p.connection): connection_title(p)
              for p in drawing.layout.placed if p.connection is not None}  # fmt: skip
    return {
        "network": fed,
        "parts": written,
        "units": [_unit(drawing, written, u) for u in range(len(net.units))],
        "connections": [_capital(titles[number]) for number in range(len(net.connections))],
        "example": example_string(net) if example is None else example,
    }


def shown_units(network: Network) -> list[int]:
    """The units with a column in the table of steps: an input for a symbol, unless a connection
    leads to it, only repeats which symbol is read, and that has a column of its own."""
    fed = {c.target for c in network.connections}
    folded = 0 if network.alphabet is None else network.inputs
    return [u for u in range(len(network.units)) if u >= folded or u in fed]


def described_parts(network: Network, encoding: Encoding) -> list[dict[str, Any]]:
    """The bit string in pieces that say in words, counting units from 0, what they mean."""
    places = {c: number for number, c in enumerate(network.connections)}
    found: list[dict[str, Any]] = []
    within = 0
    for part in parts(network, encoding):
        within = within + 1 if part.connection is not None else 0
        kind, label = _meaning(part, network, (within - 1) % 3)
        found.append(
            {
                "bits": part.bits,
                "kind": kind,
                "label": label,
                "unit": part.unit,
                "connection": None if part.connection is None else places[part.connection],
            }
        )
    return found


def _meaning(part: Part, network: Network, place: int) -> tuple[str, str]:
    c, u = part.connection, part.unit
    if u is None and part.label != "E(U)":
        name, said = part.label.rstrip("?"), "allowed" if part.bits == "1" else "not allowed"
        return "part", f"{name}: {said}"
    if u is None:
        return "count", f"{len(network.units)} units"
    if c is not None:
        return (
            ("target", f"to unit {c.target}"),
            ("weight", f"weight {c.weight}"),
            ("kind", c.kind),
        )[place]
    if part.label == "type":
        return "type", f"unit {u} is a {network.units[u].type}"
    if part.label == "E(#out)":
        count = sum(c.source == u for c in network.connections)
        return "outgoing", f"unit {u} has {count} outgoing connection{'' if count == 1 else 's'}"
    if part.label.startswith("cost("):
        return "cost", f"cost of {network.units[u].activation}, in unary"
    if part.label in ("bias", "no bias"):
        bias = network.units[u].bias
        return "bias", f"unit {u} has no bias" if bias is None else f"bias {bias} of unit {u}"
    return "activation", f"unit {u} is {part.label}"


def _unit(drawing: Drawing, written: Sequence[dict[str, Any]], unit: int) -> dict[str, Any]:
    here = [part for part in written if part["unit"] == unit]
    own = sum(len(part["bits"]) for part in here if part["connection"] is None)
    return {
        "title": _capital(unit_title(drawing.network, drawing.layout, unit)),
        "own": own,
        "out": sum(len(part["bits"]) for part in here) - own,
        "outgoing": sum(c.source == unit for c in drawing.network.connections),
    }


def example_string(network: Network) -> str:
    """Something to begin with: a string that the network itself finds likely, or a few steps of
    ones and zeros."""
    if network.alphabet is None:
        steps = [["1"] * network.inputs, ["1"] + ["0"] * (network.inputs - 1)]
        return " ".join(",".join(step) for step in [*steps, ["0"] * network.inputs])
    random = Random(0)
    drawn = [_drawn(network, network.alphabet, random) for _ in range(DRAWS)]
    ended = [string for string, ends in drawn if ends]
    telling = [string for string in ended if len(string) >= TELLING]
    return spelled(next(iter([*telling, *ended, drawn[0][0]])), has_words(network.alphabet))


def _drawn(network: Network, alphabet: Sequence[str], random: Random) -> tuple[list[str], bool]:
    """Symbols drawn with the network's probabilities, and whether the string has come to its
    end."""
    step = stepper(network, FLOAT)
    symbols: list[str] = []
    symbol, values = BOUNDARY, None
    while len(symbols) < LONGEST_EXAMPLE:
        values = step([int(symbol == other) for other in alphabet], values)
        [symbol] = random.choices(alphabet, distribution(network, values))
        if symbol == BOUNDARY:
            return symbols, True
        symbols.append(symbol)
    return symbols, False


def json_text(data: object) -> str:
    """JSON that can stand inside a script element, whatever strings it holds."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
