"""What was understood of a source: its rules, first strings, entropy, and what can be proved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .._errors import InputError
from ..languages import Grammar, Language, Transducer
from ..languages._grammar_machine import production_text
from ..languages._machine import Symbols
from ..network._alphabet import BOUNDARY
from ..tasks._sources import source_from

FIRST = 8
"""Strings that are shown."""
LOOKED_THROUGH = 3_000
DRAWN = 5_000
"""Strings from which the entropy is estimated."""


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
    first: tuple[tuple[str, Fraction], ...]
    """The shortest strings with their probabilities."""
    entropy: float | None
    """Bits a string, estimated from strings that are drawn."""
    length: float | None
    """Symbols a string, on average, estimated likewise."""
    obstacle: str | None
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
            "mean_length": self.length,
            "provable": self.obstacle is None,
            "obstacle": self.obstacle,
        }

    def __str__(self) -> str:
        lines = [self.title, ""]
        lines += [f"  {line}" for line in self.rules.splitlines() if not line.startswith("#")]
        if self.first:
            lines += ["", "the shortest strings and their probabilities"]
            width = max(len(string) for string, _ in self.first)
            lines += [
                f"  {string or '(empty)':<{max(7, width)}}  {chance_text(chance)}"
                for string, chance in self.first
            ]
        if self.entropy is not None and self.length is not None:
            lines += [
                "",
                f"entropy about {self.entropy:.3f} bits a string, "
                f"length about {self.length:.1f} symbols",
            ]
        lines += ["", self.proof_text()]
        return "\n".join(lines)

    def proof_text(self) -> str:
        if self.obstacle is None:
            return "mdlrnn prove can show a network right for all of it."
        return f"Nothing can be proved of it: {self.obstacle}"


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
        return Description(language.title, "numbers", None, language, text, (), None, None, None)
    obstacle = None
    if isinstance(machine, Language):
        rules = machine.to_text()
    else:
        assert isinstance(language, Grammar)
        rules = "\n".join(map(production_text, language.productions))
        obstacle = _obstacle(language)
    entropy, length = _entropy(language)
    return Description(
        language.title, "strings", language.alphabet, machine, rules,
        tuple(_first(language)), entropy, length, obstacle,
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


def string_chance(language: Language | Grammar, string: Symbols) -> Fraction:
    """The probability of a whole string."""
    found = Fraction(1)
    for place, symbol in enumerate((*string, BOUNDARY)):
        found *= language.next(string[:place]).distribution[symbol]
    return found


def _entropy(language: Language | Grammar) -> tuple[float | None, float | None]:
    """Bits and symbols a string, on average over strings drawn; not for grammars without a machine,
    for which each string takes long."""
    if isinstance(language, Grammar):
        return None, None
    corpus = language.training(DRAWN, seed=0)
    bits = language.optimal(corpus)
    if math.isinf(bits):
        return None, None
    return bits / corpus.sequences, corpus.characters / corpus.sequences - 1
