"""Random machines, and networks held against machines."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import islice
from random import Random

from mdlrnn import Network
from mdlrnn.errors import InputError
from mdlrnn.machines import END, Affine, Condition, Machine, Rule, counter
from mdlrnn.network import BOUNDARY


def differs(network: Network, machine: Machine, longest: int, most: int = 60) -> str | None:
    """A prefix after which the network and the machine differ."""
    for string in islice(machine.strings(20_000), most):
        if len(string) > longest:
            break
        given = network.probabilities(string)
        for place, row in enumerate(given):
            chances = machine.next(string[:place]).distribution
            for symbol, p in zip(machine.alphabet, row, strict=True):
                if abs(p - float(chances[symbol])) > 1e-9:
                    return str(string[:place])
    return None


def some_machine(seed: int) -> Machine:
    """The machine of a seed: the first that is drawn whose rules make one."""
    random = Random(seed)
    while True:
        with suppress(InputError):  # some rules contradict each other, or ask for what none sets
            return random_machine(random)


def random_machine(random: Random) -> Machine:
    """One to eight states and up to two counters, which are set to sums where a rule says so."""
    names = ["start", *(f"q{number}" for number in range(random.randint(0, 7)))]
    counters = ["n", "m"][: random.randint(0, 2)]
    rules: list[Rule] = []
    for state in names:
        symbols = random.sample(["a", "b", "c"], random.randint(1, 3))
        tested = random.choice(counters) if counters and random.random() < 0.6 else None
        if tested is None:
            rules += _choices(random, state, symbols, names, counters, ())
            continue
        value = counter(tested)
        if random.random() < 0.3:
            base = random.choice((2, 3, 5))
            tests = [(value.ends_in(digit, base),) for digit in range(base)]
        else:
            tests = [(value.positive,), (value.zero,)]
        for when in tests:
            own = random.sample(symbols, random.randint(1, len(symbols)))
            below = when[0].relation == ">"
            rules += _choices(random, state, own, names, counters, when, tested if below else None)
    reached, left = {"start"}, ["start"]
    while left:
        here = left.pop()
        for rule in rules:
            if rule.state == here and rule.to not in reached | {END}:
                reached.add(rule.to)
                left.append(rule.to)
    return Machine("random", "random", tuple(rule for rule in rules if rule.state in reached))


def _choices(
    random: Random,
    state: str,
    symbols: list[str],
    names: list[str],
    counters: list[str],
    when: tuple[Condition, ...],
    above: str | None = None,
) -> list[Rule]:
    ends = BOUNDARY
    chosen = [*symbols, ends]
    weights = [random.randint(1, 4) for _ in chosen]
    found = []
    for symbol, weight in zip(chosen, weights, strict=True):
        chance = Fraction(weight, sum(weights))
        if symbol == ends:
            found.append(Rule(state, symbol, END, chance, when))
            continue
        then: list[tuple[str, Affine | int]] = []
        for name in counters:
            draw = random.random()
            if draw < 0.3:
                then.append((name, counter(name) + 1))
            elif draw < 0.45 and name == above:
                then.append((name, counter(name) - 1))
            elif draw < 0.55:
                then.append((name, random.randint(0, 2)))
            elif draw < 0.65:
                terms = tuple((other, random.randint(1, 2)) for other in counters)
                then.append((name, Affine(terms, random.randint(0, 1))))
        found.append(Rule(state, symbol, random.choice(names), chance, when, tuple(then)))
    return found
