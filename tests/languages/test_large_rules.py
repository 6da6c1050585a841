"""Rules that are many or long are refused, or read in one pass."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from mdlrnn import InputError
from mdlrnn.languages import Grammar
from mdlrnn.languages import _prefix as prefix_module
from mdlrnn.machines import Machine, machine_from_text
from mdlrnn.machines._machine import Strings
from mdlrnn.machines._rules import Rule


def chain(length: int) -> tuple[Rule, ...]:
    """A string of so many symbols."""
    names = ["start", *(f"s{place}" for place in range(1, length))]
    rules = [Rule(one, "a", to, Fraction(1)) for one, to in pairwise(names)]
    return (*rules, Rule(names[-1], "#", "end", Fraction(1)))


def test_a_machine_has_no_more_rules_than_a_file_of_it_may_have() -> None:
    assert len(Machine("chain", "chain", chain(2_000)).rules) == 2_000
    with pytest.raises(InputError, match=r"^chain has more than 2,000 rules; make it smaller"):
        Machine("chain", "chain", chain(2_001))


def test_a_probability_follows_the_machine_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        s: a 1/2 -> s, n = n + 1
        s: b 1/2 -> t
        t: b if n > 0 -> t, n = n - 1
        t: # if n = 0
    """
    machine = machine_from_text(text, "x")
    assert isinstance(machine, Machine)
    for string in ("", "a", "b", "abb", "aabbb", "aabb"):
        assert machine.probability(string) == Strings.probability(machine, string)
    monkeypatch.setattr(Machine, "after", None)
    assert machine.probability("a" * 200 + "b" * 201) == Fraction(1, 2**201)


def test_what_begins_with_a_terminal_is_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is seen at its first symbol, also where a rule has thousands."""
    asked = 0
    known = prefix_module._empty

    def counted(key: object, empty: object) -> Fraction:
        nonlocal asked
        asked += 1
        return known(key, empty)  # type: ignore[arg-type]

    monkeypatch.setattr(prefix_module, "_empty", counted)
    symbols = " ".join(["'a'"] * 300)
    grammar = Grammar.from_text(f"S -> {symbols} [1.0]", "long")
    assert grammar.accepts("a" * 300)
    assert asked < 5 * 300
