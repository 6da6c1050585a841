"""A network as a PyTorch module and back; trained weights become simple fractions near them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..checks import check_kind, is_number, short
from ..errors import InputError
from ..files import PathLike, path_of, unreadable
from ..network import LARGEST_INTEGER, Connection, Network, Unit, Weight, plan
from ._formulas import require_torch

if TYPE_CHECKING:
    from ._module import TorchNetwork

FEW = 1024
"""Up to so many denominators of one length are all tried for the nearest."""


def cheapest(value: float, tolerance: float) -> Weight:
    """The weight of fewest bits that is at most `tolerance` from `value`, and is not 0; of several,
    the nearest. With a tolerance of 0, one that float64 rounds to `value`.

    Every encoding charges a weight by the lengths of its numerator and denominator. The simplest
    fraction of an interval has the least of both at once, so there is nothing to weigh up.
    """
    size = Fraction(abs(value))
    low, high = _interval(abs(value), Fraction(tolerance))
    smallest = Fraction(1, LARGEST_INTEGER)
    if high < smallest or low > LARGEST_INTEGER:
        raise InputError(
            f"the weight {value!r} is no fraction within 2**53; "
            "train it to another value, or give a larger tolerance."
        )
    found = _nearest(simplest(max(low, smallest), high), size, low, high)
    if max(found.numerator, found.denominator) > LARGEST_INTEGER:
        raise InputError(
            f"no fraction within 2**53 is {tolerance:g} from the weight {value!r}; "
            "give a larger tolerance."
        )
    sign = -1 if value < 0 else 1
    return Weight(sign * found.numerator, found.denominator)


def _interval(size: float, tolerance: Fraction) -> tuple[Fraction, Fraction]:
    exact = Fraction(size)
    if tolerance:
        return exact - tolerance, exact + tolerance
    below, above = (Fraction(math.nextafter(size, to)) for to in (0.0, math.inf))
    # A little less than half way, where float64 rounds to the even neighbour.
    share = Fraction(1023, 2048)
    return exact - (exact - below) * share, exact + (above - exact) * share


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction in [low, high], above 0, with the least numerator and denominator."""
    whole = math.floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def _nearest(found: Fraction, size: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Among fractions as long as this one, that nearest to `size`."""
    bits = found.denominator.bit_length()
    most = 2**bits - 1
    if most < FEW:
        below = [(math.floor(size * d), d) for d in range(2 ** (bits - 1), most + 1)]
        tried = [Fraction(n + more, d) for n, d in below for more in (0, 1)]
    else:
        tried = [size.limit_denominator(most)]

    def fits(other: Fraction) -> bool:
        return (
            other > 0
            and low <= other <= high
            and other.numerator.bit_length() <= found.numerator.bit_length()
        )

    return min([found, *filter(fits, tried)], key=lambda other: abs(other - size))


FORMAT = "mdlrnn-torch/1"
TOLERANCE = 0.01


def torch(network: Network, *, log: bool = False, straight_through: bool = False) -> TorchNetwork:
    """The network as a PyTorch module in float64, whose weights can be trained.

    It takes symbols' numbers (batch, steps), the boundary's first, or rows (batch, steps, inputs),
    and gives probabilities, or with `log` their logarithms. With `straight_through`, step has the
    gradient of a sigmoid and floor that of a line; the values stay as they are. Needs the extra
    `torch`.
    """
    check_kind(network, Network, "give a Network")
    require_torch()
    from ._module import TorchNetwork

    return TorchNetwork(network, log=log, straight_through=straight_through)


def from_torch(module: TorchNetwork, *, tolerance: float = TOLERANCE) -> Network:
    """The module's network, with each weight the fraction of fewest bits within the tolerance.

    A connection or bias that can be 0 within the tolerance is left out, unless that would change
    what the rest computes: a factor of a product stays, and so does a connection whose loss would
    bring another one, ignored since it closes a loop, to life. With a tolerance of 0 the module's
    floats are kept, and what training left alone comes back as it was.
    """
    require_torch()
    from ._module import TorchNetwork

    if not isinstance(module, TorchNetwork):
        raise InputError(f"{short(module)} is no module of mdlrnn; make one with to_torch().")
    if not is_number(tolerance) or tolerance < 0:
        raise InputError(f"tolerance is {short(tolerance)}; give a number, 0 or more.")
    network = module.network
    weights = _numbers(module.weight, "weight")
    biases = iter(_numbers(module.bias, "bias"))
    units = [
        unit if unit.bias is None else _with_bias(unit, next(biases), tolerance)
        for unit in network.units
    ]
    each = list(zip(network.connections, weights, strict=True))
    small = [c for c, value in each if abs(value) <= tolerance and _is_summed(network, c)]
    rounded = tuple(
        replace(c, weight=_rounded(value, c.weight, tolerance))
        for c, value in each
        if c not in small
    )
    found = replace(network, units=tuple(units), connections=rounded)
    lost = {(c.source, c.target) for c in small if c.kind == "forward"}
    if plan(found).ignored == plan(network).ignored - lost:
        return found
    everything = (replace(c, weight=_rounded(value, c.weight, tolerance)) for c, value in each)
    return replace(found, connections=tuple(everything))


def _is_summed(network: Network, connection: Connection) -> bool:
    return network.units[connection.target].type == "sum"


def _with_bias(unit: Unit, value: float, tolerance: float) -> Unit:
    assert unit.bias is not None
    small = abs(value) <= tolerance
    return replace(unit, bias=None if small else _rounded(value, unit.bias, tolerance))


def _rounded(value: float, before: Weight, tolerance: float) -> Weight:
    if not tolerance and value == float(before):
        return before
    if not tolerance and value == 0.0:
        raise InputError(
            "a weight is 0 where leaving its connection out would change the rest; "
            "give a tolerance above 0."
        )
    return cheapest(value, tolerance)


def _numbers(parameter: Any, name: str) -> list[float]:
    values: list[float] = parameter.detach().double().cpu().tolist()
    for place, value in enumerate(values):
        if not math.isfinite(value):
            raise InputError(
                f"{name}[{place}] of the module is {value}; train again with smaller steps."
            )
    return values


def torch_bytes(network: Network) -> bytes:
    """The module's file: data only, which `load_torch` reads."""
    module = torch(network)
    import torch as library

    buffer = BytesIO()
    library.save(torch_data(module), buffer)
    return buffer.getvalue()


def torch_data(module: TorchNetwork) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "network": module.network.to_json(),
        "log": module.log,
        "straight_through": module.straight_through,
        "state": module.state_dict(),
    }


def load_torch(path: PathLike) -> TorchNetwork:
    """The module of a file that `mdlrnn export --to torch` wrote. Reading it runs no code."""
    require_torch()
    import torch as library

    refused = InputError(f"{path}: no module of mdlrnn; give a file of mdlrnn export --to torch.")
    try:
        data = library.load(path_of(path), weights_only=True)
    except OSError as error:
        raise unreadable(path, error) from None
    except Exception:  # a file that is none makes it fail in many ways
        raise refused from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise refused
    try:
        network = Network.from_dict(json.loads(data["network"]))
        module = torch(network, log=data["log"], straight_through=data["straight_through"])
        module.load_state_dict(data["state"])
    except (InputError, KeyError, TypeError, ValueError, RuntimeError):
        raise refused from None
    return module
