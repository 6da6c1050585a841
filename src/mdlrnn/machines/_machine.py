"""A language as a probabilistic machine over counters: written once, everything follows from it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.random import RandomState

from ..checks import is_integer, short
from ..corpus import Corpus
from ..errors import InputError, printable
from ..files import PathLike, save
from ..limits import COUNTER_BITS, DRAWN_LENGTH, check_size
from ..network import BOUNDARY, has_words, spelled
from ._rules import END, START, Rule, check_language, counter, reader, rule_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 0.005
"""The paper's: a probability below it is taken for nothing."""


def is_mistake(chances: Sequence[Fraction], given: Sequence[float]) -> bool:
    """Whether a step is wrong, by the one rule that holds everywhere.

    It is if an impossible symbol gets the margin or more; or a possible one less than the margin,
    or than half its true chance where that is less; or the only possible one is not on top.
    """
    least = [min(MARGIN, float(chance) / 2) for chance in chances]
    for chance, low, p in zip(chances, least, given, strict=True):
        if (p < low) if chance else (p >= MARGIN):
            return True
    if sum(1 for chance in chances if chance) > 1:
        return False
    sure = next(p for chance, p in zip(chances, given, strict=True) if chance)
    return any(p >= sure for chance, p in zip(chances, given, strict=True) if not chance)


def mistakes(chances: NDArray[np.float64], given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """`is_mistake` for many steps, (step, target); where nothing is possible all is wrong."""
    possible = chances > 0
    low = np.minimum(MARGIN, chances / 2)
    wrong: NDArray[np.bool_] = np.any(np.where(possible, given < low, given >= MARGIN), axis=1)
    wrong |= is_sure(possible) & ~leads(possible, given)
    return wrong | ~possible.any(axis=1)


def is_sure(possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether one outcome only is possible."""
    found: NDArray[np.bool_] = possible.sum(axis=1) == 1
    return found


def leads(possible: NDArray[np.bool_], given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether every possible outcome gets more than every impossible one.

    To share the top with another is not enough.
    """
    low = np.where(possible, given, np.inf).min(axis=1)
    found: NDArray[np.bool_] = low > np.where(possible, -1.0, given).max(axis=1)
    return found


class Truth(NamedTuple):
    chances: NDArray[np.float64]
    """(node, target): the true probability of what follows; all 0 off the language."""
    optimal_bits: float
    """|D:G| under the true distribution."""
    ends: NDArray[np.bool_]
    """For each item of the corpus whether a string or sequence ends with it."""

    @property
    def possible(self) -> NDArray[np.bool_]:
        """(node, target): what can follow."""
        return self.chances > 0

    @property
    def deterministic(self) -> bool:
        """Whether there are steps after which one outcome only is possible."""
        return bool(np.any(is_sure(self.possible)))


class Phased(Protocol):
    """A language whose prefixes fall into a short list of situations."""

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]: ...

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float: ...


def truth_of_strings(language: Phased, corpus: Corpus) -> Truth:
    found, kinds = language.phases(corpus)
    assert corpus.alphabet is not None
    # The last row is for what is off the language, numbered -1: nothing can follow.
    chances = np.zeros((len(kinds) + 1, len(corpus.alphabet)))
    for number, kind in enumerate(kinds):
        chances[number] = [float(kind.distribution.get(s, 0)) for s in corpus.alphabet]
    return Truth(
        chances[found],
        language.cost(corpus, found, kinds),
        corpus.item_target == corpus.alphabet.index(BOUNDARY),
    )


SEEDS = 2**32
"""NumPy's older generator, the paper's, takes a seed below this."""


def random_from(seed: int) -> RandomState:
    """The generator that the paper's training sets are drawn from."""
    if not is_integer(seed) or not 0 <= seed < SEEDS:
        raise InputError(f"the seed is {short(seed)}; give a number from 0 to {SEEDS - 1}.")
    return RandomState(seed)


class Draw:
    """Draws 0, 1, ... with given chances: what `RandomState.choice` would draw from the same
    stream, without its checks, which take most of its time."""

    def __init__(self, chances: Sequence[float]) -> None:
        sums = np.array(chances, dtype=float).cumsum()
        self._sums: list[float] = (sums / sums[-1]).tolist()

    def __call__(self, random: RandomState) -> int:
        return bisect_right(self._sums, random.random_sample())


class Strings(ABC):
    """A probabilistic language whose strings are made of symbols."""

    title: str
    noun: ClassVar[str] = "symbol"
    """What one step of a string is called."""
    most_prefixes: ClassVar[int]
    """How many prefixes `shortest` looks at."""

    @property
    @abstractmethod
    def alphabet(self) -> tuple[str, ...]:
        """The boundary symbol and the others, in order."""

    @abstractmethod
    def strings(self, most_prefixes: int | None = None) -> Iterator[Any]:
        """All strings, shortest first, those of one length in the order of the alphabet; only those
        that are found while at most so many prefixes are looked at, if a number is given."""

    @abstractmethod
    def samples(self, random: RandomState, size: int) -> list[Any]:
        """Random strings, drawn from a stream that may be drawn from before and after."""

    @abstractmethod
    def next(self, prefix: str | Sequence[str]) -> Next:
        """The true distribution of the symbol after a prefix."""

    @abstractmethod
    def accepts(self, string: str | Sequence[str]) -> bool:
        """Whether a string belongs to the language."""

    @abstractmethod
    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]:
        """What can follow at each node of the corpus tree, as a number into a list; -1 off the
        language."""

    @abstractmethod
    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float:
        """|D:G| in bits under the true distribution, from the phases of the corpus."""

    @cached_property
    def words(self) -> bool:
        """Whether symbols are words, not characters."""
        return has_words(self.alphabet)

    def probability(self, string: str | Sequence[str]) -> Fraction:
        """The probability of a whole string; 0 if it does not belong to the language."""
        if self.words and isinstance(string, str):
            string = string.split()
        if not self.accepts(string):
            return Fraction(0)
        found = Fraction(1)
        for place, symbol in enumerate((*string, BOUNDARY)):
            found *= self.next(string[:place]).distribution[symbol]
        return found

    def shortest(self, count: int) -> Iterator[Any]:
        """The shortest strings, so many or fewer: a language may have few strings among its
        prefixes, as the palindromes have, and the search for them ends after so many prefixes."""
        return islice(self.strings(self.most_prefixes), count)

    def sample(self, size: int, seed: int = 100) -> list[Any]:
        """Random strings from the language; where symbols are words, tuples of words."""
        return self.samples(random_from(seed), size)

    def training(self, size: int, seed: int = 100) -> Corpus:
        """A training corpus of that many strings."""
        return Corpus.from_strings(self.sample(size, seed))

    def truth(self, corpus: Corpus) -> Truth:
        """What can follow every prefix of the corpus, and the optimal score."""
        return truth_of_strings(self, corpus)

    def by_length(self, count: int) -> Iterator[tuple[int, Corpus]]:
        """The `count` shortest strings, as a corpus for each length."""
        for length, strings in groupby(self.shortest(count), len):
            yield length, Corpus.from_strings(list(strings))

    def spelled(self, symbols: Sequence[str]) -> str:
        """A string as a person writes it."""
        return spelled(symbols, self.words)


