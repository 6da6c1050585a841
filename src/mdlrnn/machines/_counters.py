"""Counters of a machine without what does not matter: where their values are never asked for, and
in what unit they count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd

from ._machine import Machine
from ._rules import Affine, Rule


def live_rules(machine: Machine) -> tuple[Rule, ...]:
    """Rules with the same strings and probabilities that set a counter only where it matters;
    counters that never matter at one time are one."""
    return tuple(_with_shared_counters(_with_scaled_counters(machine.rules), machine.start))


def _terms(value: Affine | int) -> set[str]:
    return set() if isinstance(value, int) else {name for name, _ in value.terms}


def _live(rules: Sequence[Rule]) -> dict[str, set[str]]:
    """For each state the counters whose values still matter there."""
    live: dict[str, set[str]] = {rule.state: set() for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            after = live.get(rule.to, set())
            sets = dict(rule.then)
            now = rule.asked | {name for name in after if name not in sets}
            for name in after & set(sets):
                now |= _terms(sets[name])
            if not now <= live[rule.state]:
                live[rule.state] |= now
                changed = True
    return live


def _without_idle(rules: Sequence[Rule]) -> list[Rule]:
    """Leave out what is set and does not matter afterwards."""
    live = _live(rules)
    return [
        replace(rule, then=tuple(set_ for set_ in rule.then if set_[0] in live.get(rule.to, set())))
        for rule in rules
    ]


def _with_scaled_counters(rules: Sequence[Rule]) -> list[Rule]:
    """Let a counter that is only ever asked for as a multiple count in that multiple."""
    found = list(rules)
    for name in sorted({name for rule in rules for name, _ in rule.then}):
        own = [value for rule in found for set_, value in rule.then if set_ == name]
        asked = [dict(c.expression.terms).get(name, 0) for rule in found for c in rule.when]
        asked += [
            dict(value.terms).get(name, 0)
            for rule in found
            for set_, value in rule.then
            if set_ != name and not isinstance(value, int)
        ]
        factor = gcd(*asked)
        if factor > 1 and all(isinstance(v, int) or _counts(v, name) for v in own):
            found = [_scaled(rule, name, factor) for rule in found]
    return found


def _counts(value: Affine, name: str) -> bool:
    """Whether a counter is set to itself and a constant."""
    return value.terms == ((name, 1),) and value.divisor == 1


def _scaled(rule: Rule, name: str, factor: int) -> Rule:
    def divided(value: Affine) -> Affine:
        terms = tuple((n, f // factor if n == name else f) for n, f in value.terms)
        return Affine(terms, value.constant, value.divisor)

    def updated(set_: str, value: Affine | int) -> Affine | int:
        if set_ == name:
            if isinstance(value, int):
                return value * factor
            return Affine(value.terms, value.constant * factor)
        return value if isinstance(value, int) else divided(value)

    return replace(
        rule,
        when=tuple(replace(c, expression=divided(c.expression)) for c in rule.when),
        then=tuple((set_, updated(set_, value)) for set_, value in rule.then),
    )


def _with_shared_counters(rules: Sequence[Rule], start: str) -> list[Rule]:
    """Let counters that never matter at one time be one, those first that take over from each
    other."""
    rules = _without_idle(rules)
    names = sorted({name for rule in rules for name, _ in rule.then})
    copies = [
        (name, source)
        for rule in rules
        for name, value in rule.then
        for source in sorted(_terms(value))
        if source != name
    ]
    pairs = [*copies, *((a, b) for a in names for b in names if a < b)]
    for one, other in pairs:
        joined = _joined(rules, one, other, start)
        if joined is not None:
            return _with_shared_counters(joined, start)
    return rules


def _joined(rules: Sequence[Rule], one: str, other: str, start: str) -> list[Rule] | None:
    """The rules with one name for two counters, if they never matter at one time."""
    if one == other:
        return None
    live = _live(rules)
    if any({one, other} <= names for names in live.values()):
        return None
    # Both are 0 at the start, but one that is asked for there must not find the other's value.
    for rule in rules:
        names = {name for name, _ in rule.then}
        if {one, other} <= names:
            return None
        kept = live.get(rule.to, set()) - names
        # A counter that is kept must not be overwritten under its new name.
        if (one in kept and other in names) or (other in kept and one in names):
            return None
    return [
        replace(
            rule,
            when=tuple(
                replace(c, expression=_named(c.expression, other, one)) for c in rule.when
            ),
            then=tuple(
                (one if name == other else name, value if isinstance(value, int)
                 else _named(value, other, one))
                for name, value in rule.then
            ),
        )
        for rule in rules
    ]  # fmt: skip


def _named(value: Affine, old: str, new: str) -> Affine:
    terms: dict[str, int] = {}
    for name, factor in value.terms:
        name = new if name == old else name
        terms[name] = terms.get(name, 0) + factor
    return Affine(tuple(sorted(terms.items())), value.constant, value.divisor)
