"""A machine made small: states that do the same are one, and what nothing depends on is dropped.

What is done here changes neither the strings nor their probabilities.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from ._rules import END, START, Affine, Condition, Rule, at

NAMES = ("n", "m", "k", "p", "q", "r", "s", "t")
"""Of counters, in this order."""


def started(rules: list[Rule], start: str, beginning: dict[str, int]) -> tuple[list[Rule], str]:
    """The rules that can be reached, with all counters at 0 in the beginning: where one begins
    elsewhere, a state of its own sets it."""
    used = _counters(rules)
    if not any(value and name in used for name, value in beginning.items()):
        return _reached(_settable(rules, used), start), start
    first = []
    for rule in rules:
        if rule.state == start and rule.enabled(beginning):
            then = {**{n: v for n, v in beginning.items() if n in used}, **dict(rule.then)}
            values = {name: at(value, beginning) for name, value in then.items()}
            kept = tuple(sorted(values.items())) if rule.to != END else ()
            first.append(replace(rule, state=START, when=(), then=kept))
    return _reached(_settable([*first, *rules], used), START), START


def tidied(rules: list[Rule], start: str) -> list[Rule]:
    """As few rules as are found, the states named for the symbols that lead into them."""
    rules = _without_idle_counters(rules)
    rules, start = _merged(rules, start)
    rules, start = _start_absorbed(rules, start)
    rules = _without_idle_counters(_reached(rules, start))
    return renamed(_at_the_start(rules, start), start)


def _counters(rules: list[Rule]) -> set[str]:
    set_or_read = {name for rule in rules for name, _ in rule.then}
    return set_or_read | {n for rule in rules for c in rule.when for n, _ in c.expression.terms}


def _settable(rules: list[Rule], used: set[str]) -> list[Rule]:
    """A counter that is asked for and never set is 0 for ever; its conditions are decided."""
    named = {name for rule in rules for name, _ in rule.then}
    zero = dict.fromkeys(used - named, 0)
    if not zero:
        return rules
    found = []
    for rule in rules:
        fixed = [c for c in rule.when if all(n in zero for n, _ in c.expression.terms)]
        if all(c.at(zero) for c in fixed):
            found.append(
                replace(
                    rule,
                    when=tuple(_without(c, zero) for c in rule.when if c not in fixed),
                    then=tuple(
                        (n, _expression_without(v, zero)) for n, v in rule.then if n not in zero
                    ),
                )
            )
    return found


def _without(condition: Condition, zero: dict[str, int]) -> Condition:
    expression = _expression_without(condition.expression, zero)
    assert isinstance(expression, Affine)
    return replace(condition, expression=expression)


def _expression_without(value: Affine | int, zero: dict[str, int]) -> Affine | int:
    if isinstance(value, int):
        return value
    return replace(value, terms=tuple((n, f) for n, f in value.terms if n not in zero))


def _reached(rules: list[Rule], start: str) -> list[Rule]:
    reached, left = {start}, [start]
    while left:
        state = left.pop()
        for rule in rules:
            if rule.state == state and rule.to not in reached:
                reached.add(rule.to)
                left.append(rule.to)
    return [rule for rule in rules if rule.state in reached]


def _without_idle_counters(rules: list[Rule]) -> list[Rule]:
    """Counters that no condition depends on, by way of updates, are dropped."""
    needed = {name for rule in rules for c in rule.when for name, _ in c.expression.terms}
    while True:
        more = {
            name
            for rule in rules
            for target, value in rule.then
            if target in needed and isinstance(value, Affine)
            for name, _ in value.terms
        }
        if more <= needed:
            break
        needed |= more
    return [
        replace(rule, then=tuple((n, v) for n, v in rule.then if n in needed)) for rule in rules
    ]


def _merged(rules: list[Rule], start: str) -> tuple[list[Rule], str]:
    """States with the same rules, up to states that are the same, are one (Moore)."""
    by_state: dict[str, list[Rule]] = {}
    for rule in rules:
        by_state.setdefault(rule.state, []).append(rule)
    groups = dict.fromkeys(by_state, 0)
    while True:
        numbers: dict[Hashable, int] = {}
        new = {}
        for state, own in by_state.items():
            signature = frozenset(
                (r.symbol, r.chance, frozenset(r.when), r.then, groups.get(r.to, -1)) for r in own
            )
            new[state] = numbers.setdefault((groups[state], signature), len(numbers))
        if len(numbers) == len(set(groups.values())):
            break
        groups = new
    chosen: dict[int, str] = {}
    for state, number in groups.items():
        chosen.setdefault(number, state)
    kept = [
        replace(rule, to=chosen[groups[rule.to]] if rule.to != END else END)
        for rule in rules
        if chosen[groups[rule.state]] == rule.state
    ]
    return kept, chosen[groups[start]]


def _start_absorbed(rules: list[Rule], start: str) -> tuple[list[Rule], str]:
    """A start that nothing leads back to is another state, if that state does the same when all
    counters are 0."""
    if any(rule.to == start for rule in rules):
        return rules, start
    zero = dict.fromkeys(_counters(rules), 0)

    def moves(state: str) -> set[Hashable]:
        return {
            (r.symbol, r.chance, r.to, tuple(sorted(r.after(zero).items())))
            for r in rules
            if r.state == state and r.enabled(zero)
        }

    own = moves(start)
    for state in dict.fromkeys(rule.state for rule in rules):
        if state != start and moves(state) == own:
            return [rule for rule in rules if rule.state != start], state
    return rules, start


def _at_the_start(rules: list[Rule], start: str) -> list[Rule]:
    """Where nothing leads back to the start, its rules set counters to numbers."""
    if any(rule.to == start for rule in rules):
        return rules
    zero = dict.fromkeys(_counters(rules), 0)
    found = []
    for rule in rules:
        if rule.state != start:
            found.append(rule)
        elif rule.enabled(zero):
            then = tuple((name, at(value, zero)) for name, value in rule.then)
            found.append(replace(rule, when=(), then=then))
    return found


def renamed(rules: list[Rule], start: str) -> list[Rule]:
    """States named for the symbol that leads into them, counters n, m, ... in order."""
    into: dict[str, set[str]] = {}
    for rule in rules:
        into.setdefault(rule.to, set()).add(rule.symbol)
    names = {start: START, END: END}
    order = [start]
    for state in order:
        for rule in rules:
            if rule.state == state and rule.to not in names:
                symbols = into[rule.to]
                only = next(iter(symbols)) if len(symbols) == 1 else ""
                base = only.upper() if only.isalnum() else "S"
                number = 1
                while (name := base if number == 1 else f"{base}{number}") in names.values():
                    number += 1
                names[rule.to] = name
                order.append(rule.to)
    ordered = [rule for state in order for rule in rules if rule.state == state]
    used = dict.fromkeys(name for rule in ordered for name, _ in rule.then)
    counters = dict(zip(used, NAMES, strict=False))

    def over(value: Affine) -> Affine:
        return replace(value, terms=tuple((counters[n], f) for n, f in value.terms))

    return [
        Rule(
            names[r.state], r.symbol, names[r.to], r.chance,
            tuple(replace(c, expression=over(c.expression)) for c in r.when),
            tuple((counters[n], over(v) if isinstance(v, Affine) else v) for n, v in r.then),
        )
        for r in ordered
    ]  # fmt: skip
