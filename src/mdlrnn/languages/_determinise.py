"""Rules made deterministic, where a machine with finitely many states can be.

Where two rules with one symbol are enabled, it is not known which was taken. What is known is a
belief: each state that the machine may be in, with its probability. Beliefs become the states of
the new machine, as in the subset construction for automata. The probabilities of a belief may go
on changing for ever, and then no finite machine does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from .._errors import InputError
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
