"""|G| as a real bit string (paper, section 3.2): `encode`, its inverse `decode`, and `length`.

The order and form of the parts are common to all schemes; what differs is asked of the `Encoding`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from ..checks import check_kind
from ..errors import InputError
from ._encoding import Encoding
from ._network import Network
from ._units import ACTIVATIONS, KINDS, LARGEST_INTEGER, MOST_UNITS, TYPES, Connection, Unit, Weight


class Part(NamedTuple):
    """A piece of the bit string, labelled as in Figure 2 (units counted from 1, as there).

    `unit` is the number, from 0, of the unit it describes; E(U) describes none, nor do the bits
    that say which parts there are.
    """

    bits: str
    label: str
    unit: int | None = None
    connection: Connection | None = None


def encode(network: Network, encoding: Encoding) -> str:
    """The network as a string of 0s and 1s; |G| is its length."""
    return "".join(part.bits for part in parts(network, encoding))


def length(network: Network, encoding: Encoding) -> int:
    """|G| in bits, without writing them."""
    check_encodable(network, encoding)
    encoding = encoding.written_for(network)
    outgoing = [0] * len(network.units)
    for c in network.connections:
        outgoing[c.source] += 1
    bits = len(_said_parts(encoding)) + _number_length(len(outgoing))
    for unit, count in zip(network.units, outgoing, strict=True):
        bits += encoding.activation_bits(unit.activation) + encoding.type_bit
        bits += _number_length(count) + encoding.cost_bits(unit.activation)
        bits += 2 if unit.bias is None else _weight_length(unit.bias)
    per_connection = _target_width(len(outgoing)) + 1
    return bits + sum(per_connection + _weight_length(c.weight) for c in network.connections)


def parts(network: Network, encoding: Encoding) -> list[Part]:
    """The bit string in labelled pieces: joined, they are `encode`'s string."""
    check_encodable(network, encoding)
    encoding = encoding.written_for(network)
    codes = _codes(encoding)
    width = _target_width(len(network.units))
    outgoing = _outgoing(network)
    rest = _role_index(network, encoding) or 0

    def choose(options: int) -> int:
        nonlocal rest
        rest, choice = divmod(rest, options)
        return choice

    written = [*_said_parts(encoding), Part(_number(len(network.units)), "E(U)")]
    for u, unit in enumerate(network.units):
        written.append(Part(codes[unit.activation], unit.activation, u))
        if encoding.type_bit:
            product = choose(2) if u == 0 else TYPES.index(unit.type)
            written.append(Part(str(product), "type", u))
        written.append(Part(_number(len(outgoing[u])), "E(#out)", u))
        while outgoing[u]:
            c = outgoing[u].pop(choose(len(outgoing[u])))
            number = (c.target + 1) % 2**width
            written += [
                Part(_binary(number, width), f"unit {c.target + 1}", u, c),
                Part(_weight(c.weight), f"w({u + 1},{c.target + 1})", u, c),
                Part(str(KINDS.index(c.kind)), c.kind, u, c),
            ]
        if encoding.writes_costs:
            cost = "1" * encoding.cost(unit.activation) + "0"
            written.append(Part(cost, f"cost({unit.activation})", u))
        if unit.bias is None:
            written.append(Part(f"{choose(2)}0", "no bias", u))
        else:
            written.append(Part(_weight(unit.bias), "bias", u))
    return written


