"""`learned`: the machine that a network follows, its name, and what is proved of it; where no
machine was proved, the small automaton that agrees with the network up to a length.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

from .. import work
from ..checks import is_number, short
from ..errors import InputError
from ..machines import (
    END,
    Configuration,
    Machine,
    Rule,
    RulesAtOdds,
    machine_from_text,
    product,
    smallest,
    tidied,
)
from ..network import BOUNDARY, Network, counted
from ..proofs import Proof, bound_text, decimal_text, folded, prove, require, rounded_up
from ..waiting import doing
from ._fit import NEARLY, SAME, fitted, simple_chances
from ._names import automaton_name, named_machines
from ._places import NOISE, Kinds, Node, NoMachine, Runs, run_through

AFTER = "After every prefix that it finds possible, however long, the network gives each"


def statement(proof: Proof, machine: Machine, runs: Runs) -> str:
    text = _claim(proof, runs) + _in_the_middle(proof, machine, runs) + _as_it_runs(proof)
    return f"{text} {proof.limits}"


def _in_the_middle(proof: Proof, machine: Machine, runs: Runs) -> str:
    """What the machine's probabilities are worth where the first claim does not speak of them."""
    if proof.proved and proof.claims[0].kind in ("exact", "within"):
        return ""
    close = next((claim for claim in proof.claims if claim.kind == "within"), None)
    if proof.proved and close is not None:
        return f" Each probability is within {decimal_text(close.margin)} of this machine's."
    found = agreement(machine, runs, runs.depth)
    if found is None or not found.off:
        return ""
    return (
        " This machine's own probabilities are not the network's: in the prefixes of up to "
        f"{counted(found.length, 'symbol')} they differ by up to {bound_text(found.off)}."
    )


def agrees(found: Cover) -> str:
    """What is so of a machine of which nothing is proved."""
    taken = ""
    if found.noise is not None:
        taken = f" (what it gives with less than {decimal_text(found.noise)} is taken for nothing)"
    off = f"probabilities that differ by up to {bound_text(found.off)}"
    return (
        f"Up to {counted(found.length, 'symbol')} it finds the same symbols possible as a machine "
        f"with {counted(len(found.machine.rules), 'rule')}{taken}, with "
        f"{off if found.off else 'the same probabilities'}"
    )


def _claim(proof: Proof, runs: Runs) -> str:
    if not proof.proved:
        return (
            f"{AFTER} symbol that this machine finds possible more than each that it finds "
            "impossible; no bound parts the two, since probabilities change along the string."
        )
    first = proof.claims[0]
    margin = decimal_text(first.margin)
    noise = ""
    if any(node.noise for node in runs.nodes):
        noise = f" (what it gives with less than {decimal_text(runs.noise)} is taken for nothing)"
    if first.kind == "exact":
        return f"{AFTER} next symbol exactly this machine's probability."
    if first.kind == "within":
        return f"{AFTER} next symbol this machine's probability within {margin}{noise}."
    if first.margin == 0:
        return (
            f"{AFTER} symbol that this machine finds impossible probability 0 and each other one "
            "more; how much more changes along the string."
        )
    return (
        f"{AFTER} symbol that this machine finds impossible less than {margin} and each other one "
        "at least that."
    )


def _as_it_runs(proof: Proof) -> str:
    if proof.float_failure is None:
        return ""
    return (
        " That is the network in exact numbers: as it runs, in float64, it makes a mistake on "
        f"{folded(proof.float_failure.string)}."
    )


def not_proved(found: Cover, left_at: str, seconds: float | None) -> str:
    """Of a machine that fits all that was run. `seconds` is the work that was not enough, if it
    was."""
    why = "no relation between the machine's counters and the network's memory was found"
    if left_at:
        why = f"the network leaves the machine on {left_at}"
    elif seconds is not None:
        why = f"as much work as an idle core does in {seconds:g} s was not enough"
    return f"{agrees(found)}. That it does so for every length could not be proved, because {why}."


def no_machine(
    reasons: Sequence[str], runs: Runs, beside: Cover | None, seconds: float | None
) -> str:
    """`seconds` is the work that was not enough, if it was."""
    tried = "; ".join(dict.fromkeys(reasons)) or "none was looked for"
    if seconds is not None:
        tried += f" (with as much work as an idle core does in {seconds:g} s)"
    depth = counted(runs.depth, "symbol")
    further = "" if beside is None else f" {agrees(beside)}; no claim beyond."
    return (
        f"No machine was found: {tried}. All prefixes of up to {depth} that it finds possible were "
        f"run.{further}"
    )


