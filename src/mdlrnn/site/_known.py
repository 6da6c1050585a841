"""What a language is made of, read off its machine: class, counters, alphabet, first strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from .._errors import InputError
from ..corpus._corpus import Corpus
from ..languages import Affine, Grammar, Language, Transducer
from ..languages._grammar_machine import production_text
from ..network._alphabet import has_words, spelled
from ..network._text import counted
from ..tasks._sources import Source
from ..tasks._tasks import string_chance

FINITE, COUNTER, STACK = "finite-state", "counter", "stack"
NUMBERS, GRAMMAR, UNKNOWN = "transducer", "grammar", "not known"
CLASSES = {
    FINITE: "a machine with states alone",
    COUNTER: "a machine with counters",
    STACK: "a machine that divides a counter: a stack kept as a number",
    NUMBERS: "numbers in, numbers out",
    GRAMMAR: "a grammar for which no machine is known here",
    UNKNOWN: "only strings are known, or nothing",
}
"""Of the machine that the language is written as; another machine may need less."""
FIRST = 8
"""Strings that are shown."""
LONGEST_SHOWN = 60
"""Characters of one of them."""


class Known(NamedTuple):
    kind: str
    """One of `CLASSES`."""
    counters: int | None
    states: int | None
    title: str = ""
    alphabet: tuple[str, ...] = ()
    rules: str = ""
    first: tuple[tuple[str, str], ...] = ()
    """The shortest strings with their probabilities."""


def known_of(source: Source | None) -> Known:
    if source is None or source.task is None:
        return Known(UNKNOWN, None, None)
    language = source.task.language
    if isinstance(language, Transducer):
        states = {step.state for step in language.transitions}
        return Known(NUMBERS, 0, len(states), language.title, (), _text(language))
    first = tuple(_first(language))
    if isinstance(language, Grammar):
        rules = "\n".join(map(production_text, language.productions))
        return Known(GRAMMAR, None, None, language.title, language.alphabet, rules, first)
    return Known(
        class_of(language), len(language.counters), states_of(language), language.title,
        language.alphabet, _text(language), first,
    )  # fmt: skip


def class_of(machine: Language) -> str:
    if not machine.counters:
        return FINITE
    updates = (value for rule in machine.rules for _, value in rule.then)
    return STACK if any(_divides(value) for value in updates) else COUNTER


def states_of(machine: Language) -> int:
    return len({rule.state for rule in machine.rules})


def _divides(value: Affine | int) -> bool:
    return isinstance(value, Affine) and value.divisor != 1


def _text(machine: Language | Transducer) -> str:
    """The rules without the title, which stands above them."""
    return "\n".join(machine.to_text().splitlines()[1:])


def _first(language: Language | Grammar) -> Iterator[tuple[str, str]]:
    try:
        for string in language.shortest(FIRST):
            chance = string_chance(language, string)
            yield string_text(language.spelled(string)), chance_text(chance)
    except InputError:
        return  # a grammar whose strings take too long


def chance_text(chance: Fraction) -> str:
    exact = f"{chance} = " if chance.denominator < 10**7 else ""
    return f"{exact}{float(chance):.6g}"


def string_text(text: str) -> str:
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]}… ({len(text):,} characters)"
    return text or "(empty)"


class Strings(NamedTuple):
    """A corpus to look at."""

    summary: str
    rows: tuple[tuple[str, str], ...] = ()
    """The shortest strings with how often they are there."""


def strings_of(corpus: Corpus) -> Strings:
    if corpus.alphabet is None:
        return Strings(
            f"{corpus.sequences:,} sequences of numbers, {corpus.characters:,} steps in all"
        )
    words = has_words(corpus.alphabet)
    counts = [(string, count) for string, count in corpus.strings()]
    longest = max((len(string) for string, _ in counts), default=0)
    rows = tuple((string_text(spelled(s, words)), f"{n:,}") for s, n in counts[:FIRST])
    return Strings(
        f"{counted(corpus.sequences, 'string')}, {len(counts):,} of them distinct, the longest of "
        f"{counted(longest, 'symbol')}",
        rows,
    )


def symbols_text(alphabet: Iterable[str]) -> str:
    return " ".join(alphabet)
