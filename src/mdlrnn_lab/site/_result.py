"""A result looked into: the network, the language and the corpus it was found on, and by what; and
what is found out about the network for its page: the theorem, and what it has learned.

The latter takes seconds, so it is kept as a file beside the page and made again only if the
network, the language or the version is another, or if more time is given to what was not proved.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from mdlrnn import __version__
from mdlrnn.checks import is_number
from mdlrnn.corpus import Corpus
from mdlrnn.errors import InputError
from mdlrnn.expressions import Expression
from mdlrnn.extraction import Learned, Verdict
from mdlrnn.extraction import learned as find_learned
from mdlrnn.files import json_of, read_text
from mdlrnn.languages import (
    EVERY_TASK,
    GRAMMAR_SUFFIXES,
    Grammar,
    Language,
    language_from_notation,
    language_of,
    language_of_run,
    looks_like_notation,
    rules_text,
    split_size,
)
from mdlrnn.machines import SUFFIXES, Affine, Machine, Transducer, machine_from_text
from mdlrnn.network import (
    OBJECTIVES,
    SCHEMES,
    Encoding,
    Network,
    Objective,
    Score,
    counted,
    has_words,
    length,
    spelled,
)
from mdlrnn.proofs import TO_TRY, Proof, available, prove, rounded_up
from mdlrnn.runs import (
    BEST,
    CORPUS,
    EXPRESSION,
    HELD_OUT,
    PROVED,
    Settings,
    conclude,
    kept_learned,
    kept_proof,
    load_network,
    read_corpus,
    read_log,
    read_object,
    read_settings,
    status_of,
)
from mdlrnn.search import CPU, Origin, Search

from ._places import (
    Command,
    Held,
    Place,
    command_of_run,
    evolve_command,
    limits,
    option_texts,
    share_held_out,
    whole_number,
)

FILE = re.compile(r"\w[\w-]{0,60}\.(lang|pcfg|cfg|grammar)", re.ASCII)
ALONE = frozenset({"language", "network", "source"})
"""What is made of a file that holds a network and nothing of a search."""
LARGEST_SIZE = 1_000_000
"""Training strings that are drawn again to be shown."""


@dataclass(frozen=True)
class LanguageFile:
    """A file that says what a language is; the site has a copy of it."""

    name: str
    text: str


@dataclass(frozen=True)
class Result:
    place: Place
    network: Network
    encoding: Encoding
    score: Score | None
    """|G| under the encoding of the search, and |D:G| on its corpus."""
    source: Language | None
    """The language, if it is known."""
    size: int | None
    file: LanguageFile | None = None
    corpus: Corpus | None = None
    """As a run keeps it; that of a known language is drawn again."""
    seed: int | None = None
    setting: str | None = "default"
    """None for a file that holds a network alone: nothing is known of a search for it."""
    excess: float | None = None
    """Bits a string above the language itself, on new strings."""
    seconds: float | None = None
    """After so many the network was found."""
    command: str | None = None
    cautions: tuple[str, ...] = ()
    """What the command does not repeat, a sentence each."""
    repeats: bool = False
    """Whether the command ends where the network was found."""
    proved: bool = False
    """Whether this network was proved right when its search ended."""
    only_exact: bool = False
    """Whether that is so in exact numbers alone."""
    is_best: bool = True
    """Or else another of the same search, which is proved and scores higher."""
    objective: Objective = OBJECTIVES["mdl"]
    origin: Origin | None = None
    """How the network came to be, where that is known."""

    @property
    def g(self) -> int:
        """|G| under the scheme that depends on the network alone, so that all results compare."""
        return length(self.network, Encoding.every_part())

    @property
    def bits(self) -> float:
        """|G| + |D:G| with this |G|; infinite where |D:G| is not known."""
        return math.inf if self.score is None else self.g + self.score.d_given_g

    @property
    def count(self) -> int | None:
        """How many strings were searched on."""
        if self.corpus is not None:
            return self.corpus.sequences
        if self.setting is None or self.source is None or self.source.rules is None:
            return None
        try:
            return self.source.size
        except InputError:  # a size that the task does not have
            return None

    def strings(self) -> Corpus | None:
        """What was searched on."""
        if self.corpus is not None or self.source is None:
            return self.corpus
        return self.source.corpus()


def results_at(place: Place) -> list[Result]:
    """The best network of a search, and another where only that was proved."""
    return _of_run(place) if place.data is None else _of_file(place, place.data)


def chosen(results: list[Result]) -> Result:
    """The smallest network that was proved right when its search ended, as it runs if there is such
    a one; if none was, that with the fewest bits of those found on the most strings.

    |D:G| grows with the strings, so that only networks for as many compare by it.
    """

    def rank(result: Result) -> tuple[float, ...]:
        if result.proved:
            return (1 if result.only_exact else 0, result.g, result.bits)
        if math.isinf(result.bits):
            return (3, result.g)
        return (2, -(result.count or 0), result.bits, result.g)

    return min(results, key=rank)


def _of_file(place: Place, data: dict[str, Any]) -> list[Result]:
    network = Network.from_dict(data["network"])
    size = whole_number(data.get("size"), 1, LARGEST_SIZE)
    source, file = _source(data["source"], size)
    scheme = data.get("scheme")
    if data.keys() <= ALONE:
        return [Result(place, network, Encoding.every_part(), None, source, size, setting=None)]
    known = isinstance(scheme, str) and scheme in SCHEMES
    encoding = Encoding.fitting(network, str(scheme) if known else "paper")
    if source is not None and source.encoding().scheme == scheme:
        encoding = source.encoding()
    mdl, g = _number(data.get("mdl")), _number(data.get("g"))
    d_given_g = None if mdl is None or g is None else mdl - g
    seed, setting = whole_number(data.get("seed")), str(data.get("setting") or "default")
    generation = whole_number(data.get("found_generation"))
    given = file.name if file is not None else None if source is None else data["source"]["name"]
    changes = _changes(setting)

    def command(until: int | None) -> str | None:
        if given is None or changes is None:
            return None
        options = [*changes, *limits(until, _number(data.get("seconds")))]
        return evolve_command(given, size, seed, options)

    best = Result(
        place, network, encoding, _score(network, encoding, d_given_g),
        source, size, file, None, seed, setting, _excess(data.get("excess")),
        _number(data.get("found_seconds")), command(generation), (), generation is not None,
        data.get("proved_best") is True, origin=Origin.from_dict(data.get("origin")),
    )  # fmt: skip
    found = data.get("other")
    if found is None:
        return [best]
    other, whole = Network.from_dict(found["network"]), whole_number(data.get("generations"), 1)
    if source is None or encoding != source.encoding():
        encoding = Encoding.fitting(other, encoding.scheme)
    mdl = _number(found.get("mdl"))
    bits = None if mdl is None else mdl - length(other, encoding)
    return [
        best,
        replace(
            best, network=other, encoding=encoding, score=_score(other, encoding, bits),
            excess=None, seconds=None, command=command(whole), repeats=whole is not None,
            proved=data.get("proved") is True, is_best=False, origin=None,
        ),
    ]  # fmt: skip


def _score(network: Network, encoding: Encoding, d_given_g: float | None) -> Score | None:
    return None if d_given_g is None else Score(length(network, encoding), d_given_g)


def _source(given: dict[str, str], size: int | None) -> tuple[Language | None, LanguageFile | None]:
    """The language that a result names. A path in it is never opened: it is a stranger's."""
    try:
        if "text" in given:
            file = LanguageFile(_safe(given.get("file", "")), given["text"])
            return _of_text(file, size), file
        stem, _ = split_size(given.get("name", ""))
        if stem in EVERY_TASK:
            return replace(EVERY_TASK[stem], asked=size), None
        if looks_like_notation(stem):
            rules = language_from_notation(stem)
            return language_of(rules, asked=size, notation=stem), None
    except InputError:
        pass  # nothing is known of it then, and the page says so
    return None, None


