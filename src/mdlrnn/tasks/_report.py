"""What `test` finds out, as values, and as the table that people read."""

from __future__ import annotations

import math
import textwrap
from typing import Any, NamedTuple

from ..network._text import powers

MEASURES = (
    ("strings", "{}_strings"),
    ("characters", "{}_characters"),
    ("cross-entropy, bits a character", "{}_cross_entropy"),
    ("  optimal", "optimal_{}_cross_entropy"),
    ("deterministic accuracy", "{}_deterministic_accuracy"),
    ("categorical accuracy, margin 0.005", "{}_categorical_accuracy"),
    ("categorical accuracy, margin 0", "{}_categorical_accuracy_at_0"),
    ("strings without a mistake", "{}_string_accuracy"),
)
"""The measures in the order in which they are shown, with their keys in `Report.to_dict`; the first
only where strings are weighted."""
SETS = ("train", "test")
LONGEST = 48
"""Symbols of a string that is shown as it is."""
WIDTH = 80
"""Columns of the table and what stands below it."""


class Failure(NamedTuple):
    """The first place where a network is wrong."""

    string: str
    """The shortest string that it gets wrong, or for addition the two numbers."""
    step: int
    """Symbols read before the mistake, not counting the boundary."""
    expected: str
    given: str
    length: int = 0
    """Symbols of the whole string."""


class Measures(NamedTuple):
    """Over one set: bits, and how many steps of each sort were right."""

    characters: int = 0
    bits: float = 0.0
    optimal_bits: float = 0.0
    deterministic_steps: int = 0
    deterministic_right: int = 0
    categorical_right: int = 0
    """Steps where possible symbols get at least epsilon and the others less."""
    strictly_right: int = 0
    """The same with epsilon 0: possible symbols above 0, the others exactly 0."""
    strings: int = 0
    strings_right: int = 0
    """Strings that are right at every step."""

    def plus(self, other: Measures) -> Measures:
        sums: Any = (a + b for a, b in zip(self, other, strict=True))
        return Measures(*sums)


class Weighted(NamedTuple):
    """The strings of a set, each once, and the characters in them."""

    strings: int
    characters: int


class Report(NamedTuple):
    task: str
    size: int
    train: Measures
    test: Measures
    first_failure: Failure | None
    deterministic: bool
    """Whether the task has deterministic steps; Dyck languages have none."""
    title: str
    """Of the task."""
    noun: str = "symbol"
    """What one step is called."""
    has_symbols: bool = True
    """Whether it is about strings, not numbers."""
    weighted: Weighted | None = None
    """Where each string of the test set counts by its probability, what it holds."""

    def to_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"task": self.task, "size": self.size}
        for name, part in (("train", self.train), ("test", self.test)):
            steps = part.characters
            held = (self.weighted if name == "test" else None) or Weighted(part.strings, steps)
            data[f"{name}_strings"], data[f"{name}_characters"] = held
            data[f"{name}_cross_entropy"] = part.bits / steps
            data[f"optimal_{name}_cross_entropy"] = part.optimal_bits / steps
            data[f"{name}_deterministic_accuracy"] = _share(
                part.deterministic_right, part.deterministic_steps
            )
            data[f"{name}_categorical_accuracy"] = (
                _share(part.categorical_right, steps) if self.has_symbols else None
            )
            data[f"{name}_categorical_accuracy_at_0"] = (
                _share(part.strictly_right, steps) if self.has_symbols else None
            )
            data[f"{name}_string_accuracy"] = _share(part.strings_right, part.strings)
        failure = self.first_failure
        data["first_failure"] = None if failure is None else failure._asdict()
        return data

    def rows(self) -> list[tuple[str, str, str]]:
        """A label and a text for both sets, of each measure that there is."""
        data = self.to_dict()
        found = []
        for label, key in MEASURES if self.weighted else MEASURES[1:]:
            train, test = (data[key.format(name)] for name in SETS)
            if train is not None or test is not None:
                entropy = "entropy" in key
                found.append((label, cell_text(train, entropy), cell_text(test, entropy)))
        return found

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.size:,}"

    def verdict(self) -> list[str]:
        """The first mistake, or that there is none, in lines."""
        failure = self.first_failure
        note = ["each string of the test set counts by its probability"] if self.weighted else []
        if failure is None:
            return [*note, "no mistake on any of these strings"]
        shown = failure.string if len(failure.string) <= LONGEST else powers(failure.string)
        read = f"{failure.step} {self.noun}{'' if failure.step == 1 else 's'}"
        return [
            *note,
            f"first mistake: {shown or 'the empty string'}",
            f"  after {read}: expected {failure.expected}",
            f"  given {failure.given}",
        ]

    def __str__(self) -> str:
        """The table that `mdlrnn test` prints."""
        table = [(self.heading, "training", "test"), *self.rows()]
        width = max(12, *(2 + len(text) for _, *texts in table for text in texts))
        lines = [f"{label:<36}{train:>{width}}{test:>{width}}" for label, train, test in table]
        return "\n".join([*lines, "", *map(_filled, self.verdict())])


def _filled(line: str) -> str:
    return textwrap.fill(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def cell_text(value: Any, entropy: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return entropy_text(value) if entropy else f"{100 * value:.2f} %"


def entropy_text(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6f}"


def _share(right: int, all_of: int) -> float | None:
    return right / all_of if all_of else None
