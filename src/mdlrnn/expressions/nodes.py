"""What an expression is made of: a tree of nodes, built by functions that keep it tidy.

Nodes say nothing of probabilities; `_expression` adds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

LETTERS = "nmklijpqrstuvwxyzabcdefgho"
"""Names of numbers, in the order in which they are given."""
WORDS = "wvuxyzabcdefghijklmnopqrst"
RULES = "STUVWXYZABCDEFGHIJKLMNOPQR"


class Node(NamedTuple):
    """A part of an expression. `kind` is one of `KINDS`; `value` depends on it."""

    kind: str
    parts: tuple[Node, ...] = ()
    value: Any = None


KINDS = (
    "empty", "symbol", "sequence", "choice", "optional", "star", "plus", "power", "word", "again",
    "rule", "call",
)  # fmt: skip


class Exponent(NamedTuple):
    """How often something is repeated.

    linear: the sum of the terms and the constant; square: the square of its one letter; double: 2
    to the power of its one letter plus the constant; range: from the constant to `most`; rounds:
    the first letter counts from 1, round by round, to the second.
    """

    kind: str
    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0
    most: int = 0

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.terms)


class Again(NamedTuple):
    """A word that comes back: as it was, reversed, or with symbols exchanged in pairs."""

    name: str
    is_reversed: bool = False
    swaps: tuple[tuple[str, str], ...] = ()


EMPTY = Node("empty")


def symbol(name: str) -> Node:
    return Node("symbol", (), name)


def sequence(parts: Sequence[Node]) -> Node:
    flat = [
        inner
        for part in parts
        for inner in (part.parts if part.kind == "sequence" else (part,))
        if inner.kind != "empty"
    ]
    if not flat:
        return EMPTY
    return flat[0] if len(flat) == 1 else Node("sequence", tuple(flat))


def choice(parts: Sequence[Node]) -> Node:
    flat = [inner for part in parts for inner in (part.parts if part.kind == "choice" else (part,))]
    kept = list(dict.fromkeys(part for part in flat if part.kind != "empty"))
    if not kept:
        return EMPTY
    one = kept[0] if len(kept) == 1 else Node("choice", tuple(kept))
    return optional(one) if any(part.kind == "empty" for part in flat) else one


def optional(part: Node) -> Node:
    if part.kind in ("empty", "star", "optional"):
        return part
    return star(part.parts[0]) if part.kind == "plus" else Node("optional", (part,))


def star(part: Node) -> Node:
    if part.kind == "empty":
        return part
    return (
        star(part.parts[0]) if part.kind in ("star", "plus", "optional") else Node("star", (part,))
    )


def plus(part: Node) -> Node:
    if part.kind in ("empty", "star", "plus"):
        return part
    return star(part.parts[0]) if part.kind == "optional" else Node("plus", (part,))


def power(part: Node, exponent: Exponent) -> Node:
    if exponent.kind == "linear" and not exponent.terms:
        if exponent.constant == 1:
            return part
        if exponent.constant == 0:
            return EMPTY
    if part.kind == "empty":
        return EMPTY
    return Node("power", (part,), exponent)


def word(name: str, body: Node | None = None) -> Node:
    """A word that may come again; without a body, any nonempty word of the symbols."""
    return Node("word", () if body is None else (body,), name)


def again(name: str, is_reversed: bool = False, swaps: tuple[tuple[str, str], ...] = ()) -> Node:
    return Node("again", (), Again(name, is_reversed, swaps))


def rule(name: str, body: Node) -> Node:
    return Node("rule", (body,), name)


def call(name: str) -> Node:
    return Node("call", (), name)


def linear(letter: str, factor: int = 1, constant: int = 0) -> Exponent:
    return Exponent("linear", ((letter, factor),), constant)


def rounds(inner: str, letter: str) -> Exponent:
    return Exponent("rounds", ((inner, 1), (letter, 1)))


def constant(number: int) -> Exponent:
    return Exponent("linear", (), number)


_BUILDERS: dict[str, Callable[[tuple[Node, ...], Any], Node]] = {
    "sequence": lambda parts, value: sequence(parts),
    "choice": lambda parts, value: choice(parts),
    "optional": lambda parts, value: optional(parts[0]),
    "star": lambda parts, value: star(parts[0]),
    "plus": lambda parts, value: plus(parts[0]),
    "power": lambda parts, value: power(parts[0], value),
    "rule": lambda parts, value: rule(value, parts[0]),
}


def rebuilt(node: Node, parts: Sequence[Node]) -> Node:
    """The node with other parts, tidied."""
    build = _BUILDERS.get(node.kind)
    return (
        Node(node.kind, tuple(parts), node.value)
        if build is None
        else build(tuple(parts), node.value)
    )


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order in which they are read."""
    left = [node]
    while left:
        here = left.pop()
        yield here
        left += here.parts[::-1]


