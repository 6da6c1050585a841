"""What a network computes (paper, section 3.2), step by step, in plain Python: the oracle.

One short interpreter, over rationals (`EXACT`) or floats (`FLOAT`). Terms are added one by one, and
not with `sum`, which adds floats otherwise from Python 3.12 on. Over rationals everything is
exact but sigmoid and tanh, which are the true values rounded to 60 decimal digits (0 or 1 where
float64 would give 0 or 1 by overflow), and values whose denominators outgrow 4,096 bits, which are
rounded to 256 binary places: a square in a loop doubles its digits at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial, reduce
from operator import add, mod, mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks import short, shown
from ..errors import InputError
from ._units import ACTIVATIONS, BOUNDARY, Arithmetic, Number, symbols_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._network import Network
    from ._units import Connection

SATURATION = 10**6
"""Sums and products are cut to [-10^6, 10^6] before the activation; nothing is cut after it."""
FLOAT_CUT = 1e140
"""Where a network's saturation is off, float64 is still cut here: a square and a weight's multiple
of it are then finite, and no sum is infinity less infinity."""
EXACT_CUT = 1 << 18
"""And fractions are cut to 2 to the power of this, so that a square in a loop takes a bounded
amount of memory."""
LEAST_TOTAL = Fraction(1, 10**8)
"""Outputs that sum to this or less give the uniform distribution."""
EXP_OVERFLOW = 709.782712893384
"""exp(x) overflows float64 beyond this; sigmoid(-x) is 0 from there on."""


class Plan(NamedTuple):
    """In which order units are evaluated, and which forward connections close a loop."""

    order: tuple[int, ...]
    ignored: frozenset[tuple[int, int]]


def plan(network: Network) -> Plan:
    """Depth-first search over reversed forward connections, neighbours by unit number.

    It starts at the outputs, then, with all marks forgotten, at the units with outgoing recurrent
    connections that were not reached. A connection that meets an open unit is ignored. A unit that
    is reached from nowhere influences no output and is not evaluated.
    """
    sources: list[list[int]] = [[] for _ in network.units]
    for c in network.connections:
        if c.kind == "forward":
            sources[c.target].append(c.source)
    outputs = range(network.inputs, network.inputs + network.outputs)
    finished: list[int] = []
    ignored: set[tuple[int, int]] = set()
    _search(outputs, sources, finished, ignored)
    reached = set(finished)
    remembered = {c.source for c in network.connections if c.kind == "recurrent"} - reached
    again: list[int] = []
    _search(sorted(remembered), sources, again, ignored)
    return Plan((*finished, *(u for u in again if u not in reached)), frozenset(ignored))


def _search(
    roots: Iterable[int],
    sources: list[list[int]],
    finished: list[int],
    ignored: set[tuple[int, int]],
) -> None:
    open_units: set[int] = set()
    done: set[int] = set()
    for root in roots:
        if root in done:
            continue
        open_units.add(root)
        stack = [(root, iter(sources[root]))]
        while stack:
            unit, rest = stack[-1]
            source = next(rest, None)
            if source is None:
                stack.pop()
                open_units.remove(unit)
                done.add(unit)
                finished.append(unit)
            elif source in open_units:
                ignored.add((source, unit))
            elif source not in done:
                open_units.add(source)
                stack.append((source, iter(sources[source])))


def feed(
    network: Network,
    rows: Iterable[Sequence[Any]],
    arithmetic: Arithmetic,
    saturation: bool | None = None,
) -> Iterator[tuple[Number, ...]]:
    """The value of every unit after each input row; `saturation` stands in for the network's."""
    step = stepper(network, arithmetic, saturation)
    previous: tuple[Number, ...] | None = None
    for row in rows:
        previous = step(row, previous)
        yield previous


