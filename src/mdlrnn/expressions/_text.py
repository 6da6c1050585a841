"""The notation of expressions: one reader, one writer.

a b 'dog' '?'                   symbols; words and special signs in quotes
(a|b)  a?  a*  a+  (ab)^n       groups, choice, repetition
a^n a^3n a^(n+1) a^(n+m)        powers; a letter that comes again is the same number
a^(n^2) a^(2^n) a^3 a^(1..4)
(a b^i)^(i=1..n)                the number of the round: ab abb abbb ...
<w> <w>   <w> c <w>   <w>^R     a word, again, reversed
<w:(a|b)+> <w:a~b>              a word of some symbols; again with a and b exchanged
<S: a <S> b | c>                a rule that contains itself
, n >= 0   , stop 1/2           smallest numbers, and the chance to stop at each
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, NoReturn

from ..checks import short
from ..errors import InputError
from ..network import BOUNDARY
from .nodes import (
    Exponent,
    Node,
    again,
    call,
    choice,
    optional,
    plus,
    power,
    rounds,
    rule,
    sequence,
    star,
    symbol,
    word,
)

LARGEST = 1000
"""Of a number in a notation."""
LONGEST = 500
"""Characters of a notation."""
DEEPEST = 50
"""Groups within groups."""
SIGNS = set("^*+?|(),'\"<>{}")
"""Characters that are symbols only in quotes."""
_EXPONENT = re.compile(r"(\d+[a-zA-Z]|[a-zA-Z]|\d+)")
_CLAUSE = re.compile(r"\s*(?:([a-zA-Z])\s*>=\s*([01])|stop\s+(\d+/\d+|\d*\.\d+))\s*")
_COMPARED = re.compile(r"\s*([a-zA-Z])\s*(>=|>|<=|<)\s*([a-zA-Z]|\d+)\s*")
_SWAPS = re.compile(r"\s*[^\s>]+\s*~[^>]*>")
_TERM = re.compile(r"\s*([+-]?)\s*(?:(\d+)?\s*([a-zA-Z])|(\d+))\s*")
_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵐᵏˡⁱʲᵖᵃᵇᶜᵈᵉᵍʰᵒʳˢᵗᵘᵛʷˣʸᶻ",
        "0123456789+-()nmklijpabcdeghorstuvwxyz",
        strict=True,
    )
)


class Notation(NamedTuple):
    """A notation as it was read."""

    node: Node
    least: dict[str, int]
    """The smallest value of letters for which one is given."""
    stop: Fraction | None
    """The chance to stop at each number, where one is given."""


def read(text: str) -> Notation:
    """Read a notation such as `a^n b^2n`."""
    if len(text) > LONGEST:
        raise InputError(f"the notation has more than {LONGEST} characters; write less.")
    return _Reader(text).read()


def _unraised(text: str) -> str:
    """The text with aⁿ written as a^(n)."""

    def lowered(match: re.Match[str]) -> str:
        inside = "".join(_RAISED[character] for character in match[0])
        if inside == "+":
            return "+"
        squared = re.sub("([a-zA-Z])([0-9])", r"\1^\2", inside)
        return f"^({squared})"

    return re.sub(f"[{''.join(_RAISED)}]+", lowered, text)


@dataclass
class _Reader:
    original: str
    text: str = ""
    place: int = 0
    depth: int = 0
    words: set[str] = field(default_factory=set)
    rules: list[str] = field(default_factory=list)
    """The rules that are being read, outermost first."""

    def read(self) -> Notation:
        if BOUNDARY in self.original:
            self.place = self.original.index(BOUNDARY)
            self.fail("# ends every string by itself; leave it out")
        self.text = _unraised(self.original)
        node = self.alternatives()
        least, stop = self.clauses()
        letters = {x for part in _walk(node) if part.kind == "power" for x in part.value.letters}
        unused = next((name for name in least if name not in letters), None)
        if unused is not None:
            raise InputError(
                f"{short(self.original)}: {unused} does not occur in it; leave out what is said."
            )
        return Notation(node, least, stop)

    def fail(self, what: str, place: int | None = None) -> NoReturn:
        at = self.place if place is None else place
        raise InputError(f"{short(self.original)}: at character {at + 1}, {what}.")

    @property
    def here(self) -> str:
        return self.text[self.place : self.place + 1]

    def alternatives(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"groups are more than {DEEPEST} deep; write less")
        begin = self.place
        found = []
        while True:
            items = self.items()
            if not items:
                if not self.text[begin : self.place].strip() and self.here in ("", ")", ">", ","):
                    break
                self.fail("an alternative is empty; write what it stands for, or a? for a or "
                          "nothing", max(self.place - 1, 0))  # fmt: skip
            found.append(sequence(items))
            if self.here != "|":
                break
            self.place += 1
        self.depth -= 1
        if not found:
            self.fail("nothing is written; write such as a^n b^n")
        return choice(found)

    def items(self) -> list[Node]:
        found: list[Node] = []
        while self.here and self.here not in "|),>":
            if self.here.isspace():
                self.place += 1
            else:
                found.append(self.item())
        if self.depth == 1 and self.here in (")", ">") and self.here:
            if self.here == ")":
                self.fail(") closes no parenthesis; leave it out, or put it in quotes")
            self.fail("> closes no word or rule; write '>' for the symbol, and conditions such as "
                      "n >= 0 behind a comma")  # fmt: skip
        return found

    def item(self) -> Node:
        begin = self.place
        node = self.unit()
        while self.here and self.here in "*+?^":
            sign = self.here
            if (
                sign == "^"
                and node.kind == "again"
                and self.text[self.place + 1 : self.place + 2] == "R"
            ):
                self.place += 2
                value = node.value
                node = again(value.name, not value.is_reversed, value.swaps)
                continue
            if node.kind == "word":
                name = node.value
                self.fail(f"a word is repeated where it is drawn; write <{name}> <{name}>^n", begin)
            self.place += 1
            if sign == "^":
                node = power(node, self.exponent())
            else:
                node = {"*": star, "+": plus, "?": optional}[sign](node)
        return node

    def unit(self) -> Node:
        character = self.here
        if character in "'\"":
            end = self.text.find(character, self.place + 1)
            if end <= self.place + 1:
                self.fail("the quote is empty or not closed; write 'word'")
            name = self.text[self.place + 1 : end]
            self.place = end + 1
            return symbol(name)
        if character == "(":
            begin = self.place
            self.place += 1
            if not self.text[self.place :].lstrip() or self.text[self.place :].lstrip()[0] == ")":
                self.fail("the parenthesis is empty or not closed; write such as (ab)^n", begin)
            node = self.alternatives()
            if self.here != ")":
                self.fail("the parenthesis is empty or not closed; write such as (ab)^n", begin)
            self.place += 1
            return node
        if character == "<":
            return self.named()
        if character in "{}":
            self.fail(f"{character} is a sign of no meaning here; put it in quotes, '{character}'")
        if character in SIGNS:
            self.fail(
                f"{character} has nothing before it to repeat; write a symbol, or '{character}'"
            )
        self.place += 1
        return symbol(character)

    def named(self) -> Node:
        """A word or a rule: <w>, <w:...>, <S>, <S: ...>."""
        begin = self.place
        match = re.compile(r"<\s*([a-zA-Z])\s*([:>])").match(self.text, self.place)
        if match is None:
            self.fail("< begins a word or a rule; write <w>, <w:(a|b)+> or <S: a <S> b | c>, or "
                      "'<' for the symbol")  # fmt: skip
        name, sign = match[1], match[2]
        self.place = match.end()
        if sign == ">":
            if name in self.rules:
                return call(name)
            if name.isupper():
                self.fail(f"the rule {name} is not open here; write <{name}: ...> around it", begin)
            if name in self.words:
                return again(name)
            self.words.add(name)
            return word(name)
        if name.isupper():
            if name in self.rules:
                self.fail(f"the rule {name} is open already; give this one another letter", begin)
            self.rules.append(name)
            node = rule(name, self.alternatives())
            self.rules.pop()
        elif _SWAPS.match(self.text, self.place):
            node = again(name, False, self.swaps(name, begin))
        else:
            if name in self.words:
                self.fail(f"the word {name} is drawn already; write <{name}>", begin)
            node = word(name, self.alternatives())
            self.words.add(name)
        if self.here != ">":
            self.fail("the word or rule is not closed; write > at its end", begin)
        self.place += 1
        return node

    def swaps(self, name: str, begin: int) -> tuple[tuple[str, str], ...]:
        if name not in self.words:
            self.fail(f"the word {name} is not drawn before it; write <{name}> first", begin)
        end = self.text.index(">", self.place)
        pairs = []
        for pair in self.text[self.place : end].split(","):
            sides = [side.strip().strip("'\"") for side in pair.split("~")]
            if len(sides) != 2 or not all(sides) or sides[0] == sides[1]:
                self.fail("symbols are exchanged in pairs; write such as <w:a~b> or <w:a~b,c~d>")
            pairs.append((min(sides), max(sides)))
        named = [side for pair in pairs for side in pair]
        if len(set(named)) < len(named):
            self.fail("a symbol is exchanged twice; name it once")
        self.place = end
        return tuple(sorted(pairs))

    # Exponents

    def exponent(self) -> Exponent:
        begin = self.place
        if self.here == "(":
            end = self._closing()
            inside = self.text[self.place + 1 : end]
            self.place = end + 1
        else:
            match = _EXPONENT.match(self.text, self.place)
            if match is None:
                self.fail("no exponent follows ^; write such as a^n, a^3n or a^(n+1)", begin - 1)
            inside = match[1]
            self.place = match.end()
        return self._exponent(inside.strip(), begin)

    def _closing(self) -> int:
        depth = 0
        for place in range(self.place, len(self.text)):
            depth += (self.text[place] == "(") - (self.text[place] == ")")
            if depth == 0:
                break
        if depth:
            self.fail("no exponent follows ^; write such as a^n, a^3n or a^(n+1)", self.place - 1)
        return place

    def _exponent(self, inside: str, begin: int) -> Exponent:
        match = re.fullmatch(r"(\d+)\s*\.\.\s*(\d+)", inside)
        if match:
            low, high = self.number(match[1], begin), self.number(match[2], begin)
            if low >= high:
                self.fail("a range goes up; write such as a^(1..4)", begin)
            return Exponent("range", (), low, high)
        match = re.fullmatch(r"([a-zA-Z])\s*=\s*1\s*\.\.\s*([a-zA-Z])", inside)
        if match:
            if match[1] == match[2]:
                self.fail(
                    "the round and how many there are need two letters; write (i=1..n)", begin
                )
            return rounds(match[1], match[2])
        match = re.fullmatch(r"([a-zA-Z])\s*\^\s*2", inside)
        if match:
            return Exponent("square", ((match[1], 1),))
        match = re.fullmatch(
            r"2\s*\^\s*(?:([a-zA-Z])|\(\s*([a-zA-Z])\s*(?:([+-])\s*(\d+))?\s*\))", inside
        )
        if match:
            shift = int(self.number(match[4] or "0", begin)) * (-1 if match[3] == "-" else 1)
            if abs(shift) > 20:
                self.fail("the power of 2 is shifted by more than 20; write less", begin)
            return Exponent("double", ((match[1] or match[2], 1),), shift)
        return self._linear(inside, begin)

    def number(self, digits: str, begin: int) -> int:
        if len(digits) > 4 or int(digits) > LARGEST:
            self.fail(f"an exponent has whole numbers up to {LARGEST}; write such", begin)
        return int(digits)

    def _linear(self, inside: str, begin: int) -> Exponent:
        terms: dict[str, int] = {}
        constant = place = 0
        while place < len(inside):
            match = _TERM.match(inside, place)
            if match is None or (place and not match[1]):
                long = re.search(r"[a-zA-Z]{2,}", inside)
                if long is not None:
                    self.fail(
                        f"{long[0]} is no variable, which is one letter; write such as n", begin
                    )
                self.fail("that is no exponent; write such as n, 3n, (n+m), (n^2), (2^n) or (1..4)",
                          begin)  # fmt: skip
            sign = -1 if match[1] == "-" else 1
            if match[3]:
                factor = sign * self.number(match[2] or "1", begin)
                terms[match[3]] = terms.get(match[3], 0) + factor
            else:
                constant += sign * self.number(match[4], begin)
            place = match.end()
        if not inside:
            self.fail("no exponent follows ^; write such as a^n, a^3n or a^(n+1)", begin - 1)
        kept = tuple((name, factor) for name, factor in terms.items() if factor)
        if max([abs(f) for _, f in kept] + [abs(constant)]) > LARGEST:
            self.fail(f"an exponent has whole numbers up to {LARGEST}; write such", begin)
        return Exponent("linear", kept, constant)

    # What follows the comma

    def clauses(self) -> tuple[dict[str, int], Fraction | None]:
        least: dict[str, int] = {}
        stop = None
        while self.here:
            if self.here != ",":
                self.fail(f"{self.here} is not understood; put it in quotes, or leave it out")
            end = self.text.find(",", self.place + 1)
            end = len(self.text) if end < 0 else end
            clause = re.sub(
                r">\s*0\s*$", ">= 1", self.text[self.place + 1 : end].replace("≥", ">=")
            )
            match = _CLAUSE.fullmatch(clause)
            compared = _COMPARED.fullmatch(clause)
            if match is None and compared is not None:
                self.fail(_instead(*compared.groups()), self.place + 1)
            if match is None:
                self.fail("what follows the comma is not understood; write n >= 0 or stop 1/2",
                          self.place + 1)  # fmt: skip
            if match[1]:
                least[match[1]] = int(match[2])
            else:
                stop = self._stop(match[3])
            self.place = end
        return least, stop

    def _stop(self, text: str) -> Fraction:
        try:
            stop = Fraction(text)
        except ZeroDivisionError:
            self.fail("the chance divides by 0; write another", self.place + 1)
        if not 0 < stop < 1:
            raise InputError(f"the chance to stop is {stop}; give one between 0 and 1.")
        return stop


def _instead(name: str, sign: str, other: str) -> str:
    """What to write for numbers that are compared."""
    if other.isdigit():
        if sign in ("<", "<="):
            most = int(other) - (sign == "<")
            return f"a largest number is given where it stands; write (1..{most}) for {name}"
        least = int(other) + (sign == ">")
        return f"numbers begin at 0 or 1; write ({name}+{least - 1}) where {name} stands"
    larger, smaller = (name, other) if ">" in sign else (other, name)
    extra = next(x for x in "kijdl" if x not in (name, other))
    zero = f" ({extra} >= 0)" if "=" in sign else ""
    return (
        f"numbers are not compared with each other; write x^{smaller} x^{extra}{zero} where "
        f"x^{larger} stands"
    )


def _walk(node: Node) -> list[Node]:
    return [node, *(inner for part in node.parts for inner in _walk(part))]


# Writing


def write(node: Node) -> str:
    """The notation of a node; `read` gives the node back."""
    return _choice(node)


def _choice(node: Node) -> str:
    if node.kind == "choice":
        return " | ".join(map(_sequence, node.parts))
    return _sequence(node)


def _sequence(node: Node) -> str:
    parts = node.parts if node.kind == "sequence" else (node,)
    texts = [_item(part) for part in parts]
    return ("" if all(len(text) == 1 for text in texts) else " ").join(texts)


def _item(node: Node) -> str:
    if node.kind == "symbol":
        return symbol_text(node.value)
    if node.kind in ("sequence", "choice"):
        return _group(node)
    if node.kind in ("star", "plus", "optional"):
        return _repeated(node.parts[0]) + {"star": "*", "plus": "+", "optional": "?"}[node.kind]
    if node.kind == "power":
        return f"{_repeated(node.parts[0])}^{exponent_text(node.value)}"
    if node.kind == "word":
        return f"<{node.value}:{_choice(node.parts[0])}>" if node.parts else f"<{node.value}>"
    if node.kind == "again":
        return _again(node)
    if node.kind == "rule":
        return f"<{node.value}: {_choice(node.parts[0])}>"
    return f"<{node.value}>" if node.kind == "call" else "(empty)"


def _again(node: Node) -> str:
    name, is_reversed, swaps = node.value
    pairs = ",".join(f"{symbol_text(one)}~{symbol_text(other)}" for one, other in swaps)
    return f"<{name}{':' if swaps else ''}{pairs}>{'^R' if is_reversed else ''}"


def _group(node: Node) -> str:
    if node.kind == "choice" and all(len(_sequence(part)) == 1 for part in node.parts):
        return f"({'|'.join(map(_sequence, node.parts))})"
    return f"({_choice(node)})"


def _repeated(node: Node) -> str:
    return _item(node) if node.kind in ("symbol", "again", "rule", "call") else _group(node)


def symbol_text(name: str) -> str:
    """A symbol as a notation has it: in quotes where it is a word or a sign."""
    if (
        len(name) == 1
        and name not in SIGNS
        and name not in _RAISED
        and not name.isspace()
        and name not in "~:"
    ):
        return name
    return f'"{name}"' if "'" in name else f"'{name}'"


def exponent_text(exponent: Exponent) -> str:
    if exponent.kind == "range":
        return f"({exponent.constant}..{exponent.most})"
    if exponent.kind == "rounds":
        return f"({exponent.letters[0]}=1..{exponent.letters[1]})"
    if exponent.kind == "square":
        return f"({exponent.letters[0]}^2)"
    if exponent.kind == "double":
        letter, shift = exponent.letters[0], exponent.constant
        return f"(2^({letter}{shift:+d}))" if shift else f"(2^{letter})"
    parts = ""
    for name, factor in exponent.terms:
        number = "" if abs(factor) == 1 else str(abs(factor))
        parts += f"{'-' if factor < 0 else '+' if parts else ''}{number}{name}"
    if exponent.constant or not parts:
        parts += f"{exponent.constant:+d}" if parts else str(exponent.constant)
    return parts if _EXPONENT.fullmatch(parts) else f"({parts})"
