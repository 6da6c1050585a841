"""What a network is (paper, section 3.2): units, weighted connections, rational weights.

Here live the values and their file format, `mdlrnn/1`. What a network costs is in `_encoding`,
what it computes in `_interpreter` and the kernels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from ._errors import InputError
from ._files import PathLike, read_text, save_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .drawing import Drawing

FORMAT = "mdlrnn/1"
BOUNDARY = "#"
ACTIVATIONS = (
    "linear", "relu", "sigmoid", "square", "floor", "step", "mod2", "mod3", "tanh",
)  # fmt: skip
TYPES = ("sum", "product")
KINDS = ("forward", "recurrent")
LARGEST_INTEGER = 2**53
"""Bound on numerators and denominators, so that float64 holds each of them exactly."""
MOST_UNITS = 4096


@dataclass(frozen=True, slots=True, order=True)
class Weight:
    """A signed fraction as written: 2/4 and 1/2 weigh the same but cost different bits."""

    numerator: int
    denominator: int = 1

    def __post_init__(self) -> None:
        for name in ("numerator", "denominator"):
            if not _is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {_short(getattr(self, name))} is not an integer; "
                    "write a weight as two integers, [numerator, denominator]."
                )
        if self.numerator == 0:
            raise InputError("a weight's numerator is 0; leave the connection or bias out instead.")
        if self.denominator < 1:
            raise InputError(
                f"a weight's denominator is {_short(self.denominator)}; it must be 1 or more, "
                "with the sign in the numerator."
            )
        if max(abs(self.numerator), self.denominator) > LARGEST_INTEGER:
            raise InputError(
                f"the weight [{_short(self.numerator)}, {_short(self.denominator)}] is too large; "
                "keep numerator and denominator within 2**53."
            )

    @property
    def fraction(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def __float__(self) -> float:
        return self.numerator / self.denominator

    def __str__(self) -> str:
        return (
            str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"
        )


@dataclass(frozen=True, slots=True)
class Unit:
    activation: str = "linear"
    type: str = "sum"
    bias: Weight | None = None

    def __post_init__(self) -> None:
        _one_of(self.activation, ACTIVATIONS, "activation")
        _one_of(self.type, TYPES, "type")
        if self.bias is not None and not isinstance(self.bias, Weight):
            raise InputError(
                f"the bias {_short(self.bias)} is not a Weight; write Weight(1, 2) or None."
            )


@dataclass(frozen=True, slots=True)
class Connection:
    source: int
    target: int
    kind: str
    weight: Weight

    def __post_init__(self) -> None:
        _one_of(self.kind, KINDS, "kind")
        for name in ("source", "target"):
            if not _is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {_short(getattr(self, name))} is not a unit's number; "
                    "units are numbered from 0."
                )
        if not isinstance(self.weight, Weight):
            raise InputError(
                f"the weight {_short(self.weight)} is not a Weight; write Weight(1, 2)."
            )


@dataclass(frozen=True)
class Network:
    """A recurrent network with rational weights. Units are numbered inputs, outputs, hidden.

    Connections are kept in one order (forward before recurrent, then by source and target), so
    that two networks with the same connections are equal. `name` is for people and is not compared.
    """

    inputs: int
    outputs: int
    units: tuple[Unit, ...]
    connections: tuple[Connection, ...] = ()
    alphabet: tuple[str, ...] | None = None
    name: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("units", Unit), ("connections", Connection)):
            items = tuple(getattr(self, name))
            if not all(isinstance(item, kind) for item in items):
                raise InputError(
                    f"{name} holds something that is not a {kind.__name__}; "
                    f"make each one with {kind.__name__}(...)."
                )
            object.__setattr__(self, name, items)
        ordered = sorted(self.connections, key=lambda c: (c.kind, c.source, c.target))
        object.__setattr__(self, "connections", tuple(ordered))
        if self.alphabet is not None:
            object.__setattr__(self, "alphabet", tuple(self.alphabet))
        _check(self)

    @property
    def hidden(self) -> int:
        return len(self.units) - self.inputs - self.outputs

    def role(self, unit: int) -> str:
        """'input', 'output' or 'hidden'."""
        if unit < self.inputs:
            return "input"
        return "output" if unit < self.inputs + self.outputs else "hidden"

    def probabilities(
        self, string: str | Sequence[Any] | NDArray[Any], alphabet: Sequence[str] | None = None
    ) -> NDArray[np.float64]:
        """Next-symbol probabilities after the boundary and after each symbol: (steps, outputs).

        A string needs an alphabet, the network's own or the one given; a numeric task's input is
        an array (steps, inputs) instead. With one output the value is P(1).
        """
        from ._interpreter import probabilities

        return probabilities(self, string, alphabet)

    def draw(self) -> Drawing:
        """The network as a drawing, in the manner of the paper's figures."""
        from .drawing import draw

        return draw(self)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.draw().svg()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """The network of a decoded `mdlrnn/1` file."""
        return _read(data)

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": FORMAT, "inputs": self.inputs, "outputs": self.outputs}
        if self.name is not None:
            data["name"] = self.name
        if self.alphabet is not None:
            data["alphabet"] = list(self.alphabet)
        data["units"] = [
            {
                "activation": unit.activation,
                "type": unit.type,
                "bias": None if unit.bias is None else [unit.bias.numerator, unit.bias.denominator],
            }
            for unit in self.units
        ]
        data["connections"] = [
            {
                "from": c.source,
                "to": c.target,
                "kind": c.kind,
                "weight": [c.weight.numerator, c.weight.denominator],
            }
            for c in self.connections
        ]
        return data

    @classmethod
    def load(cls, path: PathLike) -> Network:
        text = read_text(path, "network")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{path}: not readable as JSON ({_json_reason(error)}); "
                "give a file as written by Network.save."
            ) from None
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def save(self, path: PathLike) -> None:
        save_text(path, self.to_json() + "\n")

    def to_json(self) -> str:
        """The file's text, a line for each unit and connection, for readable diffs."""
        data = self.to_dict()
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

    def __repr__(self) -> str:
        kinds = [c.kind for c in self.connections]
        biases = sum(unit.bias is not None for unit in self.units)
        named = f"{self.name!r}, " if self.name else ""
        symbols = "" if self.alphabet is None else f", alphabet={' '.join(self.alphabet)!r}"
        return (
            f"Network({named}{self.inputs} inputs, {self.outputs} outputs, {self.hidden} hidden, "
            f"{kinds.count('forward')} forward, {kinds.count('recurrent')} recurrent, "
            f"{biases} biases{symbols})"
        )