SECONDS = 20.0
MOST_RULES = 30
"""Of a machine that is shown without a proof."""
FEW_RULES = 14
"""Of a machine for which no smaller one is looked for where more is taken for noise."""
ALONE = 0.5
"""The share of the time that is left which one proof may take."""


@dataclass(frozen=True)
class Learned:
    """What a network has learned. Without a machine, `statement` says why none was found."""

    network: Network
    machine: Machine | None
    """None if none was shown to be the network's."""
    name: str | None
    """As a person writes the language; None where no name is known to fit."""
    proof: Proof | None
    statement: str
    seconds: float
    """What it took, in the work that an idle core does in a second."""
    checked: int
    """All prefixes up to this length were run."""
    cover: Cover | None = None
    """Without a machine, the automaton that agrees up to a length."""

    @property
    def proved(self) -> bool:
        return self.proof is not None and self.proof.proved

    @property
    def rules(self) -> int:
        """How many rules the machine has."""
        return 0 if self.machine is None else len(self.machine.rules)

    @property
    def margin(self) -> float | None:
        """By which a probability may be off the machine's; 0 where all are exact."""
        if self.proof is None:
            return None
        found = [float(c.margin) for c in self.proof.claims if c.kind in ("exact", "within")]
        return min(found, default=None)

    def to_dict(self) -> dict[str, Any]:
        agrees = self.cover
        return {
            "name": self.name,
            "machine": None if self.machine is None else self.machine.to_text(),
            "proved": self.proved,
            "statement": self.statement,
            "margin": self.margin,
            "claims": []
            if self.proof is None
            else [{"kind": c.kind, "margin": float(c.margin)} for c in self.proof.claims],
            "float_failure": None
            if self.proof is None or self.proof.float_failure is None
            else self.proof.float_failure.to_dict(),
            "seconds": self.seconds,
            "checked_length": self.checked,
            "agrees": None
            if agrees is None
            else {
                "length": agrees.length,
                "differs_by": float(rounded_up(agrees.off)),
                "machine": agrees.machine.to_text(),
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], network: Network) -> Learned:
        """What this network has learned, as it was written down."""
        agrees, statement = data["agrees"], data["statement"]
        name, machine = data["name"], _machine(data["machine"])
        if not isinstance(statement, str) or not isinstance(name, str | None):
            raise TypeError
        proof = None
        if data["proved"] is True:
            # Earlier versions kept the margin alone.
            margin = data.get("margin")
            known = [] if margin is None else [{"kind": "within", "margin": margin}]
            claims = data.get("claims", known)
            rows: dict[str, Any] = {"head": [], "rows": []}
            proof = Proof.from_dict(
                {"outcome": "proved", "statement": statement, "claims": claims, "table": rows,
                 "float_failure": data.get("float_failure")},
                network, "" if machine is None else machine.title,
            )  # fmt: skip
        beside = None
        if agrees is not None:
            there = _machine(agrees["machine"])
            assert there is not None
            beside = Cover(there, int(agrees["length"]), Fraction(agrees["differs_by"]))
        seconds, checked = float(data["seconds"]), int(data["checked_length"])
        return cls(network, machine, name, proof, statement, seconds, checked, beside)

    def certificate(self) -> str:
        """The proof as a file that a second solver can check."""
        if self.proof is None:
            raise InputError("there is no theorem to write down; a certificate needs a proof.")
        return self.proof.certificate()

    def proof_of(self, language: Machine, seconds: float = SECONDS) -> Proof | None:
        """The theorem about a language, where the network follows the counters of another machine:
        the two machines are gone through at once. None where that shows nothing."""
        both = None if self.machine is None else product(self.machine, language)
        if both is None:
            return None
        try:
            proof = prove(self.network, both, seconds=seconds)
        except (InputError, RulesAtOdds):
            return None
        return proof if proof.proved else None

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        """The machine with its name and what is shown of it; or why there is none."""
        if self.machine is None:
            return self.statement
        rules = [f"  {line}" for line in self.machine.to_text().splitlines()[1:]]
        name = self.name or "the language of this machine"
        shown = "Theorem" if self.proved else "Shown"
        return "\n".join([f"It has learned {name}.", "", *rules, "", f"{shown}. {self.statement}"])


