"""Notations as languages: what a line such as `a^n b^3n` or `<w> c <w>^R` stands for.

`expressions` reads the notation. Where it is a list of powers of symbols, the powers become blocks,
and the blocks rules over counters with few states; other notations become machines by way of their
programs, and those without a deterministic machine stay expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..checks import short
from ..errors import InputError
from ..expressions import LONGEST, STOPS, Expression, Node, expression_from, read
from ..machines import (
    END,
    Affine,
    Condition,
    Machine,
    Rule,
    counter,
    determinised,
    with_fewer_counters,
)
from ..network import BOUNDARY
from ._expression_machine import checked_rules, machine_of_expression, slug

REPEATED = "*"
"""The variable of x* and x+, which nothing refers to."""


@dataclass(frozen=True)
class Block:
    unit: tuple[str, ...]
    exponent: Affine
    """How often: over variables, of which at most one is new."""
    free: str | None = None
    """The variable that is drawn here."""
    least: int = 1
    """The smallest number that is drawn."""

    @property
    def known(self) -> Affine:
        """What is known of the exponent when the block begins."""
        terms = tuple((name, c) for name, c in self.exponent.terms if name != self.free)
        return Affine(terms, self.exponent.constant)

    @property
    def step(self) -> int:
        """Units for each 1 of the new variable."""
        return dict(self.exponent.terms).get(self.free or "", 0)


def looks_like_notation(text: str) -> bool:
    """Whether a text that names no task and no file was meant as a notation."""
    signs = re.search(r"[\^*+|<⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵐᵏ]", text) or re.search(r"(?<=[\w)'])\?", text)
    return bool(signs) and len(text) <= LONGEST


def notation_problem(text: str) -> str | None:
    """What is wrong with a text that has signs of a notation, though nothing is repeated; None if
    it has none of them, or is the name of a file."""
    signs = re.search(r"[()'\"\s]", text)
    if signs is None or re.search(r"[/\\]|\.\w+$", text) or len(text) > LONGEST:
        return None
    try:
        rules_from_notation(text)
    except InputError as error:
        return str(error).removeprefix(f"{short(text)}: ")
    return "nothing in it is repeated; write such as a^n b^n."


def rules_from_notation(text: str, stop: Fraction = STOPS) -> Machine | Expression:
    """The machine of a notation, or the expression where there is none."""
    try:
        return language_from_notation(text, stop)
    except InputError:
        return expression_from(text, stop)


def language_from_notation(text: str, stop: Fraction = STOPS) -> Machine:
    """The machine of a notation, such as `a^n b^3n`; an InputError says why there is none."""
    node, least, stated = read(text)
    stop = stop if stated is None else stated
    if not 0 < stop < 1:
        raise InputError(f"the chance to stop is {stop}; give one between 0 and 1.")
    title = " ".join(text.split())
    alternatives = _blocks(node)
    if alternatives is None:
        found = machine_of_expression(expression_from(text, stop))
        return replace(found, assumed=stated is None)
    alternatives = [_drawn(blocks, least, text) for blocks in alternatives]
    try:
        built = checked_rules(_Builder(alternatives, stop).rules(), title)
        rules = determinised(built, "start")
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return with_fewer_counters(Machine(slug(title), title, rules, assumed=stated is None))


# From nodes to blocks


def _blocks(node: Node) -> list[list[Block]] | None:
    """For each alternative its blocks; None if it is more than a list of powers of symbols."""
    found: list[list[Block]] = []
    for alternative in node.parts if node.kind == "choice" else (node,):
        blocks: list[Block] = []
        for part in alternative.parts if alternative.kind == "sequence" else (alternative,):
            block = _block(part)
            if block is None:
                return None
            last = blocks[-1] if blocks else None
            if (
                last is not None
                and last.unit == block.unit
                and REPEATED not in (last.free, block.free)
            ):
                blocks[-1] = replace(block, exponent=_sum(last.exponent, block.exponent))
            else:
                blocks.append(block)
        found.append(blocks)
    return found


def _block(part: Node) -> Block | None:
    body = part.parts[0] if part.kind in ("power", "star", "plus") else part
    units = body.parts if body.kind == "sequence" else (body,)
    if not all(unit.kind == "symbol" for unit in units):
        return None
    unit = tuple(unit.value for unit in units)
    if part.kind == "power":
        if part.value.kind != "linear":
            return None
        return Block(unit, Affine(part.value.terms, part.value.constant))
    if part.kind == "symbol":
        return Block(unit, Affine((), 1))
    return Block(unit, counter(REPEATED), REPEATED, 0 if part.kind == "star" else 1)


def _sum(one: Affine, other: Affine) -> Affine:
    terms = dict(one.terms)
    for name, factor in other.terms:
        terms[name] = terms.get(name, 0) + factor
    return Affine(tuple(terms.items()), one.constant + other.constant)


def _drawn(blocks: list[Block], least: dict[str, int], text: str) -> list[Block]:
    """The blocks, each told which variable is drawn in it."""
    known: set[str] = set()
    found = []
    for block in blocks:
        if block.free == REPEATED:
            found.append(block)
            continue
        new = [name for name, factor in block.exponent.terms if factor and name not in known]
        written = f"{''.join(block.unit)}^({_expression(block.exponent)})"
        if len(new) > 1:
            raise InputError(
                f"{short(text)}: {written} has two numbers, {new[0]} and {new[1]}, that no block "
                "before it tells apart; let each appear alone first."
            )
        if new and dict(block.exponent.terms)[new[0]] < 0:
            raise InputError(
                f"{short(text)}: {written} takes away {new[0]}, which no block before it draws; "
                "let it appear first."
            )
        smallest = block.exponent.constant
        for name, factor in block.exponent.terms:
            if factor < 0:
                raise InputError(
                    f"{short(text)}: {written} takes away {name}, so that it could fall below 0; "
                    "write the language with sums only."
                )
            smallest += factor * (0 if name in new else least.get(name, 1))
        if smallest < 0:
            raise InputError(
                f"{short(text)}: {written} falls below 0 for the smallest numbers; write a larger "
                "exponent."
            )
        free = new[0] if new else None
        found.append(replace(block, free=free, least=least.get(free or "", 1)))
        known |= set(new)
    return found


def _expression(exponent: Affine) -> str:
    parts = [f"{'' if c == 1 else c}{name}" for name, c in exponent.terms]
    if exponent.constant or not parts:
        parts.append(str(exponent.constant))
    return "+".join(parts).replace("+-", "-")


# From blocks to rules


Seen = dict[str, bool]


@dataclass(frozen=True)
class _Point:
    """Where a derivation stands: before a block, inside a unit, or after a whole one."""

    alternative: int
    block: int
    kind: str
    """enter, due (so many are still to come), drawing (the number is being drawn)"""
    offset: int = 0
    """Symbols of the unit that are written; 0 stands for a whole unit."""


@dataclass(frozen=True)
class _Way:
    symbol: str
    chance: Fraction
    to: _Point | None
    when: tuple[Condition, ...] = ()
    then: tuple[tuple[str, Affine | int], ...] = ()


@dataclass
class _Builder:
    alternatives: list[list[Block]]
    stop: Fraction
    names: dict[_Point, str] = field(default_factory=dict)

    def rules(self) -> Iterator[Rule]:
        share = Fraction(1, len(self.alternatives))
        first = [
            replace(way, chance=way.chance * share)
            for number in range(len(self.alternatives))
            for way in self._ways(_Point(number, 0, "enter"))
        ]
        left: list[_Point] = []
        yield from self._from(first, "start", left)
        while left:
            point = left.pop(0)
            yield from self._from(self._ways(point), self.names[point], left)

    def _from(self, ways: Iterable[_Way], state: str, left: list[_Point]) -> Iterator[Rule]:
        """The rules of a state; where they lead first is left to be done."""
        for way in ways:
            to = END
            if way.to is not None:
                if way.to not in self.names:
                    self.names[way.to] = self._name(way.to)
                    left.append(way.to)
                to = self.names[way.to]
            yield Rule(state, way.symbol, to, way.chance, way.when, way.then)

    def _name(self, point: _Point) -> str:
        """Named for the symbol that was written last."""
        unit = self.alternatives[point.alternative][point.block].unit
        last = unit[((point.offset or len(unit)) - 1) % len(unit)]
        base = last.upper() if last.isalnum() else f"after {last}" if last.isalpha() else "s"
        taken = set(self.names.values()) | {"start", END}
        number = 1
        while (name := base if number == 1 else f"{base}{number}") in taken:
            number += 1
        return name

    def _counter(self, point: _Point, name: str) -> str:
        """Alternatives count for themselves."""
        return name if not point.alternative else f"{name}{point.alternative + 1}"

    def _over(self, point: _Point, value: Affine) -> Affine:
        terms = tuple((self._counter(point, name), c) for name, c in value.terms)
        return Affine(terms, value.constant)

    def _needed(self, point: _Point) -> bool:
        """Whether a later block asks for the number that is drawn in this one."""
        blocks = self.alternatives[point.alternative]
        free = blocks[point.block].free
        return any(free in dict(b.known.terms) for b in blocks[point.block + 1 :])

    def _ways(self, point: _Point, seen: Seen | None = None) -> Iterator[_Way]:
        """What can come next; `seen` says of numbers just drawn whether they are above 0."""
        blocks = self.alternatives[point.alternative]
        if point.block == len(blocks):
            yield _Way(BOUNDARY, Fraction(1), None)
            return
        block = blocks[point.block]
        if point.offset:
            yield self._write(point, block, point.offset)
            return
        if point.kind == "enter":
            yield from self._enter(point, block, seen or {})
        elif point.kind == "due":
            k = counter(self._counter(point, "k"))
            then = ((k.terms[0][0], k - 1),)
            yield replace(self._write(point, block, 0), when=(k.positive,), then=then)
            yield from self._with((k.zero,), self._draw(point, block, {}))
        else:
            yield from self._more(point, block)

    def _write(self, point: _Point, block: Block, offset: int) -> _Way:
        """The next symbol of a unit."""
        unit = self._repeat(point, block)
        after = replace(point, offset=(offset + 1) % len(unit))
        return _Way(unit[offset], Fraction(1), after)

    def _repeat(self, point: _Point, block: Block) -> tuple[str, ...]:
        """What is written at once: where a number is drawn, as many units as each 1 stands for."""
        return block.unit * block.step if point.kind == "drawing" else block.unit

    def _enter(self, point: _Point, block: Block, seen: Seen) -> Iterator[_Way]:
        there = tuple((name, c) for name, c in block.known.terms if seen.get(name) is not False)
        known = self._over(point, Affine(there, block.known.constant))
        due = replace(point, kind="due")
        if not known.terms and known.constant == 0:
            yield from self._draw(point, block, seen)
        elif not known.terms and known.constant == 1:
            # A single unit needs no counter.
            yield self._write(replace(point, kind="once"), block, 0)
        else:
            k = self._counter(point, "k")
            when: tuple[Condition, ...] = ()
            if not self._is_positive(point, block, seen):
                when = (known.positive,)
                yield from self._with((known.zero,), self._draw(point, block, seen))
            value: Affine | int = known - 1 if known.terms else known.constant - 1
            yield replace(self._write(due, block, 0), when=when, then=((k, value),))

    def _is_positive(self, point: _Point, block: Block, seen: Seen) -> bool:
        """Whether what is known is above 0 for the smallest numbers."""
        least = {b.free: b.least for b in self.alternatives[point.alternative] if b.free}
        least |= {name: int(positive) for name, positive in seen.items()}
        known = block.known
        return known.constant + sum(c * least.get(name, 1) for name, c in known.terms) > 0

    def _draw(self, point: _Point, block: Block, seen: Seen) -> Iterator[_Way]:
        """What is known has been written; the new number is drawn, if there is one."""
        if block.free is None:
            yield from self._ways(_Point(point.alternative, point.block + 1, "enter"), seen)
            return
        drawing = replace(point, kind="drawing")
        first = self._counting(drawing, block, 1)
        if block.least == 1:
            yield first
        else:
            yield replace(first, chance=1 - self.stop)
            yield from self._leaving(point, {**seen, block.free: False})

    def _counting(self, drawing: _Point, block: Block, value: Affine | int) -> _Way:
        way = self._write(drawing, block, 0)
        if not self._needed(drawing):
            return way
        assert block.free is not None
        return replace(way, then=((self._counter(drawing, block.free), value),))

    def _more(self, point: _Point, block: Block) -> Iterator[_Way]:
        if point.kind == "once":
            yield from self._draw(replace(point, kind="enter"), block, {})
            return
        assert block.free is not None
        name = self._counter(point, block.free)
        more = self._counting(point, block, counter(name) + 1)
        yield replace(more, chance=1 - self.stop)
        yield from self._leaving(point, {block.free: True})

    def _leaving(self, point: _Point, seen: Seen) -> Iterator[_Way]:
        for way in self._ways(_Point(point.alternative, point.block + 1, "enter"), seen):
            yield replace(way, chance=way.chance * self.stop)

    def _with(self, when: tuple[Condition, ...], ways: Iterator[_Way]) -> Iterator[_Way]:
        for way in ways:
            yield replace(way, when=(*when, *way.when))
