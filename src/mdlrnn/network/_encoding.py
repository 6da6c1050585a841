"""What a network costs and what a search minimises (paper, section 3.1 and its last table); how it
is written as bits: the schemes, and the space of networks that one can write.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checks import check_known, is_number, short
from ..errors import InputError
from ._network import Network
from ._units import ACTIVATIONS, DEFAULT_ACTIVATIONS, with_extensions


@dataclass(frozen=True, slots=True)
class Score:
    """What a network costs, in bits. Scores compare by `mdl`: the lower, the better."""

    g: int
    """|G|, the length of the network's encoding."""
    d_given_g: float
    """|D:G|, the surprisal of the corpus; infinite if a symbol that occurs has probability 0."""
    l1: float = 0.0
    """Sum of the absolute weights, biases included."""
    l2: float = 0.0
    """Sum of the squared weights, biases included."""

    @property
    def mdl(self) -> float:
        return self.g + self.d_given_g

    def __lt__(self, other: Score) -> bool:
        return self.mdl < other.mdl

    def __le__(self, other: Score) -> bool:
        return self.mdl <= other.mdl

    def __repr__(self) -> str:
        return f"Score(mdl={self.mdl:.6g}, g={self.g}, d_given_g={self.d_given_g:.6g})"


@dataclass(frozen=True, slots=True)
class Objective:
    """What is minimised: a weighted sum of |G|, |D:G| and two classical regularisers."""

    g: float = 1.0
    d: float = 1.0
    l1: float = 0.0
    l2: float = 0.0

    def __post_init__(self) -> None:
        multipliers = (self.g, self.d, self.l1, self.l2)
        if not all(map(_is_multiplier, multipliers)) or not any(multipliers):
            raise InputError(
                f"the multipliers {short(multipliers)} are no objective; "
                "give finite numbers, 0 or more, at least one above 0."
            )

    @classmethod
    def named(cls, name: str) -> Objective:
        """'mdl', 'g', 'd', 'd+l1' or 'd+l2', all multipliers 1."""
        check_known(name, OBJECTIVES, "objective")
        return OBJECTIVES[name]

    @property
    def title(self) -> str:
        """As a sum, such as |D:G| + |G|."""
        terms = ((self.d, "|D:G|"), (self.g, "|G|"), (self.l1, "L1"), (self.l2, "L2"))
        return " + ".join(
            name if multiplier == 1 else f"{multiplier:g} {name}"
            for multiplier, name in terms
            if multiplier
        )

    def __call__(self, score: Score) -> float:
        terms = (
            (self.g, score.g), (self.d, score.d_given_g), (self.l1, score.l1), (self.l2, score.l2),
        )  # fmt: skip
        return math.fsum(m * value for m, value in terms if m)


def _is_multiplier(value: object) -> bool:
    return is_number(value) and value >= 0


OBJECTIVES = {
    "mdl": Objective(),
    "g": Objective(d=0.0),
    "d": Objective(g=0.0),
    "d+l1": Objective(g=0.0, l1=1.0),
    "d+l2": Objective(g=0.0, l2=1.0),
}
"""By the names under which the command line and tables know them."""


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


PAPER = Scheme(
    "paper",
    cost=lambda activation: ACTIVATIONS[activation].cost,
    activation_bits=lambda activation, allowed: field_width(allowed),
    has_type_bit=lambda products: products,
)


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


def _bits_without_costs(activation: str, allowed: tuple[str, ...]) -> int:
    is_remainder = (ACTIVATIONS[activation].modulus or 1) > 1
    return MODULO_BITS if is_remainder else field_width(allowed)


ABUDY2025 = Scheme(
    "abudy2025",
    cost=None,
    activation_bits=_bits_without_costs,
    has_type_bit=lambda products: True,
)


PARTS = Scheme(
    "parts",
    cost=lambda activation: ACTIVATIONS[activation].cost,
    activation_bits=lambda activation, allowed: field_width(allowed),
    has_type_bit=lambda products: products,
    says_parts=True,
)


SCHEMES = {scheme.name: scheme for scheme in (PAPER, TACL2022, ABUDY2025, PARTS)}


@dataclass(frozen=True)
class Encoding:
    """How networks are written as bits: the scheme and the space of networks it can write.

    An activation's code is its place in `activations`. `products` allows product units; the
    bits of `tacl2022` have room for them in any case. Under `parts` the bits of a network begin
    with the parts it has, and |G| does not depend on which others are allowed.
    """

    scheme: str = "paper"
    activations: tuple[str, ...] = DEFAULT_ACTIVATIONS
    products: bool = False

    def __post_init__(self) -> None:
        check_known(self.scheme, SCHEMES, "scheme")
        names: object = self.activations
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InputError(f"activations is {short(names)}; give a sequence of names.")
        object.__setattr__(self, "activations", tuple(names))
        for name in self.activations:
            check_known(name, ACTIVATIONS, "activation")
            if self.activations.count(name) > 1:
                raise InputError(f"activations names {name} twice; name each activation once.")
        if "linear" not in self.activations:
            raise InputError("activations lacks linear; add it, since input units are linear.")
        if not isinstance(self.products, bool):
            raise InputError(f"products is {short(self.products)}; give True or False.")

    @classmethod
    def fitting(cls, network: Network, scheme: str = "paper") -> Encoding:
        """The default space of networks, extended where the network needs it.

        The modulos come together, as the paper's extended space has them.
        """
        used = [unit.activation for unit in network.units]
        products = any(unit.type == "product" for unit in network.units)
        return cls(scheme, with_extensions(used), products)

    @classmethod
    def every_part(cls) -> Encoding:
        """Every activation and products, each charged where it is used."""
        return cls("parts", tuple(ACTIVATIONS), products=True)

    @property
    def says_parts(self) -> bool:
        """Whether the bits begin with the parts that the network has."""
        return SCHEMES[self.scheme].says_parts

    def written_for(self, network: Network) -> Encoding:
        """The encoding that the bits of this network are written in after those that say parts."""
        if not self.says_parts:
            return self
        used = {unit.activation for unit in network.units}
        products = any(unit.type == "product" for unit in network.units)
        return Encoding(self.scheme, tuple(name for name in ACTIVATIONS if name in used), products)

    def cost(self, activation: str) -> int:
        """The activation's cost; 0 where the scheme leaves costs out."""
        check_known(activation, ACTIVATIONS, "activation")
        cost = SCHEMES[self.scheme].cost
        return 0 if cost is None else cost(activation)

    @property
    def writes_costs(self) -> bool:
        """Whether a unit's bits have its activation's cost, in unary with a closing 0."""
        return SCHEMES[self.scheme].cost is not None

    def cost_bits(self, activation: str) -> int:
        """The bits in which the activation's cost is written."""
        return self.cost(activation) + self.writes_costs

    def activation_bits(self, activation: str) -> int:
        """The width of the field that names the activation."""
        check_known(activation, ACTIVATIONS, "activation")
        return SCHEMES[self.scheme].activation_bits(activation, self.activations)

    @property
    def type_bit(self) -> bool:
        """Whether a unit says if it is of type sum or product."""
        return SCHEMES[self.scheme].has_type_bit(self.products)
