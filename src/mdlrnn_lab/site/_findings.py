"""What is found out about a network for its page: the theorem, and what it has learned.

That takes seconds, so it is kept as a file beside the page and made again only if the network, the
language or the version is another, or if more time is given to what was not proved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import __version__
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.expressions import Expression
from mdlrnn.extraction import Learned
from mdlrnn.extraction import learned as find_learned
from mdlrnn.files import read_text
from mdlrnn.languages import Grammar, Language, rules_text
from mdlrnn.machines import Affine, Machine, Transducer
from mdlrnn.network import Network, counted, has_words, spelled
from mdlrnn.proofs import TO_TRY, Proof, available, prove, rounded_up
from mdlrnn.runs import kept_learned, kept_proof
from mdlrnn.show import learned_of_task

from ._result import Result

NOT_TRIED = "not tried"
NO_SOLVER = 'No proof was tried: the extra prove is missing, pip install "mdlrnn[prove]".'
NO_LANGUAGE = "No proof was tried: it is not known which language the network was meant to learn."


class Findings(NamedTuple):
    """What is known of a network after so many seconds."""

    key: str
    seconds: float
    proof: Proof
    """Its outcome may also be 'not tried'."""
    learned: Learned | None

    @property
    def theorem(self) -> Proof | None:
        return self.proof if self.proof.proved else None

    def to_dict(self) -> dict[str, Any]:
        """Without what differs from one machine to the next."""
        proof = self.proof.to_dict()
        names = ("outcome", "statement", "claims", "notes", "table", "float_failure")
        learned = None if self.learned is None else self.learned.to_dict() | {"seconds": 0.0}
        return {
            "key": self.key, "seconds": self.seconds,
            "theorem": {name: proof[name] for name in names}, "learned": learned,
        }  # fmt: skip


def findings(result: Result, seconds: float, kept: Path) -> Findings:
    """`seconds` are for the proof, and as many for what it has learned."""
    key = _key(result)
    before = _read(kept, result.network)
    if before is not None and before.key == key and (before.theorem or before.seconds >= seconds):
        return before
    proof = _proof(result, seconds)
    learned = None
    if not proof.proved and result.network.alphabet is not None and available("z3"):
        learned = _learned(result, seconds)
    return Findings(key, seconds, proof, learned)


def _key(result: Result) -> str:
    machine = None if result.source is None else result.source.machine
    text = machine.to_text() if machine is not None else ""
    whole = [result.network.to_dict(), text, __version__, available("z3")]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _read(path: Path, network: Network) -> Findings | None:
    try:
        data = json.loads(read_text(path, "findings"))
        learned = data["learned"]
        return Findings(
            str(data["key"]), float(data["seconds"]), Proof.from_dict(data["theorem"], network, ""),
            None if learned is None else Learned.from_dict(learned, network),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, AssertionError):
        return None


def _proof(result: Result, seconds: float) -> Proof:
    task = result.source
    if task is None:
        return _untried(result.network, NO_LANGUAGE)
    if not available("z3"):
        return _untried(result.network, NO_SOLVER)
    machine = task.machine
    if machine is None:
        return _untried(result.network, f"No proof was tried: {task.obstacle}")
    found = None
    if result.place.data is None:
        found = kept_proof(result.place.path, task.title, result.network)
    try:
        found = found or prove(result.network, machine, seconds=seconds)
    except InputError as error:
        return _untried(result.network, f"No proof was tried: {error}")
    # Advice for a run is none for a reader of the page.
    return replace(found, notes=tuple(note for note in found.notes if note != TO_TRY))


def _untried(network: Network, why: str) -> Proof:
    return Proof(network, "", NOT_TRIED, why, (), None, 0, 0.0)


def _learned(result: Result, seconds: float) -> Learned:
    kept = None
    if result.place.data is None:
        kept = kept_learned(result.place.path, result.network)
    return kept or find_learned(result.network, seconds)


def learned_of(found: Findings, result: Result) -> Learned | None:
    """What it has learned: the language itself where that is proved, else what was found in it."""
    language = None
    if result.source is not None:
        language = learned_of_task(found.theorem, result.source)
    return language or found.learned


def closeness(proof: Proof) -> str:
    """Of a theorem: how close its strongest claim says that the probabilities are."""
    if not proof.proved or not proof.claims:
        return ""
    claim = proof.claims[0]
    within = f"within {float(rounded_up(Fraction(str(float(claim.margin))))):g}"
    return {"exact": "exact", "within": within}.get(claim.kind, "what is possible")


def proof_rank(proof: Proof) -> float:
    """The strongest first, those in exact numbers alone after the others; a margin is below 1."""
    kinds = {"exact": 0.0, "within": 1.0}
    if proof.proved and proof.claims:
        claim = proof.claims[0]
        rank = kinds.get(claim.kind, 2.0) + min(0.99, float(claim.margin))
        return 3.0 + rank / 4 if proof.only_exact else rank
    return {"not right": 4.0, "not shown": 5.0, "refuted": 6.0}.get(proof.outcome, 7.0)


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


def known_of(source: Language | None) -> Known:
    if source is None or source.rules is None:
        return Known(UNKNOWN, None, None)
    language = source.rules
    if isinstance(language, Transducer):
        states = {step.state for step in language.transitions}
        return Known(NUMBERS, 0, len(states), language.title, (), _text(language))
    first = tuple(_first(language))
    if not isinstance(language, Machine):
        rules = rules_text(language)
        return Known(GRAMMAR, None, None, language.title, language.alphabet, rules, first)
    return Known(
        class_of(language), len(language.counters), states_of(language), language.title,
        language.alphabet, _text(language), first,
    )  # fmt: skip


def class_of(machine: Machine) -> str:
    if not machine.counters:
        return FINITE
    updates = (value for rule in machine.rules for _, value in rule.then)
    return STACK if any(_divides(value) for value in updates) else COUNTER


def states_of(machine: Machine) -> int:
    return len({rule.state for rule in machine.rules})


def _divides(value: Affine | int) -> bool:
    return isinstance(value, Affine) and value.divisor != 1


def _text(machine: Machine | Transducer) -> str:
    """The rules without the title, which stands above them."""
    return "\n".join(machine.to_text().splitlines()[1:])


def _first(language: Machine | Grammar | Expression) -> Iterator[tuple[str, str]]:
    try:
        for string in language.shortest(FIRST):
            chance = language.probability(string)
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
