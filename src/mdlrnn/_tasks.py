"""The paper's tasks: a language (or addition), its training sets and its test sets.

With seed 100 the training and test sets are the paper's own, string for string. Test sets come in
parts, so that two million characters are never in memory at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from . import languages, zoo
from ._corpus import Corpus
from ._errors import InputError
from ._files import PathLike
from ._network import Network
from ._search import Search
from .languages import Grammar, Language, load_grammar
from .languages._counting import anbmcnm_string

SEED = 100
PART = 250_000
"""Characters of a part of a test set."""
BEYOND = 1_000
"""Values of n in a test set of the counter languages (paper, section 4.3.2)."""
PAIRS_BEYOND = 49
"""Values of n, and of m, in a test set of a^n b^m c^(n+m)."""
TEST_STRINGS = 50_000
"""Strings in a test set of a Dyck language."""
NUMBERS_BEYOND = 250
"""Values of each number in a test set of addition."""
LARGEST = 10_000_000
"""Strings in a training set; more would take gigabytes."""


@dataclass(frozen=True)
class Task:
    name: str
    title: str
    sizes: tuple[int, ...]
    """Training sizes of the paper."""
    language: Language | Grammar | None
    """None for addition, which maps numbers to numbers."""
    unseen: Callable[[list[Any], int], Iterator[Any]] | None = None
    """Test strings, given the training strings and the seed."""
    baseline: Callable[[], Network] | None = None
    """A network whose score the paper takes as the optimum, instead of the true distribution's."""
    further_activations: tuple[str, ...] = ()
    """Those that the paper allows for this task alone."""
    products: bool = False
    """Whether it allows product units."""

    @property
    def size(self) -> int:
        return self.sizes[-1]

    def strings(self, size: int | None = None, seed: int = SEED) -> list[Any]:
        """Training strings; of a grammar over words, tuples of words."""
        if self.language is None:
            raise InputError(f"{self.title} has numbers, not strings; use its training corpus.")
        return list(self.language.sample(self._checked(size), seed))

    def training(self, size: int | None = None, seed: int = SEED) -> Corpus:
        if self.language is None:
            return addition(_numbers(self._checked(size)))
        return Corpus.from_strings(self.strings(size, seed))

    def test(self, size: int | None = None, seed: int = SEED) -> Iterator[Corpus]:
        """The test set that goes with a training set, in parts."""
        if self.language is None:
            first = _numbers(self._checked(size)) + 1
            yield addition(NUMBERS_BEYOND, first)
            return
        assert self.unseen is not None
        strings = self.unseen(self.strings(size, seed), seed)
        part: list[Any] = []
        characters = 0
        for string in strings:
            part.append(string)
            characters += len(string) + 1
            if characters >= PART:
                yield Corpus.from_strings(part)
                part, characters = [], 0
        if part:
            yield Corpus.from_strings(part)

    def extended(self, search: Search) -> Search:
        """The search with the units that the paper allows for this task alone."""
        names = dict.fromkeys((*search.activations, *self.further_activations))
        return replace(search, activations=tuple(names), products=search.products or self.products)

    def _checked(self, size: int | None) -> int:
        size = self.size if size is None else size
        if not 1 <= size <= LARGEST:
            raise InputError(
                f"the size is {size}; give the number of training strings, 1 to {LARGEST}."
            )
        return size


def _numbers(size: int) -> int:
    """Addition trains on all pairs of numbers below this."""
    numbers = math.isqrt(size)
    if numbers**2 != size or numbers < 2:
        raise InputError(
            f"addition has no training set of size {size}; give a square number from 4, "
            "since all pairs of numbers are taken."
        )
    return numbers


def addition(numbers: int, first: int = 0) -> Corpus:
    """All pairs of `numbers` numbers from `first`, least significant bit first, and their sums."""
    largest = 2 * (first + numbers - 1)
    steps = (largest - 1).bit_length() + 1
    values = np.arange(first, first + numbers)
    n, m = (side.ravel() for side in np.meshgrid(values, values, indexing="ij"))
    places = np.arange(steps)
    digits = [(number[:, None] >> places) & 1 for number in (n, m, n + m)]
    return Corpus.from_sequences(np.stack(digits[:2], axis=2), digits[2][:, :, None])


def _longer(unit: Callable[[int], str]) -> Callable[[list[str], int], Iterator[str]]:
    """The strings of the next n's after the largest in training."""

    def unseen(training: list[str], seed: int) -> Iterator[str]:
        most = max(string.count("a") for string in training)
        return map(unit, range(most + 1, most + 1 + BEYOND))

    return unseen


def _longer_pairs(training: list[str], seed: int) -> Iterator[str]:
    most = max(max(string.count("a"), string.count("b")) for string in training)
    values = range(most + 1, most + 1 + PAIRS_BEYOND)
    return (anbmcnm_string(n, m) for n in values for m in values)


def _drawn_on(language: Language | Grammar) -> Callable[[list[Any], int], Iterator[Any]]:
    """The strings that follow the training strings in the same stream."""

    def unseen(training: list[Any], seed: int) -> Iterator[Any]:
        random = np.random.RandomState(seed)
        language.samples(random, len(training))
        return iter(language.samples(random, TEST_STRINGS))

    return unseen


def _all() -> tuple[Task, ...]:
    counting = (
        (languages.anbn(), lambda n: "a" * n + "b" * n),
        (languages.anbncn(), lambda n: "a" * n + "b" * n + "c" * n),
        (languages.anbncndn(), lambda n: "a" * n + "b" * n + "c" * n + "d" * n),
        (languages.anb2n(), lambda n: "a" * n + "b" * 2 * n),
    )
    anbmcnm, dyck1, dyck2 = languages.anbmcnm(), languages.dyck(1), languages.dyck(2)
    return (
        *(Task(la.name, la.title, (100, 500), la, _longer(unit)) for la, unit in counting),
        Task(anbmcnm.name, anbmcnm.title, (100, 500), anbmcnm, _longer_pairs),
        Task(dyck1.name, dyck1.title, (100, 500), dyck1, _drawn_on(dyck1)),
        Task(
            dyck2.name, dyck2.title, (20_000,), dyck2, _drawn_on(dyck2), zoo.dyck2,
            further_activations=("mod3",), products=True,
        ),
        Task("addition", "binary addition", (100, 400), None),
    )  # fmt: skip


TASKS = {task.name: task for task in _all()}


GRAMMAR_SUFFIXES = (".pcfg", ".cfg", ".grammar")
GRAMMAR_SIZE = 500
"""Training strings of a grammar where no number is given."""


def grammar_task(path: PathLike) -> Task:
    """A task of the reader's own: strings drawn from a probabilistic grammar in NLTK's notation."""
    grammar = load_grammar(path)
    return Task(grammar.name, grammar.title, (GRAMMAR_SIZE,), grammar, _drawn_on(grammar))


def task_named(name: str) -> Task:
    """The task of that name."""
    if name in TASKS:
        return TASKS[name]
    raise InputError(f"there is no task {name!r}; {nearest(name)}")


def nearest(name: str) -> str:
    """What to say to someone who gave a name that no task has."""
    near = get_close_matches(name, TASKS, 1, 0.4)
    return f"did you mean {near[0]}?" if near else f"the tasks are {', '.join(TASKS)}."
