"""A machine without the counters that never leave a few values.

The machine that a grammar becomes keeps what is still to come in counters or on a stack. Much of
that is there once or not at all: such a counter becomes part of the state, and so does a whole
stack where few ever occur. States after which the same can follow become one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from .._errors import InputError
from ..network._alphabet import BOUNDARY
from ._machine import Configuration, Language
from ._rules import END, Affine, Condition, Rule

State = TypeVar("State", bound=Hashable)
MOST_STATES = 200
LARGEST_VALUE = 8
"""Of a counter that becomes part of the state."""
MOST_LOOKED_AT = 6
"""Counters, to see which can be 0 at the same time."""


def with_fewer_counters(language: Language) -> Language:
    """The same language, by states alone where that can be."""
    if not language.counters:
        return language
    rules = _by_states(language)
    if rules is None:
        rules = language.rules
        for name in language.counters:
            rules = _without(name, rules, language.start) or rules
    rules = _possible(rules, language.start)
    if rules == language.rules:
        return language
    merged, start = _merged(_renamed(rules), language.start)
    try:
        return Language(language.name, language.title, merged, start)
    except InputError:
        return language


def _by_states(language: Language) -> tuple[Rule, ...] | None:
    """Each configuration as a state; None where there are too many."""
    names: dict[Configuration, str] = {language.beginning: language.start}
    rules: list[Rule] = []
    waiting = [language.beginning]
    for here in waiting:
        for symbol, chance, to in language.options(here):
            if symbol == BOUNDARY:
                rules.append(Rule(names[here], symbol, END, chance))
                continue
            if to not in names:
                if len(names) == MOST_STATES:
                    return None
                names[to] = f"{to.state} {to.counters}"
                waiting.append(to)
            rules.append(Rule(names[here], symbol, names[to], chance))
    return tuple(rules)


def _without(name: str, rules: Sequence[Rule], start: str) -> tuple[Rule, ...] | None:
    """The rules with the value of a counter in the names of states. None where it has no bound that
    can be seen without the other counters, or where those depend on it."""
    if not all(_keeps_apart(name, rule) for rule in rules):
        return None
    by_state: dict[str, list[Rule]] = {}
    for rule in rules:
        by_state.setdefault(rule.state, []).append(rule)
    names = {(start, 0): start}
    found: list[Rule] = []
    waiting = [(start, 0)]
    for here in waiting:
        values = {name: here[1]}
        for rule in by_state.get(here[0], []):
            own = [c for c in rule.when if _mentions(name, c.expression)]
            if not all(condition.at(values) for condition in own):
                continue
            then = tuple(change for change in rule.then if change[0] != name)
            own_change = replace(rule, then=tuple(set(rule.then) - set(then)))
            to = rule.to, own_change.after(values)[name]
            if not 0 <= to[1] <= LARGEST_VALUE:
                return None
            if rule.to != END and to not in names:
                if len(names) == MOST_STATES:
                    return None
                names[to] = f"{rule.to} {to[1]}"
                waiting.append(to)
            when = tuple(condition for condition in rule.when if condition not in own)
            next_state = END if rule.to == END else names[to]
            found.append(replace(rule, state=names[here], to=next_state, when=when, then=then))
    return tuple(found)


def _possible(rules: Sequence[Rule], start: str) -> tuple[Rule, ...]:
    """The rules without those that ask for what is never so where they stand, and without asking
    for what always is so, as far as is seen by looking which counters are 0."""
    names = sorted({name for rule in rules for name, _ in rule.then})
    if len(names) > MOST_LOOKED_AT:
        return tuple(rules)
    by_state: dict[str, list[Rule]] = {}
    for rule in rules:
        by_state.setdefault(rule.state, []).append(rule)
    used: set[Rule] = set()
    asked: set[tuple[Rule, Condition]] = set()
    first = (start, (False,) * len(names))
    seen = {first}
    waiting = [first]
    for state, positive in waiting:
        signs = dict(zip(names, positive, strict=True))
        for rule in by_state.get(state, []):
            held = [_holds(condition, signs) for condition in rule.when]
            asked.update(
                (rule, c) for c, how in zip(rule.when, held, strict=True) if how is not True
            )
            if False in held:
                continue
            used.add(rule)
            then = dict(rule.then)
            after = [_signs_after(name, then.get(name), signs[name]) for name in names]
            for here in product(*after):
                if (rule.to, here) not in seen:
                    seen.add((rule.to, here))
                    waiting.append((rule.to, here))
    return tuple(
        replace(rule, when=tuple(c for c in rule.when if (rule, c) in asked))
        for rule in rules
        if rule in used
    )


def _holds(condition: Condition, signs: Mapping[str, bool]) -> bool | None:
    """Whether it does where these counters are above 0 and the others 0; None where that depends
    on more."""
    expression = condition.expression
    if expression.constant or expression.divisor != 1 or len(expression.terms) != 1:
        return None
    ((name, factor),) = expression.terms
    if not signs[name]:
        return condition.allows(0)
    return None if condition.relation == "mod" or factor != 1 else condition.relation == ">"


def _signs_after(name: str, value: Affine | int | None, positive: bool) -> tuple[bool, ...]:
    """Whether a counter may be above 0, and whether it may be 0, after it is set to a value."""
    if value is None:
        return (positive,)
    if isinstance(value, int):
        return (value > 0,)
    if value.terms == ((name, 1),) and value.constant > 0 and value.divisor == 1:
        return (True,)
    return (False, True)


def _renamed(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Counters n1, n2 and so on without gaps, and a single one n."""
    names = sorted({name for rule in rules for name, _ in rule.then})
    if not all(name.startswith("n") for name in names):
        return tuple(rules)
    new = {name: f"n{place}" if len(names) > 1 else "n" for place, name in enumerate(names, 1)}

    def renamed(value: Affine) -> Affine:
        return replace(value, terms=tuple((new[name], c) for name, c in value.terms))

    return tuple(
        replace(
            rule,
            when=tuple(replace(c, expression=renamed(c.expression)) for c in rule.when),
            then=tuple(
                (new[name], renamed(value) if isinstance(value, Affine) else value)
                for name, value in rule.then
            ),
        )
        for rule in rules
    )


