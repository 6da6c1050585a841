"""The paper's tasks and five that followed it, with their training sets and test sets.

With seed 100 the training and test sets are the paper's own, string for string. Test sets come in
parts, so that two million characters are never in memory at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

from .. import languages, machines, zoo
from ..corpus import Corpus
from ..errors import InputError
from ..expressions import Expression
from ..machines import Machine, Transducer, pairs, random_from
from ._expression_machine import slug
from ._grammar import Grammar, short_strings
from ._language import Language, Rules
from ._longer import in_parts, longer_sequences, longer_strings
from ._productions import Nonterminal, Production

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
Rights = dict[str, list[tuple[str, str]]]
"""For each nonterminal its right sides with their chances; all other words are symbols."""
ARITHMETIC: Rights = {
    "S": [("( E + E )", "1")],
    "E": [("1", "0.67"), ("( E + E )", "0.33")],
}
ANBN: Rights = {
    "S": [("a X b", "1")],
    "X": [("a X b", "0.7"), ("", "0.3")],
}
THIRD = Fraction(1, 3)
"""The chance of opening a bracket in the Dyck languages of Abudy and others (2025)."""
TOY_ENGLISH: Rights = {
    "S": [("NP VP", "1")],
    "NP": [("N", "0.75"), ("N RC", "0.25")],
    "RC": [("NP Vtr", "1")],
    "VP": [("Vtr NP", "0.34"), ("Vi", "0.33"), ("Vcp S", "0.33")],
    "N": [("dogs", "1")],
    "Vtr": [("chase", "1")],
    "Vi": [("sleep", "1")],
    "Vcp": [("think_that", "1")],
}
MOST_DIGITS = 18
"""Of a size behind the name of a task; what is longer is no size."""
Longer = Callable[[Any, Corpus, int], Iterator[Corpus]]
"""A test set in parts, given the rules, the training set and the seed."""


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
    language: Machine | Grammar | Expression, training: Corpus, seed: int, size: int = TEST_STRINGS
) -> Iterator[Corpus]:
    """The strings that follow the training strings in the same stream."""
    random = random_from(seed)
    language.samples(random, training.sequences)
    return in_parts(iter(language.samples(random, size)))


def _larger_numbers(language: Transducer, training: Corpus, seed: int) -> Iterator[Corpus]:
    """All pairs of numbers just above those of the training pairs."""
    first = round(training.sequences**0.5) + 1
    yield language.corpus(pairs(NUMBERS_BEYOND, first))


def _every_short(longest: int, grammar: Grammar) -> Iterator[Corpus]:
    """Every string up to a length, as often as its probability says."""
    chances = short_strings(grammar, longest)
    counts = [max(1, round(WEIGHT * chance)) for chance in chances.values()]
    yield Corpus.from_strings(list(chances), counts)


def _grammar(name: str, title: str, rules: Rights) -> Grammar:
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


def _task(
    rules: Machine | Grammar | Transducer, longer: Longer, sizes: tuple[int, ...], **more: Any
) -> Language:
    tests = partial(longer, rules)
    return Language(
        rules.name, rules.title, rules, sizes=sizes, task=rules.name, longer=tests, **more
    )


def _counting(rules: Machine) -> Language:
    return _task(rules, _longer, (100, 500), of_paper=True)


def _later(rules: Machine, longer: Longer, **more: Any) -> Language:
    """A task of Abudy, Well, Chemla, Katzir and Lan (2025), with their test set."""
    return _task(rules, longer, (500,), **more)


def _anbn_pcfg() -> Language:
    draw = _grammar("anbn_pcfg", "a^n b^n", ANBN).samples
    return _later(replace(languages.anbn(), name="anbn_pcfg", draw=draw), _longer)


def _dyck_pcfg(kinds: int, **more: Any) -> Language:
    rules = languages.dyck(kinds, THIRD)
    rules = replace(rules, name=f"{rules.name}_pcfg", title=f"{rules.title}, p = 1/3")
    return _later(rules, drawn_on, **more)


def _weighted(name: str, title: str, rules: Rights, longest: int) -> Language:
    grammar = _grammar(name, title, rules)
    machine = replace(grammar.machine(), draw=grammar.samples)
    return _later(machine, partial(_all_short, longest, grammar), weighted=True)


def _all_short(
    longest: int, grammar: Grammar, machine: Rules, training: Corpus, seed: int
) -> Iterator[Corpus]:
    return _every_short(longest, grammar)


class Tasks(Mapping[str, Language]):
    """Tasks by name, each built when it is asked for."""

    def __init__(self, builders: Mapping[str, Callable[[], Language]]) -> None:
        self._builders = {name: cache(builder) for name, builder in builders.items()}

    def __getitem__(self, name: str) -> Language:
        return self._builders[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._builders

    def __iter__(self) -> Iterator[str]:
        return iter(self._builders)

    def __len__(self) -> int:
        return len(self._builders)


_OF_PAPER: dict[str, Callable[[], Language]] = {
    "anbn": lambda: _counting(languages.anbn()),
    "anbncn": lambda: _counting(languages.anbncn()),
    "anbncndn": lambda: _counting(languages.anbncndn()),
    "anb2n": lambda: _counting(languages.anb2n()),
    "anbmcnm": lambda: _task(languages.anbmcnm(), _longer_pairs, (100, 500), of_paper=True),
    "dyck1": lambda: _task(languages.dyck(1), drawn_on, (100, 500), of_paper=True),
    "dyck2": lambda: _task(
        languages.dyck(2), drawn_on, (20_000,), optimum=zoo.dyck2, of_paper=True,
        further_activations=("mod3",), products=True,
    ),
    "addition": lambda: _task(machines.addition(), _larger_numbers, (100, 400), of_paper=True),
}  # fmt: skip
_LATER: dict[str, Callable[[], Language]] = {
    "anbn_pcfg": _anbn_pcfg,
    "dyck1_pcfg": lambda: _dyck_pcfg(1),
    "dyck2_pcfg": lambda: _dyck_pcfg(2, further_activations=("mod3",), products=True),
    "arithmetic": lambda: _weighted("arithmetic", "arithmetic syntax", ARITHMETIC, 40),
    "toy_english": lambda: _weighted("toy_english", "toy English", TOY_ENGLISH, 20),
}
EVERY_TASK = Tasks({**_OF_PAPER, **_LATER})
"""The paper's tasks, and those of Abudy and others (2025). Their a^n b^n and Dyck languages are
drawn otherwise than those of the earlier paper, and are tested as those are; their a^n b^n c^n is
the earlier one."""
TASKS = Tasks({name: partial(EVERY_TASK.__getitem__, name) for name in _OF_PAPER})
"""The paper's."""
OWN_TEST_STRINGS = 5_000
"""Of a language of one's own that has no longer strings than those of its training set."""


