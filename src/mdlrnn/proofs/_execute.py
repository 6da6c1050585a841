"""One step of a network over terms: the interpreter's meaning, without saturation.

With known values it is an exact run; with memory units or counters as atoms it is symbolic
execution. The input is known in both, so most of a network folds away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..network._interpreter import plan
from ..network._network import Network
from ._terms import ONE, ZERO, Term, TooComplex, activate, known, product, total

Memory = Mapping[int, Term]
Incoming = list[list[tuple[int, Term]]]
BITS = 8_192
"""Of a numerator or denominator; a square in a loop doubles them at every step."""


class Values(NamedTuple):
    """After a step: what each unit that matters holds, and the argument of its activation."""

    value: dict[int, Term]
    argument: dict[int, Term]


class Executor(NamedTuple):
    network: Network
    memory: tuple[int, ...]
    """Units whose value of the step before is looked at by something that reaches an output."""
    relevant: tuple[int, ...]
    """Units that reach an output, in the order of evaluation."""
    remembering: frozenset[int]
    """Units that reach a memory unit."""
    forward: Incoming
    """For each unit the sources of its forward connections that are fed, with their weights."""
    recurrent: Incoming
    step: Callable[[Sequence[int], Memory | None], Values]
    read: Callable[[Sequence[int], Memory], dict[int, Term]]
    """What units hold when the row is read and the memory units then hold these values; without
    the units that look back at the step before and are no memory themselves."""

    def outputs(self, values: Values) -> list[Term]:
        first = self.network.inputs
        return [values.value[u] for u in range(first, first + self.network.outputs)]

    def remembered(self, values: Values) -> tuple[Term, ...]:
        return tuple(values.value[u] for u in self.memory)


def executor(network: Network) -> Executor:
    order, ignored = plan(network)
    count = len(network.units)
    forward: Incoming = [[] for _ in range(count)]
    recurrent: Incoming = [[] for _ in range(count)]
    for c in network.connections:
        if c.kind == "recurrent":
            recurrent[c.target].append((c.source, known(c.weight.fraction)))
        elif (c.source, c.target) not in ignored:
            forward[c.target].append((c.source, known(c.weight.fraction)))
    for u, unit in enumerate(network.units):
        if unit.type == "product" and not forward[u]:
            recurrent[u] = []  # it is 0, whatever it remembers
    evaluated = [u for u in range(network.inputs) if u not in order] + list(order)

    def reaching(roots: set[int]) -> set[int]:
        """What has a part in the roots, now or steps before."""
        found, left = set(roots), list(roots)
        while left:
            unit = left.pop()
            for source, _ in forward[unit] + recurrent[unit]:
                if source not in found:
                    found.add(source)
                    left.append(source)
        return found

    outputs = set(range(network.inputs, network.inputs + network.outputs))
    needed = reaching(outputs)
    memory = {source for unit in needed for source, _ in recurrent[unit]}
    relevant = tuple(u for u in evaluated if u in needed)

    def argument(u: int, into: list[Term], row: Sequence[int]) -> Term:
        unit = network.units[u]
        if unit.type == "product":
            found = _multiplied(into) if forward[u] else ZERO
        else:
            found = total(into)
            if u < network.inputs:
                found = found.plus(row[u])
        return found if unit.bias is None else found.plus(unit.bias.fraction)

    def step(row: Sequence[int], previous: Memory | None) -> Values:
        values: dict[int, Term] = {}
        arguments: dict[int, Term] = {}
        for u in relevant:
            into = [values[s].times(w.constant) for s, w in forward[u]]
            if previous is not None:
                into += [previous[s].times(w.constant) for s, w in recurrent[u]]
            arguments[u] = argument(u, into, row)
            values[u] = activate(network.units[u].activation, arguments[u])
            size = values[u].constant
            if max(abs(size.numerator), size.denominator).bit_length() > BITS:
                raise TooComplex("its numbers grow too long")
        return Values(values, arguments)

    def read(row: Sequence[int], present: Memory) -> dict[int, Term]:
        values = dict(present)
        for u in relevant:
            if u in values or recurrent[u] or any(s not in values for s, _ in forward[u]):
                continue
            into = [values[s].times(w.constant) for s, w in forward[u]]
            values[u] = activate(network.units[u].activation, argument(u, into, row))
        return values

    remembering = frozenset(reaching(memory))
    return Executor(
        network, tuple(sorted(memory)), relevant, remembering, forward, recurrent, step, read
    )


def _multiplied(factors: list[Term]) -> Term:
    # Known factors first: a closed gate makes 0 of whatever is behind it.
    result = ONE
    for factor in sorted(factors, key=lambda term: not term.known):
        result = product(result, factor)
    return result
