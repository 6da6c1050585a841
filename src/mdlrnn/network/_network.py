"""What a network is: its units and connections, checked when it is made; its file format,
`mdlrnn/1`, from JSON to the parts of a network and back; and its text, a formula a unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..checks import check_kind, is_integer, short
from ..errors import InputError, printable
from ..files import PathLike, read_text, save
from ..limits import CONNECTIONS, check_size
from ._interpreter import plan, probabilities
from ._units import MOST_UNITS, Connection, Unit, Weight, check_alphabet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    saturation: bool = True
    """Whether sums are cut to ±10^6, as the authors' code does. |G| does not count it."""

    def __post_init__(self) -> None:
        for name, kind in (("units", Unit), ("connections", Connection)):
            given = getattr(self, name)
            check_kind(given, Iterable, f"give the {name} as a list")
            items = tuple(given)
            if not all(isinstance(item, kind) for item in items):
                raise InputError(
                    f"{name} holds something that is not a {kind.__name__}; "
                    f"make each one with {kind.__name__}(...)."
                )
            object.__setattr__(self, name, items)
        ordered = sorted(self.connections, key=lambda c: (c.kind, c.source, c.target))
        object.__setattr__(self, "connections", tuple(ordered))
        if self.alphabet is not None:
            check_kind(self.alphabet, Iterable, "give the alphabet as a list of symbols")
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
        return probabilities(self, string, alphabet)

    if TYPE_CHECKING:  # attached at the top of the package, which knows pictures

        def _repr_svg_(self) -> str: ...

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """The network of a decoded `mdlrnn/1` file."""
        return cls(**parse(data))

    def to_dict(self) -> dict[str, Any]:
        return to_dict(self)

    @classmethod
    def load(cls, path: PathLike) -> Network:
        data = read_json(path)
        try:
            return cls(**parse(data))
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def save(self, path: PathLike) -> None:
        save(path, self.to_json() + "\n")

    def to_json(self) -> str:
        """The file's text, a line for each unit and connection, for readable diffs."""
        return json_text(to_dict(self))

    def __str__(self) -> str:
        """One formula a unit, as the command line shows it."""
        return describe(self)

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
        if not is_integer(value) or value < 1:
            raise InputError(f"{name} is {short(value)}; it must be an integer, 1 or more.")
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
                    f'a {c.kind} connection has "{name}": {short(unit_number)}, but the units are '
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
        _check_alphabet(network, network.alphabet)


def _check_alphabet(network: Network, alphabet: tuple[str, ...]) -> None:
    check_alphabet(alphabet)
    if len(alphabet) < 2:
        raise InputError("the alphabet has a single symbol; there is nothing to tell apart.")
    if not len(alphabet) == network.inputs == network.outputs:
        raise InputError(
            f"the alphabet has {len(alphabet)} symbols, but there are {network.inputs} inputs and "
            f"{network.outputs} outputs; name one symbol for each input and output, or leave the "
            "alphabet out."
        )


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


def describe(network: Network) -> str:
    """One line for each output and hidden unit, such as `unit 6 = relu(2·a − 1 + 1·[6])`, and one
    line that explains the notation.

    Units are numbered from 0, as in files. Weights are as written, not reduced.
    """
    order, ignored = plan(network)
    into: list[list[Connection]] = [[] for _ in network.units]
    for c in network.connections:
        into[c.target].append(c)
    # An input that connections lead into has a value of its own, besides the symbol read.
    plain = frozenset(u for u in range(network.inputs) if not into[u])
    lines = []
    for number in range(len(network.units)):
        if number in plain:
            continue
        loops = [c for c in into[number] if c.kind == "forward" and (c.source, number) in ignored]
        fed = [c for c in into[number] if c not in loops]
        line = f"{_left_side(network, number)} {_formula(network, number, fed, plain)}"
        notes = [f"ignored, it closes a loop: {_term(network, c, plain)}" for c in loops]
        if number >= network.inputs and number not in order:
            notes.append("reaches no output")
        lines.append(f"{line}    ({'; '.join(notes)})" if notes else line)
    return "\n".join([*lines, _notation(network)])


