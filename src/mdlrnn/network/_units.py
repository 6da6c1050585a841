"""What a network is made of (paper, section 3.2): units, connections and rational weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..checks import check_known, is_integer, short
from ..errors import InputError
from ._activations import ACTIVATIONS

TYPES = ("sum", "product")
KINDS = ("forward", "recurrent")
LARGEST_INTEGER = 2**53
"""Bound on numerators and denominators, so that float64 holds each of them exactly."""


@dataclass(frozen=True, slots=True, order=True)
class Weight:
    """A signed fraction as written: 2/4 and 1/2 weigh the same but cost different bits."""

    numerator: int
    denominator: int = 1

    def __post_init__(self) -> None:
        for name in ("numerator", "denominator"):
            if not is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {short(getattr(self, name))} is not an integer; "
                    "write a weight as two integers, [numerator, denominator]."
                )
        if self.numerator == 0:
            raise InputError("a weight's numerator is 0; leave the connection or bias out instead.")
        if self.denominator < 1:
            raise InputError(
                f"a weight's denominator is {short(self.denominator)}; it must be 1 or more, "
                "with the sign in the numerator."
            )
        if max(abs(self.numerator), self.denominator) > LARGEST_INTEGER:
            raise InputError(
                f"the weight [{short(self.numerator)}, {short(self.denominator)}] is too large; "
                "keep numerator and denominator within 2**53."
            )

    @property
    def fraction(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def __float__(self) -> float:
        return self.numerator / self.denominator

    def __str__(self) -> str:
        return (
            str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"
        )


@dataclass(frozen=True, slots=True)
class Unit:
    activation: str = "linear"
    type: str = "sum"
    bias: Weight | None = None

    def __post_init__(self) -> None:
        check_known(self.activation, ACTIVATIONS, "activation")
        check_known(self.type, TYPES, "type")
        if self.bias is not None and not isinstance(self.bias, Weight):
            raise InputError(
                f"the bias {short(self.bias)} is not a Weight; write Weight(1, 2) or None."
            )


@dataclass(frozen=True, slots=True)
class Connection:
    source: int
    target: int
    kind: str
    weight: Weight

    def __post_init__(self) -> None:
        check_known(self.kind, KINDS, "kind")
        for name in ("source", "target"):
            if not is_integer(getattr(self, name)):
                raise InputError(
                    f"the {name} {short(getattr(self, name))} is not a unit's number; "
                    "units are numbered from 0."
                )
        if not isinstance(self.weight, Weight):
            raise InputError(
                f"the weight {short(self.weight)} is not a Weight; write Weight(1, 2)."
            )
