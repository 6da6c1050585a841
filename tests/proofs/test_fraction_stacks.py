"""Networks whose stack is a fraction, with what was pushed last right behind the point."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import stack_network
from helpers.slow import few
from mdlrnn import Network, Weight, prove
from mdlrnn.languages import EVERY_TASK
from mdlrnn.machines import load_language
from mdlrnn.machines._machine import Machine
from mdlrnn.machines._rules import read_rules
from mdlrnn.proofs._equivalent_machines import (
    equivalent_machines,
    letters_of,
    move_of,
    moves_of_blocks,
    same_language,
    stack_moves,
    tops_in_states,
)
from mdlrnn.proofs._proof import check
from mdlrnn.proofs._smt import (
    Formula,
    Script,
    ask_cvc5,
    ask_z3,
    certain,
    digits_defined,
    mirror_defined,
)
from mdlrnn.proofs._statement import _mirrored
from mdlrnn.proofs._terms import counter_term, from_json, known, mirror, substitute, to_json

PALINDROMES = """start: a 7/20 -> start, stack = 3stack + 1
start: b 7/20 -> start, stack = 3stack + 2
start: c 3/10 -> S
S: a if stack mod 3 = 1 -> S, stack = stack // 3
S: b if stack mod 3 = 2 -> S, stack = stack // 3
S: # if stack = 0
"""
PAIRS = """start: a 7/20 -> start, stack = 3stack + 1
start: c 7/20 -> start, stack = 3stack + 2
start: e 3/10 -> S
S: b if stack mod 3 = 1 -> S, stack = stack // 3
S: d if stack mod 3 = 2 -> S, stack = stack // 3
S: # if stack = 0
"""
LISTS = """start: x -> P, stack = 9stack + 7
P: y 3/4 if stack mod 3 = 1 -> P, stack = stack // 3
P: x 1/4 if stack mod 3 = 1 -> P, stack = 9stack + 7
P: z if stack mod 3 = 2 -> P, stack = stack // 3
P: # if stack = 0
"""
"""An x pushes 2 and 1 at once, over what was there, or over the 1 that it then looked at."""
DEEPER = """start: x -> P, stack = 64stack + 27
P: v if stack mod 4 = 3 -> P, stack = stack // 4
P: y 3/4 if stack mod 4 = 2 -> P, stack = stack // 4
P: x 1/4 if stack mod 4 = 2 -> P, stack = 16stack - 5
P: z if stack mod 4 = 1 -> P, stack = stack // 4
P: # if stack = 0
"""
"""An x pushes 1, 2 and 3 at once, and what is left of that is looked at twice."""
N = counter_term("n")


def language(name: str, folder: Path) -> Machine:
    texts = {"marked_palindrome": PALINDROMES, "nested_pairs": PAIRS}
    if name not in texts:
        found = EVERY_TASK[name].rules
        assert isinstance(found, Machine)
        return found
    (folder / f"{name}.lang").write_text(texts[name])
    return load_language(folder / f"{name}.lang")


@given(st.integers(0, 10**30), st.integers(2, 9))
def test_a_mirrored_integer_has_its_last_digit_first(number: int, base: int) -> None:
    rest, digit = divmod(number, base)
    value = mirror(known(number), base).constant
    assert value * base == digit + mirror(known(rest), base).constant
    assert 0 <= value < 1
    assert (value > 0) == (number > 0)


def test_a_mirrored_integer_is_read_back() -> None:
    assert mirror(known(6), 4) == known(Fraction(2, 4) + Fraction(1, 16))
    for term in (mirror(N, 4).times(Fraction(3, 4)).plus(1), mirror(N.plus(2), 3)):
        assert from_json(to_json(term)) == term
    with pytest.raises(ValueError, match="mirror"):
        from_json(["0", ["1", "mirror", "", 1, [to_json(N)]]])


@pytest.mark.parametrize("base", [2, 3, 4, 10])
def test_what_is_said_of_a_mirrored_integer_is_so(base: int) -> None:
    said = _mirrored(base)
    for number in (1, base):
        value = mirror(known(number), base).constant
        assert f"mirror{base}({number}) = {value}" in said


def _never(number: int, base: int, formula: Formula, definition: Any) -> list[str]:
    """What the solvers say of the formula where n is this number, all of its digits defined."""
    script = Script(("n",))
    script.add(("=", N.plus(-number)))
    script.add(formula)
    [name] = script.variables
    deeper = [definition(f"(div {name} {base**depth})") for depth in range(1, 12)]
    text = "\n".join([*script.lines, *deeper])
    return [ask(text).verdict for ask in (ask_z3, ask_cvc5)]


@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 5), st.booleans())
def test_solvers_read_a_mirrored_integer_as_we_do(number: int, base: int, right: bool) -> None:
    term = mirror(N, base)
    value = substitute(term, {N.parts[0][0]: known(number)}).constant
    off = value if right else value + Fraction(1, base**12)
    found = _never(number, base, ("=", term.plus(-off)), lambda at: mirror_defined(at, base))
    assert found == (["sat", "sat"] if right else ["unsat", "unsat"])


@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 5), st.integers(1, 31))
def test_solvers_read_digits_as_we_do(number: int, base: int, among: int) -> None:
    formula = ("digits", N, base, among)
    holds = certain(("digits", known(number), base, among))
    left, seen = number, True
    while left:
        left, digit = divmod(left, base)
        seen = seen and bool(among >> digit & 1)
    assert holds == seen
    found = _never(number, base, formula, lambda at: digits_defined(at, base, among))
    assert found == (["sat", "sat"] if holds else ["unsat", "unsat"])


NETWORKS = {
    "marked_palindrome": "0.058",
    "nested_pairs": "0.015",
    "arithmetic": "0.0034",
}


@pytest.mark.parametrize("name", few(NETWORKS, "nested_pairs", "arithmetic"))
def test_a_stack_that_is_a_fraction_is_proved_and_both_solvers_agree(
    name: str, tmp_path: Path
) -> None:
    known_language = language(name, tmp_path)
    proof = prove(stack_network(name), known_language)
    assert proof.proved
    assert f"its true probability within {NETWORKS[name]}." in proof.statement
    assert "in float64, it makes a mistake on" in proof.statement
    assert any(note.startswith("mirror4(x) is x in base 4") for note in proof.notes)
    (tmp_path / "proof.smt2").write_text(proof.certificate())
    for solver in ("cvc5", "z3"):
        result = check(tmp_path / "proof.smt2", solver, language=known_language)
        assert result.accepted
        assert result.known


def _with_weight(network: Network, old: Weight, new: Weight) -> Network:
    connections = [replace(c, weight=new) if c.weight == old else c for c in network.connections]
    assert connections != list(network.connections)
    return replace(network, connections=tuple(connections))


@pytest.mark.slow
def test_a_stack_that_changes_its_top_is_proved(tmp_path: Path) -> None:
    """In base 3, where the language's machine has three letters."""
    proof = prove(stack_network("arithmetic_in_base_3"), "arithmetic")
    assert proof.proved
    (tmp_path / "proof.smt2").write_text(proof.certificate())
    assert check(tmp_path / "proof.smt2").accepted


