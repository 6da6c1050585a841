"""Machines as JSON, for the certificates of proofs."""

from __future__ import annotations

from typing import Any

from .._checks import exact_fraction
from ._machine import Affine, Condition, Language, Rule
from ._transducer import Transducer, Transition


def to_json(source: Language | Transducer) -> dict[str, Any]:
    data: dict[str, Any] = {"name": source.name, "title": source.title, "start": source.start}
    if isinstance(source, Transducer):
        data["transitions"] = [
            [t.state, list(t.read), str(t.write), t.to] for t in source.transitions
        ]
    else:
        data["rules"] = [_rule(rule) for rule in source.rules]
    return data


def from_json(data: dict[str, Any]) -> Language | Transducer:
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
    return Language(data["name"], data["title"], rules, data["start"])


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
