"""The paper's own scheme (section 3.2)."""

from __future__ import annotations

from .._activations import ACTIVATIONS
from ._scheme import Scheme, field_width

PAPER = Scheme(
    "paper",
    cost=lambda activation: ACTIVATIONS[activation].cost,
    activation_bits=lambda activation, allowed: field_width(allowed),
    has_type_bit=lambda products: products,
)
