"""A code that begins with the parts that the network is made of, so that none has to be asked for.

One bit for each activation beyond linear and one for products say which are allowed; the rest is
the paper's code under that set. The set is the smallest that the network can do with, so |G|
depends on the network alone, and networks found with different parts compare.
"""

from __future__ import annotations

from .._activations import ACTIVATIONS
from ._scheme import Scheme, field_width

PARTS = Scheme(
    "parts",
    cost=lambda activation: ACTIVATIONS[activation].cost,
    activation_bits=lambda activation, allowed: field_width(allowed),
    has_type_bit=lambda products: products,
    says_parts=True,
)
