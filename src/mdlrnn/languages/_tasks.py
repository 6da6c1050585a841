"""The paper's tasks and two that followed it: a language or a transducer, its training sets and its
test sets.

With seed 100 the training and test sets are the paper's own, string for string. Test sets come in
parts, so that two million characters are never in memory at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from .. import languages, machines, zoo
from ..checks import is_integer, nearest_name, short
from ..corpus import Corpus
from ..errors import InputError
from ..machines import Machine, Transducer, pairs, random_from
from ..network import BOUNDARY, DEFAULT_ACTIVATIONS, Encoding, Network
from ._grammar import Grammar, short_strings
from ._longer import longer_sequences, longer_strings
from ._productions import Nonterminal, Production

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
WEIGHT = 10**8
"""Strings that a test set stands for whose strings are weighted by their probabilities."""
Rules = dict[str, list[tuple[str, str]]]
"""For each nonterminal its right sides with their chances; all other words are symbols."""
ARITHMETIC: Rules = {
    "S": [("( E + E )", "1")],
    "E": [("1", "0.67"), ("( E + E )", "0.33")],
}
ANBN: Rules = {
    "S": [("a X b", "1")],
    "X": [("a X b", "0.7"), ("", "0.3")],
}
THIRD = Fraction(1, 3)
"""The chance of opening a bracket in the Dyck languages of Abudy and others (2025)."""
TOY_ENGLISH: Rules = {
    "S": [("NP VP", "1")],
    "NP": [("N", "0.75"), ("N RC", "0.25")],
    "RC": [("NP Vtr", "1")],
    "VP": [("Vtr NP", "0.34"), ("Vi", "0.33"), ("Vcp S", "0.33")],
    "N": [("dogs", "1")],
    "Vtr": [("chase", "1")],
    "Vi": [("sleep", "1")],
    "Vcp": [("think_that", "1")],
}
LARGEST = 10_000_000
"""Strings in a training set; more would take gigabytes."""
MOST_DIGITS = 18
"""Of a size behind the name of a task; what is longer is no size."""


@dataclass(frozen=True)
class Task:
    name: str
    title: str
    sizes: tuple[int, ...]
    """Training sizes of the paper."""
    language: Machine | Grammar | Transducer
    tests: Callable[[Corpus, int], Iterator[Corpus]]
    """The test set in parts, given the training set and the seed."""
    optimum: Callable[[], Network] | None = None
    """A network whose score the paper takes as the optimum, instead of the true distribution's."""
    further_activations: tuple[str, ...] = ()
    """Those that the paper allows for this task alone."""
    products: bool = False
    """Whether it allows product units."""
    weighted: bool = False
    """Whether its test set has strings once each, weighted by their probabilities."""

    @property
    def size(self) -> int:
        return self.sizes[-1]

    def strings(self, size: int | None = None, seed: int = SEED) -> list[Any]:
        """Training strings; of a grammar over words, tuples of words."""
        return list(self.language.sample(self.checked_size(size), seed))

    def training(self, size: int | None = None, seed: int = SEED) -> Corpus:
        return self.language.training(self.checked_size(size), seed)

    def test(
        self, size: int | None = None, seed: int = SEED, longest: int | None = None
    ) -> Iterator[Corpus]:
        """The test set that goes with a training set, in parts; with `longest`, strings of up to
        about so many symbols."""
        training = self.training(size, seed)
        if longest is None:
            return self.tests(training, seed)
        if isinstance(self.language, Transducer):
            return iter([longer_sequences(self.language, seed, longest)])
        return in_parts(longer_strings(self.language, training, seed, longest))

    def encoding(self, scheme: str = "paper") -> Encoding:
        """The space of networks that the paper searches on this task."""
        return Encoding(scheme, (*DEFAULT_ACTIVATIONS, *self.further_activations), self.products)

    def checked_size(self, size: int | None) -> int:
        """The training size asked for, by default the largest of the paper's."""
        size = self.size if size is None else size
        if not is_integer(size) or not 1 <= size <= LARGEST:
            raise InputError(
                f"the size is {short(size)}; give the number of training strings, 1 to {LARGEST}."
            )
        return size

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes))
        return f"Task({self.name!r}, {self.title}, training sizes {sizes})"


