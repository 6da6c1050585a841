"""A network as a PyTorch module and back: `torch`, `from_torch`, and the module's file."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from .._checks import is_number, short
from .._errors import InputError
from .._files import PathLike, path_of, unreadable
from ..network._interpreter import plan
from ..network._network import Network
from ..network._units import Connection, Unit, Weight
from ._extras import require_torch
from ._fractions import cheapest

if TYPE_CHECKING:
    from ._module import TorchNetwork

FORMAT = "mdlrnn-torch/1"
TOLERANCE = 0.01


def torch(network: Network, *, log: bool = False, straight_through: bool = False) -> TorchNetwork:
    """The network as a PyTorch module in float64, whose weights can be trained.

    It takes symbols' numbers (batch, steps), the boundary's first, or rows (batch, steps, inputs),
    and gives probabilities, or with `log` their logarithms. With `straight_through`, step has the
    gradient of a sigmoid and floor that of a line; the values stay as they are. Needs the extra
    `torch`.
    """
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
    except (RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError):
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
