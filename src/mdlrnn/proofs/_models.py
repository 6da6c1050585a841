"""Counter-models: where a step or a claim fails, with counters as small as a few questions find.

Small counters make short strings.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ._facts import stack_bases
from ._obligations import Query
from ._smt import digits_defined, mirror_defined
from ._solver import ask_z3
from ._system import System

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
    text = f"{query.text}\n{_digits(system, query)}"
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


def _digits(system: System, query: Query) -> str:
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
