"""Claims and counterexamples held against the interpreter, which knows nothing of proofs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from mdlrnn import Network, Proof, languages, prove, zoo
from mdlrnn._interpreter import EXACT, distribution, feed, input_rows
from mdlrnn._tasks import TASKS
from mdlrnn.languages import Language
from mdlrnn.proofs._claims import Claim
from mdlrnn.proofs._proof import Counterexample
from mutants import TARGETS

DIGITS = Fraction(1, 10**40)
"""The interpreter's sigmoid is right to 60 digits."""
Step = tuple[dict[str, Fraction], dict[str, Fraction]]
"""The true probabilities of what can come next, and those given."""


@cache
def zoo_proof(name: str) -> Proof:
    """The theorem about a network of the zoo, proved once for all tests."""
    return prove(zoo.load(name), TARGETS[name])


def language_of(name: str) -> Language | None:
    found = TASKS[name].language
    assert found is None or isinstance(found, Language)
    return found


def random_steps(network: Network, name: str, seed: int, length: int) -> Iterator[Step]:
    """A random walk through the language, far from how it is sampled, and what was predicted."""
    choose = random.Random(seed)
    language = language_of(name)
    if language is None:
        yield from _addition_steps(network, choose, length)
        return
    here: Any = language.beginning
    string, states = "", [here]
    # Now and then one option is favoured throughout, so that counters get large.
    habit = choose.choice([None, *language.alphabet])
    while len(string) < length:
        ways = [option for option in language.options(here) if option.symbol != "#"]
        if not ways:
            break
        favoured = [option for option in ways if option.symbol == habit]
        way = choose.choice(favoured if favoured and choose.random() < 0.85 else ways)
        string, here = string + way.symbol, way.to
        states.append(here)
    values = feed(network, input_rows(network, string, language.alphabet), EXACT)
    for here, at in zip(states, values, strict=True):
        truth = language.next_from(here).distribution
        names = network.alphabet or language.alphabet
        yield truth, dict(zip(names, distribution(network, at), strict=True))


def _addition_steps(network: Network, choose: random.Random, length: int) -> Iterator[Step]:
    rows = [[choose.randint(0, 1), choose.randint(0, 1)] for _ in range(length)]
    carry = 0
    for row, values in zip(rows, feed(network, rows, EXACT), strict=True):
        carry, digit = divmod(carry + sum(row), 2)
        chance = distribution(network, values)[0]
        yield (
            {"0": Fraction(1 - digit), "1": Fraction(digit)},
            {"0": 1 - chance, "1": chance},
        )


def bears_out(claim: Claim, truth: dict[str, Fraction], given: dict[str, Fraction]) -> bool:
    """Whether one step is as claimed."""
    margin = claim.margin
    right = {symbol: given[symbol] for symbol, chance in truth.items() if chance}
    wrong = [p for symbol, p in given.items() if not truth.get(symbol)]
    match claim.kind:
        case "exact":
            return all(abs(given[s] - p) <= DIGITS for s, p in truth.items())
        case "within":
            return all(abs(p - truth.get(s, 0)) < margin + DIGITS for s, p in given.items())
        case "deterministic":
            return len(right) > 1 or min(right.values()) > 1 - margin - DIGITS
        case "leading":
            return len(right) > 1 or min(right.values()) > max(wrong, default=Fraction(-1))
        case "categorical" if margin == 0:
            return all(p == 0 for p in wrong) and all(p > 0 for p in right.values())
        case "categorical":
            low = min(right.values()) >= margin - DIGITS
            return low and all(p < margin + DIGITS for p in wrong)
        case _:
            return min(right.values()) > max(wrong, default=Fraction(-1))


def really_wrong(network: Network, name: str, found: Counterexample) -> bool:
    """Whether the sure symbol does not lead there, or a possible one not over an impossible."""
    if name == "addition":
        n, m = map(int, found.string.split(" + "))
        rows: Any = [[n >> i & 1, m >> i & 1] for i in range(found.step + 1)]
        *_, last = feed(network, rows, EXACT)
        digit = (n + m) >> found.step & 1
        chance = distribution(network, last)[0]
        return chance <= Fraction(1, 2) if digit else chance >= Fraction(1, 2)
    language = language_of(name)
    assert language is not None
    assert isinstance(language, languages.Language)
    assert language.accepts(found.string)
    prefix = found.string[: found.step]
    *_, last = feed(network, input_rows(network, prefix, language.alphabet), EXACT)
    given = dict(zip(network.alphabet or (), distribution(network, last), strict=True))
    truth = language.next(prefix).distribution
    return not bears_out(Claim("ordered"), truth, given)