def decode(
    bits: str, encoding: Encoding, *, inputs: int | None = None, outputs: int | None = None
) -> Network:
    """The network whose `encode` is `bits` (white space aside; errors count bits from 0).

    The bits say how many inputs and outputs there are wherever `roles_fit`; for other networks, or
    bits written elsewhere, give both numbers.
    """
    if (inputs is None) != (outputs is None):
        raise InputError("only one of inputs and outputs is given; give both or neither.")
    check_kind(encoding, Encoding, "make it with Encoding(...)")
    reader = _Reader(_only_bits(bits), encoding)
    encoding = reader.encoding
    count = reader.unit_count()
    units: list[Unit] = []
    connections: list[Connection] = []
    index, scale = 0, 1

    def chosen(choice: int, options: int) -> None:
        nonlocal index, scale
        index += choice * scale
        if scale < count * count:  # beyond that any choice but 0 is out of range, and is enough
            scale *= options

    for u in range(count):
        activation = reader.activation()
        product = reader.bit() if encoding.type_bit else 0
        if u == 0 and encoding.type_bit:
            chosen(product, 2)
            product = 0
        outgoing = reader.connections(u, count)
        remaining = sorted((c.kind, c.target) for c in outgoing)
        for c in outgoing:
            place = bisect_left(remaining, (c.kind, c.target))
            chosen(place, len(remaining))
            remaining.pop(place)
        connections += outgoing
        reader.cost(activation)
        sign, bias = reader.bias()
        if bias is None:
            chosen(sign, 2)
        units.append(Unit(activation, TYPES[product], bias))
        if u == 0 and units[0] != Unit():
            raise reader.broken("the first unit, always an input, is not linear or has a bias")
    if reader.left:
        follow = "1 more bit follows" if reader.left == 1 else f"{reader.left} more bits follow"
        raise reader.broken(f"the network is complete, but {follow}")
    reader.check_parts(units)
    if inputs is None or outputs is None:
        plain = _leading_plain(units)
        if index >= sum(count - i for i in range(1, plain + 1)):
            raise reader.broken("the free choices stand for no number of inputs and outputs")
        inputs, outputs = next(islice(_splits(units, connections), index, None))
    return Network(inputs, outputs, tuple(units), tuple(connections))


# Which units are inputs and which are outputs. The scheme does not write it, and |G| has no bit to
# spare for it; but some bits mean nothing: the sign before an absent bias (a sign, then E(0)), the
# order in which a unit lists its connections, and the first unit's type bit (it is an input, so a
# sum). Writer and reader list the possible (inputs, outputs), the most natural first, and the place
# in that list is spelt by these free choices as a number of mixed radix, least significant first in
# writing order. Usual networks come at place 0: sorted connections, and 00 for an absent bias.


def roles_fit(network: Network, encoding: Encoding) -> bool:
    """Whether the bits can say how many units are inputs and outputs.

    They nearly always can; it takes odd roles together with biases on nearly every unit and hardly
    a connection for the free choices not to suffice, and `decode` then needs to be told.
    """
    return _role_index(network, encoding) is not None


def _role_index(network: Network, encoding: Encoding) -> int | None:
    """The place of the network's inputs and outputs in the list, None where it does not fit."""
    encoding = encoding.written_for(network)
    splits = _splits(network.units, network.connections)
    wanted = (network.inputs, network.outputs)
    index = next(index for index, split in enumerate(splits) if split == wanted)
    room = 2 if encoding.type_bit else 1
    for unit, outgoing in zip(network.units, _outgoing(network), strict=True):
        if room > index:
            break
        room *= math.factorial(len(outgoing)) * (2 if unit.bias is None else 1)
    return index if room > index else None


def _splits(units: Sequence[Unit], connections: Sequence[Connection]) -> Iterator[tuple[int, int]]:
    """Every possible (inputs, outputs), by the number of odd units, then |inputs - outputs|, then
    more inputs first. Odd are inputs with incoming connections, outputs with outgoing ones, and
    hidden units without."""
    count = len(units)
    feeding = {c.source for c in connections}
    fed = {c.target for c in connections}
    # The number of odd units is by_inputs[inputs] + by_end[inputs + outputs].
    by_inputs, by_end = [0], [count - len(feeding)]
    for u in range(count):
        by_inputs.append(by_inputs[-1] + (u in fed) - (u in feeding))
        by_end.append(by_end[-1] + (1 if u in feeding else -1))
    ends: dict[int, list[int]] = {}
    for end in range(count, 0, -1):
        ends.setdefault(by_end[end], []).append(end)
    plain = _leading_plain(units)
    for odd in range(max(by_inputs) + max(by_end) + 1):
        level = [
            (i, end - i)
            for i in range(plain, 0, -1)
            for end in ends.get(odd - by_inputs[i], ())
            if end > i
        ]
        yield from sorted(level, key=lambda split: abs(split[0] - split[1]))


