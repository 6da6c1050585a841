"""Languages as linguists write them: `a^n b^3n`, `a^n b^m c^(n+m)`, `(ab)^n`, `a* b+`, `a | b^n`.

A notation is read into blocks, a block being a unit of symbols and how often it is repeated. The
first exponent with a letter draws its number, 1, 2, ... with a chance to stop at each; later ones
with the same letter are then determined. The blocks become rules over counters, and where one
symbol could come from two rules, the rules are made deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..checks import short
from ..errors import InputError
from ..machines import END, Affine, Condition, Machine, Rule, counter, determinised, read_expression
from ..network import BOUNDARY

STOP = Fraction(3, 10)
"""The chance to stop at each number, as in the paper's training sets."""
LARGEST = 1000
"""Of a number in a notation."""
LONGEST = 500
"""Characters of a notation."""
_SPECIAL = set("^*+|(),'\"")
_EXPONENT = re.compile(r"\(([^()]*)\)|(\d+[a-zA-Z]|[a-zA-Z]|\d+)")
_CLAUSE = re.compile(r"\s*(?:([a-zA-Z])\s*>=\s*([01])|stop\s+(\d+/\d+|\d*\.\d+))\s*")
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
    return bool(re.search(r"[\^*+|]", text)) and len(text) <= LONGEST


def notation_problem(text: str) -> str | None:
    """What is wrong with a text that has signs of a notation, though nothing is repeated; None if
    it has none of them, or is the name of a file."""
    signs = re.search(r"[()'\"\s]", text)
    if signs is None or re.search(r"[/\\]|\.\w+$", text) or len(text) > LONGEST:
        return None
    try:
        language_from_notation(text)
    except InputError as error:
        return str(error).removeprefix(f"{short(text)}: ")
    return "nothing in it is repeated; write such as a^n b^n."


def language_from_notation(text: str, stop: Fraction = STOP) -> Machine:
    """The language of a notation, such as `a^n b^3n`."""
    if len(text) > LONGEST:
        raise InputError(f"the notation has more than {LONGEST} characters; write less.")
    if BOUNDARY in text:
        raise _odd(text, text.index(BOUNDARY), "# ends every string by itself; leave it out")
    body, least, asked = _clauses(text)
    stop = stop if asked is None else asked
    if not 0 < stop < 1:
        raise InputError(f"the chance to stop is {stop}; give one between 0 and 1.")
    alternatives = _read(body, text)
    title = " ".join(text.split())
    alternatives = [_drawn(blocks, least, text) for blocks in alternatives]
    try:
        rules = determinised(tuple(_Builder(alternatives, stop).rules()), "start")
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return Machine(_slug(title), title, rules)


def _slug(title: str) -> str:
    name = re.sub(r"\W+", "", title.replace("*", "s").replace("+", "p").replace("|", "_or_"))
    return name[:40] or "language"


# Reading


def _odd(text: str, place: int, what: str) -> InputError:
    return InputError(f"{short(text)}: at character {place + 1}, {what}.")


def _clauses(text: str) -> tuple[str, dict[str, int], Fraction | None]:
    """The notation itself, the least numbers that are asked for, and the chance to stop."""
    depth = 0
    cut = len(text)
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            cut = place
            break
    least: dict[str, int] = {}
    stop = None
    place = cut + 1
    for clause in text[cut + 1 :].split(",") if cut < len(text) else ():
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise _odd(text, place, "what follows the comma is not understood; write n >= 0 or "
                       "stop 1/2")  # fmt: skip
        if match[1]:
            least[match[1]] = int(match[2])
        else:
            try:
                stop = Fraction(match[3])
            except ZeroDivisionError:
                raise _odd(text, place, "the chance divides by 0; write another") from None
        place += len(clause) + 1
    return text[:cut], least, stop


