"""What rules are and whether they make a machine: rules as values and as lines of a language file,
as in `A: b 3/10 if n > 0 -> B, k = 3n - 1`; what is wrong with them is said once, when they are put
together.

An expression or a condition has its value `at` counters by name; `reader` makes a function of the
counters in order of it, for machines that step often.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ..checks import short
from ..errors import InputError, printable
from ..limits import RULES, check_size
from ..network import BOUNDARY, has_words

if TYPE_CHECKING:
    from ._machine import Configuration, Machine

Counters = tuple[int, ...]

START = "start"
END = "end"
"""Where the rule that emits the boundary symbol leads."""


@dataclass(frozen=True)
class Affine:
    """constant + sum of coefficient · counter, divided by `divisor` (exactly, where it applies)."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0
    divisor: int = 1

    def __add__(self, constant: int) -> Affine:
        return Affine(self.terms, self.constant + constant, self.divisor)

    def __sub__(self, constant: int) -> Affine:
        return self + -constant

    def __rmul__(self, factor: int) -> Affine:
        return Affine(tuple((name, factor * c) for name, c in self.terms), factor * self.constant)

    def __floordiv__(self, divisor: int) -> Affine:
        return Affine(self.terms, self.constant, divisor)

    def at(self, values: Mapping[str, int]) -> int:
        """Its value where the counters have these."""
        return (self.constant + sum(f * values[name] for name, f in self.terms)) // self.divisor

    def reader(self, names: Sequence[str]) -> Callable[[Counters], int]:
        """Its value as a function of the counters in this order."""
        constant, divisor = self.constant, self.divisor
        terms = [(names.index(name), factor) for name, factor in self.terms]
        if len(terms) == 1 and divisor == 1:
            ((place, factor),) = terms
            if (factor, constant) == (1, 0):
                return itemgetter(place)
            return lambda counters: factor * counters[place] + constant
        return lambda counters: (constant + sum(f * counters[i] for i, f in terms)) // divisor

    @property
    def zero(self) -> Condition:
        return Condition(self, "=")

    @property
    def positive(self) -> Condition:
        return Condition(self, ">")

    def ends_in(self, digit: int, base: int) -> Condition:
        """Whether the last digit in that base is this one."""
        return Condition(self, "mod", digit, base)


def counter(name: str) -> Affine:
    return Affine(((name, 1),))


@dataclass(frozen=True)
class Condition:
    """expression = 0, expression > 0, or expression mod base = digit."""

    expression: Affine
    relation: str
    digit: int = 0
    base: int = 1

    def allows(self, value: int) -> bool:
        """Whether it holds where the expression has this value."""
        if self.relation == "mod":
            return value % self.base == self.digit
        return value == 0 if self.relation == "=" else value > 0

    def at(self, values: Mapping[str, int]) -> bool:
        """Whether it holds where the counters have these values."""
        return self.allows(self.expression.at(values))

    def reader(self, names: Sequence[str]) -> Callable[[Counters], bool]:
        """Whether it holds, as a function of the counters in this order."""
        value, digit, base = self.expression.reader(names), self.digit, self.base
        if self.relation == "mod":
            return lambda counters: value(counters) % base == digit
        if self.relation == "=":
            return lambda counters: value(counters) == 0
        return lambda counters: value(counters) > 0


@dataclass(frozen=True)
class Rule:
    state: str
    symbol: str
    to: str = END
    chance: Fraction = Fraction(1)
    when: tuple[Condition, ...] = ()
    then: tuple[tuple[str, Affine | int], ...] = ()
    """New values of counters; a counter that is not named keeps its value."""

    @property
    def asked(self) -> set[str]:
        """The counters that its conditions speak of."""
        return {name for condition in self.when for name, _ in condition.expression.terms}

    @property
    def used(self) -> set[str]:
        """The counters that its new values are made of."""
        values = (value for _, value in self.then if isinstance(value, Affine))
        return {name for value in values for name, _ in value.terms}

    def enabled(self, values: Mapping[str, int]) -> bool:
        """Whether all that it asks for holds where the counters have these values."""
        return all(condition.at(values) for condition in self.when)

    def after(self, values: Mapping[str, int]) -> dict[str, int]:
        """The counters after it, by those before it."""
        return {**values, **{name: at(value, values) for name, value in self.then}}