def size(node: Node) -> int:
    return 1 + sum(map(size, node.parts))


def symbols_of(node: Node) -> tuple[str, ...]:
    """The symbols that an expression names, in order."""
    named = {part.value for part in walk(node) if part.kind == "symbol"}
    named |= {
        side
        for part in walk(node)
        if part.kind == "again"
        for pair in part.value.swaps
        for side in pair
    }
    return tuple(sorted(named))


def canonical(node: Node, symbols: Sequence[str] = ()) -> Node:
    """The same language over these symbols with names in a fixed order, and without words and rules
    that are never referred to. A number that is used once is a repetition."""
    return named(_plain(node, plus(choice([symbol(name) for name in symbols]))))[0]


def named(node: Node) -> tuple[Node, dict[str, str]]:
    """The expression with names in a fixed order, and the new names of its numbers."""
    letters: dict[str, str] = {}
    words: dict[str, str] = {}
    rules: dict[str, str] = {}
    _name(node, letters, words, rules)
    return _renamed(node, letters, words, rules), letters


def _plain(node: Node, any_word: Node) -> Node:
    while True:
        used = list(walk(node))
        letters: dict[str, int] = {}
        for part in used:
            if part.kind == "power":
                for letter in part.value.letters:
                    letters[letter] = letters.get(letter, 0) + 1
        words = {part.value.name for part in used if part.kind == "again"}
        calls = {part.value for part in used if part.kind == "call"}
        plainer = _plain_part(node, letters, words, calls, any_word)
        if plainer == node:
            return node
        node = plainer


def _plain_part(
    node: Node, letters: dict[str, int], words: set[str], calls: set[str], any_word: Node
) -> Node:
    parts = [_plain_part(part, letters, words, calls, any_word) for part in node.parts]
    if node.kind == "word" and node.value not in words and (parts or any_word.parts):
        return parts[0] if parts else any_word
    if node.kind == "rule" and node.value not in calls:
        return parts[0]
    if node.kind == "power" and parts[0].kind != "empty":
        exponent: Exponent = node.value
        if exponent.kind == "linear" and len(exponent.terms) == 1 and not exponent.constant:
            letter, factor = exponent.terms[0]
            if letters[letter] == 1:
                return plus(power(parts[0], constant(factor)))
        if exponent.kind == "rounds" and letters[exponent.letters[0]] == 1:
            return power(parts[0], linear(exponent.letters[1]))
    return rebuilt(node, parts)


def _name(
    node: Node, letters: dict[str, str], words: dict[str, str], rules: dict[str, str]
) -> None:
    if node.kind == "rule":
        rules.setdefault(node.value, RULES[len(rules) % len(RULES)])
    elif node.kind == "word":
        words.setdefault(node.value, WORDS[len(words) % len(WORDS)])
    elif node.kind == "power":
        # Of rounds, how many there are is named first.
        for letter in node.value.letters[:: -1 if node.value.kind == "rounds" else 1]:
            letters.setdefault(letter, LETTERS[len(letters) % len(LETTERS)])
    for part in node.parts:
        _name(part, letters, words, rules)


def _renamed(
    node: Node, letters: dict[str, str], words: dict[str, str], rules: dict[str, str]
) -> Node:
    parts = tuple(_renamed(part, letters, words, rules) for part in node.parts)
    value = node.value
    if node.kind == "power":
        terms = tuple((letters[name], factor) for name, factor in value.terms)
        if value.kind != "rounds":
            terms = tuple(sorted(terms, key=lambda t: LETTERS.index(t[0])))
        value = value._replace(terms=terms)
    elif node.kind == "word":
        value = words[value]
    elif node.kind == "again":
        value = value._replace(name=words.get(value.name, value.name))
    elif node.kind in ("rule", "call"):
        value = rules.get(value, value)
    return Node(node.kind, parts, value)
