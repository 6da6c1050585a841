"""A network that runs a machine: states, counters and the rules between them.

What is built, for every machine over symbols whose rules have conditions on linear sums of counters
(= 0, > 0, or a remainder) and set counters to linear sums of counters, divided where that is exact:

* an event, 1 where some rules are followed: the input of a symbol, if all rules with that symbol
  have the same effect, else the relu of that input and of what was enabled the step before;
* a state, the sum of the events that lead into it;
* a counter, a linear unit with a loop, to which events add constants; where it takes the value of
  counters, product units multiply the event with those of the step before;
* a condition, the step of a linear sum;
* an enabled rule, the relu of its state and its conditions; it feeds its symbol's output.

Where counters are multiplied, as in a stack that is a number, the network's saturation is off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd, inf, lcm
from typing import NamedTuple

from ..errors import InputError
from ..machines import (
    END,
    Affine,
    Condition,
    Machine,
    Rule,
    live_rules,
)
from ..network import BOUNDARY, Connection, Network, Unit, Weight

MOST_RULES = 2_000
REMAINDERS = (2, 3, 4)
"""Bases that have an activation of their own."""
Known = dict[str, int]
"""Counters whose value is certain, by name."""


def machine_network(machine: Machine) -> Network:
    """The network of a machine; an InputError says why there is none."""
    if len(machine.rules) > MOST_RULES:
        raise InputError(
            f"{machine.title} has more than {MOST_RULES} rules; construct a smaller language."
        )
    return _Plan(machine).network()


# The machine made ready


def _known_by_state(rules: Sequence[Rule], start: str) -> dict[str, Known]:
    """For each state the counters whose value is the same whenever the machine is there."""
    names = {name for rule in rules for name, _ in rule.then}
    names |= {name for rule in rules for name in rule.asked}
    known: dict[str, Known] = {start: dict.fromkeys(names, 0)}
    left = [start]
    while left:
        state = left.pop()
        for rule in rules:
            if rule.state != state or rule.to == END:
                continue
            after = _known_after(rule, known[state])
            before = known.get(rule.to)
            if before is None:
                known[rule.to] = after
                left.append(rule.to)
            else:
                both = {name: v for name, v in before.items() if after.get(name) == v}
                if both != before:
                    known[rule.to] = both
                    left.append(rule.to)
    return known


def _known_here(rule: Rule, known: Known) -> Known:
    """With what the rule's conditions say."""
    found = dict(known)
    for condition in rule.when:
        e = condition.expression
        if condition.relation == "=" and len(e.terms) == 1:
            name, factor = e.terms[0]
            if e.constant % factor == 0:
                found[name] = -e.constant // factor
    return found


def _known_after(rule: Rule, known: Known) -> Known:
    here = _known_here(rule, known)
    after = dict(here)
    for name, value in rule.then:
        if isinstance(value, int):
            after[name] = value
        elif all(source in here for source, _ in value.terms):
            after[name] = value.at(here)
        else:
            after.pop(name, None)
    return after


class Addition(NamedTuple):
    """What a rule adds to a counter: a constant, counters of the step before with factors, and
    perhaps a quotient."""

    counter: str
    constant: int
    terms: tuple[tuple[str, int], ...]
    quotient: Affine | None = None


def _additions(rule: Rule, known: Known) -> tuple[Addition, ...]:
    """What a rule adds to each counter that it sets, as far as it is not certain."""
    here = _known_here(rule, known)
    found = []
    for name, value in rule.then:
        affine = Affine((), value) if isinstance(value, int) else value
        quotient = None
        terms: dict[str, int] = {}
        constant = 0
        if affine.divisor != 1:
            quotient = affine
        else:
            constant = affine.constant
            for source, factor in affine.terms:
                if source in here:
                    constant += factor * here[source]
                else:
                    terms[source] = terms.get(source, 0) + factor
        if name in here:
            constant -= here[name]
        else:
            terms[name] = terms.get(name, 0) - 1
        kept = tuple(sorted((source, factor) for source, factor in terms.items() if factor))
        if kept or constant or quotient is not None:
            found.append(Addition(name, constant, kept, quotient))
    return tuple(sorted(found, key=lambda added: added.counter))


Effect = tuple[str, tuple[Addition, ...]]
"""Where a rule leads, and what it adds to each counter."""


# The network