def in_parts(strings: Iterator[Any]) -> Iterator[Corpus]:
    """Strings as corpora of some `PART` characters each."""
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


def _longest_run(training: Corpus, symbols: str) -> int:
    """How often one of the symbols is in a training string at most: the largest n, or m."""
    return max(max(map(string.count, symbols)) for string, _ in training.strings())


def _longer(language: Machine, training: Corpus, seed: int) -> Iterator[Corpus]:
    """The strings of the next n's after the largest in training."""
    assert language.string is not None
    most = _longest_run(training, "a")
    return in_parts(map(language.string, range(most + 1, most + 1 + BEYOND)))


def _longer_pairs(language: Machine, training: Corpus, seed: int) -> Iterator[Corpus]:
    assert language.string is not None
    most = _longest_run(training, "ab")
    values = range(most + 1, most + 1 + PAIRS_BEYOND)
    return in_parts(language.string(n, m) for n in values for m in values)


def drawn_on(
    language: Machine | Grammar, training: Corpus, seed: int, size: int = TEST_STRINGS
) -> Iterator[Corpus]:
    """The strings that follow the training strings in the same stream."""
    random = random_from(seed)
    language.samples(random, training.sequences)
    return in_parts(iter(language.samples(random, size)))


def _larger_numbers(language: Transducer, training: Corpus, seed: int) -> Iterator[Corpus]:
    """All pairs of numbers from the first that no training pair has."""
    first = round(training.sequences**0.5) + 1
    yield language.corpus(pairs(NUMBERS_BEYOND, first))


def _all() -> tuple[Task, ...]:
    counting = (languages.anbn(), languages.anbncn(), languages.anbncndn(), languages.anb2n())
    anbmcnm, dyck1, dyck2 = languages.anbmcnm(), languages.dyck(1), languages.dyck(2)
    addition = machines.addition()
    return (
        *(Task(la.name, la.title, (100, 500), la, partial(_longer, la)) for la in counting),
        Task(anbmcnm.name, anbmcnm.title, (100, 500), anbmcnm, partial(_longer_pairs, anbmcnm)),
        Task(dyck1.name, dyck1.title, (100, 500), dyck1, partial(drawn_on, dyck1)),
        Task(
            dyck2.name, dyck2.title, (20_000,), dyck2, partial(drawn_on, dyck2), zoo.dyck2,
            further_activations=("mod3",), products=True,
        ),
        Task(
            addition.name, addition.title, (100, 400), addition, partial(_larger_numbers, addition)
        ),
    )  # fmt: skip


def string_chance(language: Machine | Grammar, string: Sequence[str]) -> Fraction:
    """The probability of a whole string."""
    found = Fraction(1)
    for place, symbol in enumerate((*string, BOUNDARY)):
        found *= language.next(string[:place]).distribution[symbol]
    return found


def _every_short(longest: int, grammar: Grammar, training: Corpus, seed: int) -> Iterator[Corpus]:
    """Every string up to a length, as often as its probability says."""
    chances = short_strings(grammar, longest)
    counts = [max(1, round(WEIGHT * chance)) for chance in chances.values()]
    yield Corpus.from_strings(list(chances), counts)


def _grammar(name: str, title: str, rules: Rules) -> Grammar:
    productions = [
        Production(
            Nonterminal(left),
            tuple(Nonterminal(word) if word in rules else word for word in right.split()),
            Fraction(chance),
        )
        for left, rights in rules.items()
        for right, chance in rights
    ]
    return Grammar(name, title, Nonterminal("S"), tuple(productions))


