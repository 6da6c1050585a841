"""What is to be matched, as a transition system: the machine of a language, or binary addition.

A configuration is a control state with a value for each counter. A move reads a label, which is an
input row for the network; in a configuration each outcome has its true probability, which hangs
on the state and on which of the state's conditions hold: on the phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from .._errors import InputError
from .._network import BOUNDARY, Network
from ..languages import Affine, Condition, Configuration, Language, Rule
from ._terms import Term, counter_term, floor, known


class Phase(NamedTuple):
    state: str
    truth: tuple[bool, ...]
    """Of the state's conditions, in their order."""


class Opening(NamedTuple):
    """A first step, at which nothing is remembered."""

    label: str
    to: Configuration


@dataclass(frozen=True)
class System:
    title: str
    counters: tuple[str, ...]
    openings: tuple[Opening, ...]
    rules: tuple[Rule, ...]
    """Moves; their symbols are labels. The boundary at the end of a string is none."""
    rows: dict[str, tuple[int, ...]]
    outcomes: tuple[str, ...]
    """What the outputs speak of, in their order."""
    language: Language | None
    """None for addition."""

    @cached_property
    def conditions(self) -> dict[str, tuple[Condition, ...]]:
        states = {opening.to.state for opening in self.openings}
        states |= {rule.to for rule in self.rules} | {rule.state for rule in self.rules}
        every = self.rules if self.language is None else self.language.rules
        return {
            state: tuple(dict.fromkeys(c for r in every if r.state == state for c in r.when))
            for state in sorted(states)
        }

    def phase(self, here: Configuration) -> Phase:
        values = dict(zip(self.counters, here.counters, strict=True))
        return Phase(here.state, tuple(holds(c, values) for c in self.conditions[here.state]))

    def moves(self, phase: Phase) -> list[Rule]:
        return [rule for rule in self.rules if self._enabled(rule, phase)]

    def _enabled(self, rule: Rule, phase: Phase) -> bool:
        if rule.state != phase.state:
            return False
        true = {c for c, t in zip(self.conditions[phase.state], phase.truth, strict=True) if t}
        return true.issuperset(rule.when)

    def chances(self, phase: Phase) -> tuple[Fraction, ...] | None:
        """The true probability of each outcome; None if no configuration of a string is so."""
        if self.language is None:
            digit = int(phase.state) % 2
            return (Fraction(1 - digit), Fraction(digit))
        found = dict.fromkeys(self.outcomes, Fraction(0))
        for rule in self.language.rules:
            if self._enabled(rule, phase):
                found[rule.symbol] += rule.chance
        return tuple(found.values()) if sum(found.values()) == 1 else None

    def lead(self, rule: Rule, here: Configuration) -> Configuration:
        values = dict(zip(self.counters, here.counters, strict=True))
        new = values | {name: evaluated(x, values) for name, x in rule.then}
        return Configuration(rule.to, tuple(new[name] for name in self.counters))

    def updated(self, rule: Rule) -> dict[str, Term]:
        """The counters after a move, over those before it."""
        new = dict(rule.then)
        return {name: affine_term(new.get(name, Affine(((name, 1),)))) for name in self.counters}

    def successors(self, here: Configuration) -> Iterator[tuple[str, Configuration]]:
        for rule in self.moves(self.phase(here)):
            yield rule.symbol, self.lead(rule, here)

    @property
    def deterministic(self) -> bool:
        """Whether some phase allows one outcome only."""
        if self.language is None:
            return True
        phases = [
            Phase(state, truth)
            for state, conditions in self.conditions.items()
            for truth in _truths(len(conditions))
        ]
        return any(1 in (self.chances(phase) or ()) for phase in phases)


def _truths(count: int) -> Iterator[tuple[bool, ...]]:
    for number in range(2**count):
        yield tuple(bool(number >> i & 1) for i in range(count))