def stepper(
    network: Network, arithmetic: Arithmetic, saturation: bool | None = None
) -> Callable[[Sequence[Any], tuple[Number, ...] | None], tuple[Number, ...]]:
    """A function from an input row and the previous step's values (None at first) to the values.

    Sums are cut as the network says, or as `saturation` does.
    """
    order, ignored = plan(network)
    number = arithmetic.number
    zero = number(0)
    forward: list[list[tuple[int, Number]]] = [[] for _ in network.units]
    recurrent: list[list[tuple[int, Number]]] = [[] for _ in network.units]
    for c in network.connections:
        weight = number(c.weight.fraction)
        if c.kind == "recurrent":
            recurrent[c.target].append((c.source, weight))
        elif (c.source, c.target) not in ignored:
            forward[c.target].append((c.source, weight))
    biases = [None if u.bias is None else number(u.bias.fraction) for u in network.units]
    activations = [partial(ACTIVATIONS[u.activation].meaning, arithmetic) for u in network.units]
    cuts = network.saturation if saturation is None else saturation
    limit = number(SATURATION) if cuts else None
    evaluated = [u for u in range(network.inputs) if u not in order] + list(order)

    def step(row: Sequence[Any], previous: tuple[Number, ...] | None) -> tuple[Number, ...]:
        values = [zero] * len(network.units)
        for u in evaluated:
            into = [w * values[s] for s, w in forward[u]]
            remembered = [] if previous is None else [w * previous[s] for s, w in recurrent[u]]
            if network.units[u].type == "product":
                total = math.prod(into[1:] + remembered, start=into[0]) if into else zero
                if total != total:  # infinity times 0: only overflow on the way made it so
                    total = zero
            else:
                start = number(row[u]) if u < network.inputs else zero
                total = reduce(add, into + remembered, start)
            bias = biases[u]
            if bias is not None:
                total = total + bias
            total = arithmetic.cut(total) if limit is None else max(-limit, min(limit, total))
            values[u] = arithmetic.tidy(activations[u](total))
        return tuple(values)

    return step


def distribution(network: Network, values: Sequence[Number]) -> list[Number]:
    """Next-symbol probabilities from the units' values; with one output, [P(1)]."""
    outputs = values[network.inputs : network.inputs + network.outputs]
    number = type(outputs[0])
    zero, one = number(0), number(1)
    if len(outputs) == 1:
        return [max(zero, min(one, outputs[0]))]
    positive = [max(zero, value) for value in outputs]
    total = reduce(add, positive, zero)
    if total <= number(LEAST_TOTAL):
        return [one / len(outputs)] * len(outputs)
    return [value / total for value in positive]


def probabilities(
    network: Network, sequence: Any, alphabet: Sequence[str] | None = None
) -> NDArray[np.float64]:
    import numpy as np  # heavy: networks are read and shown without it

    rows = input_rows(network, sequence, alphabet)
    steps = [distribution(network, values) for values in feed(network, rows, FLOAT)]
    return np.array(steps, dtype=np.float64).reshape(len(steps), network.outputs)


def input_rows(
    network: Network, sequence: Any, alphabet: Sequence[str] | None = None
) -> list[list[Any]]:
    """What the input units hold at each step: one-hot rows from the boundary on, or the rows given.

    A network that names its alphabet is fed by name, one that does not by position.
    """
    names = network.alphabet if network.alphabet is not None else alphabet
    if not isinstance(sequence, str) and (
        names is None or not all(isinstance(item, str) for item in sequence)
    ):
        return _numeric_rows(network, sequence)
    if names is None:
        raise InputError(
            "the network does not name its symbols; give the alphabet, boundary symbol first."
        )
    if len(names) != network.inputs:
        raise InputError(
            f"the alphabet has {len(names)} symbols, but the network has {network.inputs} inputs; "
            "give one symbol for each input."
        )
    place = {symbol: i for i, symbol in enumerate(names)}
    symbols = symbols_of(sequence, names) if isinstance(sequence, str) else sequence
    rows = []
    for at, symbol in enumerate((BOUNDARY, *symbols)):
        if symbol not in place:
            raise InputError(
                f"the network has no unit for the symbol {short(symbol)} (position {at} of the "
                f"string); use its symbols only, {shown(names)}."
            )
        if at and symbol == BOUNDARY:
            raise InputError(
                f"the boundary symbol {BOUNDARY} stands at position {at} of the string; "
                "it is added, never written."
            )
        rows.append([int(i == place[symbol]) for i in range(network.inputs)])
    return rows


