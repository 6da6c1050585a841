"""Names in words are read as the languages that they name."""

from __future__ import annotations

import pytest

from helpers.data import is_one_sentence
from helpers.learned import check_name
from mdlrnn import InputError, language
from mdlrnn.machines._machine import Machine

NAMES = [
    "an even number of a's over a b", "an odd number of b's and an even number of a's",
    "a number of a's that is 2 modulo 3 over a b", "an odd length over a b",
    "a length divisible by 3 and an even number of a's over a b c", "equally many 0's and 1's",
    "Dyck-1 over ab", "Dyck-2 over () []", "Dyck-1 over let end", "an even number of *'s over * a",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_as_what_it_says(name: str) -> None:
    read = language(name)
    assert read.title == name
    assert isinstance(read.machine, Machine)
    if "let" not in name:
        check_name(name, read.machine, 9, 800)
    again = language(f"  {name.replace(' ', '  ')} ")
    assert again.machine == read.machine


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("an even number of a's", "such as an even number of a's over a b"),
        ("an even number of c's over a b", "c is not among the symbols"),
        ("a number of a's that is 3 modulo 2 over a b", "less than what is divided by"),
        ("a length divisible by 1000 over a b", "more than 64 cases"),
        ("Dyck-2 over ()", "give 2 pairs of symbols"),
    ],
)
def test_a_name_that_lacks_something_is_refused_in_a_sentence(name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        language(name)
    assert said in str(caught.value)
    assert is_one_sentence(str(caught.value))


def test_the_title_of_a_task_is_its_name() -> None:
    assert language("Toy English").name == "toy_english"
    assert language("dyck-1").name == "dyck1"
    assert language("aⁿ bⁿ").machine is not None
