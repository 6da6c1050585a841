"""What has to be shown, as queries that must be unsatisfiable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from ..machines import Rule
from ._execute import Executor, Opening, System, Values
from ._invariant import Location, Scheme, phase_formula, selected
from ._smt import (
    Claim,
    Formula,
    Script,
    claim_formula,
    conjunction,
    fraction_text,
    negation,
    shares,
)
from ._terms import (
    LARGEST,
    VANISHING,
    Atom,
    Term,
    counter_term,
    enclosure,
    known,
    shortened,
    substitute,
    terms_needed,
)


def bounds_text(point: Fraction) -> str:
    """That e^|x|, between its own bounds, puts sigmoid(x) between the bounds used."""
    low, high = enclosure(point)
    size = abs(point)
    lines = [f"; e is e^{size}, and sigmoid({point}) is {'1' if point < 0 else 'e'}/(1 + e)"]
    lines.append("(declare-const e Real)")
    if size > VANISHING:
        lines.append(f"(assert (> e {2**VANISHING}.0))")
    elif size > LARGEST:
        lines.append(f"(assert (> e {2 ** math.floor(size)}.0))")
        lines.append(f"(assert (< e {3 ** math.ceil(size)}.0))")
    else:
        below, above = shortened(size, down=True), shortened(size)
        count = terms_needed(above)
        lines.append(f"(assert (> e {_partial_sum(below, terms_needed(below))}))")
        rest = Fraction(1)
        for place in range(1, count + 2):
            rest = rest * above / place
        rest /= 1 - above / (count + 2)
        lines.append(f"(assert (< e (+ {_partial_sum(above, count)} {fraction_text(rest)})))")
    middle = "1.0" if point < 0 else "e"
    sides = [f"(* {fraction_text(bound)} (+ 1.0 e))" for bound in (low, high)]
    lines.append(f"(assert (not (< {sides[0]} {middle} {sides[1]})))")
    return "\n".join(lines)


def _partial_sum(x: Fraction, count: int) -> str:
    """1 + x/1·(1 + x/2·(1 + ...)), up to x^count/count!."""
    text = "1.0"
    for place in range(count, 0, -1):
        text = f"(+ 1.0 (* {fraction_text(x / place)} {text}))"
    return text


class Query(NamedTuple):
    title: str
    text: str
    variables: dict[str, str]
    """Counters by their names in the text."""
    source: str | None
    """The state that a move starts from, to which a counter-model's counters belong."""
    label: str
    """What the move reads."""
    points: frozenset[Fraction] = frozenset()
    """Where bounds of the sigmoid are used."""


@dataclass(frozen=True)
class Induction:
    """A network beside a system, and the relation that is to hold in each location."""

    executor: Executor
    system: System
    scheme: Scheme
    locations: tuple[Location, ...]

    def named(self, location: Location) -> str:
        return f"location {self.locations.index(location)}"

    @cached_property
    def steps(self) -> list[tuple[Location | None, Step]]:
        """Every move with where it starts, worked out once for all claims."""
        return [(source, symbolic_step(self, source, move)) for source, move in moves(self)]


def counters_as(system: System, values: Mapping[str, Term]) -> dict[Atom, Term]:
    return {counter_term(name).parts[0][0]: values[name] for name in system.counters}


def unchanged(system: System) -> dict[Atom, Term]:
    return counters_as(system, {name: counter_term(name) for name in system.counters})


def hypothesis(induction: Induction, location: Location) -> Formula:
    """What is known of the counters in a location."""
    here = phase_formula(induction.system, location.key.phase, unchanged(induction.system))
    return conjunction(here, *location.facts)


def moves(induction: Induction) -> Iterator[tuple[Location | None, Opening | Rule]]:
    """All first steps, and all moves out of all locations."""
    for opening in induction.system.openings:
        yield None, opening
    for location in induction.locations:
        for rule in induction.system.moves(location.key.phase):
            yield location, rule


class Step(NamedTuple):
    """A move over terms: the network's values and the counters after it."""

    label: str
    to: str
    values: Values
    counters: dict[Atom, Term]