def _safe(name: str) -> str:
    """A name that a file of the site can have; the ending says what the file holds."""
    suffix = next((end for end in (*SUFFIXES, *GRAMMAR_SUFFIXES) if name.endswith(end)), "")
    return name if FILE.fullmatch(name) else f"language{suffix}"


def _of_text(file: LanguageFile, size: int | None) -> Language | None:
    stem = Path(file.name).stem
    if file.name.endswith(SUFFIXES):
        return language_of(machine_from_text(file.text, stem), asked=size)
    if file.name.endswith(GRAMMAR_SUFFIXES):
        return language_of(Grammar.from_text(file.text, stem), asked=size)
    return None


def _changes(setting: str) -> list[str] | None:
    """The options behind `name:field=value,...`; None if it cannot be read."""
    pairs = [part.partition("=") for part in setting.partition(":")[2].split(",") if part]
    try:
        return option_texts({name: ast.literal_eval(value) for name, _, value in pairs})
    except (ValueError, SyntaxError, InputError, MemoryError, RecursionError):
        return None


def _of_run(place: Place) -> list[Result]:
    folder = place.path
    network, settings = load_network(folder), read_settings(folder)
    kept = read_object(folder / BEST, "network").get("score")
    bits = _number(kept.get("d_given_g")) if isinstance(kept, dict) else None
    source = language_of_run(settings.corpus)
    corpus = read_corpus(folder / CORPUS) if (folder / CORPUS).exists() else None
    events = read_log(folder)
    found = _found(events, kept if isinstance(kept, dict) else {})
    held = _held(folder, settings, source, corpus)
    # On a card, or by the clock, or with other strings, no generation says where it was found.
    repeats = (
        found is not None
        and settings.device == CPU
        and settings.search.migration_seconds is None
        and settings.objective in OBJECTIVES.values()
        and (held is None or held.share is not None)
    )
    file = None
    if source is not None and source.path is not None and source.machine is not None:
        file = LanguageFile(_safe(f"{source.path.stem}.lang"), source.machine.to_text())

    # How many expressions are tried hangs on the limits, and by the clock on the machine.
    constructed = (folder / EXPRESSION).exists()
    if constructed and found is not None:
        repeats = repeats and found.get("reason") not in ("time", "stopped")

    def command(end: dict[str, Any] | None) -> Command:
        until = None
        if repeats and end is not None and not constructed:
            until = limits(whole_number(end.get("generation")), None)
            until += ["--until-proved"] if end.get("reason") == "proved" else []
        return command_of_run(settings, source, None if file is None else file.name, held, until)

    (text, cautions), (proved, only_exact) = command(found), _proved(folder, network)
    best = Result(
        place, network, settings.encoding, _score(network, settings.encoding, bits),
        source, None if source is None else source.size, file, corpus, settings.seed,
        "default" if _plain(settings) else "changed", None,
        None if found is None else _number(found.get("seconds")), text, cautions, repeats,
        proved, only_exact, objective=settings.objective, origin=status_of(folder).origin,
    )  # fmt: skip
    if proved or not (folder / PROVED).exists():
        return [best]
    other, end = Network.load(folder / PROVED), events[-1] if events else None
    (text, cautions), (proved, only_exact) = command(end), _proved(folder, other)
    return [
        best,
        replace(best, network=other, score=None, seconds=None, command=text, cautions=cautions,
                proved=proved, only_exact=only_exact, is_best=False, origin=None),
    ]  # fmt: skip


