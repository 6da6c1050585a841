"""Dyck-k: well-matched brackets of k kinds (the paper's Experiment II)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from .._errors import InputError
from ..network._alphabet import BOUNDARY
from ._machine import Language
from ._rules import Rule, counter
from ._strings import Draw

if TYPE_CHECKING:
    from numpy.random import RandomState

P = Fraction(3, 10)
"""The chance of opening a bracket where one can be opened."""
PAIRS = (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"))
LONGEST = 200
"""Longer strings are drawn again, as the authors did; their chance is below 1e-17."""


def dyck(kinds: int, p: Fraction = P) -> Language:
    """One counter for one kind; for more, the stack as an integer in base kinds + 1.

    Opening the j-th kind appends the digit j, closing it takes the last digit j away, so the
    stack is empty at 0. `p` is the chance of opening one.
    """
    if not 1 <= kinds <= len(PAIRS):
        raise InputError(f"there is no Dyck-{kinds} here; choose 1 to {len(PAIRS)} kinds.")
    stack = counter("stack")
    rules = []
    for digit, (opening, closing) in enumerate(PAIRS[:kinds], start=1):
        push = stack + 1 if kinds == 1 else (kinds + 1) * stack + digit
        pop = stack - 1 if kinds == 1 else stack // (kinds + 1)
        top = stack.positive if kinds == 1 else stack.ends_in(digit, kinds + 1)
        rules += [
            Rule("start", opening, "start", p / kinds, then=(("stack", push),)),
            Rule("start", closing, "start", 1 - p, (top,), (("stack", pop),)),
        ]
    rules.append(Rule("start", BOUNDARY, chance=1 - p, when=(stack.zero,)))

    def draw(random: RandomState, size: int) -> list[str]:
        chosen = Draw([float(p) / kinds] * kinds + [1 - float(p)])
        return [_drawn(random, kinds, chosen) for _ in range(size)]

    return Language(f"dyck{kinds}", f"Dyck-{kinds}", tuple(rules), draw=draw)


def _drawn(random: RandomState, kinds: int, chosen: Draw) -> str:
    """From the grammar S → [ S ] S | ( S ) S | ... | ε, the leftmost S first."""
    while True:
        string: list[str] = []
        left = ["S"]
        while left:
            symbol = left.pop()
            if symbol != "S":
                string.append(symbol)
                continue
            kind = chosen(random)
            if kind < kinds:
                opening, closing = PAIRS[kind]
                left += ["S", closing, "S", opening]
        if len(string) <= LONGEST:
            return "".join(string)
