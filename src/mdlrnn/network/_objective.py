"""What a network costs, and what a search minimises (paper, section 3.1 and its last table)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..checks import check_known, is_number, short
from ..errors import InputError


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