def at(value: Affine | int, values: Mapping[str, int]) -> int:
    """What a counter is set to where the counters have these values."""
    return value if isinstance(value, int) else value.at(values)


def reader(value: Affine | int, names: Sequence[str]) -> Callable[[Counters], int]:
    return (lambda counters: value) if isinstance(value, int) else value.reader(names)


NAME = r"[^\W\d]\w*"
_PLAIN_STATE = re.compile(r"[\w.'-]+( [\w.'-]+)*")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_CHANCE = re.compile(r"\d+/\d+|\d*\.\d+|\d+")
_LINE = re.compile(rf"\s*(?P<state>{_QUOTED}|[^:\"]+?)\s*:\s*(?P<rest>.*?)\s*")
_SYMBOL = re.compile(rf"(?P<symbol>{_QUOTED}|\S+)(?:\s+(?P<rest>.*))?")
_TOKEN = re.compile(rf"\s*(?:(?P<number>\d+)|(?P<name>{NAME})|(?P<other>//|<=|>=|!=|[-+*/()=<>]))")
LONGEST_NUMBER = 40
"""Digits of a number in a rule."""


# Writing


def rule_text(rule: Rule) -> str:
    """The rule as a line."""
    text = f"{state_text(rule.state)}: {symbol_text(rule.symbol)}"
    if rule.chance != 1:
        text += f" {rule.chance}"
    if rule.when:
        text += " if " + " and ".join(map(condition_text, rule.when))
    if rule.to != END:
        updates = "".join(f", {name} = {expression_text(value)}" for name, value in rule.then)
        text += f" -> {state_text(rule.to)}{updates}"
    return text


def state_text(state: str) -> str:
    return state if _PLAIN_STATE.fullmatch(state) else json.dumps(state)


def symbol_text(symbol: str) -> str:
    """As it is, unless it would be read as something else."""
    taken = symbol in ("if", "->", "/") or '"' in symbol or any(map(str.isspace, symbol))
    return json.dumps(symbol) if taken or not symbol.isprintable() else symbol


def expression_text(value: Affine | int) -> str:
    if isinstance(value, int):
        return str(value)
    text = ""
    for name, factor in value.terms:
        sign = "-" if factor < 0 else "+"
        size = "" if abs(factor) == 1 else str(abs(factor))
        text += f" {sign} {size}{name}" if text else f"{'-' if factor < 0 else ''}{size}{name}"
    if value.constant or not text:
        sign = "-" if value.constant < 0 else "+"
        text = f"{text} {sign} {abs(value.constant)}" if text else str(value.constant)
    if value.divisor == 1:
        return text
    return f"{text} // {value.divisor}" if " " not in text else f"({text}) // {value.divisor}"


def condition_text(condition: Condition) -> str:
    expression = condition.expression
    if condition.relation == "mod":
        text = expression_text(expression)
        text = f"({text})" if " " in text else text
        return f"{text} mod {condition.base} = {condition.digit}"
    if expression.divisor == 1 and expression.terms:
        terms, constant, relation = expression.terms, -expression.constant, condition.relation
        if relation == ">" and all(factor < 0 for _, factor in terms):
            terms = tuple((name, -factor) for name, factor in terms)
            constant, relation = -constant, "<"
        return f"{expression_text(Affine(terms))} {relation} {constant}"
    return f"{expression_text(expression)} {condition.relation} 0"


# Reading


class Split(NamedTuple):
    """The parts of a line, not yet looked at."""

    state: str
    rest: str


def split_line(line: str) -> Split:
    match = _LINE.fullmatch(line)
    if match is None or not match["rest"]:
        raise InputError(
            f"{short(line.strip())} is no rule; write STATE: SYMBOL CHANCE -> STATE, such as "
            "A: b 1/2 -> B."
        )
    return Split(_unquoted(match["state"]), match["rest"])


