"""Is what `prove` says true? Thousands of mutated networks, and every sentence held against runs.

    python -m benchmarks.mutants --networks 5000 --seed 1
    python -m benchmarks.mutants --networks 200 --case 17

The networks are those of the zoo, those of docs/found and the fronts of short searches, after one
to four mutations: slips that break them, and rewritings that change nothing in exact numbers and
much in float64 (a counter in steps of 1/10, weights of 53 bits, a large number added and taken away
again). Each is proved with a short time limit. Then every claim is checked in exact numbers, every
note about float64 in float64, inside its bound and where possible near it, on long strings and
random ones; and every counterexample has to be wrong. What is false is printed and kept.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import mdlrnn  # noqa: E402
from helpers.oracle import TRUE, bears_out, really_wrong  # noqa: E402
from mdlrnn import Connection, Network, Search, Stop, Unit, Weight, zoo  # noqa: E402
from mdlrnn.network import _interpreter  # noqa: E402
from mdlrnn.network._units import ACTIVATIONS, Arithmetic  # noqa: E402
from mdlrnn.proofs._execute import System  # noqa: E402
from mdlrnn.proofs._smt import Claim  # noqa: E402
from mdlrnn.proofs.float64._runs import paths  # noqa: E402
from mdlrnn.results import Proof  # noqa: E402

LANGUAGES = {
    "anbn": "anbn", "anbncn": "anbncn", "anb2n": "anb2n", "anbmcnm": "anbmcnm", "dyck1": "dyck1",
    "addition": "addition", "dyck2": "dyck2", "dyck2_short": "dyck2",
}  # fmt: skip
SEARCHED = ("anbn_100", "anb2n_100", "dyck1_100", "addition_100", "anbmcnm_100")
GENERATIONS = 600
FRONT = 12
"""Networks of a front, the best first."""
WALKS, WALK = 30, 40
"""Random strings for claims in exact numbers, and their length."""
FLOAT_WALKS, FLOAT_WALK = 20, 400
LADDER = (1, 2, 3, 5, 9, 17, 40, 100, 300, 1000)
NEAR = 20_000
"""Bounds up to this are approached as near as a string can."""
FLOAT_STEPS = 25_000
"""Symbols fed in float64 for each network, at most; rarely more, to get near a bound."""
SLACK = Fraction(1, 10**12)
"""Of a claim that is not shown and is said to have held along strings; what is shown has none."""


_TRUTHS: dict[int, dict[Any, dict[str, Fraction]]] = {}
"""True probabilities by phase, of the system at hand."""


class Result(NamedTuple):
    outcome: str
    checks: Counter[str]
    false: list[str]
    network: Network
    language: str


class Step(NamedTuple):
    row: Sequence[int]
    counters: tuple[int, ...]
    truth: dict[str, Fraction]


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--networks", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=float, default=5.0, help="seconds for each proof")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--case", type=int, help="this mutant alone, and what is said of it")
    parser.add_argument("--searches", type=int, default=1, help="short runs of each task")
    parser.add_argument("--out", type=Path, help="where networks are kept of which a lie is told")
    arguments = parser.parse_args(given)
    parents = [*known_networks(), *searched_networks(arguments.seed, arguments.searches)]
    work = partial(examine, parents, arguments.seed, arguments.time)
    if arguments.case is not None:
        _show_case(work(arguments.case))
        return
    out = arguments.out or Path(tempfile.mkdtemp(prefix="mdlrnn-mutants-"))
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    checks: Counter[str] = Counter()
    false: list[str] = []
    for number, result in _results(work, arguments, began):
        outcomes[result.outcome] += 1
        checks += result.checks
        for text in result.false:
            false.append(f"mutant {number}, {result.language}: {text}")
            print(false[-1], flush=True)
            (out / f"{number}.json").write_text(result.network.to_json())
    print(f"\nnetworks: {len(parents)} parents, {outcomes.total():,} mutants in "
          f"{time.monotonic() - began:.0f} s")  # fmt: skip
    for name in ("proved", "not right", "refuted", "not shown", "error"):
        print(f"  {name:<12}{outcomes[name]:>9,}")
    print("checked")
    for name, count in sorted(checks.items()):
        print(f"  {name:<44}{count:>12,}")
    print(f"false: {len(false)}" + (f"; kept in {out}" if false else ""))
    sys.exit(1 if false else 0)


def _results(
    work: Any, arguments: argparse.Namespace, began: float
) -> Iterator[tuple[int, Result]]:
    numbers = range(arguments.networks)
    if arguments.processes == 1:
        for number in numbers:
            if time.monotonic() - began > arguments.seconds:
                return
            yield number, work(number)
        return
    with ProcessPoolExecutor(arguments.processes) as pool:
        jobs = [(number, pool.submit(work, number)) for number in numbers]
        for number, job in jobs:
            if time.monotonic() - began > arguments.seconds:
                pool.shutdown(wait=False, cancel_futures=True)
                return
            yield number, job.result()


def _show_case(result: Result) -> None:
    print(result.network.to_json())
    print(result.language, result.outcome, dict(result.checks))
    proof = mdlrnn.prove(result.network, result.language)
    print(proof.statement, *proof.notes, sep="\n* ")
    print("false:", *result.false, sep="\n  ")


# Where networks come from.


def known_networks() -> list[tuple[Network, str]]:
    found = [(zoo.load(name), language) for name, language in LANGUAGES.items()]
    for path in sorted((ROOT / "docs" / "found").glob("*.json")):
        found.append((Network.from_dict(json.loads(path.read_text())), path.stem))
    return found


def searched_networks(seed: int, searches: int) -> list[tuple[Network, str]]:
    """The fronts of short searches."""
    found = []
    for task in SEARCHED:
        for number in range(searches):
            search = Search(islands=4, population=60)
            run = mdlrnn.evolve(
                task, search, stop=Stop(generations=GENERATIONS), seed=seed + number, prove=False,
                progress=False, workers=1,
            )  # fmt: skip
            front = sorted(run.front, key=lambda entry: entry[1].mdl)[:FRONT]
            found += [(network, task.split("_")[0]) for network, _ in front]
    return found


# Mutations.


def mutant(parent: Network, draw: random.Random) -> Network:
    network = parent
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        network = _rewritten(network, draw)
    for _ in range(draw.choice((0, 0, 0, 0, 1, 2))):
        network = _slipped(network, draw)
    return replace(network, name=None)


def _fraction(weight: Weight) -> Fraction:
    return Fraction(weight.numerator, weight.denominator)


def _weight(value: Fraction) -> Weight | None:
    """The weight of this value; None if it has too many digits or is 0."""
    if value == 0 or max(abs(value.numerator), value.denominator) > 2**53:
        return None
    return Weight(value.numerator, value.denominator)


FACTORS = (
    Fraction(1, 10), Fraction(3, 10), Fraction(1, 3), Fraction(7), Fraction(1, 1024),
    Fraction(10**4), Fraction(2**50 + 1, 2**50), Fraction(2**40),
    Fraction(1, 7), Fraction(5, 2), Fraction(1, 2),
)  # fmt: skip
LARGE = (Fraction(2**53), Fraction(2**40), Fraction(10**5), Fraction(1, 3), Fraction(1, 10))


def _rewritten(network: Network, draw: random.Random) -> Network:
    """The same in exact numbers, as long as nothing is cut."""
    hidden = [
        u
        for u in range(network.inputs + network.outputs, len(network.units))
        if network.units[u].activation in ("linear", "relu", "abs")
        and network.units[u].type == "sum"
    ]
    kind = draw.randrange(3)
    if kind == 0 and hidden:
        return _scaled(network, draw.choice(hidden), draw.choice(FACTORS)) or network
    if not network.connections:
        return network
    place = draw.randrange(len(network.connections))
    if kind == 1:
        return _through_a_unit(network, place, draw.choice(FACTORS), Fraction(0)) or network
    return _through_a_unit(network, place, Fraction(1), draw.choice(LARGE)) or network


def _scaled(network: Network, unit: int, factor: Fraction) -> Network | None:
    """A unit in other steps: what comes in is multiplied, what goes out divided."""
    connections = []
    for c in network.connections:
        value = _fraction(c.weight)
        if c.source == unit:
            value /= factor
        if c.target == unit:
            value *= factor
        weight = _weight(value)
        if weight is None:
            return None
        connections.append(replace(c, weight=weight))
    units = list(network.units)
    bias = units[unit].bias
    if bias is not None:
        new = _weight(_fraction(bias) * factor)
        if new is None:
            return None
        units[unit] = replace(units[unit], bias=new)
    return replace(network, units=tuple(units), connections=tuple(connections))


def _through_a_unit(
    network: Network, place: int, factor: Fraction, added: Fraction
) -> Network | None:
    """A forward connection by way of a linear unit that multiplies, or adds what is then taken
    away again."""
    old = network.connections[place]
    if old.kind != "forward" or old.source == old.target:
        return None
    if added and (network.units[old.target].type == "product" or old.target < network.inputs):
        return None
    first, second = _weight(factor), _weight(_fraction(old.weight) / factor)
    if first is None or second is None:
        return None
    new = len(network.units)
    units = [*network.units, Unit(bias=_weight(added))]
    if added:
        bias = units[old.target].bias
        value = (Fraction(0) if bias is None else _fraction(bias)) - added * _fraction(second)
        changed = _weight(value)
        if changed is None and value:
            return None
        units[old.target] = replace(units[old.target], bias=changed)
    connections = [c for i, c in enumerate(network.connections) if i != place]
    connections.append(Connection(old.source, new, "forward", first))
    connections.append(Connection(new, old.target, "forward", second))
    return replace(network, units=tuple(units), connections=tuple(connections))


def _slipped(network: Network, draw: random.Random) -> Network:
    """One thing otherwise, as a search or a slip of the pen would have it."""
    units, connections = list(network.units), list(network.connections)
    activations = tuple(ACTIVATIONS)
    weight = Weight(draw.choice((-15, -4, -3, -2, -1, 1, 2, 3, 5, 7)), draw.choice((1, 1, 1, 2, 3)))
    unit = draw.randrange(network.inputs, len(units))
    kind = draw.randrange(7)
    if kind == 0 and connections:
        place = draw.randrange(len(connections))
        old = connections[place].weight
        nudge = draw.choice((-1, 1))
        new = Weight(old.numerator + nudge or 2 * nudge, old.denominator)
        connections[place] = replace(connections[place], weight=new)
    elif kind == 1:
        units[unit] = replace(units[unit], bias=draw.choice((None, weight)))
    elif kind == 2:
        units[unit] = replace(units[unit], activation=draw.choice(activations))
    elif kind == 3 and connections:
        connections.pop(draw.randrange(len(connections)))
    elif kind == 4 and connections:
        place = draw.randrange(len(connections))
        connections[place] = replace(connections[place], weight=weight)
    else:
        source = draw.randrange(len(units))
        if kind == 5:
            units.append(Unit(draw.choice(activations), bias=draw.choice((None, weight))))
            connections.append(Connection(source, len(units) - 1, "forward", weight))
            source = len(units) - 1
        made = Connection(
            source, draw.randrange(len(units)), draw.choice(("forward", "recurrent")), weight
        )
        ends = [(c.kind, c.source, c.target) for c in connections]
        if (made.kind, made.source, made.target) not in ends:
            connections.append(made)
    return replace(network, units=tuple(units), connections=tuple(connections))


# What is said, against runs.


def examine(parents: list[tuple[Network, str]], seed: int, seconds: float, number: int) -> Result:
    """Make a mutant, prove it, and check all that is said of it."""
    draw = random.Random(f"{seed} {number}")
    # Half of them from the zoo and docs/found, which are right more often than those of a front.
    known = len(LANGUAGES)
    parent, language = draw.choice(parents[:known] if draw.random() < 0.5 else parents)
    network = mutant(parent, draw)
    margin = draw.choice((None, None, None, None, 0.05000004, 1e-7, 0.3))
    checks: Counter[str] = Counter()
    false: list[str] = []
    _TRUTHS.clear()
    try:
        proof = mdlrnn.prove(network, language, margin=margin, seconds=seconds)
    except Exception as error:  # a proof never ends in an error
        return Result("error", checks, [f"{type(error).__name__}: {error}"], network, language)
    for found in _checked(proof, language, margin, draw, checks):
        false.append(found)
    return Result(proof.outcome, checks, false, network, language)


def _checked(
    proof: Proof, language: str, margin: float | None, draw: random.Random, checks: Counter[str]
) -> Iterator[str]:
    system = proof.system
    assert system is not None
    if proof.counterexample is not None:
        checks["counterexamples"] += 1
        yield from _false_counterexample(proof, system, language, margin)
    if proof.claims:
        checks["claims"] += len(proof.claims)
        yield from _false_claims(proof, system, draw, checks)
        yield from _false_words(proof)
    if proof.as_it_runs is not None:
        checks["notes: as it runs"] += 1
        yield from _false_as_it_runs(proof, system, draw, checks)
    uncut = _uncut(proof)
    if uncut is not None:
        checks["notes: not cut"] += 1
        yield from _false_uncut(proof, system, uncut, draw, checks)
    yield from _false_runs(proof, system, checks)


def _false_counterexample(
    proof: Proof, system: System, language: str, margin: float | None
) -> Iterator[str]:
    found = proof.counterexample
    assert found is not None
    if margin is None and not really_wrong(proof.network, language, found):
        yield f"the counterexample {found.string[:60]!r} is not wrong"
    rows = _rows_up_to(system, found.string, found.step)
    *_, last = _interpreter.feed(proof.network, rows, TRUE, saturation=False)
    given = _named(system, _interpreter.distribution(proof.network, last))
    if any(abs(given[s] - p) > SLACK for s, p in found.given.items()):
        yield f"on {found.string[:60]!r} it gives {_shown(given)}, not {_shown(found.given)}"
    off = max(abs(p - found.expected.get(s, Fraction(0))) for s, p in given.items())
    if margin is not None and off < Fraction(str(margin)) - SLACK:
        yield f"the counterexample {found.string[:60]!r} is off by {float(off)} only"


def _false_claims(
    proof: Proof, system: System, draw: random.Random, checks: Counter[str]
) -> Iterator[str]:
    """Claims in exact numbers, on random strings and on growing ones."""
    ways = [walk(system, draw, WALK) for _ in range(WALKS)]
    ways += [grown(system, size, draw, 4 * size + 10) for size in LADDER[:7]]
    for way in ways:
        # Theorems are about the network without saturation.
        for step, given in _run(proof.network, system, way, TRUE, saturation=False):
            checks["steps in exact numbers"] += 1
            for claim in proof.claims:
                if not bears_out(claim, step.truth, given):
                    said = f"{claim.kind} {float(claim.margin)}"
                    yield f"{said}: {_shown(given)} for {_shown(step.truth)}"
                    return


def _false_words(proof: Proof) -> Iterator[str]:
    """Numbers that are printed are the claims', or weaker."""
    claim = proof.claims[0]
    texts = [proof.statement] if proof.proved else []
    for text in texts:
        for said in re.findall(r"within ([\d.·^/−-]+\d)", text):
            if claim.kind == "within" and _number(said) < claim.margin:
                yield f"'within {said}' is said where {claim.margin} is shown"
        for said in re.findall(r"less than ([\d.·^/−-]+\d)", text):
            if claim.kind == "categorical" and _number(said) < claim.margin:
                yield f"'less than {said}' is said where {claim.margin} is shown"
    for note in proof.notes:
        for said in re.findall(r"wrong symbol gets less than ([\d.·^/−-]+\d)", note):
            margins = [c.margin for c in proof.claims if c.kind in ("within", "categorical")]
            if _number(said) < min(margins):
                yield f"'less than {said}' is said where {min(margins)} is shown"


