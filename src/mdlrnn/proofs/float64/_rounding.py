"""How far a theorem about exact numbers holds for the network as it runs in float64."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from ... import work
from ...machines import Rule
from ...network import ACTIVATIONS, FLOAT_CUT, LEAST_TOTAL, SATURATION, Network
from .._execute import Opening, System
from .._invariant import Location
from .._obligations import Induction, hypothesis, moves, symbolic_step
from .._smt import Claim, Formula, Script, ask_z3, conjunction, negation, shares
from .._terms import Atom, Term, bounds, counter_term, enclosure, floor, rounded_down, rounded_up

MOST = 10**9
"""The largest bound that is looked for."""
MOST_UNCUT = 2**53
"""And where saturation is off: beyond it, float64 does not hold every integer."""


def largest_sum(network: Network) -> int:
    """To what the network's sums are cut in float64."""
    return SATURATION if network.saturation else int(FLOAT_CUT)


def largest_counter(induction: Induction) -> int | None:
    """No counter up to this has a sum cut; None if none ever is, and -1 if some are at once.

    What goes into a sigmoid is left out: cut or not, it is 0 or 1 there.
    """
    network = induction.executor.network
    found = MOST if network.saturation else MOST_UNCUT
    largest = largest_sum(network)
    ever = False
    for source, step in induction.steps:
        values = step.values
        beyond: list[Formula] = []
        for unit, argument in values.argument.items():
            if not ACTIVATIONS[network.units[unit].activation].smooth:
                beyond += [
                    (">", argument.plus(-largest)),
                    (">", argument.times(-1).plus(-largest)),
                ]
        script = Script(induction.system.counters)
        if source is not None:
            script.add(hypothesis(induction, source))
        script.add(("or", *beyond))
        if ask_z3("\n".join(script.lines)).verdict == "unsat":
            continue
        ever = True
        if _happens(script, induction.system, found):
            found = _below(script, induction.system, found)
    return found if ever else None


def _below(script: Script, system: System, high: int) -> int:
    """The largest bound under which it does not happen, by bisection."""
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        if _happens(script, system, middle):
            high = middle
        else:
            low = middle
    return low


def _happens(script: Script, system: System, bound: int) -> bool:
    limits = Script(system.counters)
    lines = list(script.lines)
    for name in system.counters:
        for sign in (1, -1):
            formula = (">=", counter_term(name).times(sign).plus(bound))
            lines.append(f"(assert {limits.text(formula)})")
    return ask_z3("\n".join(lines)).verdict != "unsat"


ULP = Fraction(1, 2**53)
"""The relative error of one rounding."""
BITS = 53
SMOOTH = Fraction(1, 10**12)
"""The relative error of sigmoid and tanh, of which float64 libraries and kernels are far short."""
TINY = Fraction(1, 10**300)
"""What float64 may take for 0."""
BOUNDS = tuple(m * 10**k for k in range(1, 10) for m in (1, 2, 5))
"""Sizes of counters, and lengths of strings, that are tried."""
WIDEST = Fraction(5, 1000)
"""What rounding may add to a margin, if that is more than the margin itself: as much as a test
takes for nothing."""
SECONDS = 8.0


class AsItRuns(NamedTuple):
    """The claim that holds of the network in float64, and how far."""

    claim: Claim
    most: int | None
    """While no counter is larger; None where counters make no difference."""
    length: int | None
    """In strings of up to so many symbols; None for any."""
    least: Fraction = Fraction(0)
    """Of a categorical claim: what every possible symbol gets at least."""

    def to_dict(self) -> dict[str, object]:
        return {
            "kind": self.claim.kind,
            "margin": float(self.claim.margin),
            "most": self.most,
            "length": self.length,
        }


class Bounds(NamedTuple):
    """What is known of a value in float64."""

    size: Fraction
    places: int | None
    """The finest binary place of the exact value; None if it is no binary fraction."""
    error: Fraction


class _Unknown(Exception):  # noqa: N818, it is an answer
    """Nothing can be shown."""


def as_it_runs(induction: Induction, claim: Claim, most: int | None) -> AsItRuns | None:
    """The claim for float64, as far as it can be shown; `most` is where sums begin to be cut."""
    ends = work.now() + SECONDS
    analysis = _Analysis(induction, claim, ends)
    try:
        return analysis.exact_memory(most) or analysis.rounded_memory(most)
    except _Unknown:
        return None


