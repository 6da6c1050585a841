"""A network as text that a person can read: one formula a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import printable
from ._interpreter import plan

if TYPE_CHECKING:
    from ._network import Network
    from ._units import Connection, Weight


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