def _number(text: str) -> Fraction:
    mantissa, _, power = text.replace("−", "-").partition("10^")
    if not power:
        return Fraction(mantissa)
    return Fraction(mantissa.rstrip("·") or "1") * Fraction(10) ** int(power)


def _false_as_it_runs(
    proof: Proof, system: System, draw: random.Random, checks: Counter[str]
) -> Iterator[str]:
    """What is shown of float64, on strings within the bound."""
    shown = proof.as_it_runs
    assert shown is not None
    for way in _ways_within(system, shown.most, shown.length, draw):
        for step, given in _run(proof.network, system, way, _interpreter.FLOAT):
            checks["steps in float64, within the bound"] += 1
            right = bears_out(shown.claim, step.truth, given)
            possible = [given[s] for s, p in step.truth.items() if p]
            if shown.claim.kind == "categorical" and shown.claim.margin:
                wrong = [p for s, p in given.items() if not step.truth.get(s)]
                right = max(wrong, default=Fraction(-1)) < shown.claim.margin
                right = right and min(possible) >= shown.least
            if not right:
                yield (
                    f"as it runs, {shown.claim.kind} {float(shown.claim.margin)} up to "
                    f"{shown.most} and length {shown.length}: {_shown(given)} at counters "
                    f"{step.counters}"
                )
                return


