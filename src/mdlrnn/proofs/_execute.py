"""One step of a network over terms, and the machine explored with it through exact runs."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from .. import work
from ..checks import short
from ..errors import InputError
from ..machines import (
    Affine,
    AnyMachine,
    Condition,
    Configuration,
    Machine,
    Rule,
    Transducer,
    check_configuration,
)
from ..network import BOUNDARY, Network, plan
from ._smt import Claim, Shares, is_broken, shares
from ._terms import (
    ONE,
    ZERO,
    Term,
    TooComplex,
    activate,
    counter_term,
    floor,
    known,
    product,
    total,
)

Memory = Mapping[int, Term]
Incoming = list[list[tuple[int, Term]]]
BITS = 8_192
"""Of a numerator or denominator; a square in a loop doubles them at every step."""


class Values(NamedTuple):
    """After a step: what each unit that matters holds, and the argument of its activation."""

    value: dict[int, Term]
    argument: dict[int, Term]


class Executor(NamedTuple):
    network: Network
    memory: tuple[int, ...]
    """Units whose value of the step before is looked at by something that reaches an output."""
    relevant: tuple[int, ...]
    """Units that reach an output, in the order of evaluation."""
    remembering: frozenset[int]
    """Units that reach a memory unit."""
    forward: Incoming
    """For each unit the sources of its forward connections that are fed, with their weights."""
    recurrent: Incoming
    step: Callable[[Sequence[int], Memory | None], Values]
    read: Callable[[Sequence[int], Memory], dict[int, Term]]
    """What units hold when the row is read and the memory units then hold these values; without
    the units that look back at the step before and are no memory themselves."""

    def __reduce__(self) -> tuple[Any, ...]:
        return executor, (self.network,)

    def outputs(self, values: Values) -> list[Term]:
        first = self.network.inputs
        return [values.value[u] for u in range(first, first + self.network.outputs)]

    def remembered(self, values: Values) -> tuple[Term, ...]:
        return tuple(values.value[u] for u in self.memory)


def executor(network: Network) -> Executor:
    order, ignored = plan(network)
    count = len(network.units)
    forward: Incoming = [[] for _ in range(count)]
    recurrent: Incoming = [[] for _ in range(count)]
    for c in network.connections:
        if c.kind == "recurrent":
            recurrent[c.target].append((c.source, known(c.weight.fraction)))
        elif (c.source, c.target) not in ignored:
            forward[c.target].append((c.source, known(c.weight.fraction)))
    for u, unit in enumerate(network.units):
        if unit.type == "product" and not forward[u]:
            recurrent[u] = []  # it is 0, whatever it remembers
    evaluated = [u for u in range(network.inputs) if u not in order] + list(order)

    def reaching(roots: set[int]) -> set[int]:
        """What has a part in the roots, now or steps before."""
        found, left = set(roots), list(roots)
        while left:
            unit = left.pop()
            for source, _ in forward[unit] + recurrent[unit]:
                if source not in found:
                    found.add(source)
                    left.append(source)
        return found

    outputs = set(range(network.inputs, network.inputs + network.outputs))
    needed = reaching(outputs)
    memory = {source for unit in needed for source, _ in recurrent[unit]}
    relevant = tuple(u for u in evaluated if u in needed)

    def argument(u: int, into: list[Term], row: Sequence[int]) -> Term:
        unit = network.units[u]
        if unit.type == "product":
            found = _multiplied(into) if forward[u] else ZERO
        else:
            found = total(into)
            if u < network.inputs:
                found = found.plus(row[u])
        return found if unit.bias is None else found.plus(unit.bias.fraction)

    cost = work.STEP + work.PART * (count + len(network.connections))

    def step(row: Sequence[int], previous: Memory | None) -> Values:
        work.spend(cost)
        values: dict[int, Term] = {}
        arguments: dict[int, Term] = {}
        for u in relevant:
            into = [values[s].times(w.constant) for s, w in forward[u]]
            if previous is not None:
                into += [previous[s].times(w.constant) for s, w in recurrent[u]]
            arguments[u] = argument(u, into, row)
            values[u] = activate(network.units[u].activation, arguments[u])
            size = values[u].constant
            if max(abs(size.numerator), size.denominator).bit_length() > BITS:
                raise TooComplex("its numbers grow too long")
        return Values(values, arguments)

    def read(row: Sequence[int], present: Memory) -> dict[int, Term]:
        values = dict(present)
        for u in relevant:
            if u in values or recurrent[u] or any(s not in values for s, _ in forward[u]):
                continue
            into = [values[s].times(w.constant) for s, w in forward[u]]
            values[u] = activate(network.units[u].activation, argument(u, into, row))
        return values

    remembering = frozenset(reaching(memory))
    return Executor(
        network, tuple(sorted(memory)), relevant, remembering, forward, recurrent, step, read
    )


def _multiplied(factors: list[Term]) -> Term:
    # Known factors first: a closed gate makes 0 of whatever is behind it.
    result = ONE
    for factor in sorted(factors, key=lambda term: not term.known):
        result = product(result, factor)
    return result


NODES = 2_500
"""Prefixes that are run through at the beginning."""
SECONDS = 3.0
WANDERED, WANDERED_LENGTHS = 200, (20, 60, 200, 600)
"""Random strings that are run where nothing is shown, and how long they are."""


@dataclass(frozen=True)
class Node:
    """A prefix that has been fed."""

    system: System
    executor: Executor
    before: Node | None
    label: str
    here: Configuration
    values: Values
    depth: int

    @cached_property
    def phase(self) -> Phase:
        return self.system.phase(self.here)

    @cached_property
    def shares(self) -> Shares:
        return shares(tuple(self.executor.outputs(self.values)))

    @property
    def memory(self) -> tuple[Term, ...]:
        return self.executor.remembered(self.values)

    def labels(self, most: int | None = None) -> tuple[str, ...]:
        """The labels read, or the last ones."""
        found: list[str] = []
        node: Node | None = self
        while node is not None and (most is None or len(found) < most):
            found.append(node.label)
            node = node.before
        return tuple(reversed(found))

    def breaks(self, claim: Claim) -> bool:
        """Whether the claim is certainly false here."""
        chances = self.system.chances(self.phase)
        if chances is None and self.system.language is not None:
            check_configuration(self.system.language, self.here)
        assert chances is not None
        return is_broken(claim, chances, self.shares)

    def next(self, label: str, to: Configuration) -> Node:
        memory = dict(zip(self.executor.memory, self.memory, strict=True))
        values = self.executor.step(self.system.rows[label], memory)
        return Node(self.system, self.executor, self, label, to, values, self.depth + 1)


def openings(system: System, executor: Executor) -> Iterator[Node]:
    for label, to in system.openings:
        values = executor.step(system.rows[label], None)
        yield Node(system, executor, None, label, to, values, 0)


class Explored(NamedTuple):
    nodes: list[Node]
    """Shortest first."""
    length: int
    """All prefixes up to this many labels after the first are among them."""
    wrong: Node | None
    """The first prefix that breaks the claim."""
    obstacle: str | None = None
    """Why it went no further, where values outgrew what can be computed exactly."""


def explore(
    system: System, executor: Executor, claim: Claim, most: int = NODES, seconds: float = SECONDS
) -> Explored:
    """All prefixes, shortest first, until one breaks the claim or there are enough."""
    ends = work.now() + seconds
    nodes: list[Node] = []
    left: deque[Node | tuple[Node, str, Configuration]] = deque(openings(system, executor))
    before = 0
    while left:
        try:
            found = left.popleft()
            # Fed only now: most of what is waiting at the end never is.
            node = found if isinstance(found, Node) else found[0].next(*found[1:])
            nodes.append(node)
            before = max(0, node.depth - 1)
            if node.breaks(claim):
                return Explored(nodes, before, node)
            if len(nodes) >= most or work.now() > ends:
                return Explored(nodes, before, None)
            left.extend((node, label, to) for label, to in system.successors(node.here))
        except TooComplex as reason:
            return Explored(nodes, before, None, str(reason))
    return Explored(nodes, nodes[-1].depth, None)


def along(system: System, executor: Executor, labels: Iterable[str]) -> Iterator[Node]:
    """The nodes of one string, which must be possible in the system."""
    first, *rest = labels
    node = next(n for n in openings(system, executor) if n.label == first)
    yield node
    for label in rest:
        node = node.next(label, dict(system.successors(node.here))[label])
        yield node


def wander(
    system: System, executor: Executor, claim: Claim, seconds: float = SECONDS
) -> tuple[Node | None, int]:
    """Long random strings: the first prefix that breaks the claim, and how many strings were run.

    Each favours one label, so that counters get large.
    """
    ends = work.now() + seconds
    done = 0
    for seed in range(WANDERED):
        choose = random.Random(seed)
        habit = choose.choice([None, *system.rows])
        try:
            node = choose.choice(list(openings(system, executor)))
            for _ in range(choose.choice(WANDERED_LENGTHS)):
                if node.breaks(claim):
                    return node, done
                if work.now() > ends:
                    return None, done
                ways = list(system.successors(node.here))
                if not ways:
                    break
                favoured = [way for way in ways if way[0] == habit]
                likely = favoured if favoured and choose.random() < 0.8 else ways
                node = node.next(*choose.choice(likely))
        except TooComplex:
            return None, done
        done += 1
    return None, done


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
        if phase not in self._chances:
            found = dict.fromkeys(self.outcomes, Fraction(0))
            for rule in self.outcome_rules:
                if self._enabled(rule, phase):
                    found[rule.symbol] += rule.chance
            whole = sum(found.values()) == 1
            self._chances[phase] = tuple(found.values()) if whole else None
        return self._chances[phase]

    @cached_property
    def _chances(self) -> dict[Phase, tuple[Fraction, ...] | None]:
        return {}

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
