"""Files that are no networks, each with what the error says of it."""

from __future__ import annotations

import json
from typing import Any

from helpers.networks import COUNTER
from mdlrnn.network._units import MOST_UNITS

MISSING = object()
HALF = [1, 2]


def spoiled(*place: str | int, to: Any) -> str:
    data = COUNTER.to_dict()
    at: Any = data
    for step in place[:-1]:
        at = at[step]
    if to is MISSING:
        del at[place[-1]]
    else:
        at[place[-1]] = to
    return json.dumps(data)


def spoiled_weight(weight: Any) -> str:
    return spoiled("connections", 2, "weight", to=weight)


def deep(depth: int) -> Any:
    return [] if depth == 0 else [deep(depth - 1)]


BAD_FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1, column 1"),
    "truncated": (COUNTER.to_json()[:300], " at line "),
    "text": ("aabb\n", "expecting value at line 1, column 1"),
    "two values": ("{} {}", "extra data at line 1, column 4"),
    "a list": ("[1, 2]", "not a network but [1, 2]"),
    "null": ("null", "not a network but None"),
    "another object": ('{"nodes": 3}', 'lacks "format": "mdlrnn/1"'),
    "another format": (spoiled("format", to="onnx"), 'lacks "format": "mdlrnn/1"'),
    "a future format": (spoiled("format", to="mdlrnn/2"), "is 'mdlrnn/2', but this version"),
    "deep nesting": ("[" * 100000, "nested too deeply"),
    "deep but closed": (spoiled("units", 0, to=deep(200)), "units[0] is [[[...]]]"),
    "not utf-8": (b'{"format": "\xff"}', "byte 12 is not UTF-8"),
    "utf-16": (COUNTER.to_json().encode("utf-16"), "byte 0 is not UTF-8"),
    "no inputs": (spoiled("inputs", to=MISSING), '"inputs" is missing'),
    "no outputs": (spoiled("outputs", to=MISSING), '"outputs" is missing'),
    "no units": (spoiled("units", to=MISSING), '"units" is missing'),
    "no connections": (spoiled("connections", to=MISSING), '"connections" is missing'),
    "unknown field": (spoiled("saturated", to=False), "an unknown field 'saturated'; the fields"),
    "inputs 0": (spoiled("inputs", to=0), "inputs is 0"),
    "inputs negative": (spoiled("inputs", to=-1), "inputs is -1"),
    "inputs true": (spoiled("inputs", to=True), "inputs is True"),
    "inputs 1.0": (spoiled("inputs", to=1.0), "inputs is 1.0"),
    "inputs text": (spoiled("inputs", to="3"), "inputs is '3'"),
    "inputs long text": (spoiled("inputs", to="3" * 999), "inputs is '3333"),
    "outputs null": (spoiled("outputs", to=None), "outputs is None"),
    "too few units": (spoiled("units", to=[]), '"units" is empty'),
    "fewer units than roles": (
        json.dumps(COUNTER.to_dict() | {"units": [], "connections": []}),
        "there are 0 units, fewer than the 3 inputs and 3 outputs",
    ),
    "too many units": (
        spoiled("units", to=[{"activation": "linear"}] * (MOST_UNITS + 1)),
        "there are 4097 units",
    ),
    "units no list": (spoiled("units", to={"0": {}}), '"units" is {'),
    "units text": (spoiled("units", to="linear"), "\"units\" is 'linear'"),
    "connections null": (spoiled("connections", to=None), '"connections" is None'),
    "unit a number": (spoiled("units", 3, to=7), "units[3] is 7"),
    "unit without activation": (spoiled("units", 3, to={}), 'units[3] lacks "activation"'),
    "unit with another field": (
        spoiled("units", 3, to={"activation": "relu", "color": 1}),
        "units[3] has an unknown field 'color'",
    ),
    "unknown activation": (
        spoiled("units", 3, "activation", to="softmax"),
        "units[3]: unknown activation 'softmax'; use one of linear",
    ),
    "activation a list": (spoiled("units", 3, "activation", to=[]), "units[3]: unknown activation"),
    "unknown type": (spoiled("units", 3, "type", to="max"), "units[3]: unknown type 'max'"),
    "input with bias": (spoiled("units", 1, "bias", to=HALF), "units[1] is an input"),
    "bias a number": (spoiled("units", 3, "bias", to=1), "units[3].bias is 1"),
    "bias 0": (spoiled("units", 3, "bias", to=[0, 1]), "units[3].bias: a weight's numerator is 0"),
    "connection a list": (spoiled("connections", 1, to=[0, 4]), "connections[1] is [0, 4]"),
    "connection lacks weight": (
        spoiled("connections", 1, "weight", to=MISSING),
        'connections[1] lacks "weight"',
    ),
    "connection lacks kind": (
        spoiled("connections", 1, "kind", to=MISSING),
        'connections[1] lacks "kind"',
    ),
    "unknown kind": (
        spoiled("connections", 1, "kind", to="backward"),
        "connections[1]: unknown kind 'backward'",
    ),
    "from a missing unit": (
        spoiled("connections", 1, "from", to=7),
        "connections[1].from is 7, but the units are numbered 0 to 6",
    ),
    "to a missing unit": (spoiled("connections", 1, "to", to=99), "connections[1].to is 99"),
    "to a negative unit": (spoiled("connections", 1, "to", to=-1), "connections[1].to is -1"),
    "to unit true": (spoiled("connections", 1, "to", to=True), "connections[1].to is True"),
    "twice": (
        spoiled("connections", to=COUNTER.to_dict()["connections"] * 2),
        "the forward connection from 0 to 4 is there twice",
    ),
    "denominator 0": (spoiled_weight([1, 0]), "connections[2].weight: a weight's denominator is 0"),
    "denominator -2": (spoiled_weight([1, -2]), "a weight's denominator is -2"),
    "numerator 0": (spoiled_weight([0, 1]), "connections[2].weight: a weight's numerator is 0"),
    "nan": (spoiled_weight([float("nan"), 1]), "connections[2].weight is [nan, 1]"),
    "infinity": (spoiled_weight([1, float("inf")]), "connections[2].weight is [1, inf]"),
    "weight a nan": (spoiled_weight(float("nan")), "connections[2].weight is nan"),
    "weight a string": (spoiled_weight("1/2"), "connections[2].weight is '1/2'"),
    "weight of strings": (spoiled_weight(["1", "2"]), "connections[2].weight is ['1', '2']"),
    "weight a float": (spoiled_weight(0.5), "connections[2].weight is 0.5"),
    "weight of floats": (spoiled_weight([1.0, 2.0]), "connections[2].weight is [1.0, 2.0]"),
    "weight a boolean": (spoiled_weight([True, 1]), "connections[2].weight is [True, 1]"),
    "weight an integer": (spoiled_weight(1), "connections[2].weight is 1"),
    "weight null": (spoiled_weight(None), "connections[2].weight is None"),
    "weight of three": (spoiled_weight([1, 2, 3]), "connections[2].weight is [1, 2, 3]"),
    "beyond 2**53": (
        spoiled_weight([2**53 + 1, 1]),
        "connections[2].weight: the weight [9007199254740993, 1] is too large",
    ),
    "denominator beyond 2**53": (spoiled_weight([1, 2**54]), "is too large"),
    "4000 digits": (spoiled_weight([10**4000, 1]), "an integer of 13288 bits"),
    "5000 digits": (
        spoiled_weight([1, 7777]).replace("7777", "7" * 5000),
        "an integer is too long",
    ),
    "alphabet text": (spoiled("alphabet", to="#ab"), "\"alphabet\" is '#ab'; it must be a list"),
    "alphabet too short": (spoiled("alphabet", to=["#", "a"]), "the alphabet has 2 symbols"),
    "alphabet too long": (spoiled("alphabet", to=[*"#abc"]), "the alphabet has 4 symbols"),
    "alphabet names a symbol twice": (spoiled("alphabet", to=[*"#aa"]), "names a symbol twice"),
    "alphabet without boundary": (spoiled("alphabet", to=[*"abc"]), "lacks the boundary symbol #"),
    "alphabet with a number": (spoiled("alphabet", to=["#", "a", 1]), "not a symbol"),
    "alphabet with a list": (spoiled("alphabet", to=["#", "a", []]), "not a symbol"),
    "alphabet with nothing": (spoiled("alphabet", to=["#", "a", ""]), "not a symbol"),
    "name a number": (spoiled("name", to=3), '"name" is 3; it must be text'),
}
