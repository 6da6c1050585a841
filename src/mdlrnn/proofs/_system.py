"""What is to be matched, as a transition system: the machine of a language, or a transducer.

A configuration is a control state with a value for each counter. A move reads a label, which is an
input row for the network; in a configuration each outcome has its true probability, which depends
on the state and on which of the state's conditions hold: on the phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from ..checks import short
from ..errors import InputError
from ..machines import Affine, AnyMachine, Condition, Configuration, Machine, Rule, Transducer
from ..network import BOUNDARY, Network
from ._terms import Term, counter_term, floor, known

MOST_CONDITIONS = 12
"""Of one state."""


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
    source: AnyMachine
    counters: tuple[str, ...]
    openings: tuple[Opening, ...]
    rules: tuple[Rule, ...]
    """Moves; their symbols are labels. The boundary at the end of a string is none."""
    rows: dict[str, tuple[int, ...]]
    outcomes: tuple[str, ...]
    """What the outputs speak of, in their order."""
    outcome_rules: tuple[Rule, ...]
    """The true probability of each outcome, by state and conditions; where they lead is not
    looked at."""

    @property
    def title(self) -> str:
        return self.source.title

    @property
    def language(self) -> Machine | None:
        """The machine over symbols, if it is one: strings end, sequences of numbers do not."""
        return self.source if isinstance(self.source, Machine) else None

    @cached_property
    def conditions(self) -> dict[str, tuple[Condition, ...]]:
        states = {opening.to.state for opening in self.openings}
        states |= {rule.to for rule in self.rules} | {rule.state for rule in self.rules}
        return {
            state: tuple(
                dict.fromkeys(c for r in self.outcome_rules if r.state == state for c in r.when)
            )
            for state in sorted(states)
        }

    def phase(self, here: Configuration) -> Phase:
        values = dict(zip(self.counters, here.counters, strict=True))
        return Phase(here.state, tuple(c.at(values) for c in self.conditions[here.state]))

    def moves(self, phase: Phase) -> list[Rule]:
        return [rule for rule in self.rules if self._enabled(rule, phase)]

    def _enabled(self, rule: Rule, phase: Phase) -> bool:
        if rule.state != phase.state:
            return False
        true = {c for c, t in zip(self.conditions[phase.state], phase.truth, strict=True) if t}
        return true.issuperset(rule.when)

    def chances(self, phase: Phase) -> tuple[Fraction, ...] | None:
        """The true probability of each outcome; None if no configuration of a string is so."""
        found = dict.fromkeys(self.outcomes, Fraction(0))
        for rule in self.outcome_rules:
            if self._enabled(rule, phase):
                found[rule.symbol] += rule.chance
        return tuple(found.values()) if sum(found.values()) == 1 else None

    def lead(self, rule: Rule, here: Configuration) -> Configuration:
        values = dict(zip(self.counters, here.counters, strict=True))
        new = rule.after(values)
        return Configuration(rule.to, tuple(new[name] for name in self.counters))

    def updated(self, rule: Rule) -> dict[str, Term]:
        """The counters after a move, over those before it."""
        new = dict(rule.then)
        return {name: affine_term(new.get(name, Affine(((name, 1),)))) for name in self.counters}

    def successors(self, here: Configuration) -> Iterator[tuple[str, Configuration]]:
        for rule in self.moves(self.phase(here)):
            yield rule.symbol, self.lead(rule, here)

    @property
    def least_chance(self) -> Fraction:
        """The least true probability of an outcome that is possible somewhere."""
        return min(rule.chance for rule in self.outcome_rules if rule.chance)

    @property
    def deterministic(self) -> bool:
        """Whether some phase allows one outcome only."""
        phases = [
            Phase(state, truth)
            for state, conditions in self.conditions.items()
            for truth in _truths(len(conditions))
        ]
        return any(1 in (self.chances(phase) or ()) for phase in phases)


def _truths(count: int) -> Iterator[tuple[bool, ...]]:
    for number in range(2**count):
        yield tuple(bool(number >> i & 1) for i in range(count))


def system_for(network: Network, source: Machine | Transducer) -> tuple[System, Network]:
    """The system, and the network with the names of its symbols."""
    if isinstance(source, Transducer):
        return _numbers(network, source), network
    symbols = source.alphabet
    if network.alphabet is None:
        if not network.inputs == network.outputs == len(symbols):
            raise InputError(
                f"the network has {network.inputs} inputs and {network.outputs} outputs, but "
                f"{source.title} has {len(symbols)} symbols; prove it against another language."
            )
        network = replace(network, alphabet=symbols)
    names = network.alphabet
    assert names is not None
    missing = [symbol for symbol in symbols if symbol not in names]
    if missing:
        raise InputError(
            f"the network has no unit for the symbol {short(missing[0])} of {source.title}; "
            "prove it against another language."
        )
    _check_conditions(source)
    rows = {s: tuple(int(s == other) for other in names) for s in symbols}
    moves = tuple(rule for rule in source.rules if rule.symbol != BOUNDARY)
    openings = (Opening(BOUNDARY, source.beginning),)
    return System(source, source.counters, openings, moves, rows, names, source.rules), network


def _check_conditions(source: Machine) -> None:
    """All combinations of a state's conditions are looked at."""
    found: dict[str, set[Condition]] = {}
    for rule in source.rules:
        found.setdefault(rule.state, set()).update(rule.when)
    for state, conditions in found.items():
        if len(conditions) > MOST_CONDITIONS:
            raise InputError(
                f"the rules of state {short(state)} have {len(conditions)} conditions, more than "
                f"the {MOST_CONDITIONS} that a proof can tell apart; split the state."
            )


def _numbers(network: Network, source: Transducer) -> System:
    """A state is the transducer's together with the digit that was due when it was entered."""
    if network.inputs != source.inputs or network.outputs != 1:
        raise InputError(
            f"{source.title} takes {source.inputs} inputs and 1 output, but the network has "
            f"{network.inputs} and {network.outputs}; prove it against another language."
        )
    rows = {"+".join(map(str, row)): row for row in source.rows}

    def entered(state: str, label: str) -> str:
        transition = source.table[state, rows[label]]
        return f"{transition.to}, {transition.write} due"

    openings = []
    rules: dict[str, list[Rule]] = {}
    digits: dict[str, Fraction] = {}
    left = [(source.start, "")]
    while left:
        state, here = left.pop()
        if here in rules:
            continue
        rules[here] = []
        for label, row in rows.items():
            to = entered(state, label)
            transition = source.table[state, row]
            digits[to] = transition.write
            if here:
                rules[here].append(Rule(here, label, to))
            else:
                openings.append(Opening(label, Configuration(to, ())))
            left.append((transition.to, to))
    due = [
        Rule(state, outcome, chance=chance)
        for state, write in digits.items()
        for outcome, chance in (("0", 1 - write), ("1", write))
    ]
    moves = tuple(rule for some in rules.values() for rule in some)
    return System(source, (), tuple(openings), moves, rows, ("0", "1"), tuple(due))


def affine_term(expression: Affine | int) -> Term:
    if isinstance(expression, int):
        return known(expression)
    term = known(expression.constant)
    for name, factor in expression.terms:
        term = term + counter_term(name).times(factor)
    return floor(term.times(Fraction(1, expression.divisor))) if expression.divisor > 1 else term


def words(labels: Sequence[str], system: System) -> str:
    """A string of labels as a person writes it; the boundary in front is left out."""
    if isinstance(system.source, Transducer):
        return system.source.spelled([system.rows[label] for label in labels])
    return system.source.spelled(labels[1:])
