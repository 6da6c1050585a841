"""Claims and counterexamples held against the interpreter, which knows nothing of proofs.

Theorems and counterexamples are about the network without saturation, and so are the runs here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from helpers.mutants import TARGETS, target
from mdlrnn import Network, prove
from mdlrnn.languages import EVERY_TASK
from mdlrnn.machines._machine import Machine
from mdlrnn.network._interpreter import FLOAT, arithmetic_over, distribution, feed, input_rows
from mdlrnn.network._units import Arithmetic
from mdlrnn.proofs._smt import Claim
from mdlrnn.proofs._witness import Counterexample
from mdlrnn.results import Proof

DIGITS = Fraction(1, 10**40)
"""The sigmoid here is right to 60 digits."""
_CONTEXT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FARTHEST = 20_000
"""From here on, either way, a sigmoid keeps its value: it is next to 0 or 1 and neither."""
Step = tuple[dict[str, Fraction], dict[str, Fraction]]
"""The true probabilities of what can come next, and those given."""


def _exponential(x: Fraction) -> Fraction:
    return _rounded(x, lambda number: _CONTEXT.exp(number))


def _rounded(x: Fraction, change: Callable[[Decimal], Decimal]) -> Fraction:
    return Fraction(change(_CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))))


def _sigmoid(x: Fraction) -> Fraction:
    small = _exponential(-min(abs(x), Fraction(_FARTHEST)))
    return (small if x < 0 else Fraction(1)) / (1 + small)


def _tanh(x: Fraction) -> Fraction:
    return 2 * _sigmoid(2 * x) - 1


def _tidied(x: Fraction) -> Fraction:
    return x if x.denominator.bit_length() < 2**17 else _rounded(x, lambda number: number)


TRUE = arithmetic_over(Fraction, _sigmoid, _tanh, _tidied)
"""The numbers that theorems speak of: a sigmoid is never 0, where the interpreter's vanishes with
float64's."""


@cache
def proof_of(name: str) -> Proof:
    """The theorem about a network, proved once for all tests."""
    return prove(target(name), TARGETS[name])


def language_of(name: str) -> Machine:
    found = EVERY_TASK[name].rules
    assert isinstance(found, Machine)
    return found


def random_steps(network: Network, name: str, seed: int, length: int) -> Iterator[Step]:
    """A random walk through the language, far from how it is sampled, and what was predicted."""
    choose = random.Random(seed)
    if name == "addition":
        yield from _addition_steps(network, choose, length)
        return
    language = language_of(name)
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
    values = feed(network, input_rows(network, string, language.alphabet), TRUE, saturation=False)
    for here, at in zip(states, values, strict=True):
        truth = language.next_from(here).distribution
        names = network.alphabet or language.alphabet
        yield truth, dict(zip(names, distribution(network, at), strict=True))


def _addition_steps(network: Network, choose: random.Random, length: int) -> Iterator[Step]:
    rows = [[choose.randint(0, 1), choose.randint(0, 1)] for _ in range(length)]
    carry = 0
    for row, values in zip(rows, feed(network, rows, TRUE, saturation=False), strict=True):
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
    """Whether what is said of a counterexample is true: of exact numbers that are not cut, and of
    the network as it runs."""
    exact = _wrong_at(network, name, found, TRUE, saturation=False)
    return exact and _wrong_at(network, name, found, FLOAT, None) == found.as_it_runs


def _wrong_at(
    network: Network, name: str, found: Counterexample, arithmetic: Arithmetic,
    saturation: bool | None,
) -> bool:  # fmt: skip
    """Whether the sure symbol does not lead there, or a possible one not over an impossible."""
    if name == "addition":
        n, m = map(int, found.string.split(" + "))
        rows: Any = [[n >> i & 1, m >> i & 1] for i in range(found.step + 1)]
        *_, last = feed(network, rows, arithmetic, saturation)
        digit = (n + m) >> found.step & 1
        chance = distribution(network, last)[0]
        return bool(chance <= Fraction(1, 2) if digit else chance >= Fraction(1, 2))
    language = language_of(name)
    assert language.accepts(found.string)
    prefix = found.string[: found.step]
    rows = input_rows(network, prefix, language.alphabet)
    *_, last = feed(network, rows, arithmetic, saturation)
    shares = map(Fraction, distribution(network, last))
    given = dict(zip(network.alphabet or (), shares, strict=True))
    truth = language.next(prefix).distribution
    return not bears_out(Claim("ordered"), truth, given)
