"""What was understood of a source: its rules, first strings, entropy, and what can be proved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .._checks import printable
from .._errors import InputError
from ..languages import Grammar, Language, Transducer
from ..languages._entropy import Mean, Means, means_of
from ..languages._grammar_machine import production_text
from ..tasks._sources import source_from
from ..tasks._tasks import string_chance

FIRST = 8
"""Strings that are shown."""


@dataclass(frozen=True)
class Description:
    """A language in words and numbers; `str` is what `mdlrnn language` prints."""

    title: str
    kind: str
    """strings, numbers"""
    alphabet: tuple[str, ...] | None
    machine: Language | Transducer | None
    rules: str
    """The rules, as the text of a language file, or of a grammar without a machine."""
    first: tuple[tuple[str, Fraction], ...] = ()
    """The shortest strings with their probabilities."""
    entropy: float | None = None
    """Bits a string."""
    entropy_error: float | None = None
    """The standard error where it is estimated; None where it is computed."""
    length: float | None = None
    """Symbols a string, on average."""
    length_error: float | None = None
    obstacle: str | None = None
    """Why nothing can be proved, if nothing can."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "kind": self.kind,
            "alphabet": self.alphabet,
            "states": None if self.machine is None else len(_states(self.machine)),
            "counters": list(getattr(self.machine, "counters", ())),
            "rules": self.rules,
            "first_strings": [[string, str(chance)] for string, chance in self.first],
            "entropy": self.entropy,
            "entropy_error": self.entropy_error,
            "mean_length": self.length,
            "mean_length_error": self.length_error,
            "provable": self.obstacle is None,
            "obstacle": self.obstacle,
        }

    def __str__(self) -> str:
        lines = [self.title, ""]
        lines += [f"  {line}" for line in self.rules.splitlines() if not line.startswith("#")]
        if self.first:
            lines += ["", "the shortest strings and their probabilities"]
            shown = [_string_text(string) for string, _ in self.first]
            width = max(7, *map(len, shown))
            lines += [
                f"  {string:<{width}}  {chance_text(chance)}"
                for string, (_, chance) in zip(shown, self.first, strict=True)
            ]
        if self.entropy is not None and self.length is not None:
            lines += [
                "",
                f"entropy {Mean(self.entropy, self.entropy_error).text(4)} bits a string, "
                f"mean length {Mean(self.length, self.length_error).text(1)} symbols",
            ]
        lines += ["", self.proof_text()]
        return "\n".join(lines)

    def proof_text(self) -> str:
        if self.obstacle is None:
            return "mdlrnn prove can show a network right for all of it."
        return f"Nothing can be proved of it: {self.obstacle}"


def _string_text(string: str) -> str:
    """As a terminal shows it; in quotes where blanks could not be seen."""
    if not string:
        return "(empty)"
    return printable(string) if string == string.strip(" ") else f'"{printable(string)}"'


def chance_text(chance: Fraction) -> str:
    """Exact where it is short."""
    if chance.denominator < 10**7:
        return f"{chance} = {float(chance):.6g}"
    return f"{float(chance):.6g}"


def _states(machine: Language | Transducer) -> set[str]:
    rules = machine.transitions if isinstance(machine, Transducer) else machine.rules
    return {rule.state for rule in rules}


def describe(source: object) -> Description:
    """What a task, a notation, a language file or a grammar stands for."""
    known = source_from(source)
    if known.task is None:
        raise InputError(
            f"{known.name} holds strings of a language that is not written down; give a task, a "
            'notation such as "a^n b^n", a language file or a grammar.'
        )
    language = known.task.language
    machine = known.machine
    if isinstance(language, Transducer):
        text = language.to_text()
        return Description(language.title, "numbers", None, language, text)
    obstacle = None
    if isinstance(machine, Language):
        rules = machine.to_text()
    else:
        assert isinstance(language, Grammar)
        rules = "\n".join(map(production_text, language.productions))
        obstacle = _obstacle(language)
    (entropy, error), (length, length_error) = _means(language) or ((None, None), (None, None))
    return Description(
        language.title, "strings", language.alphabet, machine, rules,
        tuple(_first(language)), entropy, error, length, length_error, obstacle,
    )  # fmt: skip


def _obstacle(grammar: Grammar) -> str:
    try:
        grammar.machine()
    except InputError as error:
        return str(error)
    return ""


def _first(language: Language | Grammar) -> list[tuple[str, Fraction]]:
    return [
        (language.spelled(string), string_chance(language, string))
        for string in language.shortest(FIRST)
    ]


def _means(language: Language | Grammar) -> Means | None:
    """None where strings are too long to draw, or to ask a grammar for their probabilities."""
    try:
        return means_of(language)
    except InputError:
        return None
