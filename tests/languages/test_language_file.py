"""Language files: read, written, and refused with the line."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from helpers.data import is_one_sentence
from mdlrnn import InputError, languages, machines
from mdlrnn.languages._grammar import Grammar
from mdlrnn.machines import load_language
from mdlrnn.machines._files import load_machine, machine_from_text
from mdlrnn.machines._machine import Machine
from mdlrnn.machines._rules import END, Rule
from mdlrnn.machines._transducer import Transducer

ANB3N = """\
# a^n b^3n
start: a -> A, n = 1
A: a 7/10 -> A, n = n + 1
A: b 0.3 -> B, k = 3n - 1
B: b if k > 0 -> B, k = k - 1
B: # if k = 0
"""


def test_the_example_of_the_format_reads_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "anb3n.lang"
    path.write_text(ANB3N)
    language = load_language(path)
    assert (language.name, language.title) == ("anb3n", "a^n b^3n")
    assert list(islice(language.strings(), 2)) == ["abbb", "aabbbbbb"]
    assert language.next("aa").distribution["b"] == Fraction(3, 10)
    assert language.to_text() == ANB3N.replace("0.3", "3/10")


@pytest.mark.parametrize(
    "machine",
    [
        languages.anbn(), languages.anbncndn(), languages.anb2n(), languages.anbmcnm(),
        languages.dyck(1), languages.dyck(2), languages.dyck(4), machines.addition(),
    ],
    ids=lambda machine: machine.name,
)  # fmt: skip
def test_every_machine_of_the_paper_reads_back(
    machine: Machine | Transducer, tmp_path: Path
) -> None:
    path = tmp_path / f"{machine.name}.lang"
    machine.save(path)
    assert load_machine(path) == machine


def test_conditions_are_written_in_many_ways() -> None:
    text = """
    start: a 1/2 -> start, n = n + 1
    start: b 1/2 if n >= 3 -> B
    start: c 1/2 if n < 3 -> B
    B: d if n mod 2 = 1 and n != 3 -> C
    B: e if n mod 2 = 0 -> C
    B: f if n = 3 -> C
    C: #
    """
    language = machine_from_text(text)
    assert isinstance(language, Machine)
    for string in ("ace", "aabe", "acd", "aaabf", "aaaabe", "aaaaabd"):
        assert language.accepts(string) is (string not in ("ace", "aabe")), string
    assert language.accepts("aace")


def test_a_blank_is_a_symbol_where_symbols_are_characters() -> None:
    text = """# two letters
start: a 1/2 -> A
start: b 1/2 -> A
A: " " 1/4 -> start
A: "\\t" 1/4 -> start
A: # 1/2
"""
    language = machine_from_text(text)
    assert isinstance(language, Machine)
    assert language.accepts("a b\ta")
    assert language.to_text() == text
    grammar = Grammar.from_text("S -> 'a' ' ' S [0.5] | 'b' [0.5]")
    assert list(islice(grammar.machine().strings(), 3)) == ["b", "a b", "a a b"]
    with pytest.raises(InputError, match="its symbol has a blank; blanks part the words"):
        machine_from_text(text.replace("start: a ", "start: the "))


def test_states_and_symbols_may_be_quoted() -> None:
    text = """"a state, with: signs": "if" 1/2 -> "a state, with: signs"