def _numeric_rows(network: Network, sequence: Any) -> list[list[Any]]:
    rows = sequence.tolist() if hasattr(sequence, "tolist") else list(sequence)
    for at, row in enumerate(rows):
        if not isinstance(row, Sequence) or len(row) != network.inputs:
            raise InputError(
                f"step {at} of the sequence does not hold {network.inputs} numbers; "
                "give an array (steps, inputs)."
            )
        for value in row:
            if not _is_finite(value):
                raise InputError(f"step {at} of the sequence holds {value!r}; give finite numbers.")
    return [list(row) for row in rows]


def _is_finite(value: Any) -> bool:
    try:
        return not isinstance(value, str) and math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def log2(chance: Number) -> float:
    """log2 of a float or of a fraction whose terms may be far beyond float64."""
    if isinstance(chance, Fraction):
        return math.log2(chance.numerator) - math.log2(chance.denominator)
    return math.log2(chance)


_DIGITS = Context(prec=60)


def _exact_exp(x: Fraction) -> Fraction:
    return Fraction(_DIGITS.exp(_DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator))))


def _exact_sigmoid(x: Fraction) -> Fraction:
    if abs(x) > EXP_OVERFLOW:
        return Fraction(int(x > 0))
    return _rounded(1 / (1 + _exact_exp(-x)), 1100)


def _exact_tanh(x: Fraction) -> Fraction:
    if abs(x) > EXP_OVERFLOW / 2:
        return Fraction(1 if x > 0 else -1)
    return _rounded(1 - 2 / (_exact_exp(2 * x) + 1), 256)


def _rounded(x: Fraction, places: int) -> Fraction:
    return Fraction(round(x * 2**places), 2**places)


def _tidied(x: Fraction) -> Fraction:
    return _rounded(x, 256) if x.denominator.bit_length() > 4096 else x


def _exact_cut(x: Fraction) -> Fraction:
    if x.numerator.bit_length() - x.denominator.bit_length() <= EXACT_CUT:
        return x
    return Fraction(1 << EXACT_CUT if x > 0 else -1 << EXACT_CUT)


def _float_cut(x: float) -> float:
    return max(-FLOAT_CUT, min(FLOAT_CUT, x))


def _float_sigmoid(x: float) -> float:
    return 0.0 if x < -EXP_OVERFLOW else 1 / (1 + math.exp(-x))


def arithmetic_over(
    number: Callable[[Any], Number],
    sigmoid: Callable[[Number], Number],
    tanh: Callable[[Number], Number],
    tidy: Callable[[Number], Number],
    cut: Callable[[Number], Number] = lambda x: x,
) -> Arithmetic:
    """Numbers that compare, add and multiply as Python's do."""
    zero, one = number(0), number(1)
    return Arithmetic(
        number=number,
        relu=lambda x: max(x, zero),
        step=lambda x: one if x > 0 else zero,
        floor=lambda x: number(math.floor(x)),
        remainder=mod,
        product=mul,
        sigmoid=sigmoid,
        tanh=tanh,
        tidy=tidy,
        cut=cut,
    )


EXACT = arithmetic_over(Fraction, _exact_sigmoid, _exact_tanh, _tidied, _exact_cut)
FLOAT = arithmetic_over(float, _float_sigmoid, math.tanh, float, _float_cut)


def ignored_connections(network: Network) -> tuple[Connection, ...]:
    """The forward connections that close a loop and are not fed."""
    ignored = plan(network).ignored
    return tuple(
        c for c in network.connections if c.kind == "forward" and (c.source, c.target) in ignored
    )