def system_for(network: Network, language: Language | None) -> tuple[System, Network]:
    """The system, and the network with the names of its symbols."""
    if language is None:
        return _addition(network), network
    symbols = language.alphabet
    if network.alphabet is None:
        if not network.inputs == network.outputs == len(symbols):
            raise InputError(
                f"the network has {network.inputs} inputs and {network.outputs} outputs, but "
                f"{language.title} has {len(symbols)} symbols; prove it against another language."
            )
        network = replace(network, alphabet=symbols)
    names = network.alphabet
    assert names is not None
    missing = [symbol for symbol in symbols if symbol not in names]
    if missing:
        raise InputError(
            f"the network has no unit for the symbol {missing[0]!r} of {language.title}; "
            "prove it against another language."
        )
    rows = {s: tuple(int(s == other) for other in names) for s in symbols}
    moves = tuple(rule for rule in language.rules if rule.symbol != BOUNDARY)
    return System(
        language.title, language.counters, (Opening(BOUNDARY, language.beginning),), moves, rows,
        names, language,
    ), network  # fmt: skip


def _addition(network: Network) -> System:
    """The state is the sum of both digits and the carry: its last bit goes out, the other stays."""
    if network.inputs != 2 or network.outputs != 1:
        raise InputError(
            f"addition takes 2 inputs and 1 output, but the network has {network.inputs} and "
            f"{network.outputs}; prove it against another language."
        )
    rows: dict[str, tuple[int, ...]] = {f"{x}+{y}": (x, y) for x in (0, 1) for y in (0, 1)}
    openings = tuple(
        Opening(label, Configuration(str(sum(row)), ())) for label, row in rows.items()
    )
    rules = tuple(
        Rule(str(s), label, str(s // 2 + sum(row))) for s in range(4) for label, row in rows.items()
    )
    return System("binary addition", (), openings, rules, rows, ("0", "1"), None)


def evaluated(expression: Affine | int, values: dict[str, int]) -> int:
    if isinstance(expression, int):
        return expression
    found = expression.constant + sum(f * values[name] for name, f in expression.terms)
    return found // expression.divisor


def holds(condition: Condition, values: dict[str, int]) -> bool:
    value = evaluated(condition.expression, values)
    if condition.relation == "mod":
        return value % condition.base == condition.digit
    return value == 0 if condition.relation == "=" else value > 0


def affine_term(expression: Affine | int) -> Term:
    if isinstance(expression, int):
        return known(expression)
    term = known(expression.constant)
    for name, factor in expression.terms:
        term = term + counter_term(name).times(factor)
    return floor(term.times(Fraction(1, expression.divisor))) if expression.divisor > 1 else term


def language_to_json(language: Language) -> dict[str, Any]:
    def affine(x: Affine | int) -> Any:
        return x if isinstance(x, int) else [list(map(list, x.terms)), x.constant, x.divisor]

    return {
        "name": language.name,
        "title": language.title,
        "start": language.start,
        "rules": [
            {
                "state": r.state, "symbol": r.symbol, "to": r.to, "chance": str(r.chance),
                "when": [[affine(c.expression), c.relation, c.digit, c.base] for c in r.when],
                "then": [[name, affine(x)] for name, x in r.then],
            }
            for r in language.rules
        ],
    }  # fmt: skip


def language_from_json(data: dict[str, Any]) -> Language:
    def affine(x: Any) -> Any:
        return x if isinstance(x, int) else Affine(tuple((n, f) for n, f in x[0]), x[1], x[2])

    rules = tuple(
        Rule(
            r["state"], r["symbol"], r["to"], Fraction(r["chance"]),
            tuple(Condition(affine(e), rel, digit, base) for e, rel, digit, base in r["when"]),
            tuple((name, affine(x)) for name, x in r["then"]),
        )
        for r in data["rules"]
    )  # fmt: skip
    return Language(data["name"], data["title"], rules, data["start"])


def words(labels: Sequence[str], system: System) -> str:
    """A string of labels as a person writes it; the boundary in front is left out."""
    if system.language is not None:
        return "".join(labels[1:])
    numbers = [
        sum(system.rows[label][side] << i for i, label in enumerate(labels)) for side in (0, 1)
    ]
    return f"{numbers[0]} + {numbers[1]}"