class _Plan:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.alphabet = machine.alphabet
        self.start = machine.start
        self.rules: list[Rule] = list(live_rules(machine))
        self.known = _known_by_state(self.rules, machine.start)
        self.rules = [rule for rule in self.rules if rule.state in self.known]
        self.least = _least_by_state(self.rules, machine.start)
        size = len(self.alphabet)
        self.units = [Unit()] * (2 * size)
        self.connections: list[Connection] = []
        self.counters: dict[str, int] = {}
        self.positive_units: dict[Affine, int] = {}
        self.remainders: dict[tuple[Affine, int], int] = {}
        self.enabled: dict[tuple[str, tuple[Condition, ...]], int] = {}
        self.events: dict[frozenset[int], int] = {}
        self.quotients: dict[Affine, int] = {}
        self.states: dict[str, int] = {}

    def unit(self, activation: str = "linear", bias: Fraction | int = 0, type: str = "sum") -> int:
        value = Fraction(bias)
        weight = Weight(value.numerator, value.denominator) if value else None
        self.units.append(Unit(activation, type, weight))
        return len(self.units) - 1

    def join(
        self, source: int, target: int, weight: Fraction | int = 1, kind: str = "forward"
    ) -> None:
        value = Fraction(weight)
        self.connections.append(
            Connection(source, target, kind, Weight(value.numerator, value.denominator))
        )

    def network(self) -> Network:
        effects = [self._effect(rule) for rule in self.rules]
        followed = self._followed(effects)
        # Units of states come first, since all else refers to them; what leads into them later.
        for state in dict.fromkeys([self.start, *(rule.state for rule in self.rules)]):
            into = [group for group, (to, _) in followed.items() if to == state]
            self._place_state(state, into)
        set_ = {added.counter for _, additions in effects for added in additions}
        for name in sorted(set_ | self._asked()):
            self.counters[name] = self.unit()
            self.join(self.counters[name], self.counters[name], 1, "recurrent")
        for group in followed:
            self._event(group)
        for state, unit in self.states.items():
            self._lead_into(state, unit, followed)
        multiplied = self._count(followed)
        self._feed_outputs()
        return Network(
            len(self.alphabet), len(self.alphabet), tuple(self.units), self._tidy_connections(),
            self.alphabet, None, not multiplied,
        )  # fmt: skip

    def _asked(self) -> set[str]:
        found = {name for rule in self.rules for name in rule.asked}
        return found | {name for rule in self.rules for name in rule.used}

    def _effect(self, rule: Rule) -> Effect:
        return rule.to, _additions(rule, self.known[rule.state])

    def _followed(self, effects: Sequence[Effect]) -> dict[frozenset[int], Effect]:
        """The rules with one symbol and one effect, as groups. Rules that end lead nowhere."""
        groups: dict[tuple[str, Effect], set[int]] = {}
        for place, (rule, effect) in enumerate(zip(self.rules, effects, strict=True)):
            if rule.to != END:
                groups.setdefault((rule.symbol, effect), set()).add(place)
        return {frozenset(places): effect for (_, effect), places in groups.items()}

    def _symbol_of(self, group: Iterable[int]) -> str:
        return self.rules[min(group)].symbol

    def _of_symbol(self, symbol: str) -> frozenset[int]:
        return frozenset(p for p, rule in enumerate(self.rules) if rule.symbol == symbol)

    def _input(self, symbol: str) -> int:
        return self.alphabet.index(symbol)

    def _place_state(self, state: str, into: Sequence[frozenset[int]]) -> None:
        """A state that one symbol alone leads to, and that symbol to no other, is its input."""
        if state == self.start and not into:
            self.states[state] = self._input(BOUNDARY)
            return
        symbols = {self._symbol_of(group) for group in into}
        if state != self.start and len(symbols) == 1:
            (symbol,) = symbols
            if frozenset().union(*into) == self._of_symbol(symbol):
                self.states[state] = self._input(symbol)
                return
        self.states[state] = self.unit()

    def _lead_into(self, state: str, unit: int, followed: Mapping[frozenset[int], Effect]) -> None:
        if unit < len(self.alphabet):
            return
        if state == self.start:
            self.join(self._input(BOUNDARY), unit)
        whole: dict[str, set[int]] = {}
        for group, (to, _) in followed.items():
            if to == state:
                whole.setdefault(self._symbol_of(group), set()).update(group)
        for symbol, places in whole.items():
            if frozenset(places) == self._of_symbol(symbol):
                self.join(self._input(symbol), unit)
            else:
                for group, (to, _) in followed.items():
                    if to == state and self._symbol_of(group) == symbol:
                        self.join(self._event(group), unit)

    def _event(self, group: frozenset[int]) -> int:
        """1 where one of these rules, which share a symbol, is followed."""
        symbol = self._symbol_of(group)
        if group == self._of_symbol(symbol):
            return self._input(symbol)
        if group not in self.events:
            self.events[group] = unit = self.unit("relu", -1)
            self.join(self._input(symbol), unit)
            for place in sorted(group):
                self.join(self._enabled(self.rules[place]), unit, 1, "recurrent")
        return self.events[group]

    def _count(self, followed: Mapping[frozenset[int], Effect]) -> bool:
        """Let the counters change; whether any of them is multiplied."""
        gates: dict[tuple[str, int], list[tuple[int, int]]] = {}
        multiplied = False
        for group, (_, additions) in followed.items():
            for name, constant, terms, quotient in additions:
                event = self._event(group)
                if constant:
                    self.join(event, self.counters[name], constant)
                for source, factor in terms:
                    gates.setdefault((name, self.counters[source]), []).append((event, factor))
                    multiplied |= factor not in ((-1,) if source == name else (-1, 1))
                if quotient is not None:
                    unit = self._quotient(quotient)
                    gates.setdefault((name, unit), []).append((event, 1))
                    multiplied = True
        for (name, source_unit), events in gates.items():
            gate = self.unit(type="product")
            alike = all(weight == events[0][1] for _, weight in events)
            # A product multiplies what comes in, so events are added up before.
            whole = gate if len(events) == 1 else self.unit()
            for event, weight in events:
                self.join(event, whole, 1 if alike else weight)
            if whole != gate:
                self.join(whole, gate)
            self.join(source_unit, gate, 1, "recurrent")
            self.join(gate, self.counters[name], events[0][1] if alike else 1)
        return multiplied

    def _quotient(self, value: Affine) -> int:
        """A sum of counters, divided and rounded down. The bias keeps floats off the edge."""
        if value not in self.quotients:
            bias = Fraction(2 * value.constant + 1, 2 * value.divisor)
            self.quotients[value] = unit = self.unit("floor", bias)
            self._value(value, unit)
        return self.quotients[value]

    # Conditions

    def _value(
        self, expression: Affine, unit: int, sign: int = 1, shift: Fraction | int = 0
    ) -> None:
        """Feed a unit the linear sum of counters; its bias holds the constant already."""
        for name, factor in expression.terms:
            self.join(self.counters[name], unit, Fraction(sign * factor, expression.divisor))

    def _positive(self, expression: Affine) -> int:
        """1 where the sum is above 0, else 0."""
        if expression not in self.positive_units:
            bias = Fraction(expression.constant, expression.divisor)
            self.positive_units[expression] = unit = self.unit("step", bias)
            self._value(expression, unit)
        return self.positive_units[expression]

    def _digit(self, expression: Affine, base: int) -> int:
        """The remainder of the sum."""
        key = (expression, base)
        if key in self.remainders:
            return self.remainders[key]
        if base in REMAINDERS:
            unit = self.unit(f"mod{base}", expression.constant)
            self._value(expression, unit)
        else:
            whole = self.unit("floor", Fraction(2 * expression.constant + 1, 2 * base))
            unit = self.unit("linear", expression.constant)
            for name, factor in expression.terms:
                self.join(self.counters[name], whole, Fraction(factor, base))
            self._value(expression, unit)
            self.join(whole, unit, -base)
        self.remainders[key] = unit
        return unit

    def _above(self, digit: int, number: int) -> int:
        """1 where a remainder is above a number."""
        key = Affine(((f"#{digit}", 1),), -number)
        if key not in self.positive_units:
            self.positive_units[key] = unit = self.unit("step", -number)
            self.join(digit, unit)
        return self.positive_units[key]

    def _test(self, condition: Condition, state: str) -> tuple[int, list[tuple[int, int]]]:
        """Whether a condition holds, as a constant and units with factors that add up to 1 or 0."""
        e = condition.expression
        if condition.relation == ">":
            return 0, [(self._positive(e), 1)]
        if condition.relation == "=":
            tests = [(self._positive(e), -1)]
            if _least(e, self.least[state]) < 0:
                tests.append((self._positive(_negative(e)), -1))
            return 1, tests
        digit = self._digit(e, condition.base)
        low = [] if condition.digit == 0 else [(self._above(digit, condition.digit - 1), 1)]
        high = (
            []
            if condition.digit == condition.base - 1
            else [(self._above(digit, condition.digit), -1)]
        )
        return int(condition.digit == 0), [*low, *high]

    def _enabled(self, rule: Rule) -> int:
        """1 where a rule can be followed."""
        if not rule.when:
            return self.states[rule.state]
        key = (rule.state, rule.when)
        if key not in self.enabled:
            constant, sources = -len(rule.when), []
            for condition in rule.when:
                own, tests = self._test(condition, rule.state)
                constant += own
                sources += tests
            self.enabled[key] = unit = self.unit("relu", constant)
            self.join(self.states[rule.state], unit)
            for source, factor in sources:
                self.join(source, unit, factor)
        return self.enabled[key]

    # Outputs

    def _feed_outputs(self) -> None:
        size = len(self.alphabet)
        for state in self.states:
            rules = [rule for rule in self.rules if rule.state == state]
            if not rules:
                continue
            common = lcm(*(rule.chance.denominator for rule in rules))
            weights = [int(rule.chance * common) for rule in rules]
            shared = gcd(*weights)
            for rule, weight in zip(rules, weights, strict=True):
                unit = self._enabled(rule)
                self.join(unit, size + self._input(rule.symbol), Fraction(weight, shared))

    def _tidy_connections(self) -> tuple[Connection, ...]:
        """One connection for two units that are joined twice."""
        found: dict[tuple[int, int, str], Fraction] = {}
        for c in self.connections:
            key = (c.source, c.target, c.kind)
            found[key] = found.get(key, Fraction(0)) + Fraction(
                c.weight.numerator, c.weight.denominator
            )
        return tuple(
            Connection(source, target, kind, Weight(w.numerator, w.denominator))
            for (source, target, kind), w in found.items()
            if w
        )