def _uncut(proof: Proof) -> tuple[int | None] | None:
    """The bound up to which nothing is cut, as the notes say; (None,) if nothing ever is."""
    for note in proof.notes:
        if "none of its sums is ever cut" in note:
            return (None,)
        found = re.search(r"none is cut while .*? at most ([\d,]+)", note)
        if found:
            return (int(found[1].replace(",", "")),)
    return None


def _false_uncut(
    proof: Proof, system: System, uncut: tuple[int | None], draw: random.Random,
    checks: Counter[str],
) -> Iterator[str]:  # fmt: skip
    """Runs with and without the cut give the same values."""
    for way in _ways_within(system, uncut[0], None, draw):
        steps = list(way)
        rows = [step.row for step in steps]
        cut = _interpreter.feed(proof.network, rows, _interpreter.FLOAT)
        plain = _interpreter.feed(proof.network, rows, _interpreter.FLOAT, saturation=False)
        relevant = _fed(proof.network)
        for step, one, other in zip(steps, cut, plain, strict=True):
            checks["steps compared without the cut"] += 1
            if any(one[u] != other[u] for u in relevant):
                yield f"not cut up to {uncut[0]}, but cut at counters {step.counters}"
                return


def _fed(network: Network) -> set[int]:
    """Units that reach an output, now or later."""
    ignored = _interpreter.plan(network).ignored
    found = set(range(network.inputs, network.inputs + network.outputs))
    left = list(found)
    while left:
        unit = left.pop()
        for c in network.connections:
            fed = c.kind == "recurrent" or (c.source, c.target) not in ignored
            if c.target == unit and fed and c.source not in found:
                found.add(c.source)
                left.append(c.source)
    return found