def _later() -> tuple[Task, ...]:
    """Of Abudy, Well, Chemla, Katzir and Lan (2025), with their test sets.

    Their a^n b^n and Dyck languages are drawn otherwise than those of the earlier paper, and are
    tested as those are; their a^n b^n c^n is the earlier one.
    """
    anbn = replace(
        languages.anbn(), name="anbn_pcfg", draw=_grammar("anbn_pcfg", "a^n b^n", ANBN).samples
    )
    found = [Task(anbn.name, anbn.title, (500,), anbn, partial(_longer, anbn))]
    for kinds in (1, 2):
        dyck = languages.dyck(kinds, THIRD)
        dyck = replace(dyck, name=f"{dyck.name}_pcfg", title=f"{dyck.title}, p = 1/3")
        found.append(
            Task(
                dyck.name, dyck.title, (500,), dyck, partial(drawn_on, dyck),
                further_activations=("mod3",) if kinds > 1 else (), products=kinds > 1,
            )
        )  # fmt: skip
    for name, title, rules, longest in (
        ("arithmetic", "arithmetic syntax", ARITHMETIC, 40),
        ("toy_english", "toy English", TOY_ENGLISH, 20),
    ):
        grammar = _grammar(name, title, rules)
        machine = replace(grammar.machine(), draw=grammar.samples)
        tests = partial(_every_short, longest, grammar)
        found.append(Task(name, title, (500,), machine, tests, weighted=True))
    return tuple(found)


TASKS = {task.name: task for task in _all()}
"""The paper's."""
LATER_TASKS = {task.name: task for task in _later()}
EVERY_TASK = {**TASKS, **LATER_TASKS}
OWN_TEST_STRINGS = 5_000
"""Of a language of one's own that has no longer strings than those of its training set."""
OWN_SIZE = 500
"""Training strings of a language of one's own where no number is given."""


def task_for(language: Machine | Grammar | Transducer) -> Task:
    """A language as a task: trained on strings drawn from it, tested on longer ones."""
    sizes = (OWN_SIZE,)
    if isinstance(language, Transducer):
        tests = partial(_longer_sequences, language)
        return Task(language.name, language.title, sizes, language, tests)
    known = with_machine(language)
    return Task(known.name, known.title, sizes, known, partial(_longer_own, known))


def with_machine(language: Machine | Grammar) -> Machine | Grammar:
    """The machine of a grammar, where there is one; its strings are drawn as the grammar draws."""
    if isinstance(language, Machine):
        return language
    try:
        return replace(language.machine(), draw=language.samples)
    except InputError:
        return language


def _longer_own(language: Machine | Grammar, training: Corpus, seed: int) -> Iterator[Corpus]:
    """Longer strings, or where there are none, others that follow in the same stream."""
    found = False
    for part in in_parts(longer_strings(language, training, seed)):
        found = True
        yield part
    if not found:
        yield from drawn_on(language, training, seed, OWN_TEST_STRINGS)


def _longer_sequences(language: Transducer, training: Corpus, seed: int) -> Iterator[Corpus]:
    yield longer_sequences(language, seed)


def task_named(name: str) -> Task:
    """The task of that name, with or without a size behind it."""
    stem, _ = split_size(name)
    if stem in EVERY_TASK:
        return EVERY_TASK[stem]
    raise InputError(f"there is no task {short(name)}; {nearest(name)}")


def split_size(name: str) -> tuple[str, int | None]:
    """anbn_100 is anbn with its training size; anbn has none."""
    stem, _, suffix = name.rpartition("_")
    sized = stem in EVERY_TASK and suffix.isdecimal() and len(suffix) <= MOST_DIGITS
    return (stem, int(suffix)) if sized else (name, None)


def nearest(name: str) -> str:
    """What to say to someone who gave a name that no task has."""
    near = nearest_name(name, EVERY_TASK, 0.4)
    return f"did you mean {near}?" if near else f"the tasks are {', '.join(EVERY_TASK)}."


def tasks() -> tuple[Task, ...]:
    """The paper's tasks and two that followed it; each has a name, a title, training sizes and a
    language."""

    return tuple(EVERY_TASK.values())