def _check(network: Network) -> None:
    for name in ("inputs", "outputs"):
        value = getattr(network, name)
        if not _is_integer(value) or value < 1:
            raise InputError(f"{name} is {_short(value)}; it must be an integer, 1 or more.")
    count = len(network.units)
    if count < network.inputs + network.outputs:
        raise InputError(
            f"there are {count} units, fewer than the {network.inputs} inputs and "
            f"{network.outputs} outputs together; list every unit, inputs first."
        )
    if count > MOST_UNITS:
        raise InputError(f"there are {count} units; a network holds at most {MOST_UNITS}.")
    for number, unit in enumerate(network.units[: network.inputs]):
        if unit != Unit():
            raise InputError(
                f"units[{number}] is an input, which is linear, of type sum and without bias; "
                "give it these or use a hidden unit."
            )
    seen = set()
    for c in network.connections:
        for name, unit_number in (("from", c.source), ("to", c.target)):
            if not 0 <= unit_number < count:
                raise InputError(
                    f'a {c.kind} connection has "{name}": {_short(unit_number)}, but the units are '
                    f"numbered 0 to {count - 1}; correct the number or add the unit."
                )
        key = (c.kind, c.source, c.target)
        if key in seen:
            raise InputError(
                f"the {c.kind} connection from {c.source} to {c.target} is there twice; "
                "keep one of them."
            )
        seen.add(key)
    if network.alphabet is not None:
        _check_alphabet(network)


def _check_alphabet(network: Network) -> None:
    alphabet = network.alphabet
    assert alphabet is not None
    if not all(isinstance(symbol, str) and symbol for symbol in alphabet):
        raise InputError("the alphabet holds something that is not a symbol; give strings.")
    if len(set(alphabet)) != len(alphabet):
        raise InputError("the alphabet names a symbol twice; name each unit's symbol once.")
    if BOUNDARY not in alphabet:
        raise InputError(f"the alphabet lacks the boundary symbol {BOUNDARY}; put it first.")
    if len(alphabet) < 2:
        raise InputError("the alphabet has a single symbol; there is nothing to tell apart.")
    if not len(alphabet) == network.inputs == network.outputs:
        raise InputError(
            f"the alphabet has {len(alphabet)} symbols, but there are {network.inputs} inputs and "
            f"{network.outputs} outputs; name one symbol for each input and output, or leave the "
            "alphabet out."
        )