def symbolic_step(induction: Induction, source: Location | None, move: Opening | Rule) -> Step:
    system, executor = induction.system, induction.executor
    if source is None:
        assert isinstance(move, Opening)
        start = dict(zip(system.counters, map(known, move.to.counters), strict=True))
        values = executor.step(system.rows[move.label], None)
        return Step(move.label, move.to.state, values, counters_as(system, start))
    assert isinstance(move, Rule)
    memory = dict(zip(executor.memory, source.memory, strict=True))
    values = executor.step(system.rows[move.symbol], memory)
    return Step(move.symbol, move.to, values, counters_as(system, system.updated(move)))


def targets(induction: Induction, source: Location | None, step: Step) -> list[Location]:
    before = () if source is None else source.key.history
    history = (*before, step.label)[-induction.scheme.history :]
    return [
        location
        for location in induction.locations
        if location.key.phase.state == step.to and location.key.history == history
    ]


def moved(induction: Induction, source: Location | None, move: Opening | Rule) -> Query:
    """Inductive step: from a location a move leads into one whose relation then holds."""
    step = symbolic_step(induction, source, move)
    outcome: list[Formula] = []
    for target in targets(induction, source, step):
        phase = phase_formula(induction.system, target.key.phase, step.counters)
        into = selected(induction.scheme, target.key, induction.executor, step.values, phase)
        outcome.append(conjunction(into, *relation(induction, target, step)))
    script = Script(induction.system.counters)
    if source is not None:
        script.add(hypothesis(induction, source))
    script.add(negation(("or", *outcome)))
    start = "the start" if source is None else induction.named(source)
    title = f"{start}, reading {step.label}"
    return _query(title, script, source, step)


def relation(induction: Induction, target: Location, step: Step) -> Iterator[Formula]:
    memory = induction.executor.remembered(step.values)
    for value, expected in zip(memory, target.memory, strict=True):
        yield ("=", value - substitute(expected, step.counters))
    for fact in target.facts:
        yield rewritten(fact, step.counters)


def rewritten(fact: Formula, counters: Mapping[Atom, Term]) -> Formula:
    return (fact[0], substitute(fact[1], counters), *fact[2:])


def claimed(induction: Induction, location: Location, claim: Claim) -> list[Query]:
    """The outputs in a location, after each step that leads into it, carry the claim."""
    system = induction.system
    chances = system.chances(location.key.phase)
    queries = []
    for source, step in induction.steps:
        if location not in targets(induction, source, step):
            continue
        script = Script(system.counters)
        if source is not None:
            script.add(hypothesis(induction, source))
        phase = phase_formula(system, location.key.phase, step.counters)
        into = selected(induction.scheme, location.key, induction.executor, step.values, phase)
        script.add(into)
        if chances is not None:
            given = shares(tuple(induction.executor.outputs(step.values)))
            formula = claim_formula(claim, chances, given)
            if formula == ("and",):
                continue
            script.add(negation(formula))
        start = "the start" if source is None else induction.named(source)
        title = f"{claim.kind}: {start}, reading {step.label}, into {induction.named(location)}"
        queries.append(_query(title, script, source, step))
    return queries


def _query(title: str, script: Script, source: Location | None, step: Step) -> Query:
    state = None if source is None else source.key.phase.state
    text = "\n".join(script.lines)
    return Query(title, text, script.variables, state, step.label, frozenset(script.points))


def obligations(induction: Induction, claims: Iterable[Claim]) -> Iterator[Query]:
    """All there is to show, the sigmoid's bounds last."""
    points: set[Fraction] = set()
    for query in _steps_and_claims(induction, claims):
        points |= query.points
        yield query
    for point in sorted(points - {Fraction(0)}):
        yield Query(f"bounds of sigmoid({point})", bounds_text(point), {}, None, "")


def _steps_and_claims(induction: Induction, claims: Iterable[Claim]) -> Iterator[Query]:
    for source, move in moves(induction):
        yield moved(induction, source, move)
    for claim in claims:
        for location in induction.locations:
            yield from claimed(induction, location, claim)
