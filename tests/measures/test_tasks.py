"""The tasks: with the paper's seed the paper's own sets, down to the printed digits."""

from __future__ import annotations

from collections import Counter
from itertools import chain, takewhile
from typing import NamedTuple

import numpy as np
import pytest

from helpers.data import DATA, corpus_path, is_one_sentence
from helpers.slow import few
from mdlrnn import Corpus, Encoding, InputError
from mdlrnn.languages import EVERY_TASK, TASKS, language_from
from mdlrnn.languages._grammar import Grammar, short_strings
from mdlrnn.languages._language import LARGEST
from mdlrnn.languages._longer import PART
from mdlrnn.languages._paper import dyck
from mdlrnn.machines._machine import Machine
from mdlrnn.machines._transducer import addition, pairs
from mdlrnn.measures._measures import truth_of

CORPORA = sorted(path.stem for path in (DATA / "corpora").glob("*.txt"))


def split(name: str) -> tuple[str, int]:
    task, size = name.split("_")
    return task, int(size)


# Training and test sets


@pytest.mark.parametrize("name", CORPORA)
def test_training_strings_are_the_papers(name: str) -> None:
    task, size = split(name)
    lines = (line.split("\t") for line in corpus_path(name).read_text().splitlines())
    expected = {string: int(count) for count, string in lines}
    strings = TASKS[task].strings(size)
    assert len(strings) == size
    assert Counter(strings) == expected
    assert TASKS[task].training(size) == Corpus.load(corpus_path(name))


def test_every_task_is_checked_against_the_papers_strings() -> None:
    named = {f"{task.name}_{size}" for task in TASKS.values() for size in task.sizes}
    assert named - set(CORPORA) == {"addition_100", "addition_400"}


class Published(NamedTuple):
    characters: int
    optimum: float
    test_characters: int
    test_optimum: float


PUBLISHED = {
    "anbn_100": Published(734, 285.36, 1_030_000, 265_970.29),
    "anbn_500": Published(3_892, 1_483.91, 1_042_000, 269_057.73),
    "anbncn_100": Published(1_051, 285.36, 1_544_500, 265_970.29),
    "anbncn_500": Published(5_588, 1_483.91, 1_562_500, 269_057.73),
    "anbncndn_100": Published(1_368, 285.36, 2_059_000, 265_970.29),
    "anbncndn_500": Published(7_284, 1_483.91, 2_083_000, 269_057.73),
    "anb2n_100": Published(1_051, 285.36, 1_544_500, 265_970.29),
    "anb2n_500": Published(5_588, 1_483.91, 1_562_500, 269_057.73),
    "anbmcnm_100": Published(1_488, 601.59, 434_581, 117_064.05),
    "anbmcnm_500": Published(7_226, 2_952.90, 453_789, 122_006.01),
    "dyck1_100": Published(252, 222.57, 125_410, 110_622.93),
    "dyck1_500": Published(1_306, 1_164.66, 125_364, 110_571.14),
    "dyck2_20000": Published(50_512, 59_901.74, 124_692, 147_188.96),
}
LONG = ("anbncn", "anb2n", "anbn_500")


@pytest.mark.parametrize("name", PUBLISHED)
def test_training_sets_have_the_published_size_and_optimum(name: str) -> None:
    key, size = split(name)
    task, published = TASKS[key], PUBLISHED[name]
    corpus = task.training(size)
    assert corpus.characters == published.characters
    assert round(truth_of(corpus, task).optimal_bits, 2) == published.optimum


@pytest.mark.parametrize(
    "name", few(PUBLISHED, *(name for name in PUBLISHED if not name.startswith(LONG)))
)
def test_test_sets_have_the_published_size_and_optimum(name: str) -> None:
    key, size = split(name)
    task, published = TASKS[key], PUBLISHED[name]
    characters, bits = 0, 0.0
    for part in task.tests(size):
        assert part.characters < 2 * PART
        characters += part.characters
        bits += truth_of(part, task).optimal_bits
    assert characters == published.test_characters
    assert round(bits, 2) == published.test_optimum


def test_the_true_optimum_of_dyck2_is_below_the_papers() -> None:
    task = TASKS["dyck2"]
    assert round(dyck(2).optimal(task.training()), 2) == 59_896.94
    assert round(sum(dyck(2).optimal(part) for part in task.tests()), 2) == 147_160.63


@pytest.mark.parametrize(("size", "characters"), [(100, 600), (400, 2_800)])
def test_addition_has_the_published_characters(size: int, characters: int) -> None:
    assert TASKS["addition"].training(size).characters == characters
    (test,) = TASKS["addition"].tests(size)
    assert test.characters == 687_500


def test_addition_is_all_pairs_least_significant_bit_first() -> None:
    numbers = [(n, m) for n in range(5, 8) for m in range(5, 8)]
    steps = 5  # 7 + 7 = 14 has four bits, and the paper adds one step
    rows = [[[n >> i & 1, m >> i & 1] for i in range(steps)] for n, m in numbers]
    targets = [[[n + m >> i & 1] for i in range(steps)] for n, m in numbers]
    expected = Corpus.from_sequences(np.array(rows, float), np.array(targets, float))
    assert addition().corpus(pairs(3, first=5)) == expected


