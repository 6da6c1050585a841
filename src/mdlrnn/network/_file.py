"""The file format of networks, `mdlrnn/1`: from JSON to the parts of a network and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..checks import is_integer, short
from ..errors import InputError
from ..files import PathLike, read_text
from ..limits import CONNECTIONS, check_size
from ._units import Connection, Unit, Weight

if TYPE_CHECKING:
    from ._network import Network

FORMAT = "mdlrnn/1"
NEEDED = ("format", "inputs", "outputs", "units", "connections")
ALLOWED = ("name", "alphabet", "saturation", "score")
"""What a run writes as the score says nothing of the network, and is not read."""


def read_json(path: PathLike) -> object:
    text = read_text(path, "network")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: not readable as JSON ({_json_reason(error)}); "
            "give a file as written by Network.save."
        ) from None


def parse(data: object) -> dict[str, Any]:
    """What `Network` is made from, out of a decoded file."""
    if not isinstance(data, Mapping):
        raise InputError(
            f"not a network but {short(data)}; give a JSON object as written by Network.save."
        )
    version = data.get("format")
    if not isinstance(version, str) or not version.startswith("mdlrnn/"):
        raise InputError(
            f'not a network, since it lacks "format": "{FORMAT}"; '
            "give a file as written by Network.save."
        )
    if version != FORMAT:
        raise InputError(
            f'"format" is {short(version)}, but this version of mdlrnn reads "{FORMAT}"; '
            "update mdlrnn, or save the network in the older format."
        )
    for name in NEEDED:
        if name not in data:
            raise InputError(f'"{name}" is missing; the file may be incomplete, save it again.')
    for name in data:
        if name not in (*NEEDED, *ALLOWED):
            known = ", ".join((*NEEDED, *ALLOWED))
            raise InputError(f"there is an unknown field {short(name)}; the fields are {known}.")
    units = _list(data["units"], "units")
    connections = _list(data["connections"], "connections")
    if connections and not units:
        raise InputError('"units" is empty, but there are connections; list every unit.')
    check_size(len(connections), CONNECTIONS, "the network", "connections")
    alphabet = data.get("alphabet")
    if alphabet is not None:
        alphabet = tuple(_list(alphabet, "alphabet"))
    title = data.get("name")
    if title is not None and not isinstance(title, str):
        raise InputError(f'"name" is {short(title)}; it must be text.')
    saturation = data.get("saturation", True)
    if not isinstance(saturation, bool):
        raise InputError(f'"saturation" is {short(saturation)}; it must be true or false.')
    return {
        "inputs": data["inputs"],
        "outputs": data["outputs"],
        "units": tuple(_unit(item, f"units[{i}]") for i, item in enumerate(units)),
        "connections": _connections(connections, len(units)),
        "alphabet": alphabet,
        "name": title,
        "saturation": saturation,
    }


def to_dict(network: Network) -> dict[str, Any]:
    data: dict[str, Any] = {
        "format": FORMAT,
        "inputs": network.inputs,
        "outputs": network.outputs,
    }
    if network.name is not None:
        data["name"] = network.name
    if network.alphabet is not None:
        data["alphabet"] = list(network.alphabet)
    if not network.saturation:
        data["saturation"] = False
    data["units"] = [
        {
            "activation": unit.activation,
            "type": unit.type,
            "bias": None if unit.bias is None else [unit.bias.numerator, unit.bias.denominator],
        }
        for unit in network.units
    ]
    data["connections"] = [
        {
            "from": c.source,
            "to": c.target,
            "kind": c.kind,
            "weight": [c.weight.numerator, c.weight.denominator],
        }
        for c in network.connections
    ]
    return data


def json_text(data: Mapping[str, Any]) -> str:
    """The file's text, a line for each unit and connection, for readable diffs."""
    parts = []
    for key, value in data.items():
        if key in ("units", "connections") and value:
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f" {json.dumps(key)}: [\n{rows}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    text = "{\n" + ",\n".join(parts) + "\n}"
    # Half a surrogate pair is no UTF-8; what Python writes instead is just JSON's escape of it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _unit(item: object, place: str) -> Unit:
    fields = _object(item, place, ("activation",), ("type", "bias"))
    bias = fields.get("bias")
    read = None if bias is None else _weight(bias, f"{place}.bias")
    with_type = fields.get("type", "sum")
    try:
        return Unit(fields["activation"], with_type, read)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _connections(items: Sequence[Any], count: int) -> tuple[Connection, ...]:
    read = []
    for i, item in enumerate(items):
        place = f"connections[{i}]"
        fields = _object(item, place, ("from", "to", "kind", "weight"), ())
        weight = _weight(fields["weight"], f"{place}.weight")
        for name in ("from", "to"):
            number = fields[name]
            if not is_integer(number) or not 0 <= number < count:
                raise InputError(
                    f"{place}.{name} is {short(number)}, but the units are numbered 0 to "
                    f"{count - 1}; correct the number or add the unit."
                )
        try:
            read.append(Connection(fields["from"], fields["to"], fields["kind"], weight))
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    return tuple(read)


def _weight(item: object, place: str) -> Weight:
    if (
        isinstance(item, str)
        or not isinstance(item, Sequence)
        or len(item) != 2
        or not all(is_integer(part) for part in item)
    ):
        raise InputError(
            f"{place} is {short(item)}; write a weight as [numerator, denominator], two integers."
        )
    try:
        return Weight(*item)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _object(
    item: object, place: str, needed: tuple[str, ...], allowed: tuple[str, ...]
) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise InputError(f"{place} is {short(item)}; it must be a JSON object.")
    for name in needed:
        if name not in item:
            raise InputError(f'{place} lacks "{name}"; add it.')
    for name in item:
        if name not in needed and name not in allowed:
            known = ", ".join(needed + allowed)
            raise InputError(f"{place} has an unknown field {short(name)}; the fields are {known}.")
    return item


def _list(item: object, name: str) -> Sequence[Any]:
    if isinstance(item, str) or not isinstance(item, Sequence):
        raise InputError(f'"{name}" is {short(item)}; it must be a list.')
    return item


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at line {error.lineno}, column {error.colno}"
    # The only other thing that can be wrong with it: Python refuses integers of 4,300 digits.
    return "nested too deeply" if isinstance(error, RecursionError) else "an integer is too long"