@dataclass
class _Analysis:
    induction: Induction
    claim: Claim
    ends: float
    least: dict[object, Fraction | None] = field(default_factory=dict)
    """For each move the least sum of the outputs, once it is known."""

    # Memory that is exact: the claim holds for strings of any length.

    def exact_memory(self, most: int | None) -> AsItRuns | None:
        no_error = dict.fromkeys(self.induction.executor.memory, 0.0)
        if not self.induction.system.counters:
            bound: int | None = None
            if not self._keeps(0, no_error):
                return None
        else:
            bound = self._largest(most, no_error)
            if bound is None:
                return None
        size = bound or 0
        if not self._decided(size, no_error):
            return None
        return self._conclusion(size, no_error, bound, None)

    def _largest(self, most: int | None, no_error: Mapping[int, float]) -> int | None:
        """The largest counters for which memory is exact, by bisection; None if there are none."""
        low, high = -1, (BOUNDS[-1] if most is None else most) + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._keeps(middle, no_error):
                low = middle
            else:
                high = middle
        return low if low >= 0 else None

    def _keeps(self, size: int, no_error: Mapping[int, float]) -> bool:
        memory = self.induction.executor.memory
        return all(
            step.bounds[unit].error == 0 for step in self._steps(size, no_error) for unit in memory
        )

    # Memory that is rounded: the error grows with the string.

    def rounded_memory(self, most: int | None) -> AsItRuns | None:
        low, high = -1, len(BOUNDS)
        found: AsItRuns | None = None
        while high - low > 1:
            middle = (low + high) // 2
            shown = self._up_to(BOUNDS[middle], most)
            if shown is None:
                high = middle
            else:
                low, found = middle, shown
        return found

    def _up_to(self, length: int, most: int | None) -> AsItRuns | None:
        size = length if most is None else min(length, most)
        if size < 1:
            return None
        errors = self._accumulated(size, length)
        if errors is None:
            return None
        bound = size if self.induction.system.counters else None
        found = self._conclusion(size, errors, bound, length)
        allowed = max(2 * self.claim.margin, WIDEST)
        if found is None or found.claim.margin > allowed or not self._decided(size, errors):
            return None
        return found

    def _accumulated(self, size: int, length: int) -> dict[int, float] | None:
        """Bounds on the errors of memory after so many steps: e' = A e + b, `length` times."""
        memory = self.induction.executor.memory
        network = self.induction.executor.network
        for unit in self.induction.executor.remembering:
            # Errors that multiply each other would not add up.
            if network.units[unit].type == "product" or network.units[unit].activation == "square":
                return None
        count = len(memory)
        zero = dict.fromkeys(memory, 0.0)
        factor = [[0.0] * count for _ in range(count)]
        offset = [0.0] * count
        plain = list(self._steps(size, zero))
        for i, unit in enumerate(memory):
            offset[i] = max((_up(step.bounds[unit].error) for step in plain), default=0.0)
        for j, source in enumerate(memory):
            probe = zero | {source: 1.0}
            for step, before in zip(self._steps(size, probe), plain, strict=True):
                for i, unit in enumerate(memory):
                    more = step.bounds[unit].error - before.bounds[unit].error
                    factor[i][j] = max(factor[i][j], _up(more))
        errors = _iterated(factor, offset, length)
        if any(not math.isfinite(error) or error > 1 for error in errors):
            return None
        return dict(zip(memory, errors, strict=True))

    # One step of the induction with bounds.

    def _steps(self, size: int, errors: Mapping[int, float]) -> Iterator[_Bounded]:
        for source, move in moves(self.induction):
            if work.now() > self.ends:
                raise _Unknown
            yield _Bounded(self.induction, source, move, size, errors)

    def _decided(self, size: int, errors: Mapping[int, float]) -> bool:
        """Whether no error turns a decision, and nothing is cut, with counters up to this size."""
        for step in self._steps(size, errors):
            formula: Formula = ("or", *step.turned, *step.cut)
            if not formula[1:]:
                continue
            if not _never(self.induction, step, size, formula):
                return False
        return True

    def _conclusion(
        self, size: int, errors: Mapping[int, float], most: int | None, length: int | None
    ) -> AsItRuns | None:
        """The claim with what float64 adds to its margin."""
        off = Fraction(0)
        exact = True
        for step in self._steps(size, errors):
            found = self._probability_error(step, size)
            if found is None:
                return None
            off = max(off, found)
            exact = exact and step.outputs_exact
        claim = self.claim
        if claim.kind in ("exact", "within"):
            return AsItRuns(Claim("within", rounded_up(claim.margin + off)), most, length)
        if claim.kind == "categorical" and claim.margin:
            more, least = rounded_up(claim.margin + off), rounded_down(claim.margin - off)
            if least <= 0:
                return None
            return AsItRuns(Claim("categorical", more), most, length, least)
        if claim.kind == "categorical" and exact:
            return AsItRuns(claim, most, length)
        return None

    def _probability_error(self, step: _Bounded, size: int) -> Fraction | None:
        """How far a probability may be off, beyond the exact one."""
        outputs = self.induction.executor.outputs(step.values)
        if len(outputs) == 1:
            return step.output_errors[0] + 4 * ULP
        whole = shares(tuple(outputs)).whole
        least = self._least_total(step, whole)
        total = sum(step.output_errors, Fraction(0))
        # Outputs are added in some order, and each is divided by the sum.
        total += len(outputs) * ULP * (term_size(whole, size) + total)
        if least is None or least - total <= 2 * LEAST_TOTAL:
            return None
        return (max(step.output_errors) + total) / (least - total) + 4 * ULP

    def _least_total(self, step: _Bounded, whole: Term) -> Fraction | None:
        """A number that the sum of the outputs is never below, found by dividing."""
        key = (step.source, step.label, whole)
        if key not in self.least:
            low, _ = bounds(whole)
            guess = Fraction(1)
            while low is None and guess > LEAST_TOTAL:
                if _never(self.induction, step, None, negation((">=", whole.plus(-guess)))):
                    low = guess
                guess /= 8
            self.least[key] = low
        return self.least[key]