def _read(body: str, text: str) -> list[list[Block]]:
    alternatives: list[list[Block]] = [[]]
    place = 0
    while place < len(body):
        character = body[place]
        if character.isspace():
            place += 1
        elif character == "|":
            alternatives.append([])
            place += 1
        else:
            unit, after = _unit(body, place, text)
            block, place = _repeated(unit, body, after, text)
            blocks = alternatives[-1]
            same = blocks and blocks[-1].unit == block.unit and not _stars(blocks[-1], block)
            if same:
                blocks[-1] = replace(block, exponent=_sum(blocks[-1].exponent, block.exponent))
            else:
                blocks.append(block)
    if not all(alternatives):
        raise _odd(text, len(body) - 1, "an alternative is empty; write what it stands for")
    return alternatives


def _stars(one: Block, other: Block) -> bool:
    return one.free == REPEATED or other.free == REPEATED


def _sum(one: Affine, other: Affine) -> Affine:
    terms = dict(one.terms)
    for name, factor in other.terms:
        terms[name] = terms.get(name, 0) + factor
    return Affine(tuple(terms.items()), one.constant + other.constant)


def _unit(body: str, place: int, text: str) -> tuple[tuple[str, ...], int]:
    character = body[place]
    if character in "'\"":
        end = body.find(character, place + 1)
        if end <= place + 1:
            raise _odd(text, place, "the quote is empty or not closed; write 'word'")
        return (body[place + 1 : end],), end + 1
    if character != "(":
        if character == ")":
            raise _odd(text, place, ") closes no parenthesis; leave it out")
        if character in _SPECIAL:
            raise _odd(text, place, f"{character} has nothing before it to repeat; write a symbol")
        return (character,), place + 1
    symbols: list[str] = []
    inner = place + 1
    while inner < len(body) and body[inner] != ")":
        if body[inner].isspace():
            inner += 1
        elif body[inner] == "(" or body[inner] in "^*+|,":
            raise _odd(text, inner, "parentheses hold symbols only; repeat them from outside")
        else:
            found, inner = _unit(body, inner, text)
            symbols += found
    if inner == len(body) or not symbols:
        raise _odd(text, place, "the parenthesis is empty or not closed; write such as (ab)^n")
    return tuple(symbols), inner + 1


def _repeated(unit: tuple[str, ...], body: str, place: int, text: str) -> tuple[Block, int]:
    follows = body[place : place + 1]
    if follows in ("*", "+") and follows:
        least = 0 if follows == "*" else 1
        return Block(unit, counter(REPEATED), REPEATED, least), place + 1
    if follows != "^":
        return Block(unit, Affine((), 1)), place
    match = _EXPONENT.match(body, place + 1)
    if match is None:
        raise _odd(text, place, "no exponent follows ^; write such as a^n, a^3n or a^(n+1)")
    try:
        exponent = read_expression(match[1] or match[2])
    except InputError:
        raise _odd(text, place + 1, "that is no exponent; write such as n, 3n or (n+m)") from None
    numbers = [abs(c) for _, c in exponent.terms] + [abs(exponent.constant)]
    if exponent.divisor != 1 or max(numbers) > LARGEST:
        raise _odd(text, place + 1, f"an exponent has whole numbers up to {LARGEST}; write such")
    long = next((name for name, _ in exponent.terms if len(name) > 1), None)
    if long is not None:
        raise _odd(text, place + 1, f"{long} is no variable, which is one letter; write such as n")
    return Block(unit, exponent), match.end()


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
    unused = next((name for name in least if name not in known), None)
    if unused is not None:
        raise InputError(f"{short(text)}: {unused} does not occur in it; leave out what is said.")
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

    def rules(self) -> list[Rule]:
        share = Fraction(1, len(self.alternatives))
        first = [
            replace(way, chance=way.chance * share)
            for number in range(len(self.alternatives))
            for way in self._ways(_Point(number, 0, "enter"))
        ]
        rules: list[Rule] = []
        left: list[_Point] = []
        self._add(rules, "start", first, left)
        while left:
            point = left.pop(0)
            self._add(rules, self.names[point], list(self._ways(point)), left)
        return rules

    def _add(self, rules: list[Rule], state: str, ways: list[_Way], left: list[_Point]) -> None:
        for way in ways:
            to = END
            if way.to is not None:
                if way.to not in self.names:
                    self.names[way.to] = self._name(way.to)
                    left.append(way.to)
                to = self.names[way.to]
            rules.append(Rule(state, way.symbol, to, way.chance, way.when, way.then))

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