def _mentions(name: str, value: Affine | int) -> bool:
    return isinstance(value, Affine) and any(term == name for term, _ in value.terms)


def _keeps_apart(name: str, rule: Rule) -> bool:
    """Whether what a rule asks and does of a counter has nothing to do with the others."""
    asked = [condition.expression for condition in rule.when]
    if any(_mentions(name, e) and len(e.terms) > 1 for e in asked):
        return False
    return all(
        all(term == name for term, _ in getattr(value, "terms", ()))
        if changed == name
        else not _mentions(name, value)
        for changed, value in rule.then
    )


def _merged(rules: Sequence[Rule], start: str) -> tuple[tuple[Rule, ...], str]:
    """The rules between kinds of states after which the same can follow, and the first state."""
    by_state: dict[str, list[Rule]] = {start: []}
    for rule in rules:
        by_state.setdefault(rule.state, []).append(rule)
    kinds = {**dict.fromkeys(by_state, 0), END: 0}
    count = 0
    while count < len(set(kinds.values())):
        count = len(set(kinds.values()))
        seen: dict[object, int] = {}
        finer = {}
        for state, own in by_state.items():
            follows = frozenset((r.symbol, r.chance, r.when, r.then, kinds[r.to]) for r in own)
            finer[state] = seen.setdefault((kinds[state], follows), len(seen) + 1)
        kinds = {**finer, END: 0}
    first = {kind: state for state, kind in reversed(kinds.items())}
    kept = [rule for rule in rules if first[kinds[rule.state]] == rule.state]
    inner = [(kinds[r.state], r.symbol, kinds[r.to]) for r in kept if r.to != END]
    names = {**state_names(kinds[start], inner), 0: END}
    named = (replace(r, state=names[kinds[r.state]], to=names[kinds[r.to]]) for r in kept)
    return tuple(dict.fromkeys(named)), names[kinds[start]]


def state_names(start: State, moves: Iterable[tuple[State, str, State]]) -> dict[State, str]:
    """A state is named for the symbol that leads into it where one does, else it is S."""
    moves = list(moves)
    into: dict[State, set[str]] = {}
    for _, symbol, to in moves:
        into.setdefault(to, set()).add(symbol)
    names = {start: "start"}
    taken = {"start", END}
    for state in (state for before, _, after in moves for state in (before, after)):
        if state in names:
            continue
        symbols = into.get(state, set())
        only = next(iter(symbols)) if len(symbols) == 1 else ""
        base = only.upper() if only.isalnum() else "S"
        number = 1
        while (name := base if number == 1 else f"{base}{number}") in taken:
            number += 1
        names[state] = name
        taken.add(name)
    return names