def _machine(text: str | None) -> Machine | None:
    machine = None if text is None else machine_from_text(text)
    if not isinstance(machine, Machine | None):
        raise TypeError
    return machine


@doing("reading the machine off the network")
def learned(network: Network, seconds: float = SECONDS, first: Machine | None = None) -> Learned:
    """The machine inside a network over symbols, proved equal to it where that succeeds; `first`
    is a machine to try before all others.

    Needs the extra `prove`.
    """
    require("z3", "a proof of what was learned")
    if network.alphabet is None:
        raise InputError(
            "the network names no symbols, so it reads no strings; give a network over symbols."
        )
    if not is_number(seconds) or seconds <= 0:
        raise InputError(f"seconds is {short(seconds)}; give a number above 0.")
    return _Search(network, seconds, first).run()


class _Search:
    """Languages with a name are tried first, at every level of noise, since a proof of one is soon
    found; then machines that are read off the runs."""

    def __init__(self, network: Network, seconds: float, first: Machine | None) -> None:
        self.network = network
        self.first = first
        self.seconds = seconds
        self.began = work.now()
        self.ends = self.began + seconds
        self.reasons: list[str] = []
        self.tried: set[tuple[tuple[Rule, ...], str]] = set()
        self.left_at = ""
        """A string on which it leaves a machine that fits all shorter ones."""
        self.unproved: Cover | None = None
        """The first machine that fits what was run."""
        self.guessed: dict[Fraction, list[Machine]] = {}
        """Languages with a name that fit and were not proved, by the level of noise."""

    @property
    def left(self) -> float:
        return self.ends - work.now()

    def run(self) -> Learned:
        found = self._found()
        return replace(found, seconds=work.now() - self.began)

    def _found(self) -> Learned:
        levels: list[Runs] = []
        loose: dict[Fraction, Learned] = {}
        for noise in NOISE:
            if levels and not any(node.least < noise for node in levels[-1].nodes):
                continue  # it makes no difference
            runs = run_through(self.network, noise, ends=self.ends - self.seconds / 2)
            levels.append(runs)
            if self.first is not None and len(levels) == 1:
                found = self._proved(runs, self.first, self.first.title)
                if found is not None and found.proved:
                    return found
            named = self._named(runs)
            if named is not None and _is_tight(named, noise):
                return named
            if named is not None:
                loose[noise] = named
        unnamed: Learned | None = None
        for runs in levels:
            if unnamed is not None and unnamed.proved and unnamed.rules <= FEW_RULES:
                break
            named = loose.get(runs.noise)
            found = self._fitted(runs, (SAME, NEARLY) if named else (SAME, NEARLY, None))
            if named is not None:
                same = found is not None and _same_strings(named, found)
                return replace(found, name=named.name) if same and found else named
            if found is not None and found.name is not None:
                return found
            if found is not None and (unnamed is None or _is_better(found, unnamed)):
                unnamed = found
        return unnamed or next(iter(loose.values()), None) or self._none(levels[0])

    def _none(self, runs: Runs) -> Learned:
        is_over = self.left <= 0 or runs.out_of_time
        limit = self.seconds if is_over else None
        found = self.unproved or cover(runs)
        if self.unproved is not None:
            text = not_proved(self.unproved, self.left_at, limit)
        else:
            text = no_machine(self.reasons, runs, found, limit)
        return Learned(self.network, None, None, None, text, 0.0, runs.depth, found)

    def _named(self, runs: Runs) -> Learned | None:
        for language in named_machines(runs):
            found = self._proved(runs, language, language.title)
            if found is not None:
                return found
            self._keep(language, runs)
            self.guessed.setdefault(runs.noise, []).append(language)
        return None

    def _fitted(self, runs: Runs, tolerances: Sequence[Fraction | None]) -> Learned | None:
        """The machine that is read off the runs, the one with the nearest probabilities."""
        for apart in tolerances:
            if self.left <= 0:
                return None
            try:
                fit = fitted(runs, apart)
            except NoMachine as reason:
                self.reasons.append(str(reason))
                continue
            few = smallest(fit.machine)
            name = automaton_name(few)
            machine, full, few = (
                replace(one, title=name or fit.machine.title)
                for one in (fit.machine, fit.full, few)
            )
            found = self._proved(runs, few, name) or self._proved(runs, machine, name)
            if found is None and len(full.rules) != len(machine.rules) and not self.left_at:
                found = self._proved(runs, full, name)
            # That all three are the same is how the smaller ones were made.
            found = found and replace(found, machine=few)
            if found is not None:
                return self._with_name(found, runs)
            self._keep(few, runs)
        return None

    def _with_name(self, found: Learned, runs: Runs) -> Learned:
        """A language that was guessed may be the machine's, though the network does not follow
        its counters: both are then gone through at once. That the language has no other strings
        follows from the probabilities, or else from going through them the other way round."""
        assert found.machine is not None
        if found.name is None:
            for language in self.guessed.get(runs.noise, ()):
                other = self._beside(found.machine, language, runs)
                if other is None:
                    continue
                if _same_strings(found, other) or self._beside(language, found.machine, runs):
                    return replace(found, name=language.title)
        return found

    def _beside(self, one: Machine, other: Machine, runs: Runs) -> Learned | None:
        """What is proved of two machines at once: the first has all strings of the other."""
        both = product(one, other)
        return None if both is None else self._proved(runs, both, other.title)

    def _keep(self, machine: Machine, runs: Runs) -> None:
        if self.unproved is None and len(machine.rules) <= MOST_RULES:
            self.unproved = compared(machine, runs, runs.depth)

    def _proved(self, runs: Runs, machine: Machine, name: str | None) -> Learned | None:
        key = (machine.rules, machine.start)
        if self.left <= 0 or key in self.tried:
            return None
        self.tried.add(key)
        most = max(1.0, ALONE * self.left)
        try:
            proof = prove(self.network, machine, seconds=min(most, self.left), at_once=True)
        except RulesAtOdds:  # beyond all that was run, so that it is no language
            return None
        except InputError as reason:  # more conditions than a proof can tell apart
            self.reasons.append(str(reason).rstrip("."))
            return None
        if proof.counterexample is not None:
            self.left_at = self.left_at or folded(proof.counterexample.string)
        if not proof.proved and not proof.claims:
            return None
        text = statement(proof, machine, runs)
        return Learned(self.network, machine, name, proof, text, 0.0, runs.depth)


