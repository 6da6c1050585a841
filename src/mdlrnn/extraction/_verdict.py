"""`Verdict`: what was found out about a network, as one value that every command says alike."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from ..corpus import Corpus
from ..errors import InputError
from ..machines import MARGIN, Machine
from ..network import BOUNDARY, FLOAT, Network, counted, distribution, spelled, stepper, symbols_of
from ..proofs import Proof, available, decimal_text
from ._learned import Learned
from ._places import NOISE

HINT = 'With the extra prove, pip install "mdlrnn[prove]", a run ends with its theorem.'
TO_TRY = (
    "What may help: a longer search or another seed (--seeds 4), more strings, or more work for "
    "the proof (mdlrnn learned --time 2m)."
)
MADE = 200
"""Strings that a network makes, to see how many are right."""
LONGEST = 1_000
"""Symbols after which such a string is cut off; it then counts as wrong."""
SHOWN = 3
LONGEST_SHOWN = 24


class Accepts(Protocol):
    """A language as far as a verdict needs it."""

    def accepts(self, string: Sequence[str], /) -> bool: ...


class Share(NamedTuple):
    """Of strings, how many are right, and some of each kind."""

    all: int
    distinct: int
    right: int
    rights: tuple[str, ...] = ()
    wrongs: tuple[str, ...] = ()


class Belonging(NamedTuple):
    """Whether one string belongs, as the network and as its machine have it."""

    string: str
    probability: float
    """That the network, as it runs, gives to the whole string."""
    belongs: bool
    """By the machine where one is proved; else whether the network gives each symbol at least
    0.0001."""
    machine: Fraction | None
    """The probability of the string in the machine, where one is proved that has chances."""

    def to_dict(self) -> dict[str, Any]:
        machine = None if self.machine is None else float(self.machine)
        return {**self._asdict(), "machine": machine}

    def __str__(self) -> str:
        by = "" if self.machine is None else f", in the machine {float(self.machine):.4g}"
        does = "belongs" if self.belongs else "does not belong"
        return (
            f"{self.string or 'the empty string'}: {does}; its probability in the network is "
            f"{self.probability:.4g}{by}."
        )


@dataclass(frozen=True)
class Verdict:
    """What was found out about a network: its strings, their chances, and how it runs."""

    network: Network
    title: str | None = None
    """The language that it was held against; None where none is known."""
    proof: Proof | None = None
    """That it is right for this language, or that it is not; None where that was not asked."""
    learned: Learned | None = None
    """The machine that was read off the network itself."""
    made: Share | None = None
    """Of the strings that the network makes, how many belong to the language or, where none is
    known, are among the strings of the corpus."""
    fits: Share | None = None
    """Of the strings of the corpus, how many belong to what it has learned."""
    origin: tuple[str, ...] = ()
    """How the network came to be, and the next best description."""
    other: Proof | None = None
    """Of another network of the run, where only that one is proved."""
    more_bits: float = 0.0
    """By which its |G| + |D:G| is higher; below 0 where something else was minimised."""

    @classmethod
    def of(
        cls, network: Network, source: Accepts | Corpus | None, corpus: Corpus | None = None,
        inside: Learned | None = None, **known: Any,
    ) -> Verdict:  # fmt: skip
        """With the strings that the network makes held against a source, and those of a corpus
        against the machine inside it."""
        made = None if source is None else share_made(network, source)
        fits = None if inside is None or corpus is None else share_that_fits(inside, corpus)
        return cls(network, learned=inside, made=made, fits=fits, **known)

    @property
    def proved(self) -> Proof | None:
        """The theorem about the language, whichever network it is about."""
        return next((p for p in (self.proof, self.other) if p is not None and p.proved), None)

    @property
    def theorem(self) -> Proof | None:
        """The theorem about this network: for the language, or for the machine inside it."""
        inside = None if self.learned is None else self.learned.proof
        return next((p for p in (self.proof, inside) if p is not None and p.proved), None)

    @property
    def machine(self) -> Machine | None:
        """The machine that the network is shown to follow."""
        return None if self.learned is None else self.learned.machine

    @property
    def name(self) -> str | None:
        """The language that the network has learned, as a person writes it, where that is shown."""
        if self.proof is not None and self.proof.proved:
            return self.title
        return None if self.learned is None else self.learned.name

    @property
    def of_corpus(self) -> str | None:
        """How many strings of the corpus fit, as a sentence."""
        return None if self.fits is None else fits_text(self.fits)

    def belongs(self, string: str | Sequence[str]) -> Belonging:
        """Whether a string belongs to what the network has learned, and how likely it is."""
        return belonging(self.network, string, self.learned)

    @property
    def line(self) -> str:
        """All in one sentence."""
        proof, learned = self.proof, self.learned
        if proof is not None and proof.proved:
            return _of_every_length(f"It has learned {self.title}", proof, self.made)
        if proof is not None and self.title is not None:
            how = {
                "refuted": "It has not learned", "not right": "It has not learned",
            }.get(proof.outcome, "It is not known whether it has learned")  # fmt: skip
            return f"{how} {self.title}{_share_of(self.made, f', and {{}} in {self.title}')}."
        if self.title is not None and proof is None and self.made is not None:
            held = _share_of(self.made, "{} in " + self.title)
            return f"{held[:1].upper()}{held[1:]}."
        if learned is not None and learned.machine is not None:
            name = learned.name or f"the language of a machine with {learned.rules} rules"
            inner = learned.proof
            if inner is None or not inner.proved:
                return (
                    f"It has learned {name}, in the sense that it gives each of its symbols more "
                    "than any other."
                )
            return _of_every_length(f"It has learned {name}", inner, None)
        if self.network.alphabet is None:
            return "It reads numbers; no machine is looked for in such networks."
        share = _share_of(self.made, "; {} among those of the corpus")
        return f"What it has learned is not proved{share}."

    @property
    def lines(self) -> list[str]:
        """All that is known; what begins with two blanks is a rule of the machine."""
        machine = [] if self.machine is None else ["", *_indented(self.machine), ""]
        return [self.line, *self.instead, *machine, *self.theorem_text, *self.details]

    @property
    def instead(self) -> list[str]:
        """What it has learned that is not the language that it was held against."""
        if self.proof is None or self.proof.proved or self.machine is None:
            return []
        return [Verdict(self.network, learned=self.learned).line]

    @property
    def theorem_text(self) -> list[str]:
        """What is shown, with its chances and its limits; or why nothing is."""
        learned, proof = self.learned, self.proof
        found = self._of_the_language()
        if learned is None or (proof is not None and proof.proved):
            return found
        if learned.machine is None:
            return found or [learned.statement]
        return [*found, f"{'Theorem' if learned.proved else 'Shown'}. {learned.statement}"]

    @property
    def details(self) -> list[str]:
        """Strings that it makes and strings of the corpus, how it came to be, what to try."""
        found = []
        if self.theorem is None or self.theorem.only_exact or self.name is None:
            found += self._examples()
        if self.of_corpus is not None:
            found.append(self.of_corpus)
        if self.title is not None and self.proof is None and not available("z3"):
            found.append(HINT)
        found += self.origin
        if self.learned is not None and self.learned.machine is None and self.proof is None:
            found.append(TO_TRY)
        return found

    @property
    def why_figures_differ(self) -> tuple[str, ...]:
        """Why strings can count as wrong that are tested, though a theorem covers them."""
        proof = self.proof
        if proof is None or not proof.proved:
            return ()
        if proof.float_failure is not None:
            return (
                "The theorem is about exact numbers; the figures are of the network as it runs, in "
                "float64, where sums are rounded.",
            )
        return (
            "The theorem says which symbols get more; the figures also take it for a mistake that "
            f"an impossible one gets {MARGIN} or more, or a possible one less.",
        )

    def _of_the_language(self) -> list[str]:
        proof = self.proof
        if self.other is not None:
            return [
                *(() if proof is None else (proof.statement,)),
                f"Theorem, of the network in proved.json, {self._beside_the_best()}: "
                f"{self.other.statement} {self.other.limits}",
            ]
        if proof is None:
            return []
        return [f"Theorem. {proof.statement} {proof.limits}" if proof.proved else proof.statement]

    def _beside_the_best(self) -> str:
        if self.more_bits < 0:
            return f"whose |G| + |D:G| is {-self.more_bits:,.2f} bits lower"
        return f"which scores {self.more_bits:,.2f} bits more"

    def _examples(self) -> list[str]:
        made = self.made
        if made is None and self.machine is None and self.network.alphabet is not None:
            some = dict.fromkeys(map(_shown, strings_made(self.network, 2 * SHOWN)))
            return [f"Strings that it makes: {_listed(list(some))}."]
        if made is None:
            return []
        where = f"in {self.title}" if self.title is not None else "among those of the corpus"
        said = f"Of {made.all:,} strings that it makes, {made.right:,} are {where}"
        parts = []
        if made.rights:
            parts.append(_listed(made.rights))
        if made.wrongs:
            parts.append(f"{_listed(made.wrongs)} {'is' if len(made.wrongs) == 1 else 'are'} not")
        return [f"{said}{': ' if parts else ''}{'; '.join(parts)}."]

    def theorem_dict(self) -> dict[str, Any] | None:
        """What was found out about the language that it was held against."""
        if self.other is None:
            return None if self.proof is None else self.proof.to_dict()
        about = {} if self.proof is None else self.proof.to_dict()
        return about | {"other": self.other.to_dict() | {"more": self.more_bits}}

    def to_dict(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "language": self.title,
            "name": self.name,
            "machine": None if self.machine is None else self.machine.to_text(),
            "proved": self.theorem is not None,
            "made": None if self.made is None else self.made._asdict(),
            "fits": None if self.fits is None else self.fits._asdict(),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"Verdict({self.line})"


def belonging(
    network: Network, string: str | Sequence[str], learned: Learned | None = None
) -> Belonging:
    """Whether a string belongs to what a network has learned, and how likely it is."""
    alphabet = network.alphabet
    if alphabet is None:
        raise InputError("the network reads numbers, no strings; give a network over symbols.")
    symbols = symbols_of(string, alphabet) if isinstance(string, str) else list(string)
    machine = _in_machine(learned, symbols)
    chance, least = _chances(network, symbols)
    belongs = machine > 0 if machine is not None else least >= NOISE[0]
    if learned is not None and learned.machine is not None and learned.machine.assumed:
        machine = None  # it is a set of strings, whose chances nobody gave
    return Belonging(spelled(symbols), chance, belongs, machine)


def _chances(network: Network, symbols: Sequence[str]) -> tuple[float, float]:
    """What the network, as it runs, gives to a string, and the least that it gives to a symbol."""
    alphabet = network.alphabet or ()
    if not set(symbols) <= set(alphabet[1:]):
        return 0.0, 0.0
    step, values = stepper(network, FLOAT, saturation=network.saturation), None
    chance, least = 1.0, 1.0
    for read, follows in zip((BOUNDARY, *symbols), (*symbols, BOUNDARY), strict=True):
        values = step([int(read == symbol) for symbol in alphabet], values)
        given = dict(zip(alphabet, distribution(network, values), strict=True))
        chance *= float(given[follows])
        least = min(least, float(given[follows]))
    return chance, least


def _in_machine(learned: Learned | None, symbols: Sequence[str]) -> Fraction | None:
    if learned is None or learned.machine is None:
        return None
    if any(symbol not in learned.machine.alphabet for symbol in symbols):
        return Fraction(0)
    return learned.machine.probability(tuple(symbols))


def strings_made(network: Network, count: int = MADE, seed: int = 1) -> Iterator[tuple[str, ...]]:
    """Strings as the network makes them, symbol after symbol by its probabilities, in float64."""
    alphabet = network.alphabet
    assert alphabet is not None
    step = stepper(network, FLOAT, saturation=network.saturation)
    choose = random.Random(seed)
    rows = {s: [int(s == other) for other in alphabet] for s in alphabet}
    for _ in range(count):
        string: list[str] = []
        values = step(rows[BOUNDARY], None)
        while len(string) < LONGEST:
            chances = [float(p) for p in distribution(network, values)]
            symbol = choose.choices(alphabet, chances)[0]
            if symbol == BOUNDARY:
                break
            string.append(symbol)
            values = step(rows[symbol], values)
        yield tuple(string)


def share_made(network: Network, source: Accepts | Corpus) -> Share | None:
    """Of strings that the network makes, how many a language has, or a corpus."""
    if network.alphabet is None:
        return None
    if isinstance(source, Corpus):
        known = {tuple(string) for string, _ in source.strings()}
        return _share(network, strings_made(network), known.__contains__)
    symbols = getattr(source, "alphabet", None) or network.alphabet

    def accepted(string: tuple[str, ...]) -> bool:
        return set(string) <= set(symbols) and source.accepts(string)

    return _share(network, strings_made(network), accepted)


def share_that_fits(found: Learned, corpus: Corpus) -> Share | None:
    """Of the strings of a corpus, how many belong to what a network has learned: to its machine
    or, where none is proved, those whose symbols the network all gives at least 0.0001."""
    if corpus.alphabet is None:
        return None
    fits = distinct = every = 0
    wrongs: list[str] = []
    for string, count in corpus.strings():
        every += round(count)
        distinct += 1
        if belonging(found.network, tuple(string), found).belongs:
            fits += round(count)
        elif len(wrongs) < SHOWN:
            wrongs.append(_shown(tuple(string)))
    return Share(every, distinct, fits, (), tuple(wrongs))


def fits_text(share: Share) -> str:
    """How many strings of the corpus fit."""
    if share.right == share.all == 1:
        return "The one string of the corpus belongs to it."
    if share.right == share.all:
        return (
            f"All {share.all:,} strings of the corpus ({share.distinct:,} distinct) belong to it."
        )
    return (
        f"{share.right:,} of the {counted(share.all, 'string')} of the corpus "
        f"{'belongs' if share.right == 1 else 'belong'} to it; {_listed(share.wrongs)} "
        f"{'does' if len(share.wrongs) == 1 else 'do'} not."
    )


def _share(network: Network, strings: Iterator[tuple[str, ...]], is_right: Any) -> Share:
    every = right = 0
    seen: set[tuple[str, ...]] = set()
    rights: dict[str, None] = {}
    wrongs: dict[str, None] = {}
    for string in strings:
        every += 1
        seen.add(string)
        inside = len(string) < LONGEST and is_right(string)
        right += inside
        kept = rights if inside else wrongs
        if len(kept) < SHOWN:
            kept[_shown(string)] = None
    return Share(every, len(seen), right, tuple(rights), tuple(wrongs))


def _shown(string: Sequence[str]) -> str:
    text = spelled(string)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _listed(strings: Sequence[str]) -> str:
    return ", ".join(string or "the empty string" for string in strings)


def _share_of(share: Share | None, text: str) -> str:
    if share is None:
        return ""
    are = "is" if share.right == 1 else "are"
    return text.format(f"{share.right:,} of {share.all:,} strings that it makes {are}")


def _of_every_length(head: str, proof: Proof, made: Share | None) -> str:
    """How the strings of a network that is proved are those of its language."""
    margins = [c.margin for c in proof.claims if c.kind in ("within", "categorical")]
    if any(c.kind == "exact" for c in proof.claims) or 0 in margins:
        text = f"{head}: exactly these strings, of every length"
    else:
        text = f"{head}: these strings, of every length"
        if margins:
            text += f"; all else gets less than {decimal_text(min(margins))} at each step"
        if made is not None and made.right < made.all:
            text += f", and {made.right:,} of {made.all:,} strings that it makes are right"
    if proof.float_failure is not None:
        text += "; so in exact numbers, but not as it runs, in float64"
    return f"{text}."


def _indented(machine: Machine) -> list[str]:
    return [f"  {line}" for line in machine.to_text().splitlines()[1:]]
