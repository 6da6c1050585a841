"""What a network is: its units and connections, checked when it is made.

Its file format is in `_file`, what it costs in `_encoding`, what it computes in `_interpreter` and
the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..checks import is_integer, short
from ..errors import InputError
from ..files import PathLike, save
from ._alphabet import MOST_UNITS, check_alphabet
from ._file import json_text, parse, read_json, to_dict
from ._interpreter import probabilities
from ._text import describe
from ._units import Connection, Unit

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
    """Whether sums are cut to ±10^6, as in the paper. |G| does not count it."""

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