def test_addition_is_tested_on_the_numbers_after_the_next() -> None:
    (test,) = TASKS["addition"].tests(100)
    assert test == addition().corpus(pairs(250, first=11))
    assert test.sequences == 250**2


@pytest.mark.parametrize("name", ["anbn", "anbncn", "anb2n"])
def test_counter_languages_are_tested_on_the_next_thousand(name: str) -> None:
    task = TASKS[name]
    training = task.strings(20, seed=3)
    most = max(string.count("a") for string in training)
    tested = chain.from_iterable(part.strings() for part in task.tests(20, seed=3))
    assert [(string.count("a"), count) for string, count in tested] == [
        (n, 1) for n in range(most + 1, most + 1001)
    ]


def test_test_strings_of_dyck_go_on_where_training_stopped() -> None:
    task = TASKS["dyck1"]
    tested = Counter[str]()
    for part in task.tests(10, seed=1):
        tested.update({"".join(string): count for string, count in part.strings()})
    assert tested.total() == 50_000
    stream = task.strings(50_010, seed=1)
    assert stream[:10] == task.strings(10, seed=1)
    assert tested == Counter(stream[10:])


def test_parts_hold_the_strings_of_the_whole() -> None:
    task = TASKS["anbmcnm"]
    parts = list(task.tests(20))
    assert len(parts) > 1
    most = max(max(string.count("a"), string.count("b")) for string in task.strings(20))
    values = range(most + 1, most + 50)
    whole = {"a" * n + "b" * m + "c" * (n + m): 1 for n in values for m in values}
    found = chain.from_iterable(part.strings() for part in parts)
    assert {"".join(string): count for string, count in found} == whole


@pytest.mark.parametrize("name", [name for name in TASKS if name != "addition"])
def test_another_seed_gives_other_strings(name: str) -> None:
    task = TASKS[name]
    assert task.strings(100, seed=101) != task.strings(100)
    assert task.training(100, seed=101) != task.training(100)


# Bad input


@pytest.mark.parametrize(
    ("name", "near"), [("anbm", "anbn"), ("dyk2", "dyck2"), ("adition", "addition")]
)
def test_an_unknown_task_is_answered_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(InputError, match=rf"did you mean {near}\?") as caught:
        language_from(name)
    assert is_one_sentence(str(caught.value))


def test_a_name_like_none_of_them_is_answered_with_all() -> None:
    with pytest.raises(InputError, match=", ".join(TASKS)) as caught:
        language_from("xyz")
    assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize("name", ["anbn", "dyck2", "addition"])
@pytest.mark.parametrize("size", [0, -1, LARGEST + 1])
def test_bad_sizes_are_refused(name: str, size: int) -> None:
    with pytest.raises(InputError, match=f"the size is {size}; ") as caught:
        TASKS[name].training(size)
    assert is_one_sentence(str(caught.value))
    with pytest.raises(InputError):
        list(TASKS[name].tests(size))


@pytest.mark.parametrize("size", [1, 2, 99, 101])
def test_addition_takes_squares(size: int) -> None:
    with pytest.raises(InputError, match="give a square number from 4") as caught:
        TASKS["addition"].training(size)
    assert is_one_sentence(str(caught.value))


def test_addition_has_no_strings() -> None:
    with pytest.raises(InputError, match="has numbers, not strings") as caught:
        TASKS["addition"].strings()
    assert is_one_sentence(str(caught.value))


def test_dyck2_has_the_papers_further_units() -> None:
    plain = Encoding()
    assert TASKS["anbn"].encoding() == plain
    assert TASKS["anbn"].encoding("tacl2022") == Encoding("tacl2022")
    extended = TASKS["dyck2"].encoding()
    assert extended.products
    assert extended.activations == (*plain.activations, "mod3")
    assert extended.scheme == plain.scheme


# What followed the paper


@pytest.mark.parametrize(
    ("name", "optimal", "strings", "longest"),
    [("arithmetic", 2_580.818, 6_917, 40), ("toy_english", 2_232.417, 2_036, 20)],
)
def test_the_successors_tasks(name: str, optimal: float, strings: int, longest: int) -> None:
    task = EVERY_TASK[name]
    training = task.training()
    assert training.sequences == 500
    assert task.truth(training).optimal_bits == pytest.approx(optimal, abs=0.001)
    (test,) = task.tests()
    found = list(test.strings())
    assert len(found) == strings
    assert max(len(string) for string, _ in found) <= longest
    assert isinstance(task.rules, Machine)
    for string, count in (found[0], found[5], found[-1]):
        chance = task.probability(string)
        assert count == max(1, round(10**8 * chance))
    assert language_from(f"{name}_500").rules is task.rules


def test_short_strings_are_those_of_the_language() -> None:
    grammar = Grammar.from_text("S -> S 'a' [0.3] | 'a' S [0.2] | 'a' [0.3] | 'b' 'a' [0.2]")
    found = short_strings(grammar, 6)
    shortest = takewhile(lambda string: len(string) <= 6, grammar.strings())
    assert {"".join(string) for string in found} == set(shortest)
    for string, chance in found.items():
        assert chance == grammar.probability(string)
