"""The languages of the paper: counters (Experiment I) and Dyck-k (Experiment II)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from ..errors import InputError
from ..machines import Condition, Draw, Machine, Rule, counter
from ..network import BOUNDARY

if TYPE_CHECKING:
    from numpy.random import RandomState

P = Fraction(3, 10)
"""The chance at each step to stop repeating the first symbol (paper, section 4.3.2)."""


def counted(name: str, title: str, blocks: tuple[tuple[str, int], ...]) -> Machine:
    """x^n y^(2n) ...: the first symbol n times, n geometric, then each other its multiple of n.

    The counter n holds how often the first symbol came; k how many of the present block are left.
    """
    n, k = counter("n"), counter("k")
    (first, _), *others = blocks
    rules = [
        Rule("start", first, first, then=(("n", 1),)),
        Rule(first, first, first, 1 - P, then=(("n", n + 1),)),
    ]
    before, chance = first, P
    when: tuple[Condition, ...] = ()
    for symbol, times in others:
        rules += [
            Rule(before, symbol, symbol, chance, when, then=(("k", times * n - 1),)),
            Rule(symbol, symbol, symbol, when=(k.positive,), then=(("k", k - 1),)),
        ]
        before, chance, when = symbol, Fraction(1), (k.zero,)
    rules.append(Rule(before, BOUNDARY, when=when))
    # No closures: a machine is pickled, and comes back from other processes.
    draw, string = partial(_blocks_drawn, blocks), partial(_blocks_of, blocks)
    return Machine(name, title, tuple(rules), draw=draw, string=string)


def _blocks_of(blocks: tuple[tuple[str, int], ...], n: int) -> str:
    (first, _), *others = blocks
    return first * n + "".join(symbol * times * n for symbol, times in others)


def _blocks_drawn(blocks: tuple[tuple[str, int], ...], random: RandomState, size: int) -> list[str]:
    return [_blocks_of(blocks, int(n)) for n in random.geometric(float(P), size=size)]


def _sum_of(n: int, m: int) -> str:
    return "a" * n + "b" * m + "c" * (n + m)


def _sums_drawn(random: RandomState, size: int) -> list[str]:
    ns, ms = (random.geometric(float(P), size=size) for _ in range(2))
    return [_sum_of(int(n), int(m)) for n, m in zip(ns, ms, strict=True)]


def anbn() -> Machine:
    return counted("anbn", "a^n b^n", (("a", 1), ("b", 1)))


def anbncn() -> Machine:
    return counted("anbncn", "a^n b^n c^n", (("a", 1), ("b", 1), ("c", 1)))


def anbncndn() -> Machine:
    return counted("anbncndn", "a^n b^n c^n d^n", (("a", 1), ("b", 1), ("c", 1), ("d", 1)))


def anb2n() -> Machine:
    return counted("anb2n", "a^n b^2n", (("a", 1), ("b", 2)))


def anbmcnm() -> Machine:
    """a^n b^m c^(n+m): one counter of all that came and has not been answered by a c."""
    n = counter("n")
    return Machine(
        "anbmcnm",
        "a^n b^m c^(n+m)",
        (
            Rule("start", "a", "a", then=(("n", 1),)),
            Rule("a", "a", "a", 1 - P, then=(("n", n + 1),)),
            Rule("a", "b", "b", P, then=(("n", n + 1),)),
            Rule("b", "b", "b", 1 - P, then=(("n", n + 1),)),
            Rule("b", "c", "c", P, then=(("n", n - 1),)),
            Rule("c", "c", "c", when=(n.positive,), then=(("n", n - 1),)),
            Rule("c", BOUNDARY, when=(n.zero,)),
        ),
        draw=_sums_drawn,
        string=_sum_of,
    )


PAIRS = (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"))
LONGEST = 200
"""Longer strings are drawn again, as the authors did; their chance is below 1e-17."""


def dyck(kinds: int, p: Fraction = P) -> Machine:
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

    draw = partial(_brackets_drawn, kinds, float(p))
    return Machine(f"dyck{kinds}", f"Dyck-{kinds}", tuple(rules), draw=draw)


def _brackets_drawn(kinds: int, p: float, random: RandomState, size: int) -> list[str]:
    chosen = Draw([p / kinds] * kinds + [1 - p])
    return [_drawn(random, kinds, chosen) for _ in range(size)]


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