def _is_tight(found: Learned, noise: Fraction) -> bool:
    """Whether a machine's probabilities are the network's but for a little."""
    assert found.proof is not None
    claim = found.proof.claims[0]
    within = claim.kind == "within" and claim.margin <= max(noise, Fraction(1, 1000))
    return claim.kind == "exact" or within


def _is_better(one: Learned, other: Learned) -> bool:
    """Whether it says more, though more is taken for noise: it is proved, or far smaller."""
    if one.proved is not other.proved:
        return one.proved
    return 2 * one.rules < other.rules


def _same_strings(one: Learned, other: Learned) -> bool:
    """Whether two machines that are both proved of the network have the same strings: what one
    finds possible and the other does not would have two probabilities."""
    bounds = [_bounds(found) for found in (one, other)]
    return all(
        possible >= impossible for (possible, _), (_, impossible) in (bounds, reversed(bounds))
    )


def _bounds(found: Learned) -> tuple[Fraction, Fraction]:
    """What the network gives at least to a symbol that the machine finds possible, and what it
    gives less than (or, at 0, exactly) to one that it finds impossible."""
    assert found.proof is not None
    assert found.machine is not None
    claim = found.proof.claims[0]
    if not found.proof.proved:
        return Fraction(0), Fraction(1)
    if claim.kind == "categorical" and claim.margin:
        return claim.margin, claim.margin
    tiny = Fraction(1, 10**30)
    if claim.kind == "categorical":
        return tiny, Fraction(0)
    least = min(rule.chance for rule in found.machine.rules)
    return least - claim.margin, claim.margin


MOST_PLACES = 5_000
"""Nodes, each with a configuration of the machine, that are compared."""


class Agreement(NamedTuple):
    length: int
    """Up to so many symbols the two find the same symbols possible."""
    off: Fraction
    """The most by which a probability differs up to there."""


def agreement(machine: Machine, runs: Runs, length: int) -> Agreement | None:
    """Of a machine and the prefixes of up to this length; None if they differ from the start."""
    symbols = tuple(runs.alphabet)
    level: dict[tuple[int, Configuration], None] = {(0, machine.beginning): None}
    off, places = Fraction(0), 0
    for depth in range(min(length, runs.depth) + 1 if not runs.finite else length + 1):
        here_off, after = Fraction(0), dict[tuple[int, Configuration], None]()
        places += len(level)
        for number, here in level:
            node = runs.nodes[number]
            chances = machine.next_from(here).distribution
            given = dict(zip(symbols, node.chances, strict=True))
            if places > MOST_PLACES or not _same_possible(chances, given):
                return Agreement(depth - 1, off) if depth else None
            here_off = max(here_off, _off(chances, given, node))
            for symbol, below in node.below.items():
                to = machine.step(here, symbol)
                assert to is not None
                after[below, to] = None
        off, level = max(off, here_off), after
    return Agreement(length, off)