def read_rules(line: str) -> list[Rule]:
    """The rule of a line; a condition with != makes two."""
    state, rest = split_line(line)
    body, arrow, after = _parted(rest, "->")
    head, has_if, conditions = _parted(body, "if")
    match = _SYMBOL.fullmatch(head.strip())
    if match is None:
        raise InputError("there is no symbol after the colon; name one, or # for the end.")
    symbol = _unquoted(match["symbol"])
    chance = _chance(match["rest"])
    to = END
    then: tuple[tuple[str, Affine | int], ...] = ()
    if arrow:
        to, then = _target(after)
    elif symbol != BOUNDARY:
        raise InputError(f"{short(symbol)} leads nowhere; write -> and the state that follows.")
    if has_if and not conditions.strip():
        raise InputError("there is no condition after if; write one, such as n > 0.")
    every = [()] if not has_if else _conditions(conditions)
    return [Rule(state, symbol, to, chance, when, then) for when in every]


def _parted(text: str, word: str) -> tuple[str, bool, str]:
    """What stands before and after a word that stands alone, outside quotes."""
    for match in re.finditer(rf"{_QUOTED}|(?<!\S){re.escape(word)}(?!\S)", text):
        # A symbol comes first, and may be that word itself only in quotes.
        if not match.group().startswith('"'):
            return text[: match.start()], True, text[match.end() :]
    return text, False, ""


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text.strip()
    try:
        found = json.loads(text)
    except ValueError:
        raise InputError(f"{short(text)} is not quoted right; write it as in JSON.") from None
    assert isinstance(found, str)
    return found


