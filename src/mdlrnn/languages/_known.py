"""Languages that people know by a name: brackets that match, and equally many of two symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..machines import Machine, Rule, counter
from ..network import BOUNDARY
from ._paper import PAIRS, dyck

_DYCK = re.compile(r"(?P<full>nonempty )?Dyck-(?P<kinds>\d+) over (?P<pairs>\S.*)")
_EQUAL = re.compile(r"equally many (?P<one>\S+)'s and (?P<other>\S+)'s")


def known_by_name(text: str) -> Machine | None:
    """The language of a name; None for other texts."""
    if equal := _EQUAL.fullmatch(text):
        return equally_many(equal["one"], equal["other"])
    if not (found := _DYCK.fullmatch(text)):
        return None
    kinds, words = int(found["kinds"]), found["pairs"].split()
    pairs = [tuple(word) for word in words]
    if any(len(pair) != 2 for pair in pairs):  # symbols that are words stand apart
        pairs = list(zip(words[::2], words[1::2], strict=False))
    symbols = [symbol for pair in pairs for symbol in pair]
    if not pairs or len(pairs) != kinds or len(set(symbols)) != 2 * kinds or kinds > len(PAIRS):
        return None
    return brackets([(pair[0], pair[1]) for pair in pairs], bool(found["full"]))


def brackets(pairs: Sequence[tuple[str, str]], nonempty: bool) -> Machine:
    """Dyck-k over these pairs, with or without the empty string."""
    language = dyck(len(pairs))
    new = {old: name for own, pair in zip(PAIRS, pairs, strict=False)
           for old, name in zip(own, pair, strict=True)}  # fmt: skip
    rules = [replace(rule, symbol=new.get(rule.symbol, rule.symbol)) for rule in language.rules]
    if nonempty:
        inner = [
            replace(rule, state="S", to=rule.to if rule.symbol == BOUNDARY else "S")
            for rule in rules
        ]
        opening = [replace(rule, state="start") for rule in inner if not rule.when]
        rules = [*(replace(rule, chance=rule.chance / len(opening) / rule.chance)
                   for rule in opening), *inner]  # fmt: skip
    between = " " if any(len(name) > 1 for pair in pairs for name in pair) else ""
    shown = " ".join(between.join(pair) for pair in pairs)
    title = f"{'nonempty ' if nonempty else ''}Dyck-{len(pairs)} over {shown}"
    return Machine(language.name, title, tuple(rules), assumed=True)


def equally_many(one: str, other: str) -> Machine:
    n = counter("n")
    rules = [Rule("even", BOUNDARY)]
    for state, more, fewer in (("more", one, other), ("fewer", other, one)):
        rules += [
            Rule("even", more, state, then=(("n", 1),)),
            Rule(state, more, state, then=(("n", n + 1),)),
            Rule(state, fewer, state, when=((n - 1).positive,), then=(("n", n - 1),)),
            Rule(state, fewer, "even", when=((n - 1).zero,), then=(("n", 0),)),
        ]
    chance = {"even": 3, "more": 2, "fewer": 2}
    shared = tuple(replace(rule, chance=rule.chance / chance[rule.state]) for rule in rules)
    title = f"equally many {one}'s and {other}'s"
    return Machine("equally_many", title, shared, "even", assumed=True)
