"""Two machines side by side, to see that both have the same strings.

The product goes with both machines at once and has the chances of the second. Where the second
allows a symbol that the first does not, the product's chances do not sum to 1, and a proof about
the product has to show that this never happens.
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import InputError
from ._machine import Machine
from ._rules import END, Affine, Condition, Rule

MOST_RULES = 200


def product(one: Machine, other: Machine) -> Machine | None:
    """Both at once, with the other's chances; None if that is no small machine."""
    mine = {name: f"{name}1" for name in one.counters}
    theirs = {name: f"{name}2" for name in other.counters}
    rules: list[Rule] = []
    start = (one.start, other.start)
    seen, left = {start}, [start]
    while left:
        here = left.pop()
        for first in (rule for rule in one.rules if rule.state == here[0]):
            for second in (rule for rule in other.rules if rule.state == here[1]):
                if first.symbol != second.symbol:
                    continue
                to = (first.to, second.to)
                rules.append(_together(here, _renamed(first, mine), _renamed(second, theirs), to))
                if first.to != END and to not in seen:
                    seen.add(to)
                    left.append(to)
        if len(rules) > MOST_RULES:
            return None
    try:
        return Machine("both", other.title, tuple(rules), _name(start))
    except InputError:
        return None


def _together(here: tuple[str, str], one: Rule, other: Rule, to: tuple[str, str]) -> Rule:
    return Rule(
        _name(here),
        one.symbol,
        END if one.to == END else _name(to),
        other.chance,
        tuple(dict.fromkeys((*one.when, *other.when))),
        (*one.then, *other.then),
    )


def _name(pair: tuple[str, str]) -> str:
    return " beside ".join(pair)


def _renamed(rule: Rule, names: dict[str, str]) -> Rule:
    def over(value: Affine) -> Affine:
        return replace(value, terms=tuple((names[n], f) for n, f in value.terms))

    when = tuple(Condition(over(c.expression), c.relation, c.digit, c.base) for c in rule.when)
    then = tuple((names[n], over(v) if isinstance(v, Affine) else v) for n, v in rule.then)
    return replace(rule, when=when, then=then)
