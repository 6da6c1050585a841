"""What was understood of a source: its rules, first strings, entropy, and what can be proved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import InputError, printable
from ..expressions import Expression
from ..languages import Grammar, Language, Mean, Means, language_from, means_of, rules_text
from ..machines import AnyMachine, Machine, Transducer
from ..network import powers
from ._text import terminal_width

FIRST = 8
"""Strings that are shown."""


ASSUMED = (
    "Its chances were not given: 3/10 to stop and equally likely alternatives are assumed, and a "
    'proof that a network is right does not ask for them. ", stop 1/2" behind it gives a chance.'
)


@dataclass(frozen=True)
class Description:
    """A language in words and numbers; `str` is what `mdlrnn language` prints."""

    title: str
    kind: str
    """strings, numbers"""
    alphabet: tuple[str, ...] | None
    machine: AnyMachine | None
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
    entropy_obstacle: str | None = None
    """Why there is no entropy, if there is none."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "kind": self.kind,
            "alphabet": self.alphabet,
            "states": None if self.machine is None else len(self.machine.states),
            "counters": list(getattr(self.machine, "counters", ())),
            "rules": self.rules,
            "first_strings": [[string, str(chance)] for string, chance in self.first],
            "entropy": self.entropy,
            "entropy_error": self.entropy_error,
            "entropy_obstacle": self.entropy_obstacle,
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
            chances = [chance_text(chance) for _, chance in self.first]
            room = terminal_width() - 4 - max(map(len, chances))
            shown = [self._fitted(string, room) for string, _ in self.first]
            width = max(7, *map(len, shown))
            lines += [
                f"  {string:<{width}}  {chance}"
                for string, chance in zip(shown, chances, strict=True)
            ]
        if self.entropy is not None and self.length is not None:
            lines += [
                "",
                f"entropy {Mean(self.entropy, self.entropy_error).text(4)} bits a string, "
                f"mean length {Mean(self.length, self.length_error).text(1)} symbols",
            ]
        if self.entropy_obstacle is not None:
            lines += ["", f"No entropy is given: {self.entropy_obstacle}."]
        if isinstance(self.machine, Machine) and self.machine.assumed:
            lines += ["", ASSUMED]
        lines += ["", self.proof_text()]
        return "\n".join(lines)

    def _fitted(self, string: str, room: int) -> str:
        """The string in so many columns: with powers, and then cut, where it is longer."""
        text = _string_text(string)
        if len(text) > room and self.alphabet is not None and not {" ", "^"} & {*self.alphabet}:
            text = printable(powers(string))
        return text if len(text) <= room else f"{text[: room - 3]}..."

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


def language(given: object, *, size: int | None = None, words: bool = False) -> Language:
    """The language that is meant by a notation ('a^n b^n'), the name of a task ('anbn'), a file of
    rules or of strings, a machine, a grammar, a `Corpus` or a list of strings.

    `size` is how many strings it is trained on. With `words`, the symbols of plain strings are
    words between blanks.
    """
    return language_from(given, size=size, words=words)


def describe(source: object) -> Description:
    """What a task, a notation, a language file or a grammar stands for."""
    known = language_from(source)
    if known.rules is None:
        raise InputError(
            f"{known.name} holds strings of a language that is not written down; give a task, a "
            'notation such as "a^n b^n", a language file or a grammar.'
        )
    language = known.rules
    machine = known.machine
    if isinstance(language, Transducer):
        text = language.to_text()
        return Description(language.title, "numbers", None, language, text)
    obstacle = None
    if isinstance(language, Machine):
        rules = language.to_text()
    else:
        rules = rules_text(language)
        obstacle = known.obstacle
    means, why = _means(language)
    (entropy, error), (length, length_error) = means or ((None, None), (None, None))
    return Description(
        language.title, "strings", language.alphabet, machine, rules,
        tuple(_first(language)), entropy, error, length, length_error, obstacle,
        why,
    )  # fmt: skip


def _first(language: Machine | Grammar | Expression) -> list[tuple[str, Fraction]]:
    return [
        (language.spelled(string), language.probability(string))
        for string in language.shortest(FIRST)
    ]


def _means(language: Machine | Grammar | Expression) -> tuple[Means | None, str | None]:
    """Entropy and length, or why not: strings are too long to draw, or to ask a grammar for their
    probabilities."""
    try:
        return means_of(language), None
    except InputError as error:
        return None, str(error).partition(";")[0].rstrip(".")