def _leading_plain(units: Sequence[Unit]) -> int:
    """How many units can be inputs, with one left as an output."""
    return sum(1 for _ in takewhile(lambda unit: unit == Unit(), units[:-1]))


class _Reader:
    """A place in a bit string, and what can be read from there."""

    def __init__(self, bits: str, encoding: Encoding) -> None:
        self.bits = bits
        self.at = 0
        self.encoding = self.said_parts(encoding) if encoding.says_parts else encoding
        self.codes = _codes(self.encoding)

    @property
    def left(self) -> int:
        return len(self.bits) - self.at

    def broken(self, what: str, at: int | None = None) -> InputError:
        return InputError(
            f"bit {self.at if at is None else at}: {what}; "
            "give a string as encode writes it, and the encoding it was written in."
        )

    def ended(self) -> InputError:
        return self.broken("the bits end within the network", len(self.bits))

    def take(self, width: int) -> str:
        if width > self.left:
            raise self.ended()
        self.at += width
        return self.bits[self.at - width : self.at]

    def bit(self) -> int:
        return int(self.take(1))

    def number(self) -> int:
        start = self.at
        stop = self.bits.find("0", start)
        size = (stop if stop >= 0 else len(self.bits)) - start
        if size > LARGEST_INTEGER.bit_length():
            raise self.broken("a number is larger than 2**53", start)
        self.take(size + 1)
        digits = self.take(size)
        if digits.startswith("0"):
            raise self.broken("a number is written with a leading 0", start)
        value = int(digits or "0", 2)
        if value > LARGEST_INTEGER:
            raise self.broken("a number is larger than 2**53", start)
        return value

    def said_parts(self, given: Encoding) -> Encoding:
        """The encoding of the bits that follow; it allows nothing that the given one does not."""
        names = ["linear"]
        for place, name in enumerate(PARTS):
            if self.bit():
                names.append(name)
                if name not in given.activations:
                    raise self.broken(f"this bit allows {name}, the encoding does not", place)
        products = bool(self.bit())
        if products and not given.products:
            raise self.broken("this bit allows products, the encoding does not", len(PARTS))
        return Encoding(given.scheme, tuple(names), products)

    def check_parts(self, units: Sequence[Unit]) -> None:
        """Raise if the bits allow a part that no unit has: the code of a network is one string."""
        if not self.encoding.says_parts:
            return
        used = {unit.activation for unit in units}
        for place, name in enumerate(PARTS):
            if name in self.encoding.activations and name not in used:
                raise self.broken(f"this bit allows {name}, which no unit has", place)
        if self.encoding.products and not any(unit.type == "product" for unit in units):
            raise self.broken("this bit allows products, and no unit is one", len(PARTS))

    def unit_count(self) -> int:
        start = self.at
        count = self.number()
        if not 2 <= count <= MOST_UNITS:
            raise self.broken(f"the network has {count} units, not 2 to {MOST_UNITS}", start)
        # Without connections, E(0) and "no bias" are 3 bits.
        shortest = self.encoding.activation_bits("linear") + self.encoding.type_bit + 3
        shortest += self.encoding.cost_bits("linear")
        if count * shortest > self.left:
            raise self.broken(f"the bits end too soon to hold {count} units", len(self.bits))
        return count

    def activation(self) -> str:
        for name, code in self.codes.items():
            if self.bits.startswith(code, self.at):
                self.take(len(code))
                return name
        if any(code.startswith(self.bits[self.at :]) for code in self.codes.values()):
            raise self.ended()
        raise self.broken("here is no activation's code")

    def cost(self, activation: str) -> None:
        if not self.encoding.writes_costs:
            return
        start = self.at
        cost = self.encoding.cost(activation)
        if self.take(cost + 1) != "1" * cost + "0":
            raise self.broken(f"the cost of {activation} is not {cost} in unary", start)

    def connections(self, source: int, count: int) -> list[Connection]:
        width = _target_width(count)
        read: dict[tuple[str, int], Connection] = {}
        for _ in range(self.number()):
            start = self.at
            target = (int(self.take(width), 2) - 1) % 2**width
            if target >= count:
                raise self.broken(f"a connection goes to unit {target + 1} of {count}", start)
            sign = self.bit()
            weight = self.rest_of_weight(sign)
            if weight is None:
                raise self.broken("a connection's weight is 0", start + width)
            kind = KINDS[self.bit()]
            if (kind, target) in read:
                raise self.broken(f"this {kind} connection was there before", start)
            read[kind, target] = Connection(source, target, kind, weight)
        return list(read.values())

    def bias(self) -> tuple[int, Weight | None]:
        """The sign bit, and the bias if there is one."""
        sign = self.bit()
        return sign, self.rest_of_weight(sign)

    def rest_of_weight(self, sign: int) -> Weight | None:
        numerator = self.number()
        if numerator == 0:
            return None
        start = self.at
        denominator = self.number()
        if denominator == 0:
            raise self.broken("a denominator is 0", start)
        return Weight(numerator if sign else -numerator, denominator)