def summary(network: Network) -> str:
    """The network's size in a few words."""
    recurrent = sum(c.kind == "recurrent" for c in network.connections)
    biases = sum(unit.bias is not None for unit in network.units)
    counts = (
        (network.hidden, "hidden unit", "hidden units"),
        (len(network.connections) - recurrent, "forward connection", "forward connections"),
        (recurrent, "recurrent", "recurrent"),
        (biases, "bias", "biases"),
    )
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)


def _left_side(network: Network, number: int) -> str:
    if network.role(number) != "output":
        return f"unit {number} ="
    place = number - network.inputs
    if network.alphabet is not None:
        return f"unit {number}, P({_input_name(network, place)}) ∝"
    return f"unit {number}, P(1) =" if network.outputs == 1 else f"unit {number}, P({place}) ∝"


def _formula(network: Network, number: int, fed: list[Connection], plain: frozenset[int]) -> str:
    unit = network.units[number]
    forward = [_term(network, c, plain) for c in fed if c.kind == "forward"]
    recurrent = [_term(network, c, plain) for c in fed if c.kind == "recurrent"]
    bias = [] if unit.bias is None else [_signed(unit.bias)]
    if unit.type == "product":
        # Without a forward connection a product is 0, whatever is remembered.
        product = " · ".join(f"({term})" for term in forward + recurrent) if forward else "0"
        terms = [product, *bias]
    else:
        read = [_input_name(network, number)] if number < network.inputs else []
        terms = [*read, *forward, *bias, *recurrent]
    total = _sum(terms)
    return total if unit.activation == "linear" else f"{unit.activation}({total})"


def _sum(terms: list[str]) -> str:
    if not terms:
        return "0"
    text = terms[0]
    for term in terms[1:]:
        text += f" − {term[1:]}" if term.startswith("−") else f" + {term}"
    return text


def _term(network: Network, connection: Connection, plain: frozenset[int]) -> str:
    source = connection.source
    if source in plain:
        name = before = _input_name(network, source)
    else:
        name, before = f"u{source}", str(source)
    return f"{_signed(connection.weight)}·{name if connection.kind == 'forward' else f'[{before}]'}"


def _signed(weight: Weight) -> str:
    return str(weight).replace("-", "−")


def _input_name(network: Network, unit: int) -> str:
    """The input's symbol, in quotes unless it is letters or #: 2·1 would be read as two."""
    if network.alphabet is None:
        return f"in{unit}"
    symbol = network.alphabet[unit]
    return symbol if symbol == "#" or symbol.isalpha() else f"'{printable(symbol)}'"


def _notation(network: Network) -> str:
    if network.alphabet is None:
        parts = ["in0: the first input"]
    else:
        symbol = network.alphabet[-1]
        parts = [f"{_input_name(network, network.inputs - 1)}: 1 when {printable(symbol)} is read"]
    first = network.inputs + network.outputs
    unit = f"u{first}: unit {first}, [{first}] a step before"
    parts.append(unit if network.hidden else "[..]: a step before")
    parts.append("P: cut to 0..1" if network.outputs == 1 else "P: max(0, unit) / sum")
    return f"({'; '.join(parts)})"


def counted(number: int, noun: str) -> str:
    """1 string, 1,234 strings."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def powers(string: str) -> str:
    """aaabb as a^3 b^2, and `le chat chat` as le chat^2, cut where it gets long."""
    runs: list[tuple[str, int]] = []
    for symbol in string.split(" ") if " " in string else string:
        if runs and runs[-1][0] == symbol:
            runs[-1] = (symbol, runs[-1][1] + 1)
        else:
            runs.append((symbol, 1))
    text = " ".join(symbol if n == 1 else f"{symbol}^{n}" for symbol, n in runs)
    return text if len(text) <= 60 else f"{text[:57]}..."
