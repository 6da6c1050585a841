"""Whether rules make a machine: what is wrong with them is said once, when they are put together.

Names and shapes are looked at rule by rule. Where a configuration can be, exactly one rule a symbol
must be enabled and the chances must sum to 1; which configurations can be is found by running the
machine, through the nearest ones and along random walks, so a fault that shows only far out may
be missed here. It is then refused where it shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from ..errors import InputError, printable
from ..network import BOUNDARY, has_words
from ._rules import END, Affine, Rule, rule_text

if TYPE_CHECKING:
    from ._machine import Configuration, Machine

CONFIGURATIONS = 200
"""The nearest ones that are looked at."""
WALKS, WALK_STEPS = 4, 100
RELATIONS = ("=", ">", "mod")


class RulesAtOdds(InputError):  # noqa: N818, it is named for what is the matter
    """Rules that make no distribution in some configuration."""


def check_language(language: Machine) -> None:
    """Raise if the rules do not make a language, naming the rule."""
    if not language.rules:
        raise InputError(f"{language.title} has no rules; give at least one.")
    words = has_words([rule.symbol for rule in language.rules if isinstance(rule.symbol, str)])
    for rule in language.rules:
        _check_rule(language, rule, words)
    _check_states(language)
    for here in _configurations(language):
        check_configuration(language, here)


def _check_rule(language: Machine, rule: Rule, words: bool) -> None:
    if not isinstance(rule.chance, Fraction | int) or not 0 < rule.chance <= 1:
        raise wrong(language, rule, f"its chance is {rule.chance}; give more than 0 and at most 1")
    if not isinstance(rule.symbol, str) or not rule.symbol:
        raise wrong(language, rule, "it has no symbol; name one, or # for the end")
    if words and any(map(str.isspace, rule.symbol)):
        raise wrong(language, rule, "its symbol has a blank; blanks part the words of a string")
    ends = rule.to == END
    if (rule.symbol == BOUNDARY) is not ends:
        what = "# ends the string, so it leads nowhere" if not ends else "only # ends the string"
        raise wrong(language, rule, f"{what}; name the state that follows another symbol")
    if ends and rule.then:
        raise wrong(language, rule, "the string has ended, so counters cannot change; drop that")
    known = set(language.counters)
    for condition in rule.when:
        if condition.relation not in RELATIONS:
            raise wrong(language, rule, "a condition is neither =, > nor mod; use one of these")
        if condition.relation == "mod" and not 0 <= condition.digit < condition.base:
            raise wrong(language, rule, "no number leaves that remainder; correct the condition")
        _check_expression(language, rule, condition.expression, known)
    for _, value in rule.then:
        if isinstance(value, Affine):
            _check_expression(language, rule, value, known)


def _check_expression(language: Machine, rule: Rule, value: Affine, known: set[str]) -> None:
    unknown = next((name for name, _ in value.terms if name not in known), None)
    if unknown is not None:
        raise wrong(language, rule, f"no rule sets the counter {printable(unknown)}; set it first")
    if value.divisor < 1:
        raise wrong(language, rule, "it divides by less than 1; divide by 1 or more")


def _check_states(language: Machine) -> None:
    """Every state is led to, has rules, and can come to an end."""
    by_state: dict[str, list[Rule]] = {}
    for rule in language.rules:
        by_state.setdefault(rule.state, []).append(rule)
    if language.start not in by_state:
        raise InputError(
            f"{language.title}: no rule starts from {printable(language.start)}, where strings "
            "begin; give one."
        )
    for rule in language.rules:
        if rule.to != END and rule.to not in by_state:
            raise wrong(language, rule, f"no rule starts from {printable(rule.to)}; give one")
    reached, left = {language.start}, [language.start]
    while left:
        for rule in by_state[left.pop()]:
            if rule.to != END and rule.to not in reached:
                reached.add(rule.to)
                left.append(rule.to)
    for rule in language.rules:
        if rule.state not in reached:
            state = printable(rule.state)
            raise wrong(language, rule, f"nothing leads to {state} from the start; drop its rules")
    ending = {rule.state for rule in language.rules if rule.to == END}
    while True:
        more = {r.state for r in language.rules if r.to in ending} - ending
        if not more:
            break
        ending |= more
    for rule in language.rules:
        if rule.state not in ending:
            state = printable(rule.state)
            raise wrong(language, rule, f"no string ends after {state}; lead from there to an end")


def _configurations(language: Machine) -> Iterator[Configuration]:
    """Configurations that can be: the nearest, then those along random walks, each once."""
    seen = {language.beginning}
    left = deque(seen)
    while left and len(seen) < CONFIGURATIONS:
        here = left.popleft()
        yield here
        for option in language.options(here):
            if option.to.state != END and option.to not in seen:
                seen.add(option.to)
                left.append(option.to)
    yield from left
    random = Random(0)
    for _ in range(WALKS if len(seen) >= CONFIGURATIONS else 0):
        here = language.beginning
        for _ in range(WALK_STEPS):
            options = [o for o in language.options(here) if o.to.state != END]
            if not options:
                break
            here = random.choice(options).to
            if here not in seen:
                seen.add(here)
                yield here


def check_configuration(language: Machine, here: Configuration) -> None:
    """Raise if the rules are at odds here; a language is checked at most of what is near its
    beginning, and some lies beyond."""
    names = zip(language.counters, here.counters, strict=True)
    values = ", ".join(f"{printable(name)} = {value}" for name, value in names)
    where = f"in {printable(here.state)}" + (f" with {values}" if values else "")
    low = next((name for name, v in zip(language.counters, here.counters, strict=True) if v < 0), 0)
    if low:
        raise RulesAtOdds(
            f"{_heading(language, here)}{printable(str(low))} falls below 0, {where}; add a "
            "condition that keeps it at 0 or more."
        )
    options = language.options(here)
    symbols = [option.symbol for option in options]
    twice = next((symbol for symbol in symbols if symbols.count(symbol) > 1), None)
    if twice is not None:
        raise RulesAtOdds(
            f"{_heading(language, here, twice)}{where} two rules emit {printable(twice)}; leave "
            "one of them, or part them by conditions."
        )
    total = sum((option.chance for option in options), Fraction(0))
    if total != 1:
        raise RulesAtOdds(
            f"{_heading(language, here)}{where} the chances sum to {total}, not 1; correct the "
            f"rules of {printable(here.state)}."
        )


def wrong(language: Machine, rule: Rule, what: str) -> InputError:
    place = language.places.get(rule, f"{language.title}: ")
    return InputError(f"{place}the rule {rule_text(rule)}: {what}.")


def _heading(language: Machine, here: Configuration, symbol: str | None = None) -> str:
    """Where the rules of a configuration are written, those that emit the symbol if one is given;
    or what the language is called."""
    lines = [
        place
        for rule, place in language.places.items()
        if rule.state == here.state and symbol in (None, rule.symbol)
    ]
    numbers = [place.removeprefix("line ").rstrip(": ") for place in lines]
    if len(numbers) < 2:
        return lines[0] if lines else f"{language.title}: "
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}: "