"a state, with: signs": "->" 1/4 -> "a state, with: signs"
"a state, with: signs": # 1/4
"""
    language = machine_from_text(text)
    assert isinstance(language, Machine)
    assert language.alphabet == ("#", "->", "if")
    assert machine_from_text(language.to_text()) == language.__class__(
        "x", "language", language.rules, language.start
    )


@pytest.mark.parametrize("symbol", ["\r", "\n", "\u2028", "\x85"])
def test_a_title_is_one_line_whatever_the_symbols(symbol: str) -> None:
    rules = (
        Rule("start", symbol, "start", Fraction(1, 2)),
        Rule("start", "#", END, Fraction(1, 2)),
    )
    language = Machine("x", f"({symbol}|a)*", rules)
    assert machine_from_text(language.to_text(), "x") == language


WRONG = {
    "no symbol": ("start:", "line 1: 'start:' is no rule"),
    "no colon": ("start a -> A", "line 1: 'start a -> A' is no rule"),
    "leads nowhere": ("start: a", "line 1: 'a' leads nowhere"),
    "no state after": ("start: a ->", "line 1: there is no state after ->"),
    "an odd chance": ("start: a x -> start", "line 1: 'x' is no chance"),
    "a chance over 0": ("start: a 1/0 -> start", "line 1: 1/0 divides by 0"),
    "an odd condition": ("start: a if n ~ 1 -> start", "line 1: 'n ~ 1' is no condition"),
    "no condition": ("start: a if -> start", "line 1: there is no condition after if"),
    "an odd remainder": ("start: a if n mod 2 = 2 -> start", "no number mod 2 is 2"),
    "an odd update": ("start: a -> start, n", "line 1: 'n' is no update"),
    "set twice": ("start: a -> start, n = 1, n = 2", "line 1: n is set twice"),
    "an odd value": ("start: a -> start, n = n * n", "line 1: 'n * n' is no value"),
    "unknown state": ("start: a -> A", "line 1: the rule start: a -> A: no rule starts from A"),
    "a chance above 1": ("start: a 2 -> start\nstart: #", "line 1: the rule start: a 2 -> start"),
    "chances below 1": (
        "start: a 1/2 -> start\nstart: # 1/3", "lines 1 and 2: in start the chances sum to 5/6",
    ),
    "below zero": (
        "start: a 1/2 -> start, n = n - 1\nstart: # 1/2", "lines 1 and 2: n falls below 0",
    ),
    "two rules": (
        "start: a 1/2 -> start\nstart: a 1/4 -> B\nstart: # 1/4\nB: #",
        "lines 1 and 2: in start two rules emit a",
    ),
    "endless": ("start: a 1/2 -> B\nstart: # 1/2\nB: b -> B", "line 3: the rule B: b -> B: no "),
    "unreachable": ("start: #\nB: b -> start", "line 2: the rule B: b -> start: nothing leads"),
    "an unset counter": ("start: a if n > 0 -> start\nstart: #", "no rule sets the counter n"),
    "an end that goes on": ("start: # -> start", "# ends the string, so it leads nowhere"),
    "a sum that is wrong later": (
        "start: a 1/2 -> start, n = n + 1\nstart: # 1/2 if n = 0\nstart: # 1/3 if n > 0",
        "in start with n = 1 the chances sum to 5/6",
    ),
    "nothing": ("# only a title\n", "holds no rule"),
    "a step among rules": ("x: 0 / 1 -> x\nx: a -> x", "line 2: 'x: a -> x' is no step"),
    "a step twice": ("x: 0 / 1 -> x\nx: 0 / 0 -> x", "reading 0: there are two steps"),
    "a missing step": ("x: 0 / 1 -> y\ny: 1 / 0 -> x", "it is not said what follows 1"),
    "a step nowhere": ("x: 0 / 1 -> y", "leads to y, from which no step starts"),
    "other inputs": ("x: 0 / 1 -> x\nx: 0,1 / 1 -> x", "other steps read 1 numbers"),
    "an output above 1": ("x: 0 / 2 -> x", "2 is due"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_file_is_said_with_the_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.lang"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_machine(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert is_one_sentence(str(error.value))


def test_in_python_the_same_is_refused_by_the_title() -> None:
    rules = (machines.Rule("start", "a", "start", Fraction(1, 2)), machines.Rule("start", "#"))
    with pytest.raises(InputError, match="mine: in start the chances sum to 3/2, not 1"):
        Machine("x", "mine", rules)
    with pytest.raises(InputError, match="no rule starts from start"):
        Machine("x", "mine", (machines.Rule("s", "#"),))


# Transducers


def test_a_function_over_steps_is_a_transducer() -> None:
    """The sum of three numbers: the carry is 0, 1 or 2."""

    def step(carry: int, digits: tuple[int, ...]) -> tuple[int, int]:
        total = carry + sum(digits)
        return total % 2, total // 2

    rows = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    machine = Transducer.from_function("sum of three", step, 0, rows)
    assert {t.state for t in machine.transitions} == {"0", "1", "2"}
    assert machine_from_text(machine.to_text()) == machine
    corpus = machine.training(50)
    assert corpus.sequences == 50
    assert machine.truth(corpus).optimal_bits == 0


def test_a_function_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="more than 1000 states"):
        Transducer.from_function("count", lambda n, row: (0, n + 1), 0, [(0,)])