@pytest.mark.parametrize("new", [Weight(1, 5), Weight(1, 3), Weight(2, 4)])
def test_a_stack_that_is_shifted_too_little_or_too_much_is_not_proved(
    new: Weight, tmp_path: Path
) -> None:
    """With digits of another size two stacks may look alike, or a digit may pass for another."""
    broken = _with_weight(stack_network("nested_pairs"), Weight(1, 4), new)
    assert not prove(broken, language("nested_pairs", tmp_path)).proved


# Other machines for the same language


def _first(machine: Machine) -> list[str]:
    return list(islice(machine.strings(), 60))


def _same_by_running(one: Machine, other: Machine) -> bool:
    strings = _first(one)
    return strings == _first(other) and all(
        one.next(string).distribution == other.next(string).distribution for string in strings[:20]
    )


def test_what_a_rule_pushes_may_be_one_letter(tmp_path: Path) -> None:
    for number, text in enumerate((LISTS, DEEPER)):
        (tmp_path / f"{number}.lang").write_text(text)
    own = [load_language(tmp_path / f"{number}.lang") for number in range(2)]
    for machine in (*own, language("arithmetic", tmp_path)):
        others = list(equivalent_machines(machine))
        assert len(others) > 20
        assert len(set(others)) == len(others)
        for other in (others[0], others[len(others) // 2], others[-1]):
            assert same_language(other, machine)
            assert _same_by_running(other, machine)


def test_a_letter_that_is_never_covered_becomes_a_state(tmp_path: Path) -> None:
    (tmp_path / "deeper.lang").write_text(DEEPER)
    moves = stack_moves(load_language(tmp_path / "deeper.lang"))
    assert moves is not None
    blocks = moves_of_blocks(moves)
    assert letters_of(blocks) == ((1, 2, 3), (1, 2), (1,))
    assert letters_of(tops_in_states(blocks)) == ((1, 2), (1,))
    assert tops_in_states(moves) == moves


@pytest.mark.parametrize(
    "rule",
    [
        "S: c 3/10 -> S, stack = stack + 3",
        "S: c 3/10 -> S, stack = 2stack",
        "S: b 7/20 -> S, stack = 0",
        "S: b 7/20 -> S, stack = 3stack + 3",
        "S: a if stack > 0 -> S, stack = 3stack + 1",
        "S: a if stack mod 3 = 0 -> S, stack = stack // 3",
        "S: a -> S, stack = stack // 3",
    ],
)
def test_a_rule_that_does_not_push_or_pop_known_digits_is_left_alone(rule: str) -> None:
    [other] = read_rules(rule)
    assert move_of(other, 3) is None


@pytest.mark.parametrize(
    ("rule", "taken", "pushed"),
    [
        ("S: a -> S, stack = 9stack + 5", False, ((1,), (2,))),
        ("S: a if stack mod 3 = 2 -> S, stack = stack - 1", True, ((1,),)),
        ("S: a if stack mod 3 = 2 -> S, stack = 3stack + 1", False, ((1,),)),
        ("S: a if stack mod 3 = 2 -> S, stack = 3stack - 1", True, ((1,), (2,))),
        ("S: a if stack = 0 -> S, stack = 3stack + 2", False, ((2,),)),
        ("S: a if stack mod 3 = 1 -> S, stack = stack // 3", True, ()),
    ],
)
def test_what_a_rule_does_to_a_stack(
    rule: str, taken: bool, pushed: tuple[tuple[int, ...], ...]
) -> None:
    [other] = read_rules(rule)
    move = move_of(other, 3)
    assert move is not None
    assert (move.taken, move.pushed) == (taken, pushed)
