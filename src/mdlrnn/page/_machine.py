"""What the network has learned, on the page: the machine drawn, and its data for the script."""

from __future__ import annotations

from typing import Any

from .._errors import InputError
from ..drawing._automaton import picture_of_machine
from ..drawing._svg import escaped, svg
from ..languages import Affine, Language, Rule
from ..languages._rule_text import rule_text
from ._content import LearnedMachine
from ._sections import paragraph, section

SCALE = 1.25


def machine_data(learned: LearnedMachine | None) -> dict[str, Any] | None:
    """The machine for the page's script; integers as text, since doubles would round them."""
    machine = None if learned is None else learned.machine
    if machine is None:
        return None
    return {
        "start": machine.start,
        "counters": list(machine.counters),
        "rules": [_rule(rule, machine) for rule in machine.rules],
    }


def _rule(rule: Rule, machine: Language) -> dict[str, Any]:
    def sum_of(value: Affine | int) -> dict[str, Any]:
        value = Affine((), value) if isinstance(value, int) else value
        return {
            "terms": [[machine.counters.index(name), str(f)] for name, f in value.terms],
            "constant": str(value.constant),
            "divisor": str(value.divisor),
        }

    return {
        "state": rule.state,
        "symbol": rule.symbol,
        "to": rule.to,
        "chance": [str(rule.chance.numerator), str(rule.chance.denominator)],
        "when": [
            {"sum": sum_of(c.expression), "relation": c.relation, "digit": str(c.digit),
             "base": str(c.base)}
            for c in rule.when
        ],
        "then": [[machine.counters.index(name), sum_of(value)] for name, value in rule.then],
    }  # fmt: skip


def machine_section(learned: LearnedMachine | None) -> str:
    if learned is None:
        return ""
    machine = learned.machine
    if machine is None:
        return section("What it has learned", paragraph(learned.statement), name="learned")
    said = f"{'Theorem. ' if learned.proved else ''}{learned.statement}"
    title = "What it has learned" if learned.name is None else f"It has learned {learned.name}"
    rules = "\n".join(rule_text(rule) for rule in machine.rules)
    return section(
        title,
        paragraph(said),
        _drawing(machine),
        '<p id="machine-where" aria-live="polite"></p>',
        f'<details><summary>Its rules</summary><pre class="formulas">{escaped(rules)}</pre>'
        "</details>",
        name="learned",
    )


def _drawing(machine: Language) -> str:
    try:
        picture = picture_of_machine(machine)
    except InputError:
        return '<div id="machine"></div>'  # too many states; the rules are there
    shown = svg(picture, "the drawing of the machine", SCALE)
    return f'<div class="scroll" id="machine" tabindex="0">{shown}</div>'
