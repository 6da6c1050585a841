"""Bits and symbols a string of a machine whose only counter is a stack, a number in some base.

For a state and the digit on top there are the chances of the states in which the stack first gets
lower than it is, and what is emitted until then. Both are least solutions of equations, which are
approached from 0: they rise, and settle soon unless strings hardly come to an end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._machine import Language
from ._rules import END, Affine, Condition, Rule

MOST_WORK = 1_000_000
"""Steps that are looked at, each once in a round."""
SETTLED = 1e-14
"""By how much of itself a number rises in the last round."""
Place = tuple[str, int]
"""A state, and the digit on top of the stack; 0 where the stack is empty."""


class Step(NamedTuple):
    chance: float
    to: str
    digits: tuple[int, ...]
    """What is on the stack instead of the digit that was on top, the new top first."""


class Until(NamedTuple):
    """What is expected until the stack is lower than it is, or the string ends."""

    bits: float
    symbols: float
    states: dict[str, float]
    """In which state it is then, and how likely; where the string has ended, in none."""


NOTHING = Until(0.0, 0.0, {})


def stack_means(language: Language) -> tuple[float, float] | None:
    """None if the counter is no stack, or what is emitted does not settle."""
    bases = {c.base for rule in language.rules for c in rule.when if c.relation == "mod"}
    if len(language.counters) != 1 or len(bases) != 1:
        return None
    stack = _Stack(language, bases.pop())
    first = (language.start, 0)
    found: dict[Place, Until] = {first: NOTHING}
    work = 0
    while work < MOST_WORK:
        rise = 0.0
        for place in list(found):
            steps = stack.steps(place)
            if steps is None:
                return None
            work += sum(1 + len(step.digits) for step in steps)
            new = _until(steps, found)
            size = max(new.bits, new.symbols, 1e-300)
            rise = max(rise, (new.bits + new.symbols - found[place][0] - found[place][1]) / size)
            found[place] = new
        if rise < SETTLED:
            return found[first].bits, found[first].symbols
    return None


def _until(steps: list[Step], found: dict[Place, Until]) -> Until:
    """One round of the equations; places that turn up are added."""
    bits = -math.fsum(step.chance * math.log2(step.chance) for step in steps)
    symbols = math.fsum(step.chance for step in steps if step.to != END)
    lower: dict[str, float] = {}
    for step in steps:
        states = {} if step.to == END else {step.to: step.chance}
        for digit in step.digits:
            after: dict[str, float] = {}
            for state, chance in states.items():
                until = found.setdefault((state, digit), NOTHING)
                bits += chance * until.bits
                symbols += chance * until.symbols
                for to, share in until.states.items():
                    after[to] = after.get(to, 0.0) + chance * share
            states = after
        for state, chance in states.items():
            lower[state] = lower.get(state, 0.0) + chance
    return Until(bits, symbols, lower)


class _Stack:
    """The rules of a machine as steps on a stack."""

    def __init__(self, language: Language, base: int) -> None:
        self.base = base
        self.name = language.counters[0]
        self.rules = language.rules
        self.known: dict[Place, list[Step] | None] = {}

    def steps(self, place: Place) -> list[Step] | None:
        """None if a rule does what cannot be done with the digit on top."""
        if place not in self.known:
            self.known[place] = self._steps(*place)
        return self.known[place]

    def _steps(self, state: str, top: int) -> list[Step] | None:
        found = []
        for rule in self.rules:
            if rule.state != state:
                continue
            holds = [self._holds(condition, top) for condition in rule.when]
            if None in holds:
                return None
            if all(holds):
                digits = self._digits(rule, top)
                if digits is None:
                    return None
                found.append(Step(float(rule.chance), rule.to, digits))
        return found

    def _holds(self, condition: Condition, top: int) -> bool | None:
        if condition.expression != Affine(((self.name, 1),)):
            return None
        if condition.relation == "mod":
            return condition.digit == top
        return top == 0 if condition.relation == "=" else top > 0

    def _digits(self, rule: Rule, top: int) -> tuple[int, ...] | None:
        """What a rule leaves of the digit on top; an empty stack stays below all else."""
        value = dict(rule.then).get(self.name, Affine(((self.name, 1),)))
        if isinstance(value, int) or len(value.terms) != 1:
            return None
        factor, constant = value.terms[0][1], value.constant
        if value.divisor != 1:
            lowers = (value.divisor, factor, constant) == (self.base, 1, 0) and top > 0
            return () if lowers else None
        pushed = round(math.log(factor, self.base)) if factor > 0 else -1
        if pushed < 0 or self.base**pushed != factor:
            return None
        number, digits = factor * top + constant, []
        for _ in range(pushed + (top > 0)):
            number, digit = divmod(number, self.base)
            digits.append(digit)
        # A digit 0 would look like the end of the stack.
        if number != 0 or 0 in digits:
            return None
        return tuple(digits) if top else (*digits, 0)
