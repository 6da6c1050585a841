"""What a scheme has to say: the few places where the codes of networks differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scheme:
    """What a scheme decides; the rest of the code is common to all (`network._code`)."""

    name: str
    cost: Callable[[str], int] | None
    """Of an activation, written in unary with a closing 0; None where it is not written."""
    activation_bits: Callable[[str, tuple[str, ...]], int]
    """The width of the field that names an activation, given those that are allowed."""
    has_type_bit: Callable[[bool], bool]
    """Whether a unit says if it is a sum or a product, given whether products are allowed."""
    says_parts: bool = False
    """Whether the code begins with bits that say what is allowed: what the network has."""


def field_width(allowed: tuple[str, ...]) -> int:
    """Bits that tell so many activations apart."""
    return (len(allowed) - 1).bit_length()