def _false_runs(proof: Proof, system: System, checks: Counter[str]) -> Iterator[str]:
    """'The claim held along so many strings', and strings on which it is said to fail."""
    for note in proof.notes:
        held = re.search(r"claim held along ([\d,]+) strings of up to ([\d,]+) symbols", note)
        if held:
            checks["notes: held along strings"] += 1
            yield from _false_held(proof, system, *(int(n.replace(",", "")) for n in held.groups()))
    failure = proof.float_failure
    if failure is not None:
        checks["notes: a mistake in float64"] += 1
        rows = _rows_up_to(system, failure.string, failure.step)
        *_, last = _interpreter.feed(proof.network, rows, _interpreter.FLOAT)
        given = _named(system, _interpreter.distribution(proof.network, last))
        if {s: float(p) for s, p in given.items()} != failure.given:
            yield f"on {failure.string[:40]!r} it gives {_shown(given)}, not {failure.given}"


def _rows_up_to(system: System, string: str, step: int) -> Sequence[Sequence[int]]:
    """What is read of a string up to a step; numbers go on with zeros."""
    if system.language is None:
        n, m = map(int, string.split(" + "))
        return [(n >> i & 1, m >> i & 1) for i in range(step + 1)]
    return [system.rows[symbol] for symbol in ("#", *string)][: step + 1]


