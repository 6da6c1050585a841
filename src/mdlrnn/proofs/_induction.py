"""Proof by induction: the strongest claims that hold, and counter-models where a step fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from .. import work
from ..machines import Rule
from ._execute import Executor, Node, Opening, System
from ._invariant import (
    Key,
    Location,
    Scheme,
    candidates,
    close,
    guess,
    phase_formula,
    selected,
    stack_bases,
    stacks_of,
)
from ._obligations import (
    Induction,
    Query,
    Step,
    claimed,
    counters_as,
    hypothesis,
    moved,
    moves,
    rewritten,
    symbolic_step,
    targets,
)
from ._smt import (
    Claim,
    Formula,
    ask_z3,
    certain,
    digits_defined,
    milliseconds_until,
    mirror_defined,
    probabilities,
)
from ._terms import Atom, Term, exponent_of, known, substitute

QUESTIONS = 40
MILLISECONDS = 700
"""For each."""
DEPTH = 40
"""Digits of a stack that a model is made to be true to."""


class Model(NamedTuple):
    """A state, counters, and the label that is read when it goes wrong."""

    state: str
    counters: dict[str, int]
    label: str


def model_of(system: System, query: Query, model: dict[str, int] | None) -> Model | None:
    if model is None or query.source is None:
        return None
    counters = smallest(system, query, model)
    return None if counters is None else Model(query.source, counters, query.label)


def smallest(system: System, query: Query, model: dict[str, int]) -> dict[str, int] | None:
    """A model with a small sum of counters; None if no stack of digits is known to be one."""
    variables = query.variables
    if not variables:
        return model
    text = f"{query.text}\n{_model_digits(system, query)}"
    whole = f"(+ 0 {' '.join(variables)})"
    if text.strip() != query.text.strip():
        better = ask_z3(text, variables, 2 * MILLISECONDS).model
        if better is None:
            return None
        model = better
    low, high = 0, sum(model.values())
    for _ in range(QUESTIONS):
        if low >= high:
            break
        middle = (low + high) // 2
        answer = ask_z3(f"{text}\n(assert (<= {whole} {middle}))", variables, MILLISECONDS)
        if answer.model is None:
            low = middle + 1
        else:
            model, high = answer.model, sum(answer.model.values())
    return model


def _model_digits(system: System, query: Query) -> str:
    """The definitions of a stack without zeros and of one as a fraction, digit by digit, where the
    query speaks of them."""
    lines = []
    for variable, name in query.variables.items():
        for base in stack_bases(system).get(name, ()):
            deeper = [f"(div {variable} {base**depth})" for depth in range(1, DEPTH)]
            if f"nonzero{base}" in query.text:
                lines += [digits_defined(text, base) for text in deeper]
            for among in set(re.findall(rf"digits{base}_(\d+)", query.text)):
                lines += [digits_defined(text, base, int(among)) for text in deeper]
            if f"mirror{base}" in query.text:
                lines += [mirror_defined(text, base) for text in deeper]
    return "\n".join(lines)


class Failure(NamedTuple):
    """Why a relation is not inductive, and where, if that is known."""

    why: str
    model: Model | None = None


class OutOfTime(Exception):  # noqa: N818
    pass


def attempt(
    scheme: Scheme, system: System, executor: Executor, nodes: list[Node], deadline: float
) -> Induction | Failure:
    """Guess the relation from the nodes and show it inductive."""
    guessed = guess(scheme, nodes)
    if guessed is None:
        return Failure("memory is no affine function of the counters")
    locations, groups = guessed
    stacks = stacks_of(system, nodes)
    full = [replace(x, facts=candidates(system, groups[x.key], stacks)) for x in locations]
    return settle(Induction(executor, system, scheme, tuple(full)), deadline)


def settle(induction: Induction, deadline: float) -> Induction | Failure:
    """The same with fewer facts, inductive; or why not."""
    facts: dict[Key, list[Formula]] = {x.key: list(x.facts) for x in induction.locations}

    def present() -> Induction:
        kept = tuple(replace(x, facts=tuple(facts[x.key])) for x in induction.locations)
        return replace(induction, locations=kept)

    places = {location.key: i for i, location in enumerate(induction.locations)}
    open_moves = [
        (None if source is None else source.key, move) for source, move in moves(induction)
    ]
    settled: set[tuple[Key | None, int]] = set()
    while True:
        changed = False
        for number, (key, move) in enumerate(open_moves):
            if (key, number) in settled:
                continue
            while True:
                if work.now() > deadline:
                    raise OutOfTime
                now = present()
                source = None if key is None else now.locations[places[key]]
                query = moved(now, source, move)
                answer = ask_z3(query.text, query.variables, milliseconds_until(deadline))
                if answer.verdict == "unsat":
                    settled.add((key, number))
                    break
                if answer.model is None:
                    return Failure("the solver gave up on a step")
                dropped = _dropped(now, source, move, answer.model)
                if dropped is None:
                    where = model_of(induction.system, query, answer.model)
                    return Failure("a step leaves the relation", where)
                target, failing = dropped
                facts[target] = [fact for fact in facts[target] if fact not in failing]
                # What was shown from the stronger hypothesis has to be shown again.
                settled -= {pair for pair in settled if pair[0] == target}
                changed = True
        if not changed:
            return present()


def _dropped(
    induction: Induction, source: Location | None, move: Opening | Rule, model: Mapping[str, int]
) -> tuple[Key, list[Formula]] | None:
    """Facts of the target that the model refutes; None if it refutes more than facts."""
    system = induction.system
    here = {name: known(value) for name, value in model.items()}
    at = counters_as(system, here)
    fixed = source
    if source is not None:
        fixed = replace(source, memory=tuple(substitute(m, at) for m in source.memory))
    step = symbolic_step(induction, fixed, move)
    after = {atom: substitute(term, at) for atom, term in step.counters.items()}
    spurious = source is not None and not _true(hypothesis(induction, source), at)
    for target in targets(induction, source, step):
        phase = phase_formula(system, target.key.phase, after)
        if certain(selected(induction.scheme, target.key, induction.executor, step.values, phase)):
            return _failing(induction, target, step, after, spurious)
    return None


def _failing(
    induction: Induction,
    target: Location,
    step: Step,
    after: Mapping[Atom, Term],
    spurious: bool,
) -> tuple[Key, list[Formula]] | None:
    memory = induction.executor.remembered(step.values)
    for value, expected in zip(memory, target.memory, strict=True):
        if not close(value, substitute(expected, after)):
            return None
    failing = [fact for fact in target.facts if certain(rewritten(fact, after)) is False]
    if spurious:
        # The solver knows a stack's last digit only: its model need not be one, and then says
        # something of the other facts alone, if it can.
        failing = [fact for fact in failing if fact[0] != "digits"] or failing
    if not failing:
        # All is true here, but not all of it follows from what the solver knows of a stack.
        failing = [fact for fact in target.facts if fact[0] == "digits"]
    return (target.key, failing) if failing else None


def _true(formula: Formula, at: Mapping[Atom, Term]) -> bool:
    def filled(part: Formula) -> Formula:
        head, *rest = part
        if head in ("and", "or", "not"):
            return (head, *map(filled, rest))
        return rewritten(part, at)

    return certain(filled(formula)) is True


SMALLEST = Fraction(1, 10**15)
"""The smallest margin that is tried."""
DIGITS = 2


class Spread(NamedTuple):
    """What the runs show: the largest error, and chances of what can and cannot follow."""

    error: Fraction
    missing: Fraction | None
    """The most that a sure symbol lacks of 1."""
    impossible: Fraction
    possible: Fraction


def strongest(
    induction: Induction,
    nodes: Sequence[Node],
    wanted: Claim | None,
    least: Claim,
    deadline: float,
    one: bool = False,
    strings_alone: bool = False,
) -> tuple[tuple[Claim, ...], Model | None]:
    """All that holds of each kind, those that make the network right first; or where the least of
    it fails. If `one` will do, nothing is looked for beside a narrow margin; of a language whose
    chances nobody gave, `strings_alone` are held against it where that says which are right."""
    if wanted is not None:
        model = fails(induction, wanted, deadline)
        return ((wanted,), None) if model is None else ((), model[0])
    seen = spread(nodes)
    if seen.error == 0 and holds(induction, Claim("exact"), deadline):
        return (Claim("exact"),), None  # the rest follows
    model = fails(induction, least, deadline)
    if model is not None:
        return (), model[0]
    if strings_alone and (apart := _categorical(induction, seen, deadline)) is not None:
        sure = _deterministic(induction, seen, deadline)
        return ((apart,) if sure is None else (apart, sure)), None
    within = _smallest(induction, "within", seen.error, Fraction(1), deadline)
    if one and within is not None and _rank(within, induction.system.least_chance) == 1:
        return (within,), None
    found = [
        within,
        _categorical(induction, seen, deadline),
        _deterministic(induction, seen, deadline),
        least,
    ]
    claims = [claim for claim in found if claim is not None]
    chance = induction.system.least_chance
    claims.sort(key=lambda claim: _rank(claim, chance))
    if claims[0].makes_right(chance):
        claims.remove(least)
    return tuple(claims), None


def _rank(claim: Claim, least_chance: Fraction) -> int:
    """1 for a claim that makes a network right, 2 if its margin is wide, 3 for all other claims."""
    if not claim.makes_right(least_chance):
        return 3
    wide = claim.kind == "within" and claim.margin > least_chance / 2
    return 2 if wide else 1


def _categorical(induction: Induction, seen: Spread, deadline: float) -> Claim | None:
    none = Claim("categorical")
    if seen.impossible == 0 and holds(induction, none, deadline):
        return none
    below = _smallest(induction, "below", seen.impossible, seen.possible, deadline)
    if below is None:
        return None
    claim = Claim("categorical", below.margin)
    return claim if holds(induction, claim, deadline) else None


def _deterministic(induction: Induction, seen: Spread, deadline: float) -> Claim | None:
    if seen.missing is None:
        return None
    found = _smallest(induction, "deterministic", seen.missing, Fraction(1, 2), deadline)
    if found is not None:
        return found
    for claim in (Claim("deterministic", Fraction(1, 2)), Claim("leading")):
        if holds(induction, claim, deadline):
            return claim
    return None


def _smallest(
    induction: Induction, kind: str, above: Fraction, below: Fraction, deadline: float
) -> Claim | None:
    """The claim with the smallest margin of two digits that holds.

    Mostly it is the first above what was seen; if not, ever larger steps are taken, and the last
    one is halved.
    """
    margins = list(_margins(above, below))
    bad, step = -1, 1
    while True:
        place = min(bad + step, len(margins) - 1)
        if place <= bad:
            return None
        if holds(induction, Claim(kind, margins[place]), deadline):
            break
        bad, step = place, 2 * step
    good = place
    while good - bad > 1:
        middle = (good + bad) // 2
        if holds(induction, Claim(kind, margins[middle]), deadline):
            good = middle
        else:
            bad = middle
    return Claim(kind, margins[good])


def _margins(above: Fraction, below: Fraction) -> Iterator[Fraction]:
    """Numbers of two digits between the two, ascending."""
    start = max(above, SMALLEST)
    exponent = exponent_of(start)
    while True:
        unit = Fraction(10) ** (exponent - DIGITS + 1)
        for mantissa in range(10 ** (DIGITS - 1), 10**DIGITS):
            margin = mantissa * unit
            if margin >= below and margin > above:
                return
            if margin > above and margin >= SMALLEST:
                yield margin
        exponent += 1


def spread(nodes: Sequence[Node]) -> Spread:
    error = impossible = Fraction(0)
    missing: Fraction | None = None
    possible = Fraction(1)
    for node in nodes:
        chances = node.system.chances(node.phase)
        assert chances is not None
        for chance, given in zip(chances, probabilities(node.shares), strict=True):
            error = max(error, abs(given - chance))
            if chance == 1:
                missing = max(missing or Fraction(0), 1 - given)
            if chance:
                possible = min(possible, given)
            else:
                impossible = max(impossible, given)
    return Spread(error, missing, impossible, possible)


def holds(induction: Induction, claim: Claim, deadline: float) -> bool:
    return _open_query(induction, claim, deadline) is None


def fails(induction: Induction, claim: Claim, deadline: float) -> tuple[Model | None] | None:
    """None if the claim holds everywhere; else where it fails, if that is known."""
    found = _open_query(induction, claim, deadline)
    if found is None:
        return None
    query, model = found
    return (model_of(induction.system, query, model),)


def _open_query(
    induction: Induction, claim: Claim, deadline: float
) -> tuple[Query, dict[str, int] | None] | None:
    """The first query that is not shown to have no model, and its model if there is one."""
    for location in induction.locations:
        for query in claimed(induction, location, claim):
            if work.now() > deadline:
                raise OutOfTime
            answer = ask_z3(query.text, query.variables, milliseconds_until(deadline))
            if answer.verdict != "unsat":
                return query, answer.model
    return None
