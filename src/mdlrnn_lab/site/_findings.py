"""What is found out about a network for its page: the theorem, and what it has learned.

That takes seconds, so it is kept as a file beside the page and made again only if the network, the
language or the version is another, or if more time is given to what was not proved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import __version__
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.extraction import learned as find_learned
from mdlrnn.files import read_text
from mdlrnn.languages import Grammar, Language, production_text
from mdlrnn.machines import Affine, Machine, Transducer, machine_from_text
from mdlrnn.network import counted, has_words, spelled
from mdlrnn.proofs import TO_TRY, available, prove
from mdlrnn.show import LearnedMachine, ShownTheorem, kept_learned, kept_theorem_data

from ._result import Result

Findings = dict[str, Any]
NO_SOLVER = 'No proof was tried: the extra prove is missing, pip install "mdlrnn[prove]".'
NO_LANGUAGE = "No proof was tried: it is not known which language the network was meant to learn."


def findings(result: Result, seconds: float, kept: Path) -> Findings:
    """`seconds` are for the proof, and as many for what it has learned."""
    key = _key(result)
    before = _read(kept)
    if before is not None and before.get("key") == key and _is_enough(before, seconds):
        return before
    theorem = _theorem(result, seconds)
    learned = None
    if theorem["outcome"] != "proved" and result.network.alphabet is not None and available("z3"):
        learned = _learned(result, seconds)
    return {"key": key, "seconds": seconds, "theorem": theorem, "learned": learned}


def _key(result: Result) -> str:
    machine = None if result.source is None else result.source.machine
    text = machine.to_text() if machine is not None else ""
    whole = [result.network.to_dict(), text, __version__, available("z3")]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> Findings | None:
    try:
        data = json.loads(read_text(path, "findings"))
        _theorem_of(data), _learned_of(data)
        return data if isinstance(data["seconds"], int | float) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_enough(data: Findings, seconds: float) -> bool:
    return bool(data["theorem"]["outcome"] == "proved" or data["seconds"] >= seconds)


def _theorem(result: Result, seconds: float) -> dict[str, Any]:
    task = result.source
    if task is None:
        return _untried(NO_LANGUAGE)
    if not available("z3"):
        return _untried(NO_SOLVER)
    machine = task.machine
    if machine is None:
        return _untried(f"No proof was tried: {task.obstacle}")
    if result.place.data is None:
        kept = kept_theorem_data(result.place.path, result.network, task)
        if kept is not None and "float_failure" in kept:  # earlier versions did not run it
            return _fields(kept)
    try:
        proof = prove(result.network, machine, seconds=seconds)
    except InputError as error:
        return _untried(f"No proof was tried: {error}")
    head, rows = proof.table()
    return _fields(proof.to_dict() | {"table": {"head": head, "rows": rows}})


def _untried(why: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {"claims": [], "notes": [], "table": {"head": [], "rows": []}}
    return {"outcome": "not tried", "statement": why, "float_failure": None} | nothing


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without what differs from one machine to the next, and without advice for a run."""
    names = ("outcome", "statement", "claims", "notes", "table", "float_failure")
    found = {name: data[name] for name in names}
    return found | {"notes": [note for note in found["notes"] if note != TO_TRY]}


def _learned(result: Result, seconds: float) -> dict[str, Any]:
    data = None
    if result.place.data is None:
        data = kept_learned(result.place.path, result.network)
    if data is None:
        data = find_learned(result.network, seconds).to_dict()
    return {name: data[name] for name in ("name", "machine", "proved", "statement", "agrees")}


def theorem_of(data: Findings) -> ShownTheorem | None:
    """The theorem for the page, if there is one."""
    return _theorem_of(data) if data["theorem"]["outcome"] == "proved" else None


def _theorem_of(data: Findings) -> ShownTheorem:
    found = data["theorem"]
    table = found["table"]
    rows = tuple(tuple(map(str, row)) for row in table["rows"])
    notes = " ".join(map(str, found["notes"]))
    proof_rank(data)
    return ShownTheorem(
        str(found["statement"]), tuple(map(str, table["head"])), rows, notes,
        found["float_failure"] is not None,
    )  # fmt: skip


def learned_of(data: Findings, result: Result) -> LearnedMachine | None:
    """What it has learned: the language itself where that is proved, else what was found in it."""
    language = result.source and result.source and result.source.rules
    if data["theorem"]["outcome"] == "proved" and isinstance(language, Machine):
        assert result.source is not None
        assert result.source.rules is not None
        return LearnedMachine(data["theorem"]["statement"], True, language, result.source.title)
    return _learned_of(data)


def _learned_of(data: Findings) -> LearnedMachine | None:
    found = data["learned"]
    if found is None:
        return None
    text, agrees = found["machine"], found["agrees"]
    if agrees is not None:
        # Earlier versions did not say how far the machine's probabilities are from the network's.
        float(agrees["differs_by"])
        text = text or agrees["machine"]
    machine = None if text is None else machine_from_text(text)
    if isinstance(machine, Transducer):
        raise TypeError
    return LearnedMachine(str(found["statement"]), found["proved"] is True, machine, found["name"])


def closeness(data: Findings) -> str:
    """Of a theorem: how close its strongest claim says that the probabilities are."""
    found = data["theorem"]
    if found["outcome"] != "proved" or not found["claims"]:
        return ""
    claim = found["claims"][0]
    within = f"within {float(claim['margin']):.2g}"
    return {"exact": "exact", "within": within}.get(claim["kind"], "what is possible")


def proof_rank(data: Findings) -> float:
    """The strongest first, those in exact numbers alone after the others; a margin is below 1."""
    found = data["theorem"]
    kinds = {"exact": 0.0, "within": 1.0}
    if found["outcome"] == "proved" and found["claims"]:
        claim = found["claims"][0]
        rank = kinds.get(claim["kind"], 2.0) + min(0.99, float(claim["margin"]))
        return 3.0 + rank / 4 if found["float_failure"] is not None else rank
    return {"not right": 4.0, "not shown": 5.0, "refuted": 6.0}.get(found["outcome"], 7.0)


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
    if isinstance(language, Grammar):
        rules = "\n".join(map(production_text, language.productions))
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


def _first(language: Machine | Grammar) -> Iterator[tuple[str, str]]:
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
