"""`Language`: whatever strings come from, as one value.

A notation, a language file, a grammar, a transducer, a task of the paper, a file or a list of
strings are all Languages. They differ in what is known of them, and a Language says so: plain
strings have no rules, some grammars have no machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..checks import is_integer, short
from ..corpus import Corpus
from ..errors import InputError
from ..expressions import Expression
from ..machines import Machine, Next, Transducer, Truth, random_from
from ..network import DEFAULT_ACTIVATIONS, Encoding, Network
from ._expression_machine import machine_of_expression
from ._grammar import Grammar
from ._grammar_machine import production_text
from ._longer import in_parts, longer_sequences, longer_strings

SEED = 100
"""With it, training and test sets of the paper's tasks are the paper's own, string for string."""
OWN_SIZE = 500
"""Training strings of a language of one's own where no number is given."""
LARGEST = 10_000_000
"""Strings in a training set; more would take gigabytes."""

Rules = Machine | Grammar | Expression | Transducer
"""What makes the strings of a language."""


def machine_of(rules: Grammar | Expression) -> Machine:
    """The machine of a grammar or an expression; an InputError says why there is none."""
    return rules.machine() if isinstance(rules, Grammar) else machine_of_expression(rules)


def rules_text(rules: Grammar | Expression) -> str:
    """The rules of a language without a machine, as a person writes them."""
    if isinstance(rules, Expression):
        return rules.notation
    return "\n".join(map(production_text, rules.productions))


