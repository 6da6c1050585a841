"""The lengths of the authors' released code, so that published scores compare bit for bit."""

from __future__ import annotations

from .._activations import ACTIVATIONS
from ._scheme import Scheme, field_width

RELU_COST = 2
MODULO_BITS = 4
"""The field of mod2 and mod3, whatever the width of the others."""


def _cost(activation: str) -> int:
    return RELU_COST if activation == "relu" else ACTIVATIONS[activation].cost


def _activation_bits(activation: str, allowed: tuple[str, ...]) -> int:
    is_modulo = ACTIVATIONS[activation].extension == "modulos"
    return MODULO_BITS if is_modulo else field_width(allowed)


TACL2022 = Scheme(
    "tacl2022",
    cost=_cost,
    activation_bits=_activation_bits,
    has_type_bit=lambda products: True,
)
