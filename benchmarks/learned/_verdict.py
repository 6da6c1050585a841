"""One answer held against the network, which must agree, and against the language of the run.

named      the name is that of the run's language, as a set of strings
machine    a machine with the strings of the run's language, without a name
other      a name or a machine of another language: what the network has really learned
no         no machine, and that is said
wrong      the machine printed does not agree with the network along its own strings
"""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from benchmarks.languages._jobs import Job

from mdlrnn.machines._rules import END
from mdlrnn.network._units import BOUNDARY

if TYPE_CHECKING:
    from mdlrnn import Network
    from mdlrnn.machines._machine import Configuration, Machine

VERDICTS = ("named", "machine", "other", "no", "wrong")
WALKS, LENGTH = 60, 40
COMPARED = 20
"""Strings of a machine, shortest first, that a grammar must have drawn."""
PLACES = 10_000
"""Pairs of places that two machines are followed to, shortest strings first."""


def verdict(job: Job) -> dict[str, Any]:
    import mdlrnn

    network = mdlrnn.Network.from_dict(json.loads(job.path.read_text())["network"])
    found = mdlrnn.learned(network)
    margin = found.margin
    kind = "no"
    if found.machine is not None:
        same = _same_strings(found.machine, job.entry.source)
        kind = ("named" if found.name else "machine") if same else "other"
        if not _agrees(network, found.machine, margin):
            kind = "wrong"
    return {
        "language": job.entry.name,
        "verdict": kind,
        "name": found.name,
        "proved": found.proved,
        "rules": 0 if found.machine is None else len(found.machine.rules),
        "margin": margin,
        "seconds": found.seconds,
        "statement": found.statement,
    }


def _agrees(network: Network, machine: Machine, margin: float | None) -> bool:
    """Along random strings of the machine each probability is within the margin, or if there is
    none, each possible symbol gets more than each impossible one."""
    for given, true in along(network, machine, WALKS, LENGTH):
        if margin is not None:
            off = max(abs(p - true.get(s, Fraction(0))) for s, p in given.items())
            if off > Fraction(margin) * Fraction(1001, 1000) + Fraction(1, 10**12):
                return False
        else:
            possible = [p for s, p in given.items() if true.get(s)]
            impossible = [p for s, p in given.items() if not true.get(s)]
            if min(possible) <= max(impossible, default=Fraction(0)):
                return False
    return True


def along(
    network: Network, machine: Machine, walks: int, length: int
) -> Iterator[tuple[dict[str, Any], Mapping[str, Fraction]]]:
    """The probabilities of the network beside those of the machine, at each step of random strings
    of the machine; in exact numbers, nothing cut."""
    from mdlrnn.network._interpreter import EXACT, distribution, stepper

    step = stepper(network, EXACT, saturation=False)
    alphabet = network.alphabet or ()
    for seed in range(walks):
        choose = random.Random(seed)
        here, symbol, values = machine.beginning, "#", None
        for _ in range(length):
            values = step([int(symbol == s) for s in alphabet], values)
            given = dict(zip(alphabet, distribution(network, values), strict=True))
            yield given, machine.next_from(here).distribution
            options = [o for o in machine.options(here) if o.symbol != "#"]
            if not options:
                break
            option = choose.choice(options)
            here, symbol = option.to, option.symbol


def _same_strings(machine: Machine, source: str) -> bool:
    """Whether the two have the same strings, as far as they are looked at."""
    from mdlrnn.languages import language_from
    from mdlrnn.machines._machine import Machine

    task = language_from(source)
    language = task.rules
    if isinstance(language, Machine):
        return not differ(machine, language)
    # A grammar has no machine to ask; strings that it draws stand for it.
    first = [tuple(s) for s in islice(machine.strings(machine.most_prefixes), COMPARED)]
    drawn = {tuple(s) for s in task.strings(2_000, 1)}
    return all(map(machine.accepts, drawn)) and set(first) <= drawn


def differ(one: Machine, other: Machine, most: int = PLACES) -> bool:
    """Whether a string of one machine is none of the other's.

    Both go along the same strings, shortest first. What matters of a string is where it leads
    them, so that each pair of places is looked at once: a machine can have more strings of a
    length than can be listed.
    """
    start = (one.beginning, other.beginning)
    seen, left = {start}, deque([start])
    while left and len(seen) <= most:
        here, there = left.popleft()
        mine, theirs = _leads(one, here), _leads(other, there)
        alone = [(one, mine[symbol]) for symbol in mine.keys() - theirs.keys()]
        alone += [(other, theirs[symbol]) for symbol in theirs.keys() - mine.keys()]
        if any(_ends(machine, place, most) for machine, place in alone):
            return True
        for symbol in sorted(mine.keys() & theirs.keys()):
            pair = (mine[symbol], theirs[symbol])
            if symbol != BOUNDARY and pair not in seen:
                seen.add(pair)
                left.append(pair)
    return False


def _ends(machine: Machine, place: Configuration, most: int) -> bool:
    """Whether a string can end from there on, which a machine that is stuck cannot."""
    seen, left = {place}, deque([place])
    while left and len(seen) <= most:
        here = left.popleft()
        if here.state == END:
            return True
        for to in _leads(machine, here).values():
            if to not in seen:
                seen.add(to)
                left.append(to)
    return False


def _leads(machine: Machine, here: Configuration) -> dict[str, Configuration]:
    return {option.symbol: option.to for option in machine.options(here)}
