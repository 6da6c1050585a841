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
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from benchmarks.languages._jobs import Job

if TYPE_CHECKING:
    from mdlrnn import Network
    from mdlrnn.languages import Language

VERDICTS = ("named", "machine", "other", "no", "wrong")
WALKS, LENGTH = 60, 40
COMPARED = 300
"""Strings of either language, shortest first, that the other must have."""


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


def _agrees(network: Network, machine: Language, margin: float | None) -> bool:
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
    network: Network, machine: Language, walks: int, length: int
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


def _same_strings(machine: Language, source: str) -> bool:
    """Whether the first strings of each are strings of the other."""
    from mdlrnn.languages import Language
    from mdlrnn.tasks._sources import source_from

    task = source_from(source).task
    assert task is not None
    language = task.language
    assert not isinstance(language, str)
    first = [tuple(s) for s in islice(machine.strings(), COMPARED)]
    if isinstance(language, Language):
        own = [tuple(s) for s in islice(language.strings(), COMPARED)]
        return all(map(language.accepts, first)) and all(map(machine.accepts, own))
    # A grammar has no machine to ask; strings that it draws stand for it.
    drawn = {tuple(s) for s in task.strings(2_000, 1)}
    return all(map(machine.accepts, drawn)) and set(first[:20]) <= drawn