def _false_held(proof: Proof, system: System, strings: int, longest: int) -> Iterator[str]:
    claim = proof.claims[0]
    counted = most = 0
    for path in paths(system):
        if counted == strings:
            break
        counted += 1
        steps = [
            Step(system.rows[label], here.counters, _truth(system, here)) for label, here in path
        ]
        most = max(most, len(steps))
        loose = Claim("within" if claim.kind == "exact" else claim.kind, claim.margin + SLACK)
        if claim.kind == "categorical" and not claim.margin:
            loose = claim
        for step, given in _run(proof.network, system, iter(steps), _interpreter.FLOAT):
            if claim.kind == "categorical" and claim.margin:
                possible = [given[s] for s, p in step.truth.items() if p]
                wrong = [p for s, p in given.items() if not step.truth.get(s)]
                good = min(possible) >= claim.margin - SLACK and all(
                    p < claim.margin + SLACK for p in wrong
                )
            else:
                good = bears_out(loose, step.truth, given)
            if not good:
                yield f"the claim is said to have held, but {_shown(given)} at {step.counters}"
                return
    if counted != strings or most != longest:
        yield f"{strings} strings of up to {longest} are told, {counted} of {most} were run"


# Strings.


def walk(
    system: System, draw: random.Random, length: int, most: int | None = None
) -> Iterator[Step]:
    """A random way; now and then one label is favoured, so that counters get large."""
    opening = draw.choice(system.openings)
    label, here = opening.label, opening.to
    habit = draw.choice([None, *system.rows])
    for _ in range(length):
        if most is not None and any(abs(value) > most for value in here.counters):
            return
        yield Step(system.rows[label], here.counters, _truth(system, here))
        ways = list(system.successors(here))
        if not ways:
            return
        favoured = [way for way in ways if way[0] == habit]
        label, here = draw.choice(favoured if favoured and draw.random() < 0.9 else ways)


