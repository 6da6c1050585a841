"""Regular expressions for machines without counters, by the elimination of states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, permutations

from ..languages import Language
from ..languages._rules import END

LONGEST = 60
"""Characters of an expression that is still read."""
MOST_STATES = 10
ORDERS = 300
"""In which states are eliminated, at most."""
SPECIAL = r"\()|*?+[]{}.^$"
_FIRST = "(start)"


def regex_of(machine: Language) -> str | None:
    """A regular expression for the strings of a machine without counters, the shortest that is
    found; None if none is short."""
    states = list(dict.fromkeys([machine.start, *(rule.state for rule in machine.rules)]))
    if machine.counters or len(states) > MOST_STATES:
        return None
    ways: dict[tuple[str, str], str] = {}
    for rule in machine.rules:
        text = "" if rule.to == END else _escaped(rule.symbol, machine.words)
        key = (rule.state, rule.to)
        ways[key] = either(ways[key], text) if key in ways else text
    ways[_FIRST, machine.start] = ""
    found = [text for order in _orders(states, ways) if (text := _eliminated(ways, order))]
    shortest = min(found, key=lambda text: (len(text), text), default="")
    if _enclosed(shortest):
        shortest = shortest[1:-1]
    return shortest.strip() if 0 < len(shortest) <= LONGEST else None


def _orders(states: list[str], ways: dict[tuple[str, str], str]) -> Iterator[Iterable[str]]:
    def traffic(state: str) -> int:
        return sum(b == state for _, b in ways) * sum(a == state for a, _ in ways)

    yield reversed(states)
    yield sorted(states, key=traffic)
    yield sorted(states, key=traffic, reverse=True)
    yield from islice(permutations(states), ORDERS)


def _eliminated(ways: dict[tuple[str, str], str], order: Iterable[str]) -> str:
    for state in order:
        loop = ways.get((state, state))
        again = "" if loop is None else star(loop)
        into = [(a, text) for (a, b), text in ways.items() if b == state and a != state]
        out = [(b, text) for (a, b), text in ways.items() if a == state and b != state]
        ways = {key: text for key, text in ways.items() if state not in key}
        for a, first in into:
            for b, last in out:
                text = then(first, again, last)
                if len(text) > 10 * LONGEST:
                    return ""
                ways[a, b] = either(ways[a, b], text) if (a, b) in ways else text
    return ways.get((_FIRST, END), "")


def _escaped(symbol: str, words: bool) -> str:
    text = "".join(f"\\{c}" if c in SPECIAL else c for c in symbol)
    return f"{text} " if words else text


def _is_one(text: str) -> bool:
    """Whether a star or a question mark behind it would mean all of it."""
    if len(text) == 1 or (len(text) == 2 and text[0] == "\\"):
        return True
    return _enclosed(text)


def _depths(text: str) -> Iterator[tuple[int, str, int]]:
    """The characters that are no escaped ones, with the depth of brackets after each."""
    depth = 0
    place = 0
    while place < len(text):
        c = text[place]
        if c == "\\":
            place += 2
            continue
        depth += (c == "(") - (c == ")")
        yield place, c, depth
        place += 1


def _enclosed(text: str) -> bool:
    if not text.startswith("(") or not text.endswith(")"):
        return False
    closing = next((place for place, _, depth in _depths(text) if depth == 0), -1)
    return closing == len(text) - 1


def _has_bar(text: str) -> bool:
    return any(c == "|" and depth == 0 for _, c, depth in _depths(text))


def _one(text: str) -> str:
    return text if _is_one(text) else f"({text})"


def star(text: str) -> str:
    if text[-1:] in ("?", "*", "+") and _is_one(text[:-1]):
        text = text[:-1]
    return f"{_one(text)}*" if text else ""


def then(*texts: str) -> str:
    """One after the other; x x* is x+."""
    found = ""
    for text in texts:
        text = f"({text})" if _has_bar(text) else text
        inner = text[:-1]
        if text.endswith("*") and _is_one(inner):
            plain = inner[1:-1] if _enclosed(inner) else inner
            if found and not _has_bar(plain) and _ends_with(found, plain):
                found = found[: len(found) - len(plain)] + f"{inner}+"
                continue
            if found and found.endswith(inner) and _ends_with(found, inner):
                found = f"{found}+"
                continue
        found += text
    return found


def _ends_with(text: str, tail: str) -> bool:
    """Whether the tail stands at the end as a part of its own: not in brackets, not escaped."""
    if not text.endswith(tail):
        return False
    cut = len(text) - len(tail)
    if text[:cut].endswith("\\"):
        return False
    depth = 0
    for place, _, after in _depths(text):
        if place >= cut:
            break
        depth = after
    return depth == 0


def either(one: str, other: str) -> str:
    if one == other:
        return one
    if not one or not other:
        text = one or other
        if text.endswith(("*", "?")) and _is_one(text[:-1]):
            return text
        if text.endswith("+") and _is_one(text[:-1]):
            return f"{text[:-1]}*"
        return f"{_one(text)}?"
    return f"{one}|{other}"