def _held(
    folder: Path, settings: Settings, source: Language | None, corpus: Corpus | None
) -> Held | None:
    """What the run held out; the share of it is not kept, and found again."""
    if not (folder / HELD_OUT).exists():
        return None
    held = None
    try:
        held = Corpus.load(folder / HELD_OUT, words=bool(settings.corpus.get("words")))
        whole = source.corpus() if source is not None else _joined(corpus, held)
        kept, seed = settings.corpus["digest"], settings.seed
        return Held(held.sequences, share_held_out(whole, kept, held.sequences, seed))
    except InputError:
        return Held(None if held is None else held.sequences, None)


def _joined(one: Corpus | None, two: Corpus) -> Corpus:
    if one is None or one.alphabet is None:
        raise InputError("the strings of the run are not kept; put back its corpus.")
    counts = dict(one.strings())
    for string, count in two.strings():
        counts[string] = counts.get(string, 0) + count
    return Corpus.from_strings(list(counts), list(counts.values())).with_alphabet(one.alphabet)


def _proved(folder: Path, network: Network) -> tuple[bool, bool]:
    """Whether the run has proved this network, and whether in exact numbers alone."""
    proof = kept_proof(folder, network=network)
    if proof is None or not proof.proved:
        return False, False
    return True, proof.only_exact


def _found(events: list[dict[str, Any]], score: dict[str, Any]) -> dict[str, Any] | None:
    """The event with which the best network came: the first with its score, since the log of a run
    that was killed may tell of better ones. Early runs kept no score."""
    timed = [event for event in events if _number(event.get("seconds")) is not None]
    if not score:
        scored = [event for event in timed if _number(event.get("mdl")) is not None]
        return min(scored, key=lambda event: float(event["mdl"]), default=None)
    names = ("g", "d_given_g")
    return next((e for e in timed if all(n in e and e[n] == score.get(n) for n in names)), None)


def _plain(settings: Settings) -> bool:
    return settings.search.but({"encoding": None}) == Search()


def _number(value: object) -> float | None:
    return float(value) if is_number(value) else None


def _excess(value: object) -> float | None:
    return math.inf if value == math.inf else _number(value)


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
        names = ("outcome", "statement", "claims", "notes", "table", "float_failure", "limits")
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
        data = json_of(read_text(path, "findings"))
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
        found = kept_proof(result.place.path, machine, result.network)
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


def verdict_on(result: Result, found: Findings) -> Verdict:
    """What the page says: held against the language, where it is known."""
    language = result.source if result.source is not None and result.source.rules else None
    proof = None if found.proof.outcome == NOT_TRIED else found.proof
    return conclude(
        result.network, language, corpus=None if language else result.corpus, proof=proof,
        inside=found.learned, seconds=0, proving=0,
    )  # fmt: skip


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
