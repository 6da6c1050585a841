"""Showing that a guessed relation is inductive, and weakening its facts until it is.

Facts are dropped one counter-model after the other (Flanagan and Leino's Houdini), the affine
relations are not: where one of those fails, the failure is handed back with the counters at
which it does.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..languages import Rule
from ._claims import certain
from ._execute import Executor
from ._explore import Node
from ._facts import candidates, stacks_of
from ._invariant import Key, Location, Scheme, close, guess, phase_formula, selected
from ._models import Model, model_of
from ._obligations import (
    Induction,
    Step,
    counters_as,
    hypothesis,
    moved,
    moves,
    rewritten,
    symbolic_step,
    targets,
)
from ._smt import Formula
from ._solver import ask_z3, milliseconds_until
from ._system import Opening, System
from ._terms import Atom, Term, known, substitute


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
                if time.monotonic() > deadline:
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
