"""Names of languages read independently of how they were found, and machines beside networks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product

from benchmarks.learned._verdict import along

from mdlrnn import Network
from mdlrnn.languages import language_from
from mdlrnn.languages._notation import language_from_notation
from mdlrnn.machines._machine import Machine

String = Sequence[str]
_COUNT = re.compile(
    r"(?:a number of (?P<s>.+)'s|an (?P<e>even|odd) number of (?P<t>.+)'s|a length|an "
    r"(?P<l>even|odd) length)(?: divisible by (?P<k>\d+)| that is (?P<r>\d+) modulo (?P<m>\d+))?"
)


def meaning(name: str) -> Callable[[String], bool]:
    """Whether a string is in the language of that name."""
    if name.startswith("Dyck-"):
        pairs = name.split(" over ")[1].split()
        return lambda string: _matched(string, {pair[1]: pair[0] for pair in pairs})
    if name.startswith("equally many"):
        one, other = re.findall(r"(\S+)'s", name)
        return lambda string: string.count(one) == string.count(other)
    parts = [_COUNT.fullmatch(part) for part in name.partition(" over ")[0].split(" and ")]
    if all(parts):
        return lambda string: all(_counted(part, string) for part in parts if part)
    if not {"^", " ", "'"} & {*name}:
        with suppress(re.error):  # a notation may have brackets of its own: [*
            pattern = re.compile(name)
            return lambda string: pattern.fullmatch("".join(string)) is not None
    return language_from_notation(name).accepts


def _matched(string: String, opening: dict[str, str]) -> bool:
    stack: list[str] = []
    for symbol in string:
        if symbol not in opening:
            stack.append(symbol)
        elif not stack or stack.pop() != opening[symbol]:
            return False
    return not stack


def _counted(part: re.Match[str], string: String) -> bool:
    symbol = part["s"] or part["t"]
    number = len(string) if symbol is None else string.count(symbol)
    if part["e"] or part["l"]:
        return number % 2 == ((part["e"] or part["l"]) == "odd")
    modulus = int(part["k"] or part["m"])
    return number % modulus == int(part["r"] or 0)


def check_name(name: str, machine: Machine, longest: int = 14, most: int = 3_000) -> None:
    """The machine has the strings that its name says, up to a length, and so has the language that
    the name is read as."""
    readings = [meaning(name)]
    if set(name) & set("*+?|^-") or "'s" in name or "length" in name:  # else it is one string
        readings.append(language_from(name).accepts)
    symbols = machine.alphabet[1:]
    for count, string in enumerate(machine.strings()):
        if len(string) > longest or count > most:
            break
        assert all(said(tuple(string)) for said in readings), (name, string)
    length, count = 0, 0
    while length <= longest and count + len(symbols) ** length <= most:
        for tried in product(symbols, repeat=length):
            for said in readings:
                assert said(tried) is machine.accepts(tried), (name, tried)
        count += len(symbols) ** length
        length += 1


def check_machine(
    network: Network, machine: Machine, margin: float | None, walks: int = 60, length: int = 40
) -> int:
    """Along random strings of the machine the network gives its probabilities within the margin,
    and each possible symbol more than each impossible one; gives the number of prefixes."""
    slack = Fraction(1, 10**12)
    prefixes = 0
    for given, true in along(network, machine, walks, length):
        prefixes += 1
        if margin is not None:
            off = max(abs(p - true.get(s, 0)) for s, p in given.items())
            assert off <= Fraction(margin) * (1 + slack) + slack
        possible = [p for s, p in given.items() if true.get(s)]
        assert min(possible) > max((p for s, p in given.items() if not true.get(s)), default=0)
    return prefixes