class _Bounded:
    """A move of the induction: exact values as terms, and bounds on what float64 makes of them."""

    def __init__(
        self,
        induction: Induction,
        source: Location | None,
        move: Opening | Rule,
        size: int,
        errors: Mapping[int, float],
    ) -> None:
        self.source = source
        executor = induction.executor
        network = executor.network
        largest = largest_sum(network)
        step = symbolic_step(induction, source, move)
        self.label = step.label
        self.values = step.values
        self.bounds: dict[int, Bounds] = {}
        self.turned: list[Formula] = []
        """What must never be so, since an error could then turn a decision."""
        self.cut: list[Formula] = []
        """What must never be so, since a sum would then be cut."""
        row = induction.system.rows[step.label]
        previous: dict[int, Bounds] = {}
        if source is not None:
            for u, term in zip(executor.memory, source.memory, strict=True):
                previous[u] = Bounds(term_size(term, size), term_places(term), Fraction(errors[u]))
        for u in executor.relevant:
            unit = network.units[u]
            into = [(w.constant, self.bounds[s]) for s, w in executor.forward[u]]
            if source is not None:
                into += [(w.constant, previous[s]) for s, w in executor.recurrent[u]]
            added = [Fraction(row[u])] if u < network.inputs and row[u] else []
            added += [] if unit.bias is None else [unit.bias.fraction]
            multiply = unit.type == "product"
            argument = self.values.argument[u]
            if multiply and not executor.forward[u]:
                into = []
            error = (_product_error if multiply else _sum_error)(into, added)
            limit = largest - error
            if not argument.known or abs(argument.constant) > limit:
                self.cut += [(">", argument.plus(-limit)), (">", argument.times(-1).plus(-limit))]
            self.bounds[u] = self._activated(u, unit.activation, argument, error, size)
        first = network.inputs
        places = range(first, first + network.outputs)
        self.output_errors = [self.bounds[u].error for u in places]
        self.outputs_exact = not any(self.output_errors)

    def _activated(
        self, u: int, activation: str, argument: Term, error: Fraction, size: int
    ) -> Bounds:
        value = self.values.value[u]
        record = ACTIVATIONS[activation]
        large, places = term_size(value, size), term_places(value)
        if record.smooth:
            # Both curves are nowhere steeper than 1.
            return Bounds(large, None, error + SMOOTH * large + TINY)
        if record.jumps and error:
            self.turned.append(_near_jump(argument, error, record.modulus))
            error = error if record.modulus not in (None, 1) else Fraction(0)
        if activation == "square":
            inner = term_size(argument, size)
            grid = term_places(argument)
            fits = error == 0 and grid is not None and (inner * 2**grid) ** 2 < 2**BITS
            rounding = 0 if fits else ULP * (inner + error) ** 2
            error = 2 * inner * error + error**2 + rounding
        return Bounds(large, places, error)


def _near_jump(argument: Term, error: Fraction, modulus: int | None) -> Formula:
    """That an argument is within its error of a place where the value jumps."""
    if modulus is None:
        return conjunction((">=", argument.plus(error)), (">=", argument.times(-1).plus(error)))
    scaled = argument.times(Fraction(1, modulus))
    off = error / modulus
    return negation(("=", floor(scaled.plus(off)) - floor(scaled.plus(-off))))


def _sum_error(into: list[tuple[Fraction, Bounds]], added: list[Fraction]) -> Fraction:
    """Of w·x summed in any order."""
    size = sum((abs(w) * (x.size + x.error) for w, x in into), Fraction(0))
    size += sum(map(abs, added), Fraction(0))
    carried = sum((abs(w) * x.error for w, x in into), Fraction(0))
    places: list[int | None] = [_places(number) for number in added]
    places += [_together(_places(w), x.places) for w, x in into]
    if carried == 0 and _fits(size, places):
        return Fraction(0)
    count = len(into) + len(added) + 2
    return carried + _gamma(count) * size