def _negative(value: Affine) -> Affine:
    terms = tuple((name, -factor) for name, factor in value.terms)
    return Affine(terms, -value.constant, value.divisor)


Least = dict[str, float]
"""For each counter a number that it is never below."""
PATIENCE = 20
"""Times that a bound may fall before it is given up."""


def _least(value: Affine, least: Least) -> float:
    """A number that a sum of counters is never below."""
    if any(factor < 0 for _, factor in value.terms):
        return -inf
    return value.constant + sum(factor * least[name] for name, factor in value.terms)


def _least_by_state(rules: Sequence[Rule], start: str) -> dict[str, Least]:
    """For each state what its counters are never below."""
    names = {name for rule in rules for name, _ in rule.then}
    names |= {name for rule in rules for name in rule.asked}
    names |= {name for rule in rules for name in rule.used}
    found: dict[str, Least] = {start: dict.fromkeys(names, 0)}
    falls: dict[tuple[str, str], int] = {}
    left = [start]
    while left:
        state = left.pop()
        for rule in rules:
            if rule.state != state or rule.to == END:
                continue
            after = _least_after(rule, found[state])
            before = found.get(rule.to)
            lower = dict(after)
            for name in names:
                if before is None:
                    break
                lower[name] = min(before[name], after[name])
                if lower[name] < before[name]:
                    key = (rule.to, name)
                    falls[key] = falls.get(key, 0) + 1
                    if falls[key] > PATIENCE:
                        lower[name] = -inf
            if lower != before:
                found[rule.to] = lower
                left.append(rule.to)
    return found


def _least_after(rule: Rule, least: Least) -> Least:
    here = dict(least)
    for condition in rule.when:
        e = condition.expression
        if len(e.terms) == 1 and e.terms[0][1] == 1 and condition.relation in ("=", ">"):
            name = e.terms[0][0]
            here[name] = max(here[name], int(condition.relation == ">") - e.constant)
    after = dict(here)
    for name, value in rule.then:
        after[name] = value if isinstance(value, int) else _least_set(rule, value, here)
    return after


def _least_set(rule: Rule, value: Affine, here: Least) -> float:
    """A number that what a rule sets a counter to is never below."""
    bound = _least(replace(value, divisor=1), here)
    for condition in rule.when:
        e = condition.expression
        if condition.relation == ">" and e.terms == value.terms:
            # The sum of the terms is above -e.constant.
            bound = max(bound, 1 - e.constant + value.constant)
    return bound if value.divisor == 1 or bound == -inf else bound // value.divisor