def language_of(rules: Rules, **more: Any) -> Language:
    """The language of some rules, trained on strings drawn from it and tested on longer ones."""
    if isinstance(rules, Transducer):
        longer: Longer = _longer_sequences
    else:
        rules, longer = with_machine(rules), _longer_own
    return Language(name_of(rules), rules.title, rules, longer=partial(longer, rules), **more)


def name_of(rules: Rules) -> str:
    return slug(rules.title) if isinstance(rules, Expression) else rules.name


def with_machine(rules: Machine | Grammar | Expression) -> Machine | Grammar | Expression:
    """The machine of a grammar, where there is one; its strings are drawn as the grammar draws."""
    if isinstance(rules, Machine | Expression):
        return rules
    try:
        return replace(rules.machine(), draw=rules.samples)
    except InputError:
        return rules


def _longer_own(
    language: Machine | Grammar | Expression, training: Corpus, seed: int
) -> Iterator[Corpus]:
    """Longer strings, or where there are none, others that follow in the same stream."""
    found = False
    for part in in_parts(longer_strings(language, training, seed)):
        found = True
        yield part
    if not found:
        yield from drawn_on(language, training, seed, OWN_TEST_STRINGS)


def _longer_sequences(language: Transducer, training: Corpus, seed: int) -> Iterator[Corpus]:
    yield longer_sequences(language, seed)


def split_size(name: str) -> tuple[str, int | None]:
    """anbn_100 is anbn with its training size; anbn has none."""
    stem, _, suffix = name.rpartition("_")
    sized = stem in EVERY_TASK and suffix.isdecimal() and len(suffix) <= MOST_DIGITS
    return (stem, int(suffix)) if sized else (name, None)