def _product_error(into: list[tuple[Fraction, Bounds]], added: list[Fraction]) -> Fraction:
    """Of the product of w·x, to which the bias is then added."""
    exact = Fraction(1)
    off = Fraction(1)
    grid = Fraction(1)
    places: int | None = 0
    for w, x in into:
        exact *= abs(w) * x.size
        off *= abs(w) * (x.size + x.error)
        places = _together(places, _together(_places(w), x.places))
        if places is not None:
            own = _together(_places(w), x.places) or 0
            grid *= max(Fraction(1), abs(w) * x.size * 2**own)
    if not into:
        exact = off = Fraction(0)
    carried = off - exact
    whole = off + sum(map(abs, added), Fraction(0))
    fits = places is not None and grid < 2**BITS
    if carried == 0 and fits and _fits(whole, [places, *map(_places, added)]):
        return Fraction(0)
    return carried + _gamma(2 * len(into) + len(added) + 1) * whole


def _fits(size: Fraction, places: list[int | None]) -> bool:
    """Whether all partial sums of this size, with these binary places, are exact."""
    known = [place for place in places if place is not None]
    if len(known) < len(places):
        return False
    return bool(size * 2 ** max(known, default=0) < 2**BITS)


def _gamma(count: int) -> Fraction:
    return count * ULP / (1 - count * ULP)


def _together(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _places(number: Fraction) -> int | None:
    """Bits behind the binary point; None if there is no end of them."""
    bits = number.denominator.bit_length() - 1
    return bits if number.denominator == 1 << bits else None


def term_size(term: Term, size: int) -> Fraction:
    """A bound on its absolute value, with counters up to this size."""
    return abs(term.constant) + sum(
        (abs(factor) * _atom_size(atom, size) for atom, factor in term.parts), Fraction(0)
    )


def _atom_size(atom: Atom, size: int) -> Fraction:
    match atom.kind:
        case "counter":
            return Fraction(size)
        case "step" | "mirror":
            return Fraction(1)
        case "sigmoid":
            argument = atom.inputs[0]
            return enclosure(argument.constant)[1] if argument.known else Fraction(1)
        case "mod":
            return Fraction(atom.base)
        case "floor":
            return term_size(atom.inputs[0], size) + 1
        case "product":
            return term_size(atom.inputs[0], size) * term_size(atom.inputs[1], size)
        case _:
            return term_size(atom.inputs[0], size)


def term_places(term: Term) -> int | None:
    """The finest binary place of its value, whatever the counters; None if there is none."""
    found = _places(term.constant)
    for atom, factor in term.parts:
        part = _together(_places(factor), _atom_places(atom))
        if part is None or found is None:
            return None
        found = max(found, part)
    return found


def _atom_places(atom: Atom) -> int | None:
    match atom.kind:
        case "counter" | "step" | "floor":
            return 0
        case "sigmoid" | "mirror":
            return None
        case "product":
            return _together(term_places(atom.inputs[0]), term_places(atom.inputs[1]))
        case _:
            return term_places(atom.inputs[0])


def _never(induction: Induction, step: _Bounded, size: int | None, formula: Formula) -> bool:
    """Whether a formula is false in every configuration, with counters up to a size if given."""
    script = Script(induction.system.counters)
    if step.source is not None:
        script.add(hypothesis(induction, step.source))
    for name in induction.system.counters if size is not None else ():
        for sign in (1, -1):
            script.add((">=", counter_term(name).times(sign).plus(size or 0)))
    script.add(formula)
    return ask_z3("\n".join(script.lines)).verdict == "unsat"


def _iterated(factor: list[list[float]], offset: list[float], times: int) -> list[float]:
    """e = 0, then e = factor·e + offset so many times; rounded up."""
    count = len(offset)
    # (matrix, vector) stands for e → matrix·e + vector; doubling composes it with itself.
    total = [0.0] * count
    matrix, vector = [row[:] for row in factor], offset[:]
    while times:
        if times & 1:
            total = [
                sum(m * t for m, t in zip(row, total, strict=True)) + v
                for row, v in zip(matrix, vector, strict=True)
            ]
        vector = [
            sum(m * t for m, t in zip(row, vector, strict=True)) + v
            for row, v in zip(matrix, vector, strict=True)
        ]
        matrix = [
            [sum(row[k] * matrix[k][j] for k in range(count)) for j in range(count)]
            for row in matrix
        ]
        times >>= 1
    return [1.001 * value for value in total]


def _up(value: Fraction) -> float:
    """A float that is not below."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
