"""The lengths of Abudy, Well, Chemla, Katzir and Lan (2025): `tacl2022` without activation costs.

What a unit's activation is still stands in the unit's field, so the bits decode as under the other
schemes; what is left out, the cost in unary with its closing 0, said nothing that the field does
not say.
"""

from __future__ import annotations

from .._activations import ACTIVATIONS
from ._scheme import Scheme, field_width
from ._tacl2022 import MODULO_BITS


def _activation_bits(activation: str, allowed: tuple[str, ...]) -> int:
    is_remainder = (ACTIVATIONS[activation].modulus or 1) > 1
    return MODULO_BITS if is_remainder else field_width(allowed)


ABUDY2025 = Scheme(
    "abudy2025",
    cost=None,
    activation_bits=_activation_bits,
    has_type_bit=lambda products: True,
)