def grown(
    system: System, size: int, draw: random.Random, length: int, most: int | None = None
) -> Iterator[Step]:
    """Counters as large as `size`, then smaller again: a long string of each language."""
    opening = system.openings[0]
    label, here = opening.label, opening.to
    growing = True
    for _ in range(length):
        if most is not None and any(abs(value) > most for value in here.counters):
            return
        yield Step(system.rows[label], here.counters, _truth(system, here))
        ways = list(system.successors(here))
        if not ways:
            return
        sizes = [max(to.counters, default=0) for _, to in ways]
        growing = growing and max(sizes) <= size
        best = max(sizes) if growing else min(sizes)
        if growing and here.counters and best <= max(here.counters) and draw.random() < 0.01:
            growing = False
        label, here = draw.choice([w for w, s in zip(ways, sizes, strict=True) if s == best])


def _ways_within(
    system: System, most: int | None, length: int | None, draw: random.Random
) -> Iterator[Iterator[Step]]:
    """Strings within a bound, the longest near it."""
    longest = FLOAT_STEPS if length is None else min(length, FLOAT_STEPS)
    for _ in range(FLOAT_WALKS):
        # A string has one label more than symbols: the boundary in front.
        yield walk(system, draw, min(longest, FLOAT_WALK), most)
    if not system.counters:
        yield walk(system, draw, min(longest, 5_000))
        return
    for size in LADDER:
        if most is None or size <= most:
            yield grown(system, size, draw, min(longest, 4 * size + 10), most)
    if most is not None and LADDER[-1] < most <= NEAR:
        yield grown(system, most, draw, longest if length is not None else 4 * most, most)


def _truth(system: System, here: Any) -> dict[str, Fraction]:
    phase = system.phase(here)
    known = _TRUTHS.setdefault(id(system), {})
    if phase not in known:
        chances = system.chances(phase)
        assert chances is not None
        known[phase] = {s: p for s, p in zip(system.outcomes, chances, strict=True) if p}
    return known[phase]


def _run(
    network: Network,
    system: System,
    way: Iterator[Step],
    arithmetic: Arithmetic,
    saturation: bool = True,
) -> Iterator[tuple[Step, dict[str, Fraction]]]:
    step = _interpreter.stepper(network, arithmetic, saturation)
    values = None
    for at in way:
        values = step(at.row, values)
        yield at, _named(system, _interpreter.distribution(network, values))


def _named(system: System, given: Sequence[Any]) -> dict[str, Fraction]:
    masses = [1 - given[0], given[0]] if len(given) == 1 else given
    return {s: Fraction(p) for s, p in zip(system.outcomes, masses, strict=True)}


def _shown(chances: dict[str, Fraction]) -> str:
    return ", ".join(f"{symbol} {float(p):.6g}" for symbol, p in chances.items())


if __name__ == "__main__":
    main()