def _read(data: object) -> Network:
    if not isinstance(data, Mapping):
        raise InputError(
            f"not a network but {_short(data)}; give a JSON object as written by Network.save."
        )
    version = data.get("format")
    if not isinstance(version, str) or not version.startswith("mdlrnn/"):
        raise InputError(
            f'not a network, since it lacks "format": "{FORMAT}"; '
            "give a file as written by Network.save."
        )
    if version != FORMAT:
        raise InputError(
            f'"format" is {_short(version)}, but this version of mdlrnn reads "{FORMAT}"; '
            "update mdlrnn, or save the network in the older format."
        )
    for name in ("inputs", "outputs", "units", "connections"):
        if name not in data:
            raise InputError(f'"{name}" is missing; the file may be incomplete, save it anew.')
    units = _list(data["units"], "units")
    connections = _list(data["connections"], "connections")
    alphabet = data.get("alphabet")
    if alphabet is not None:
        alphabet = tuple(_list(alphabet, "alphabet"))
    title = data.get("name")
    if title is not None and not isinstance(title, str):
        raise InputError(f'"name" is {_short(title)}; it must be text.')
    return Network(
        inputs=data["inputs"],
        outputs=data["outputs"],
        units=tuple(_read_unit(item, f"units[{i}]") for i, item in enumerate(units)),
        connections=_read_connections(connections, len(units)),
        alphabet=alphabet,
        name=title,
    )


def _read_unit(item: object, place: str) -> Unit:
    fields = _object(item, place, ("activation",), ("type", "bias"))
    bias = fields.get("bias")
    read = None if bias is None else _read_weight(bias, f"{place}.bias")
    with_type = fields.get("type", "sum")
    try:
        return Unit(fields["activation"], with_type, read)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _read_connections(items: Sequence[Any], count: int) -> tuple[Connection, ...]:
    read = []
    for i, item in enumerate(items):
        place = f"connections[{i}]"
        fields = _object(item, place, ("from", "to", "kind", "weight"), ())
        weight = _read_weight(fields["weight"], f"{place}.weight")
        for name in ("from", "to"):
            number = fields[name]
            if not _is_integer(number) or not 0 <= number < count:
                raise InputError(
                    f"{place}.{name} is {_short(number)}, but the units are numbered 0 to "
                    f"{count - 1}; correct the number or add the unit."
                )
        try:
            read.append(Connection(fields["from"], fields["to"], fields["kind"], weight))
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    return tuple(read)


def _read_weight(item: object, place: str) -> Weight:
    if (
        isinstance(item, str)
        or not isinstance(item, Sequence)
        or len(item) != 2
        or not all(_is_integer(part) for part in item)
    ):
        raise InputError(
            f"{place} is {_short(item)}; write a weight as [numerator, denominator], two integers."
        )
    try:
        return Weight(*item)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _object(
    item: object, place: str, needed: tuple[str, ...], allowed: tuple[str, ...]
) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise InputError(f"{place} is {_short(item)}; it must be a JSON object.")
    for name in needed:
        if name not in item:
            raise InputError(f'{place} lacks "{name}"; add it.')
    for name in item:
        if name not in needed and name not in allowed:
            known = ", ".join(needed + allowed)
            raise InputError(
                f"{place} has an unknown field {_short(name)}; the fields are {known}."
            )
    return item


def _list(item: object, name: str) -> Sequence[Any]:
    if isinstance(item, str) or not isinstance(item, Sequence):
        raise InputError(f'"{name}" is {_short(item)}; it must be a list.')
    return item


def _one_of(value: object, known: tuple[str, ...], what: str) -> None:
    if value not in known:
        raise InputError(f"unknown {what} {_short(value)}; use one of {', '.join(known)}.")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: object) -> str:
    """The value as it can stand in a sentence, whatever its size and depth."""
    text = _SHORT.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Short(Repr):
    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write out integers of many thousand digits.
        return repr(x) if x.bit_length() < 100 else f"an integer of {x.bit_length()} bits"


_SHORT = _Short()
_SHORT.maxlevel = 2
_SHORT.maxstring = _SHORT.maxother = 40


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at line {error.lineno}, column {error.colno}"
    # The only other thing that can be wrong with it: Python refuses integers of 4,300 digits.
    return "nested too deeply" if isinstance(error, RecursionError) else "an integer is too long"