def _only_bits(bits: str) -> str:
    if not isinstance(bits, str):
        raise InputError(f"the bits are a {type(bits).__name__}; give a string of 0s and 1s.")
    for place, character in enumerate(bits):
        if character not in "01" and not character.isspace():
            raise InputError(
                f"character {place} of the bits is {character!r}; give 0s and 1s only."
            )
    return "".join(bits.split())


def check_encodable(network: Network, encoding: Encoding) -> None:
    """Raise unless the encoding has room for the network's activations and unit types."""
    check_kind(network, Network, "give a Network")
    check_kind(encoding, Encoding, "make it with Encoding(...)")
    for u, unit in enumerate(network.units):
        if unit.activation not in encoding.activations:
            raise InputError(
                f"units[{u}] has the activation {unit.activation}, which the encoding does not "
                f"allow; add {unit.activation!r} to the encoding's activations."
            )
        if unit.type == "product" and not encoding.type_bit:
            raise InputError(
                f"units[{u}] is a product unit, which the encoding does not allow; "
                "use an encoding with products=True."
            )


PARTS = tuple(name for name in ACTIVATIONS if name != "linear")
"""The activations that have a bit where the bits say parts; products come last."""


def _said_parts(encoding: Encoding) -> list[Part]:
    """The bits that say what is allowed, where the scheme has them."""
    if not encoding.says_parts:
        return []
    allowed = [Part(str(int(name in encoding.activations)), f"{name}?") for name in PARTS]
    return [*allowed, Part(str(int(encoding.products)), "products?")]


def _outgoing(network: Network) -> list[list[Connection]]:
    """Each unit's connections in canonical order, forward first, then by target."""
    outgoing: list[list[Connection]] = [[] for _ in network.units]
    for c in network.connections:
        outgoing[c.source].append(c)
    return outgoing


def _codes(encoding: Encoding) -> dict[str, str]:
    """Each activation's code: its place, filled up with 0s where its field is wider.

    The codes are prefix-free, since no two places are equal.
    """
    width = encoding.activation_bits("linear")
    return {
        name: _binary(place, width).ljust(encoding.activation_bits(name), "0")
        for place, name in enumerate(encoding.activations)
    }


def _binary(value: int, width: int) -> str:
    return f"{value:0{width}b}" if width else ""


def _number(n: int) -> str:
    """E(n): the length in unary, a 0, the number in binary."""
    return "1" * n.bit_length() + "0" + _binary(n, n.bit_length())


def _number_length(n: int) -> int:
    return 2 * n.bit_length() + 1


def _weight(weight: Weight) -> str:
    sign = "1" if weight.numerator > 0 else "0"
    return sign + _number(abs(weight.numerator)) + _number(weight.denominator)


def _weight_length(weight: Weight) -> int:
    return 1 + _number_length(abs(weight.numerator)) + _number_length(weight.denominator)


def _target_width(count: int) -> int:
    return (count - 1).bit_length()