def _same_possible(one: dict[str, Fraction], other: dict[str, Fraction]) -> bool:
    return all(bool(one.get(symbol)) == bool(chance) for symbol, chance in other.items())


def _off(chances: dict[str, Fraction], given: dict[str, Fraction], node: Node) -> Fraction:
    """With what was taken for nothing, which the network spreads over other symbols."""
    noise = node.noise * sum(1 for chance in given.values() if not chance)
    return max(abs(chances.get(s, Fraction(0)) - p) for s, p in given.items()) + noise


LONGEST = 12
MOST_STATES = 12
"""Of an automaton that is shown."""
MOST_KINDS = 60


class Cover(NamedTuple):
    machine: Machine
    length: int
    """Up to so many symbols the network finds the same symbols possible."""
    off: Fraction
    """The most by which a probability differs up to there."""
    noise: Fraction | None = None
    """What is given with less than this was taken for nothing."""


def cover(runs: Runs) -> Cover | None:
    """The automaton for the greatest length for which it is small."""
    for apart in (SAME, None):
        kinds = Kinds(apart, MOST_KINDS)
        try:
            numbers = [kinds.of(node.chances) for node in runs.nodes]
        except NoMachine:
            continue
        chances = [simple_chances(members) for members in kinds.members]
        for length in range(min(LONGEST, runs.depth), 0, -1):
            machine = _covered(runs, numbers, chances, length)
            found = None if machine is None else compared(machine, runs, length)
            if found is not None:
                return found
    return None


def compared(machine: Machine, runs: Runs, length: int) -> Cover | None:
    """The machine with how far it agrees with the runs, which is up to this length at most."""
    found = agreement(machine, runs, length)
    if found is None:
        return None
    noise = runs.noise if any(node.noise for node in runs.nodes) else None
    return Cover(machine, found.length, found.off, noise)


def _covered(
    runs: Runs, kinds: list[int], chances: list[list[Fraction]], length: int
) -> Machine | None:
    known: dict[tuple[int, int], int] = {}
    different: dict[Hashable, int] = {}

    def ahead(number: int, steps: int) -> int:
        """What can follow a node in so many steps, as a number: to compare two of the sets of sets
        themselves would go through all strings."""
        key = (number, steps)
        if key not in known:
            below = runs.nodes[number].below if steps else {}
            what = (
                kinds[number],
                frozenset((symbol, ahead(to, steps - 1)) for symbol, to in below.items()),
            )
            known[key] = different.setdefault(what, len(different))
        return known[key]

    chosen: list[int] = []
    state_of: dict[int, int] = {}
    left = [0]
    for number in left:
        node = runs.nodes[number]
        steps = length - node.depth
        same = next((i for i in chosen if ahead(i, steps) == ahead(number, steps)), None)
        state_of[number] = number if same is None else same
        if same is not None:
            continue
        chosen.append(number)
        if len(chosen) > MOST_STATES:
            return None
        for to in node.below.values() if steps else ():
            if to not in state_of:
                state_of[to] = to
                left.append(to)
    return _automaton(runs, kinds, chances, chosen, state_of)


def _automaton(
    runs: Runs,
    kinds: list[int],
    chances: list[list[Fraction]],
    chosen: list[int],
    state_of: dict[int, int],
) -> Machine | None:
    rules = []
    for number in chosen:
        below = runs.nodes[number].below
        for symbol, chance in zip(runs.alphabet, chances[kinds[number]], strict=True):
            if not chance:
                continue
            if symbol == BOUNDARY:
                rules.append(Rule(f"q{number}", symbol, END, chance))
                continue
            # Where the length is reached nothing is known of what follows; any state will do.
            to = state_of.get(below.get(symbol, -1), number)
            rules.append(Rule(f"q{number}", symbol, f"q{to}", chance))
    small = tidied(rules, f"q{chosen[0]}")
    try:
        return Machine("agrees", "the automaton", tuple(small), small[0].state)
    except InputError:
        return None
