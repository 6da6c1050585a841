"""The search for expressions: its scale, what it finds, and what a run makes of that."""

from __future__ import annotations

from collections import Counter
from math import log2
from pathlib import Path

import pytest

from mdlrnn import Search, Stop, evolve, resume, sample
from mdlrnn.expressions import nodes, read, write_description
from mdlrnn.machines import Machine
from mdlrnn.search import ExpressionSearch, FoundExpression
from mdlrnn.search.suggest._scale import Scale

EIGHT = ["ab", "aabb", "aaabbb", "ab", "aabb", "aaaabbbb", "ab", "aaabbb"]
SHORT = Stop(generations=20)


def counted(strings: list[str], symbols: str) -> dict[tuple[int, ...], int]:
    return dict(Counter(tuple(symbols.index(s) for s in string) for string in strings))


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("a^n b^n", EIGHT),
        ("(a|b)+", EIGHT),
        ("a* a* b*", EIGHT),
        ("<w> <w>", ["abab", "aa", "abbabb", "bb", "abaabaabaaba"]),
        ("<w> <w:a~b>^R", ["ab", "aabb", "abab"]),
        ("<S: a <S> b | ab>", EIGHT),
        ("a^n b^(n^2)", ["ab", "aabbbb"]),
        ("a^(1..4) b*", ["ab", "aab", "aaaabb"]),
        ("(a^n b^n)+", ["ab", "abaabb"]),
    ],
)
def test_the_kernel_reads_strings_as_the_exact_runner_does(text: str, strings: list[str]) -> None:
    scale = Scale(counted(strings, "ab"), ("a", "b"))
    node = nodes.canonical(read(text).node, "ab")
    weighed, expression = scale.weigh(node), scale.described(node)
    data = -sum(log2(expression.probability(string)) for string in strings)
    # The code is rounded up to whole bits.
    exact = 1 + len(write_description(expression)) + data
    assert exact - 2 <= weighed.bits <= exact + 1e-6
    assert not expression.others


def test_strings_that_do_not_fit_are_written_apart() -> None:
    scale = Scale(counted([*EIGHT, "ba"], "ab"), ("a", "b"))
    expression = scale.described(read("a^n b^n").node)
    assert [string for string, _ in expression.others] == [("b", "a")]
    assert expression.probability("ba") > 0


@pytest.mark.parametrize(
    ("strings", "found"),
    [
        (EIGHT, "a^n b^n"),
        (["abc", "aabbcc", "aaabbbccc", "aabbcc", "aaaabbbbcccc"], "a^n b^n c^n"),
        (["ab", "abab", "ababab", "ab", "abababab"], "(ab)+"),
        (["aa", "abab", "bb", "abbabb", "baba", "aabaab", "bbabba", "abaaba"], "<w> <w>"),
    ],
)
def test_a_handful_of_strings_is_enough(strings: list[str], found: str) -> None:
    run = evolve(strings, Search(islands=2), stop=Stop(generations=100), progress=False)
    assert run.expression is not None
    assert run.expression.notation == found
    assert run.value < run.score.mdl


def test_one_seed_finds_one_thing() -> None:
    found = []
    for _ in range(2):
        search = ExpressionSearch(counted(EIGHT, "ab"), ("a", "b"), 3)
        search.run(3000)
        found.append(search.found)
    assert list(found[0].items()) == list(found[1].items())


def test_a_run_until_proved_ends_with_all_three_forms(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    out = tmp_path / "run"
    run = evolve(
        EIGHT, Search(islands=2), stop=Stop(generations=20_000, proved=True), out=out,
        progress=False,
    )  # fmt: skip
    assert run.reason == "proved"
    assert run.is_proved
    assert isinstance(run.machine, Machine)
    assert run.machine.accepts("a" * 30 + "b" * 30)
    assert str(run.origin) == "constructed from a^n b^n, which the strings suggest"
    assert run.learned is not None
    assert run.learned.name == "a^n b^n"
    assert (out / "expression.json").exists()


def test_what_a_run_found_is_read_back() -> None:
    run = evolve(EIGHT, Search(islands=2), stop=Stop(generations=50), progress=False)
    assert run.found is not None
    assert FoundExpression.from_dict(run.found.to_dict()) == run.found


def test_a_run_that_goes_on_finds_the_same(tmp_path: Path) -> None:
    search = Search(islands=2)
    whole = evolve(EIGHT, search, stop=Stop(generations=60), progress=False)
    evolve(EIGHT, search, stop=Stop(generations=30), out=tmp_path / "run", progress=False)
    more = resume(tmp_path / "run", stop=Stop(generations=60), progress=False)
    assert more.found == whole.found
    assert more.best == whole.best


def test_an_expression_without_a_network_is_the_answer_all_the_same() -> None:
    strings = [string for string in sample("<w> <w>", 60, 1) if len(string) < 30]
    stop = Stop(generations=1500, proved=True)
    run = evolve(strings, Search(islands=2), stop=stop, progress=False)
    assert run.reason == "generations"  # nothing that was proved is the answer
    assert run.expression is not None
    assert run.expression.notation == "<w> <w>"
    assert run.machine is None
    assert run.found is not None
    assert "cannot know where" in (run.found.obstacle or "")


def test_expressions_can_be_switched_off_and_the_papers_tasks_see_none() -> None:
    off = Search(islands=2, expressions=False)
    assert evolve(EIGHT, off, stop=SHORT, progress=False).found is None
    assert evolve("anbn_100", Search(islands=2), stop=SHORT, progress=False).found is None
    assert Search.paper().expressions is False


def test_the_mixture_predicts_with_probabilities() -> None:
    run = evolve(EIGHT, Search(islands=2), stop=Stop(generations=50), progress=False)
    assert run.mixture is not None
    assert sum(run.mixture.next("aa").values()) == pytest.approx(1)
    strings = run.mixture.likeliest(20)
    assert strings[0][0] == "ab"
    assert sum(p for _, p in strings) <= 1 + 1e-9
    assert run.mixture.probability("aabb") == pytest.approx(dict(strings)["aabb"])


def test_numbers_have_no_expression() -> None:
    search = Search(islands=2, expressions=True)
    assert evolve("addition_100", search, stop=SHORT, progress=False).found is None