@dataclass(frozen=True)
class Language:
    """A source of strings, and what is known of it. Make one with `mdlrnn.language`."""

    name: str
    """For people, and for the folder of a run."""
    title: str
    rules: Rules | None = None
    """What makes its strings; None for plain strings."""
    given: Corpus | None = None
    """The strings themselves, where they are given and not drawn."""
    asked: int | None = None
    """How many strings were asked for."""
    sizes: tuple[int, ...] = (OWN_SIZE,)
    """Usual numbers of training strings; of a task, the paper's."""
    task: str | None = None
    """The name of the task that it is, if it is one."""
    path: Path | None = None
    """The file that it was read from."""
    notation: str | None = None
    """The notation that it was read from."""
    words: bool = False
    """Whether the symbols of plain strings are words."""
    longer: Callable[[Corpus, int], Iterator[Corpus]] | None = field(
        default=None, compare=False, repr=False
    )
    """The test set in parts, given the training set and the seed."""
    optimum: Callable[[], Network] | None = field(default=None, compare=False, repr=False)
    """A network whose score the paper takes as the optimum, instead of the true distribution's."""
    of_paper: bool = False
    """Whether it is a task of the paper, which is searched in the paper's space of networks."""
    further_activations: tuple[str, ...] = ()
    """Those that the paper allows for this task alone."""
    products: bool = False
    """Whether the paper allows product units for this task."""
    weighted: bool = False
    """Whether its test set has strings once each, weighted by their probabilities."""

    @property
    def size(self) -> int:
        """How many strings it is trained on, unless a number is given."""
        if self.given is not None:
            return self.given.sequences
        return self.checked_size(self.asked)

    @property
    def machine(self) -> Machine | Transducer | None:
        """What a proof is about, if it can be."""
        return None if isinstance(self.rules, Grammar | Expression) else self.rules

    @property
    def obstacle(self) -> str | None:
        """Why there is no machine, as a sentence; None where there is one."""
        if isinstance(self.rules, Grammar | Expression):
            try:
                machine_of(self.rules)
            except InputError as error:
                return str(error)
        return None if self.rules is not None else f"{self.name} holds strings, not a language."

    @property
    def alphabet(self) -> tuple[str, ...] | None:
        """The boundary symbol and the others, in order; None where numbers are read."""
        return self.given.alphabet if self.given is not None else self.check_rules().alphabet

    def strings(self, n: int | None = None, seed: int = SEED) -> list[Any]:
        """Random strings, as tuples if symbols are words. Plain strings come as they
        are, or with `n` a random choice of them, each as likely as it is frequent."""
        if self.given is None:
            return list(self.check_rules().sample(self.checked_size(n), seed))
        counted = [(string, round(count)) for string, count in self.given.strings()]
        whole = [self._written(string) for string, count in counted for _ in range(count)]
        if n is None:
            return whole
        chosen = random_from(seed).randint(len(whole), size=self.checked_size(n))
        return [whole[place] for place in chosen]

    def accepts(self, string: str | Sequence[str]) -> bool:
        """Whether a string belongs to the language."""
        return self._over_symbols().accepts(string)

    def probability(self, string: str | Sequence[str]) -> Fraction:
        """The probability of a whole string; 0 if it does not belong."""
        return self._over_symbols().probability(string)

    def next(self, prefix: str | Sequence[str]) -> Next:
        """The probabilities of the symbol after a prefix."""
        return self._over_symbols().next(prefix)

    def truth(self, corpus: Corpus) -> Truth:
        """What can follow every prefix of a corpus, and the score of the true distribution."""
        return self.check_rules().truth(corpus)

    def spelled(self, symbols: Sequence[Any]) -> str:
        """A string as a person writes it."""
        return self.check_rules().spelled(symbols)

    def by_length(self, count: int) -> Iterator[tuple[int, Corpus]]:
        """The shortest strings, `count` of them, as a corpus for each length."""
        return self.check_rules().by_length(count)

    def shortest(self, count: int) -> list[Any]:
        """The shortest strings; none where numbers are read."""
        rules = self.check_rules()
        return [] if isinstance(rules, Transducer) else list(rules.shortest(count))

    @property
    def noun(self) -> str:
        """What one step of a string is called: symbol, digit or step."""
        return self.check_rules().noun

    def corpus(self, seed: int = SEED) -> Corpus:
        """The strings to search with."""
        return self.given if self.given is not None else self.training(seed=seed)

    def training(self, size: int | None = None, seed: int = SEED) -> Corpus:
        """A training set of that many strings."""
        return self.check_rules().training(self.checked_size(size), seed)

    def tests(
        self, size: int | None = None, seed: int = SEED, longest: int | None = None
    ) -> Iterator[Corpus]:
        """The test set that goes with a training set, in parts; with `longest`, strings of up to
        about that many symbols."""
        rules, training = self.check_rules(), self.training(size, seed)
        if longest is None:
            assert self.longer is not None
            return self.longer(training, seed)
        if isinstance(rules, Transducer):
            return iter([longer_sequences(rules, seed, longest)])
        return in_parts(longer_strings(rules, training, seed, longest))

    def encoding(self, scheme: str | None = None) -> Encoding:
        """The space of networks to search: the paper's for its own tasks, else every part. With
        a scheme, the paper's space under that scheme."""
        if scheme is None and not self.of_paper:
            return Encoding.every_part()
        activations = (*DEFAULT_ACTIVATIONS, *self.further_activations)
        return Encoding(scheme or "paper", activations, self.products)

    def checked_size(self, size: int | None) -> int:
        """The training size asked for, by default the largest of the usual ones."""
        size = next((n for n in (size, self.asked) if n is not None), self.sizes[-1])
        if not is_integer(size) or not 1 <= size <= LARGEST:
            raise InputError(
                f"the size is {short(size)}; give the number of training strings, 1 to {LARGEST}."
            )
        return size

    def about(self) -> dict[str, Any]:
        """What a run's settings say of it."""
        data: dict[str, Any] = {"name": self.name, "words": self.words}
        if self.asked is not None:
            data["size"] = self.asked
        if self.path is not None:
            data["path"] = str(self.path.resolve())
        elif self.notation is not None:
            data["notation"] = self.notation
        elif self.task is not None:
            data["task"] = self.task if self.asked is None else f"{self.task}_{self.asked}"
        return data

    def check_rules(self) -> Rules:
        """Its rules; plain strings have none, and an error says so."""
        if self.rules is None:
            raise InputError(
                f"{self.name} holds strings, not a language; name one that mdlrnn language lists, "
                "or give a notation, a language file or a grammar."
            )
        return self.rules

    def _over_symbols(self) -> Machine | Grammar | Expression:
        rules = self.check_rules()
        if isinstance(rules, Transducer):
            raise InputError(f"{self.title} has numbers, not strings; use its training corpus.")
        return rules

    def _written(self, string: Sequence[str]) -> str | tuple[str, ...]:
        return tuple(string) if self.words else "".join(string)

    def __repr__(self) -> str:
        return f"Language({self.name!r}, {self.title})"
