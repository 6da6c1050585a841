"""The algebra of machines: rules determinised, small counters made states, states that do the same
made one, machines side by side, and names of states.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from itertools import product as choices
from typing import TypeVar

from ..errors import InputError
from ..network import BOUNDARY
from ._machine import Configuration, Machine
from ._rules import END, START, Affine, Condition, Rule, at

MOST_STATES = 200
MOST_CONDITIONS = 6
"""Different sums that the conditions of one belief may speak of."""
Belief = tuple[tuple[str, Fraction], ...]


def determinised(rules: tuple[Rule, ...], start: str) -> tuple[Rule, ...]:
    """The same rules if no two that can be enabled together have one symbol."""
    by_state = _by_state(rules)
    if not any(_clash(own) for own in by_state.values()):
        return rules
    return _Subsets(by_state, start).rules()


def _by_state(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.state, []).append(rule)
    return found


def _with_names(rule: Rule, names: Mapping[str, str]) -> Rule:
    """The rule with other names for its counters."""

    def over(value: Affine) -> Affine:
        return replace(value, terms=tuple((names[n], f) for n, f in value.terms))

    when = tuple(replace(c, expression=over(c.expression)) for c in rule.when)
    then = tuple((names[n], over(v) if isinstance(v, Affine) else v) for n, v in rule.then)
    return replace(rule, when=when, then=then)


def _kinds(by_state: Mapping[str, Sequence[Rule]]) -> dict[str, int]:
    """A number for each state; states with the same rules, up to states that are the same, have
    the same (Moore)."""
    kinds = {**dict.fromkeys(by_state, 0), END: -1}
    while True:
        numbers: dict[Hashable, int] = {}
        finer = {END: -1}
        for state, own in by_state.items():
            follows = frozenset(
                (r.symbol, r.chance, frozenset(r.when), r.then, kinds.get(r.to, -1)) for r in own
            )
            finer[state] = numbers.setdefault((kinds[state], follows), len(numbers))
        if len(set(finer.values())) == len(set(kinds.values())):
            return kinds
        kinds = finer


def _free_name(symbols: Iterable[str], taken: Container[str]) -> str:
    """A state is named for the symbol that leads into it where one does, else it is S."""
    only, *others = {*symbols} or {""}
    base = only.upper() if only.isalnum() and not others else "S"
    return next(name for n in count(1) if (name := f"{base}{n}" if n > 1 else base) not in taken)


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
    for case in choices(*ways):
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
    """The same language, by states alone where that can be; as it is where nothing goes."""
    if not language.counters or _without_counters(language) == language.rules:
        return language
    return smallest(language)


def smallest(language: Machine) -> Machine:
    """The same language by states alone where that can be, and with as few as that needs. A network
    that tells apart what is one state here may have chances of its own for each."""
    rules = _without_counters(language)
    merged, start = _fewest(_renamed(rules), language.start)
    try:
        return replace(language, rules=merged, start=start, places={})
    except InputError:
        return language


def _without_counters(language: Machine) -> tuple[Rule, ...]:
    """Its rules by states alone, or without the counters that can be states."""
    rules = _by_states(language) if language.counters else language.rules
    if rules is None:
        rules = language.rules
        for name in language.counters:
            rules = _without_counter(name, rules, language.start) or rules
    return _possible(rules, language.start)


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


def _without_counter(name: str, rules: Sequence[Rule], start: str) -> tuple[Rule, ...] | None:
    """The rules with the value of a counter in the names of states. None where it has no bound that
    can be seen without the other counters, or where those depend on it."""
    if not all(_keeps_apart(name, rule) for rule in rules):
        return None
    by_state = _by_state(rules)
    most = _enough(name, rules)
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
            value = own_change.after(values)[name]
            to = rule.to, value if most is None else min(value, most)
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


def _enough(name: str, rules: Sequence[Rule]) -> int | None:
    """A value from which on no rule tells larger ones apart, where a counter only grows or is set
    and is only compared with constants."""
    most = 0
    for rule in rules:
        for condition in rule.when:
            value = condition.expression
            if not _mentions(name, value):
                continue
            if value.terms != ((name, 1),) or value.divisor != 1 or condition.relation == "mod":
                return None
            most = max(most, 1 - value.constant)
        value_after = dict(rule.then).get(name, 0)
        if isinstance(value_after, Affine) and (
            value_after.terms != ((name, 1),)
            or value_after.divisor != 1
            or value_after.constant < 0
        ):
            return None
    return most


def _possible(rules: Sequence[Rule], start: str) -> tuple[Rule, ...]:
    """The rules without those that ask for what is never so where they stand, and without asking
    for what always is so, as far as is seen by looking which counters are 0."""
    names = sorted({name for rule in rules for name, _ in rule.then})
    if len(names) > MOST_LOOKED_AT:
        return tuple(rules)
    by_state = _by_state(rules)
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
            for here in choices(*after):
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
    return tuple(_with_names(rule, new) for rule in rules)


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


def _fewest(rules: Sequence[Rule], start: str) -> tuple[tuple[Rule, ...], str]:
    """The rules between kinds of states after which the same can follow, and the first state."""
    by_state = {start: [], **_by_state(rules)}
    kinds = _kinds(by_state)
    first = {kind: state for state, kind in reversed(kinds.items())}
    kept = [rule for rule in rules if first[kinds[rule.state]] == rule.state]
    inner = [(kinds[r.state], r.symbol, kinds[r.to]) for r in kept if r.to != END]
    names = {**state_names(kinds[start], inner), kinds[END]: END}
    named = (replace(r, state=names[kinds[r.state]], to=names[kinds[r.to]]) for r in kept)
    return tuple(dict.fromkeys(named)), names[kinds[start]]


def state_names(start: State, moves: Iterable[tuple[State, str, State]]) -> dict[State, str]:
    """Names for states, the first of which is the start."""
    moves = list(moves)
    into: dict[State, set[str]] = {}
    for _, symbol, to in moves:
        into.setdefault(to, set()).add(symbol)
    names = {start: "start"}
    taken = {"start", END}
    for state in (state for before, _, after in moves for state in (before, after)):
        if state in names:
            continue
        names[state] = _free_name(into.get(state, ()), taken)
        taken.add(names[state])
    return names


NAMES = ("n", "m", "k", "p", "q", "r", "s", "t")
"""Of counters, in this order."""


def started(rules: list[Rule], start: str, beginning: dict[str, int]) -> tuple[list[Rule], str]:
    """The reachable rules and the start, with all counters at 0 at first; if one begins at another
    value, an extra start state sets it."""
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
    needed = {name for rule in rules for name in rule.asked}
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
    """States that are the same are one."""
    groups = _kinds(_by_state(rules))
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
                names[rule.to] = _free_name(into[rule.to], names.values())
                order.append(rule.to)
    ordered = [rule for state in order for rule in rules if rule.state == state]
    used = dict.fromkeys(name for rule in ordered for name, _ in rule.then)
    counters = dict(zip(used, NAMES, strict=False))
    return [
        replace(_with_names(r, counters), state=names[r.state], to=names[r.to]) for r in ordered
    ]


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
                rules.append(
                    _together(here, _with_names(first, mine), _with_names(second, theirs), to)
                )
                if first.to != END and to not in seen:
                    seen.add(to)
                    left.append(to)
        if len(rules) > MOST_RULES:
            return None
    try:
        return Machine("both", other.title, tuple(rules), _name(start), assumed=other.assumed)
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