Symbols = str | tuple[str, ...]
"""A string, or its words where the symbols of the language are words."""


LOOKED_AT = 256
"""Symbols that are drawn until counters are looked at again."""


class Configuration(NamedTuple):
    state: str
    counters: tuple[int, ...]


class Next(NamedTuple):
    """What can follow a prefix."""

    distribution: dict[str, Fraction]
    """Every symbol of the alphabet with its probability."""

    @property
    def allowed(self) -> frozenset[str]:
        return frozenset(symbol for symbol, chance in self.distribution.items() if chance > 0)

    @property
    def deterministic(self) -> bool:
        return len(self.allowed) == 1


class Option(NamedTuple):
    symbol: str
    chance: Fraction
    to: Configuration


@dataclass(frozen=True)
class Machine(Strings):
    """A probabilistic language. `draw` samples as the paper did; without it the rules do."""

    name: str = field(compare=False)
    title: str
    rules: tuple[Rule, ...]
    start: str = "start"
    draw: Callable[[RandomState, int], Sequence[Symbols]] | None = field(
        default=None, compare=False
    )
    string: Callable[..., str] | None = field(default=None, compare=False)
    """For a^n b^n and its like: the string of a given n, or of given n and m."""
    assumed: bool = field(default=False, compare=False)
    """Whether nobody gave its chances, so that it is a set of strings."""
    most_prefixes: ClassVar[int] = 200_000
    places: Mapping[Rule, str] = field(default_factory=dict, compare=False, repr=False)
    """Where rules are written, to be named in errors: 'line 3: '."""

    def __post_init__(self) -> None:
        # The symbols in it may be line ends, and a title is one line.
        object.__setattr__(self, "title", printable(self.title))
        check_language(self)

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, without what is made ready to be applied."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def save(self, path: PathLike) -> None:
        """Write the language as a language file."""
        save(path, self.to_text())

    def to_text(self) -> str:
        """The language as the text of a language file."""
        rules = list(self.rules)
        if self.start != START:
            rules.sort(key=lambda rule: rule.state != self.start)
        return "\n".join([f"# {printable(self.title)}", *map(rule_text, rules)]) + "\n"

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        symbols = {rule.symbol for rule in self.rules} - {BOUNDARY}
        return (BOUNDARY, *sorted(symbols))

    @cached_property
    def counters(self) -> tuple[str, ...]:
        return tuple(sorted({name for rule in self.rules for name, _ in rule.then}))

    @cached_property
    def states(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.state for rule in self.rules))

    @cached_property
    def beginning(self) -> Configuration:
        """After the first boundary symbol, nothing emitted yet."""
        return Configuration(self.start, (0,) * len(self.counters))

    @cached_property
    def _phases(self) -> dict[str, _Phases]:
        rules: dict[str, list[Rule]] = {}
        for rule in self.rules:
            rules.setdefault(rule.state, []).append(rule)
        return {state: _Phases(own, self.counters) for state, own in rules.items()}

    def options(self, here: Configuration) -> tuple[Option, ...]:
        """The enabled rules of a configuration: symbol, chance, and where it leads."""
        counters = here.counters
        return tuple(
            Option(rule.symbol, rule.chance, rule.lead(counters)) for rule in self.enabled(here)
        )

    def enabled(self, here: Configuration) -> tuple[Ready, ...]:
        """The rules enabled in a configuration; the same tuple wherever the same ones are."""
        phases = self._phases.get(here.state)
        return () if phases is None else phases.enabled(here.counters)

    def step(self, here: Configuration, symbol: str) -> Configuration | None:
        """Where a symbol leads, None if it is impossible."""
        return _lead(here.counters, self.enabled(here), symbol)

    def after(self, prefix: str | Sequence[str]) -> Configuration | None:
        """Where the machine is after a prefix; words may be given as text with blanks between."""
        here: Configuration | None = self.beginning
        for symbol in prefix.split() if self.words and isinstance(prefix, str) else prefix:
            if here is None:
                return None
            here = self.step(here, symbol)
        return here

    def next(self, prefix: str | Sequence[str]) -> Next:
        """The true distribution of the symbol after a prefix."""
        here = self.after(prefix)
        if here is None or here.state == END:
            raise InputError(
                f"{short(prefix)} begins no string of {self.title}; give such a prefix."
            )
        return self.next_from(here)

    def next_from(self, here: Configuration) -> Next:
        chances = dict.fromkeys(self.alphabet, Fraction(0))
        for option in self.options(here):
            chances[option.symbol] += option.chance
        return Next(chances)

    def probability(self, string: str | Sequence[str]) -> Fraction:
        """The probability of a whole string, along which the machine is followed once."""
        symbols = string.split() if self.words and isinstance(string, str) else string
        here, found = self.beginning, Fraction(1)
        for symbol in (*symbols, BOUNDARY):
            rule = next((rule for rule in self.enabled(here) if rule.symbol == symbol), None)
            if rule is None:
                return Fraction(0)
            here, found = rule.lead(here.counters), found * rule.chance
        return found

    def accepts(self, string: str | Sequence[str]) -> bool:
        here = self.after(string)
        return here is not None and self.step(here, BOUNDARY) is not None

    def strings(self, most_prefixes: int | None = None) -> Iterator[Any]:
        level: list[tuple[tuple[str, ...], Configuration]] = [((), self.beginning)]
        left = math.inf if most_prefixes is None else most_prefixes
        while level and left > 0:
            for prefix, here in level:
                if self.step(here, BOUNDARY) is not None:
                    yield self._written(prefix)
            further = (
                ((*prefix, option.symbol), option.to)
                for prefix, here in level
                for option in sorted(self.options(here))
                if option.symbol != BOUNDARY
            )
            level = list(further if left == math.inf else islice(further, int(left) + 1))
            left -= len(level)

    def samples(self, random: RandomState, size: int) -> list[Any]:
        """Random strings, drawn from a stream that may be drawn from before and after."""
        if self.draw is not None:
            return list(self.draw(random, size))
        draws: dict[int, Draw] = {}
        return [self._walk(random, draws) for _ in range(size)]

    def _walk(self, random: RandomState, draws: dict[int, Draw]) -> Symbols:
        """A string; `draws` keeps what is made for rules that are enabled together."""
        symbols: list[str] = []
        here = self.beginning
        while True:
            enabled = self.enabled(here)
            if not enabled:
                raise InputError(
                    f"{self.title}: no rule is enabled in {here.state}; correct its rules."
                )
            draw = draws.get(id(enabled))
            if draw is None:
                draw = draws[id(enabled)] = Draw([float(rule.chance) for rule in enabled])
            rule = enabled[draw(random)]
            if rule.symbol == BOUNDARY:
                return self._written(symbols)
            symbols.append(rule.symbol)
            check_size(len(symbols), DRAWN_LENGTH, f"a string of {self.title}", "symbols")
            if not len(symbols) % LOOKED_AT:
                bits = max(map(int.bit_length, here.counters), default=0)
                check_size(bits, COUNTER_BITS, f"a counter of {self.title}", "binary digits")
            here = rule.lead(here.counters)

    def _written(self, symbols: Sequence[str]) -> Symbols:
        return tuple(symbols) if self.words else "".join(symbols)

    def phases(self, corpus: Corpus) -> tuple[NDArray[np.int64], list[Next]]:
        """What can follow at each node of the corpus tree, as a number into a list.

        The distribution depends on the state and on which conditions hold, not on the counters
        themselves, so the list is short. Off the language the number is -1.
        """
        names = corpus.alphabet
        if names is None:
            raise InputError(f"{self.title} has strings, the corpus numbers; give its strings.")
        numbers: dict[int, int] = {}
        kinds: list[Next] = []
        here: list[tuple[tuple[int, ...], tuple[Ready, ...]]] = []
        found = np.full(len(corpus.parent), -1, dtype=np.int64)
        walk = zip(corpus.parent.tolist(), corpus.symbol.tolist(), strict=True)
        for node, (above, symbol) in enumerate(walk):
            now: Configuration | None = self.beginning
            if above >= 0:
                counters, rules = here[above]
                now = _lead(counters, rules, names[symbol])
            if now is None or now.state == END:
                here.append(((), ()))
                continue
            enabled = self.enabled(now)
            here.append((now.counters, enabled))
            number = numbers.get(id(enabled))
            if number is None:
                number = numbers[id(enabled)] = len(kinds)
                kinds.append(self.next_from(now))
            found[node] = number
        return found, kinds

    outcome: ClassVar[str] = "next symbol"
    """What a network gives probabilities to."""
    exactly: ClassVar[str] = "the network gives each next symbol exactly its true probability"
    """What a theorem says of a network without fault."""

    @property
    def every(self) -> str:
        """How a theorem begins."""
        return f"For every string of {self.title} and every step of it,"

    def optimal(self, corpus: Corpus) -> float:
        """|D:G| in bits under the true distribution; infinite for strings not in the language."""
        return self.cost(corpus, *self.phases(corpus))

    def cost(self, corpus: Corpus, found: NDArray[np.int64], kinds: list[Next]) -> float:
        """The same, from the phases of the corpus."""
        assert corpus.alphabet is not None
        costs = np.full((len(kinds) + 1, len(corpus.alphabet)), math.inf)
        for number, kind in enumerate(kinds):
            for target, symbol in enumerate(corpus.alphabet):
                chance = kind.distribution.get(symbol, Fraction(0))
                if chance:
                    costs[number, target] = -math.log2(chance)
        each = costs[found[corpus.item_node], corpus.item_target]
        return float(np.sum(corpus.item_weight * each))


