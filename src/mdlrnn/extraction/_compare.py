"""`compare`: have two networks learned the same?"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..network import BOUNDARY, EXACT, Network, counted, distribution, spelled, stepper
from ..proofs import Proof, bound_text, prove
from ._learned import SECONDS, learned
from ._places import NOISE

PREFIXES = 2_000
"""Along which both are run side by side."""
APART = Fraction(1, 1000)
"""Probabilities that differ by this or more are different."""


@dataclass(frozen=True)
class Comparison:
    same: bool | None
    """None if neither was shown."""
    statement: str
    prefix: str | None = None
    """The shortest prefix after which they differ."""
    first: dict[str, float] | None = None
    second: dict[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "same": self.same,
            "statement": self.statement,
            "prefix": self.prefix,
            "first": self.first,
            "second": self.second,
        }

    def __str__(self) -> str:
        return self.statement


def compare(one: Network, other: Network) -> Comparison:
    """Whether two networks over the same symbols give the same probabilities after every prefix
    that the first finds possible, or the shortest after which they differ by 0.001 or more."""
    if one.alphabet is None or other.alphabet is None or set(one.alphabet) != set(other.alphabet):
        raise InputError("the networks have different symbols; compare two over the same symbols.")
    found, length = _first_difference(one, other)
    if found is not None:
        return _of_strings(one, other, found)
    told = learned(one)
    machine, first = told.machine, told.proof
    if machine is not None and first is not None and first.proved:
        second = prove(other, machine, seconds=SECONDS, at_once=True)
        if second.proved:
            claims = {first.claims[0].kind, second.claims[0].kind}
            limits = _limits(first, second)
            if claims == {"exact"}:
                return Comparison(True, f"Proved: both give exactly the same probabilities after "
                                  f"every prefix of {machine.title}. {limits}")  # fmt: skip
            if claims <= {"exact", "within"}:
                apart = first.claims[0].margin + second.claims[0].margin
                return Comparison(
                    True,
                    f"Proved: after every prefix of {machine.title} their probabilities differ by "
                    f"less than {bound_text(apart)}. {limits}",
                )
            return Comparison(
                True,
                f"Proved: both find the same symbols possible after every prefix of "
                f"{machine.title}. {limits}",
            )
    return Comparison(
        None,
        f"Not shown: up to {counted(length, 'symbol')} they differ nowhere by 0.001 or more, "
        "and no machine was proved for both.",
    )


def _of_strings(one: Network, other: Network, apart: Comparison) -> Comparison:
    """Networks with other chances may have the same strings, where that can be shown."""
    told = learned(one)
    if told.machine is None or told.proof is None or not told.proved:
        return apart
    second = prove(other, replace(told.machine, assumed=True), seconds=SECONDS)
    if not second.proved:
        return apart
    strings = told.name or told.machine.title
    return replace(
        apart, statement=f"{apart.statement} Yet they have the same strings, those of {strings}: "
        f"that is proved. {_limits(told.proof, second)}",
    )  # fmt: skip


def _limits(first: Proof, second: Proof) -> str:
    if first.limits == second.limits:
        return first.limits
    return f"Of the first: {first.limits} Of the second: {second.limits}"


def _first_difference(one: Network, other: Network) -> tuple[Comparison | None, int]:
    """Both run side by side, shortest prefixes first; and the length up to which they agree."""
    alphabet = one.alphabet
    assert alphabet is not None
    assert other.alphabet is not None
    steps = [stepper(network, EXACT, saturation=False) for network in (one, other)]
    left: deque[tuple[tuple[str, ...], str, Any]] = deque([((), BOUNDARY, (None, None))])
    seen = set()
    looked = length = 0
    while left and looked < PREFIXES:
        prefix, symbol, before = left.popleft()
        looked += 1
        length = len(prefix)
        after = tuple(
            step([int(symbol == s) for s in network.alphabet or ()], values)
            for step, network, values in zip(steps, (one, other), before, strict=True)
        )
        first, second = (
            dict(zip(network.alphabet or (), distribution(network, values), strict=True))
            for network, values in zip((one, other), after, strict=True)
        )
        if any(abs(first[s] - second[s]) >= APART for s in alphabet):
            return _difference(prefix, alphabet, first, second), length
        if after in seen:
            continue
        seen.add(after)
        for s in alphabet:
            if s != BOUNDARY and first[s] >= NOISE[0]:
                left.append(((*prefix, s), s, after))
    return None, length


def _difference(
    prefix: tuple[str, ...],
    alphabet: tuple[str, ...],
    first: dict[str, Fraction],
    second: dict[str, Fraction],
) -> Comparison:
    text = spelled(prefix) or "nothing"
    shown = [
        ", ".join(f"P({s}) = {float(chances[s]):.4g}" for s in alphabet)
        for chances in (first, second)
    ]
    return Comparison(
        False,
        f"They differ after {text}: the first gives {shown[0]}; the second {shown[1]}.",
        spelled(prefix),
        {s: float(p) for s, p in first.items()},
        {s: float(p) for s, p in second.items()},
    )
