"""Machines with finitely many states: rules determinised, small counters made states."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeVar

from ..errors import InputError
from ..network import BOUNDARY
from ._machine import Configuration, Machine
from ._rules import END, Affine, Condition, Rule

MOST_STATES = 200
MOST_CONDITIONS = 6
"""Different sums that the conditions of one belief may speak of."""
Belief = tuple[tuple[str, Fraction], ...]


def determinised(rules: tuple[Rule, ...], start: str) -> tuple[Rule, ...]:
    """The same rules if no two that can be enabled together have one symbol."""
    by_state: dict[str, list[Rule]] = {}
    for rule in rules:
        by_state.setdefault(rule.state, []).append(rule)
    if not any(_clash(own) for own in by_state.values()):
        return rules
    return _Subsets(by_state, start).rules()


def _clash(rules: list[Rule]) -> bool:
    for i, one in enumerate(rules):
        for other in rules[i + 1 :]:
            if one.symbol == other.symbol and not _exclude(one.when, other.when):
                return True
    return False


def _exclude(one: Iterable[Condition], other: Iterable[Condition]) -> bool:
    """Whether conditions cannot hold together, as far as is seen at a glance."""
    for a in one:
        for b in other:
            if _never_both(a, b):
                return True
    return False


def _never_both(a: Condition, b: Condition) -> bool:
    if a.relation == b.relation == "mod":
        return (a.expression, a.base) == (b.expression, b.base) and a.digit != b.digit
    if {a.relation, b.relation} == {"=", ">"}:
        return a.expression == b.expression
    return a.relation == b.relation == ">" and a.expression == _negative(b.expression)


def _negative(value: Affine) -> Affine:
    return Affine(tuple((name, -c) for name, c in value.terms), -value.constant, value.divisor)


class _Subsets:
    def __init__(self, by_state: dict[str, list[Rule]], start: str) -> None:
        self.by_state = by_state
        self.start: Belief = ((start, Fraction(1)),)
        self.names: dict[Belief, str] = {self.start: start}
        self.left: list[Belief] = [self.start]

    def rules(self) -> tuple[Rule, ...]:
        found: list[Rule] = []
        while self.left:
            belief = self.left.pop(0)
            for case in _cases([r for state, _ in belief for r in self.by_state[state]]):
                found += self._moves(belief, case)
        return tuple(dict.fromkeys(found))

    def _moves(self, belief: Belief, case: tuple[Condition, ...]) -> Iterator[Rule]:
        true = set(case)
        by_symbol: dict[str, list[tuple[Fraction, Rule]]] = {}
        for state, share in belief:
            for rule in self.by_state[state]:
                if true.issuperset(rule.when):
                    by_symbol.setdefault(rule.symbol, []).append((share * rule.chance, rule))
        needed = tuple(c for c in case if _is_needed(c, belief, self.by_state))
        for symbol, ways in by_symbol.items():
            chance = sum((share for share, _ in ways), Fraction(0))
            to, then = self._together(ways, chance)
            yield Rule(self.names[belief], symbol, to, chance, needed, then)

    def _together(
        self, ways: list[tuple[Fraction, Rule]], chance: Fraction
    ) -> tuple[str, tuple[tuple[str, Affine | int], ...]]:
        if ways[0][1].to == END:
            return END, ()
        shares: dict[str, Fraction] = {}
        updates: dict[str, tuple[tuple[str, Affine | int], ...]] = {}
        then: dict[str, Affine | int] = {}
        for share, rule in ways:
            if updates.setdefault(rule.to, rule.then) != rule.then:
                raise InputError(
                    f"after {rule.symbol} two derivations stand at one place with different "
                    "numbers, which no machine with a fixed set of counters keeps apart; write "
                    "the language in another way, or as a grammar."
                )
            shares[rule.to] = shares.get(rule.to, Fraction(0)) + share / chance
            for name, value in rule.then:
                if then.setdefault(name, value) != value:
                    raise InputError(
                        f"after {rule.symbol} two derivations count {name} differently, which no "
                        "machine with a fixed set of counters keeps apart; write the language in "
                        "another way, or as a grammar."
                    )
        return self._name(tuple(sorted(shares.items()))), tuple(sorted(then.items()))

    def _name(self, belief: Belief) -> str:
        if belief not in self.names:
            if len(self.names) >= MOST_STATES:
                states = " and ".join(state for state, _ in belief)
                raise InputError(
                    "no finite machine tells the next symbol, since it goes on changing how "
                    f"likely {states} are; write the language so that symbols tell these apart."
                )
            base = "+".join(state for state, _ in belief)
            name, number = base, 1
            while name in self.names.values() or name == END:
                number += 1
                name = f"{base}'{number}"
            self.names[belief] = name
            self.left.append(belief)
        return self.names[belief]


def _is_needed(condition: Condition, belief: Belief, by_state: dict[str, list[Rule]]) -> bool:
    return any(
        condition.expression in (c.expression, _negative(c.expression))
        for state, _ in belief
        for rule in by_state[state]
        for c in rule.when
    )


def _cases(rules: list[Rule]) -> Iterator[tuple[Condition, ...]]:
    """All ways in which the conditions of the rules can turn out, each as what is true in it."""
    conditions = dict.fromkeys(c for rule in rules for c in rule.when)
    sums: dict[Affine, None] = {}
    for condition in conditions:
        value = condition.expression
        if value not in sums and _negative(value) not in sums:
            sums[value] = None
    if len(sums) > MOST_CONDITIONS:
        raise InputError(
            f"its states have more than {MOST_CONDITIONS} conditions; write a simpler language."
        )
    ways = []
    for value in sums:
        modulo = [c for c in conditions if c.expression == value and c.relation == "mod"]
        signs: list[tuple[Condition, ...]] = [(value.zero,), (value.positive,)]
        if any(factor < 0 for _, factor in value.terms) or value.constant < 0:
            signs.append((_negative(value).positive,))
        ways.append([(*sign, *some) for sign in signs for some in _remainders(modulo)])
    for case in product(*ways):
        yield tuple(c for some in case for c in some)


def _remainders(conditions: list[Condition]) -> list[tuple[Condition, ...]]:
    """At most one digit is the last one."""
    return [(), *((c,) for c in conditions)]


State = TypeVar("State", bound=Hashable)
LARGEST_VALUE = 8
"""Of a counter that becomes part of the state."""
MOST_LOOKED_AT = 6
"""Counters, to see which can be 0 at the same time."""


def with_fewer_counters(language: Machine) -> Machine:
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
        return Machine(language.name, language.title, merged, start)
    except InputError:
        return language


def _by_states(language: Machine) -> tuple[Rule, ...] | None:
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