class Ready(NamedTuple):
    """A rule made ready to be applied to a tuple of counters."""

    symbol: str
    chance: Fraction
    to: str
    updates: tuple[Callable[[tuple[int, ...]], int], ...]

    def lead(self, counters: tuple[int, ...]) -> Configuration:
        return Configuration(self.to, tuple([update(counters) for update in self.updates]))


def _lead(
    counters: tuple[int, ...], enabled: tuple[Ready, ...], symbol: str
) -> Configuration | None:
    """Where a symbol leads, None if no enabled rule emits it."""
    for rule in enabled:
        if rule.symbol == symbol:
            return rule.lead(counters)
    return None


class _Phases:
    """The rules of one state. Which are enabled depends on the truth of a few conditions."""

    def __init__(self, rules: list[Rule], names: tuple[str, ...]) -> None:
        self.conditions = list(dict.fromkeys(c for rule in rules for c in rule.when))
        self.tests = [condition.reader(names) for condition in self.conditions]
        self.rules = [
            (rule.when, Ready(rule.symbol, rule.chance, rule.to, _updates(rule, names)))
            for rule in rules
        ]
        self.known: dict[tuple[bool, ...], tuple[Ready, ...]] = {}

    def enabled(self, counters: tuple[int, ...]) -> tuple[Ready, ...]:
        truth = tuple([test(counters) for test in self.tests])
        found = self.known.get(truth)
        if found is None:
            true = {c for c, holds in zip(self.conditions, truth, strict=True) if holds}
            ready = tuple(rule for when, rule in self.rules if true.issuperset(when))
            found = self.known[truth] = ready
        return found


def _updates(rule: Rule, names: tuple[str, ...]) -> tuple[Callable[[tuple[int, ...]], int], ...]:
    new = dict(rule.then)
    return tuple(reader(new.get(name, counter(name)), names) for name in names)