def _chance(text: str | None) -> Fraction:
    if text is None or not text.strip():
        return Fraction(1)
    text = text.strip()
    if not _CHANCE.fullmatch(text) or len(text) > 2 * LONGEST_NUMBER:
        raise InputError(
            f"{short(text)} is no chance; write a fraction or decimal, such as 7/10 or 0.7."
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InputError(f"{text} divides by 0; write another chance.") from None


def _target(text: str) -> tuple[str, tuple[tuple[str, Affine | int], ...]]:
    quoted = re.match(rf"\s*({_QUOTED})\s*(?:,|$)", text)
    state, _, updates = (
        (quoted[1], "", text[quoted.end() :]) if quoted else text.strip().partition(",")
    )
    state = _unquoted(state)
    if not state:
        raise InputError("there is no state after ->; name the one that follows.")
    then: list[tuple[str, Affine | int]] = []
    for update in updates.split(",") if updates.strip() else ():
        name, equals, value = update.partition("=")
        if not equals or not re.fullmatch(NAME, name.strip()):
            raise InputError(
                f"{short(update.strip())} is no update; write COUNTER = VALUE, such as n = n + 1."
            )
        if any(name.strip() == other for other, _ in then):
            raise InputError(f"{name.strip()} is set twice; set it once.")
        expression = read_expression(value)
        then.append((name.strip(), expression if expression.terms else _constant(expression)))
    return state, tuple(then)


def _constant(expression: Affine) -> int:
    return expression.constant // expression.divisor


def _conditions(text: str) -> list[tuple[Condition, ...]]:
    """All conditions of a rule; one of them with != makes two alternatives."""
    found: list[tuple[Condition, ...]] = [()]
    for part in re.split(r"\band\b|,", text):
        some = _condition(part)
        found = [(*before, condition) for before in found for condition in some]
    return found


def _condition(text: str) -> list[Condition]:
    modulo = re.fullmatch(r"(.+?)\s+mod\s+(\d{1,9})\s*=\s*(\d{1,9})\s*", text)
    if modulo:
        base, digit = int(modulo[2]), int(modulo[3])
        if not 0 <= digit < base:
            raise InputError(f"no number mod {base} is {digit}; correct the condition.")
        return [Condition(read_expression(modulo[1]), "mod", digit, base)]
    sides = re.split(r"(<=|>=|!=|=|<|>)", text)
    if len(sides) != 3:
        raise InputError(
            f"{short(text.strip())} is no condition; write such as n > 0, n = m or n mod 3 = 1."
        )
    left, relation, right = read_expression(sides[0]), sides[1], read_expression(sides[2])
    more, less = _minus(left, right), _minus(right, left)
    match relation:
        case "=":
            return [Condition(more, "=")]
        case ">":
            return [Condition(more, ">")]
        case "<":
            return [Condition(less, ">")]
        case ">=":
            return [Condition(more + 1, ">")]
        case "<=":
            return [Condition(less + 1, ">")]
        case _:
            return [Condition(more, ">"), Condition(less, ">")]


def _minus(left: Affine, right: Affine) -> Affine:
    if left.divisor != 1 or right.divisor != 1:
        if not right.terms and not right.constant:
            return left
        raise InputError("a condition divides; keep the quotient in a counter and compare that.")
    terms = dict(left.terms)
    for name, factor in right.terms:
        terms[name] = terms.get(name, 0) - factor
    kept = tuple((name, factor) for name, factor in terms.items() if factor)
    return Affine(kept, left.constant - right.constant)


def read_expression(text: str) -> Affine:
    """A sum such as 3n - 1, (n + 1) // 2 or n + 2*m."""
    return _Expression(text).read()


class _Expression:
    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(self.text):
            match = _TOKEN.match(self.text, place)
            if match is None or len(match.group()) > LONGEST_NUMBER:
                raise self.odd()
            kind = match.lastgroup
            assert kind is not None
            self.tokens.append((kind, match[kind]))
            place = match.end()

    def odd(self) -> InputError:
        return InputError(
            f"{short(self.text)} is no value of a counter; write a sum such as 3n - 1 or n // 3."
        )

    def read(self) -> Affine:
        found = self._sum()
        divisor = 1
        if self._next() in (("other", "//"), ("other", "/")):
            self.tokens.pop(0)
            kind, value = self._next()
            if kind != "number" or not int(value):
                raise self.odd()
            self.tokens.pop(0)
            divisor = int(value)
        if self.tokens:
            raise self.odd()
        terms = tuple((name, factor) for name, factor in found.terms if factor)
        return Affine(terms, found.constant, divisor)

    def _next(self) -> tuple[str, str]:
        return self.tokens[0] if self.tokens else ("end", "")

    def _sum(self) -> Affine:
        terms: dict[str, int] = {}
        constant = 0
        sign = 1
        if self._next() == ("other", "-"):
            self.tokens.pop(0)
            sign = -1
        while True:
            part = self._part()
            for name, factor in part.terms:
                terms[name] = terms.get(name, 0) + sign * factor
            constant += sign * part.constant
            if self._next() not in (("other", "+"), ("other", "-")):
                return Affine(tuple(terms.items()), constant)
            sign = 1 if self.tokens.pop(0)[1] == "+" else -1

    def _part(self) -> Affine:
        """A number, a counter, or a number times a counter or a sum in parentheses."""
        kind, value = self._next()
        factor = 1
        if kind == "number":
            factor = int(value)
            self.tokens.pop(0)
            if self._next() == ("other", "*"):
                self.tokens.pop(0)
            elif self._next()[0] != "name" and self._next() != ("other", "("):
                return Affine((), factor)
            kind, value = self._next()
        if kind == "name":
            self.tokens.pop(0)
            return Affine(((value, factor),))
        if (kind, value) == ("other", "("):
            self.tokens.pop(0)
            inner = self._sum()
            if self._next() != ("other", ")"):
                raise self.odd()
            self.tokens.pop(0)
            return factor * inner
        if kind == "number":
            self.tokens.pop(0)
            return Affine((), factor * int(value))
        raise self.odd()


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
    check_size(len(language.rules), RULES, language.title, "rules")
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
    before: dict[str, set[str]] = {}
    for rule in language.rules:
        before.setdefault(rule.to, set()).add(rule.state)
    ending, left = set(before.get(END, ())), list(before.get(END, ()))
    while left:
        more = before.get(left.pop(), set()) - ending
        ending |= more
        left += more
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
