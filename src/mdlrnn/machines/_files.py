"""Language files, one rule a line, readable aloud; and machines as JSON for certificates.

    # a^n b^3n
    start: a -> A, n = 1
    A: a 7/10 -> A, n = n + 1
    A: b 3/10 -> B, k = 3n - 1
    B: b if k > 0 -> B, k = k - 1
    B: # if k = 0

A line that begins with # is a comment, and the first one is the title. Strings begin in the state
`start`, or where there is none, in that of the first rule. The symbol # ends the string. A rule
without a chance has chance 1; a counter that a rule does not set keeps its value.

A transducer has the inputs of a step and the output: `carry: 1,1 / 0 -> carry`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from os import fspath
from pathlib import Path
from typing import Any

from ..checks import exact_fraction, short
from ..errors import InputError, printable
from ..files import PathLike, named, read_text
from ..limits import GRAMMAR_BYTES, RULES, check_size
from ._machine import Machine
from ._rules import START, Affine, Condition, Rule, read_rules, split_line
from ._transducer import AnyMachine, Transducer, Transition

SUFFIXES = (".lang",)
_STEP = re.compile(
    r"(?P<read>-?\d+(?:\s*,\s*-?\d+)*)\s+/\s+(?P<write>\d+/\d+|\d*\.\d+|\d+)\s*"
    r"->\s*(?P<to>\S.*?)\s*"
)


def load_language(path: PathLike) -> Machine:
    """The language of a file that holds strings' rules."""
    found = load_machine(path)
    if not isinstance(found, Machine):
        raise InputError(
            f"{named(path)} maps numbers to numbers; give the file of a language of strings."
        )
    return found


def load_machine(path: PathLike) -> AnyMachine:
    """The machine of a language file, whichever it holds."""
    text = read_text(path, "language", GRAMMAR_BYTES)
    return machine_from_text(text, Path(fspath(path)).stem, named(path))


def machine_from_text(text: str, name: str = "language", source: str = "") -> AnyMachine:
    """The machine of a text. Errors say the line, and call the text `source`."""
    title = ""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            title = title or printable(line.lstrip().lstrip("#").strip())
        elif line.strip():
            lines.append((number, line))
    source = source or name
    check_size(len(lines), RULES, source, "rules")
    if not lines:
        raise InputError(f"{source} holds no rule; write one a line, as STATE: SYMBOL -> STATE.")
    title = title or name
    if any(_step(line) for _, line in lines):
        return _transducer(lines, name, title, source)
    rules: list[Rule] = []
    places: dict[Rule, str] = {}
    for number, line in lines:
        try:
            for rule in read_rules(line):
                places.setdefault(rule, f"line {number}: ")
                rules.append(rule)
        except InputError as error:
            raise InputError(f"{source}: line {number}: {error}") from None
    start = START if any(rule.state == START for rule in rules) else rules[0].state
    try:
        return Machine(name, title, tuple(rules), start, places=places)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def _step(line: str) -> re.Match[str] | None:
    try:
        return _STEP.fullmatch(split_line(line).rest)
    except InputError:
        return None


def _transducer(lines: list[tuple[int, str]], name: str, title: str, source: str) -> Transducer:
    found = []
    for number, line in lines:
        match = _step(line)
        if match is None:
            raise InputError(
                f"{source}: line {number}: {short(line.strip())} is no step; write STATE: INPUTS / "
                "OUTPUT -> STATE, such as carry: 1,1 / 0 -> carry."
            )
        read = tuple(int(value) for value in match["read"].split(","))
        state, to = split_line(line).state, match["to"].strip('"')
        try:
            found.append(Transition(state, read, Fraction(match["write"]), to))
        except ZeroDivisionError:
            raise InputError(f"{source}: line {number}: the output divides by 0.") from None
    start = START if any(t.state == START for t in found) else found[0].state
    try:
        return Transducer(name, title, tuple(found), start)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def to_json(source: Machine | Transducer) -> dict[str, Any]:
    data: dict[str, Any] = {"name": source.name, "title": source.title, "start": source.start}
    if isinstance(source, Transducer):
        data["transitions"] = [
            [t.state, list(t.read), str(t.write), t.to] for t in source.transitions
        ]
    else:
        data["rules"] = [_rule(rule) for rule in source.rules]
    return data


def from_json(data: dict[str, Any]) -> AnyMachine:
    if "transitions" in data:
        transitions = tuple(
            Transition(state, tuple(read), exact_fraction(write), to)
            for state, read, write, to in data["transitions"]
        )
        return Transducer(data["name"], data["title"], transitions, data["start"])
    rules = tuple(
        Rule(
            r["state"], r["symbol"], r["to"], exact_fraction(r["chance"]),
            tuple(Condition(_affine(e), rel, digit, base) for e, rel, digit, base in r["when"]),
            tuple((name, _affine(x)) for name, x in r["then"]),
        )
        for r in data["rules"]
    )  # fmt: skip
    return Machine(data["name"], data["title"], rules, data["start"])


def _rule(r: Rule) -> dict[str, Any]:
    return {
        "state": r.state, "symbol": r.symbol, "to": r.to, "chance": str(r.chance),
        "when": [[_written(c.expression), c.relation, c.digit, c.base] for c in r.when],
        "then": [[name, _written(x)] for name, x in r.then],
    }  # fmt: skip


def _written(x: Affine | int) -> Any:
    return x if isinstance(x, int) else [list(map(list, x.terms)), x.constant, x.divisor]


def _affine(x: Any) -> Any:
    return x if isinstance(x, int) else Affine(tuple((n, f) for n, f in x[0]), x[1], x[2])
