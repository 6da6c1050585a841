"""Founders from the corpus: merged automata, counters, stacks, and networks that run them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdlrnn
from helpers.data import ROOT
from mdlrnn import Corpus, Encoding, Search
from mdlrnn.construction._automaton import Automaton, Counter, Loaded, Mark, Stack, Top
from mdlrnn.construction._network import _weights, automaton_network
from mdlrnn.kernels._genome import CONSTRUCTED, marked, network_from_row, row_of
from mdlrnn.languages import Language, language_from
from mdlrnn.machines import load_language
from mdlrnn.search._island import Problem
from mdlrnn.search._migration import SETS, island_problem
from mdlrnn.search.suggest import _founders
from mdlrnn.search.suggest._counters import _candidates, _values, counters_of, loads_of, zeros_of
from mdlrnn.search.suggest._counters import _loaded_candidates as _loads
from mdlrnn.search.suggest._founders import founders_for, has_founders
from mdlrnn.search.suggest._merging import automata_of
from mdlrnn.search.suggest._stacks import _marked, _tops, _unmarked, stack_tests

FILES = ROOT / "benchmarks" / "languages" / "files"
BOUNDARY = 0
"""Its place in the alphabets here."""


def task(name: str) -> Language:
    path = FILES / name
    return language_from(path if path.exists() else name)


@st.composite
def automata(draw: st.DrawFn, symbols: int = 2, most: int = 4) -> Automaton:
    """Any automaton over symbols 1, 2, ...; some symbols do not follow some states."""
    size = draw(st.integers(1, most))
    moves, counts = [], []
    for _ in range(size):
        following = draw(st.sets(st.integers(0, symbols), min_size=1))
        moves.append({s: draw(st.integers(0, size - 1)) for s in sorted(following) if s})
        counts.append({s: float(draw(st.integers(1, 40))) for s in sorted(following)})
    return Automaton(tuple(moves), tuple(counts))


@settings(max_examples=60)
@given(automata(), st.lists(st.integers(1, 2), max_size=8))
def test_a_network_runs_its_automaton(automaton: Automaton, string: list[int]) -> None:
    network = automaton_network(automaton, ("#", "a", "b"), BOUNDARY)
    symbols = "#ab"
    read, state = "", 0
    for symbol in string:
        if symbol not in automaton.moves[state]:
            break
        read += symbols[symbol]
        state = automaton.moves[state][symbol]
    # How many units read a state changes how fine its weights are, not which symbols can follow.
    last = mdlrnn.feed(network, read)[-1].probabilities
    counts = automaton.counts[state]
    possible = {symbols[s] for s in counts}
    assert {s for s, chance in last.items() if chance} == possible
    options = []
    for copies in range(1, 12):
        weights = _weights(counts, copies)
        total = sum(weights.values())
        options.append({symbols[s]: Fraction(w, total) for s, w in weights.items()})
    assert {s: chance for s, chance in last.items() if chance} in options


@pytest.mark.parametrize(
    ("name", "states"),
    [("count_mod3.lang", 3), ("tomita3.lang", 4), ("tomita5.lang", 4), ("reber.lang", 6),
     ("divisible_by_5.lang", 5), ("words_in_a_row.lang", 7), ("mod2_mod4.lang", 8)],
)  # fmt: skip
def test_regular_languages_are_merged_to_their_states(name: str, states: int) -> None:
    language = task(name)
    corpus = language.training(500)
    assert states in [len(automaton) for automaton in automata_of(corpus)]


def test_an_automaton_s_moves_and_counts_are_those_of_the_corpus() -> None:
    corpus = task("count_mod3.lang").training(500)
    (automaton,) = automata_of(corpus)
    total = sum(sum(counts.values()) for counts in automaton.counts)
    assert total == corpus.characters
    for string, _ in corpus.strings():
        state = 0
        for symbol in string:
            state = automaton.moves[state][{"a": 1, "b": 2}[symbol]]
        assert state == 0
    for move in automaton.moves:
        assert automaton.moves[automaton.moves[move[1]][1]][1] == automaton.moves.index(move)


def test_automata_that_grow_without_end_are_left_out() -> None:
    assert automata_of(task("a^n b^n c^n").training(500)) == []


@given(st.integers(0, 10**6), st.lists(st.text("abc", max_size=7), min_size=1, max_size=6))
def test_counters_count(place: int, strings: list[str]) -> None:
    corpus = Corpus.from_strings([*strings, "abc"])
    tried = list(_candidates([1, 2, 3], 4))
    counter = tried[place % len(tried)]
    values = _values(corpus, [counter])[:, 0]
    for node in range(len(corpus.parent)):
        assert values[node] == _counted(counter, _path(corpus, node))


def _path(corpus: Corpus, node: int) -> list[int]:
    """The symbols read from the root to a node."""
    path = []
    while node >= 0:
        path.append(int(corpus.symbol[node]))
        node = int(corpus.parent[node])
    return path[::-1]


def _counted(counter: Counter, string: list[int]) -> int:
    total, after = counter.start, False
    for place, symbol in enumerate(string):
        mark = counter.mark
        if mark is not None and symbol == mark.symbol:
            before = string[place - 1] if place else None
            after = after or mark.after is None or mark.after == before
        total += counter.steps[after][symbol]
    return total


def test_counters_are_what_the_language_counts() -> None:
    (found,) = counters_of(task("a^n b^n").training(500), BOUNDARY)
    assert (found.counter, found.signed) == (Counter(((0, 1, -1), (0, 1, -1))), False)
    first, *_ = counters_of(task("a^n b^m a^n b^m").training(500), BOUNDARY)
    assert first.counter == Counter(((0, 1, 0), (0, -1, 0)), Mark(2))
    (double,) = counters_of(task("a^n b^2n").training(500), BOUNDARY)
    assert double.counter == Counter(((0, 2, -1), (0, 2, -1)))
    both = counters_of(task("tomita5.lang").training(500), BOUNDARY)
    # Two of the numbers of a's, of b's, and of both tell whether all are even.
    assert {found.counter for found in both} < {
        Counter((steps, steps), modulus=2) for steps in ((0, 1, 0), (0, 0, 1), (0, 1, 1))
    }
    first, *_ = counters_of(task("mod2_mod4.lang").training(500), BOUNDARY)
    assert isinstance(first.counter, Counter)
    assert first.counter.modulus == 4
    assert counters_of(task("a* b*").training(500), BOUNDARY) == []


def test_a_counter_may_be_asked_whether_it_is_above_0() -> None:
    chance = random.Random(1)
    strings: list[str] = []
    while len(strings) < 400:
        string = "".join(chance.choices("ab", k=chance.randrange(1, 9)))
        if string.count("a") > string.count("b"):
            strings.append(string)
    found, *_ = counters_of(Corpus.from_strings(strings), BOUNDARY)
    assert found.counter == Counter(((0, 1, -1), (0, 1, -1)), positive=True)


@pytest.mark.parametrize("symbols", ["a", "abcdefghijklmnopqrstu"])
def test_alphabets_too_small_or_too_large_have_no_counters(symbols: str) -> None:
    corpus = Corpus.from_strings([symbols, symbols * 2])
    assert counters_of(corpus, BOUNDARY) == []
    assert stack_tests(corpus, BOUNDARY) == []
    assert founders_for(problem_of(corpus), 1)


def test_a_stack_is_found_where_a_mark_turns_the_string_round() -> None:
    tests = stack_tests(task("marked_palindrome.pcfg").training(500), BOUNDARY)
    assert all(isinstance(test.counter, Top) for stack in tests for test in stack)
    assert {len(stack) for stack in tests} == {2}
    assert stack_tests(task("a* b*").training(500), BOUNDARY) == []


@pytest.mark.parametrize("letters", ["ab", pytest.param("abd", marks=pytest.mark.slow)])
def test_a_stack_of_whole_numbers_is_proved_where_the_corpus_leaves_room(
    letters: str, tmp_path: Path
) -> None:
    base = len(letters) + 1
    rules = ["start: c 1/2 -> BACK", "BACK: # if stack = 0"]
    for digit, letter in enumerate(letters, 1):
        rules.append(f"start: {letter} 1/{2 * base - 2} -> start, stack = {base}stack + {digit}")
        rules.append(
            f"BACK: {letter} if stack mod {base} = {digit} -> BACK, stack = stack // {base}"
        )
    (tmp_path / "mirror.lang").write_text("\n".join(rules))
    language = load_language(tmp_path / "mirror.lang")
    shallow = [string for string in language.sample(400) if len(string) < 13]
    corpus = Corpus.from_strings(shallow)
    assert corpus.alphabet is not None
    boundary = corpus.alphabet.index("#")
    _, whole, *_ = stack_tests(corpus, boundary)
    (automaton,) = automata_of(corpus, whole)
    network = automaton_network(automaton, corpus.alphabet, boundary, whole)
    assert mdlrnn.prove(network, language).proved
    deep = Corpus.from_strings([*shallow, "a" * 30 + "c" + "a" * 30])
    assert not any(stack.whole for stack in stacks_of(deep, boundary) if stack.mark is not None)
    if letters == "ab":  # 30 digits in base 3 are within 2^53
        _, uncut, *_ = stack_tests(deep, boundary, saturation=False)
        assert isinstance(uncut[0].counter, Top)
        assert uncut[0].counter.stack.whole


def stacks_of(corpus: Corpus, boundary: int) -> list[Stack]:
    found = [tests[0].counter for tests in stack_tests(corpus, boundary)]
    return [top.stack for top in found if isinstance(top, Top)]


def test_a_queue_is_found_where_a_mark_divides_two_copies() -> None:
    words = ["".join(letters) for size in range(7) for letters in product("ab", repeat=size)]
    corpus = Corpus.from_strings([word + "c" + word for word in words for _ in range(4)])
    assert corpus.alphabet is not None
    boundary = corpus.alphabet.index("#")
    (tests,) = [
        tests
        for tests in stack_tests(corpus, boundary)
        if isinstance(top := tests[0].counter, Top) and top.stack.queue
    ]
    for automaton in automata_of(corpus, tests):
        network = automaton_network(automaton, corpus.alphabet, boundary, tests)
        for word in [*words, "abbabaabbaababbabaababba"]:
            for step, symbol in zip(
                mdlrnn.feed(network, word + "c" + word)[len(word) + 1 :], [*word, "#"], strict=True
            ):
                assert step.probabilities[symbol] == 1


@pytest.mark.parametrize(
    ("name", "digits", "pops", "raises"),
    [("dyck2.pcfg", "ac", "bd", ""), ("nested_pairs.pcfg", "ac", "bd", ""),
     ("arithmetic.pcfg", "(", ")", "+")],
)  # fmt: skip
def test_symbols_push_and_pop_where_the_language_nests(
    name: str, digits: str, pops: str, raises: str
) -> None:
    corpus = task(name).training(500)
    assert corpus.alphabet is not None
    place = corpus.alphabet.index
    unmarked = [stack for stack in stacks_of(corpus, BOUNDARY) if stack.mark is None]
    assert unmarked
    for stack in unmarked:
        assert [place(s) for s in digits] == [s for s, digit in enumerate(stack.digits) if digit]
        assert stack.pops == tuple(place(s) for s in pops)
        assert stack.raises == tuple(place(s) for s in raises)


def test_pairs_of_a_large_alphabet_push_and_pop() -> None:
    chance = random.Random(1)

    def nested(depth: int = 0) -> str:
        if depth > 5 or chance.random() < 0.45:
            return ""
        pair = chance.choice(["()", "[]", "{}", "<>"])
        return pair[0] + nested(depth + 1) + pair[1] + nested(depth + 1)

    corpus = Corpus.from_strings([nested() or "()" for _ in range(1000)])
    assert corpus.alphabet is not None
    boundary = corpus.alphabet.index("#")
    (stack, *_) = stacks_of(corpus, boundary)
    pushing = [corpus.alphabet[s] for s, digit in enumerate(stack.digits) if digit]
    assert sorted(pushing) == sorted("([{<")
    assert sorted(corpus.alphabet[s] for s in stack.pops) == sorted(")]}>")


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.lists(st.text("abc", max_size=9), min_size=1, max_size=6))
def test_stacks_hold_what_was_pushed(place: int, strings: list[str]) -> None:
    corpus = Corpus.from_strings([*strings, "abc"])
    tried = [*_marked([1, 2, 3], 4, False), *_unmarked([1, 2, 3], 4), *_marked([1, 2, 3], 4, True)]
    stack = tried[place % len(tried)]
    tops = _tops(corpus, [stack])[0][:, 0]
    for node in range(len(corpus.parent)):
        held: list[int] = []
        late = False
        for symbol in _path(corpus, node):
            late = late or (stack.mark is not None and symbol == stack.mark.symbol)
            if stack.digits[symbol] and not late:
                held.append(stack.digits[symbol])
            elif stack.digits[symbol] or symbol in stack.pops:
                held = held[1:] if stack.queue else held[:-1]
            elif symbol in stack.raises and held:
                held[-1] += 1
        assert tops[node] == (held[0 if stack.queue else -1] if held else 0)


LOADED = {
    "growing": ["a" + "b" * 1, "abab" + "b", "ababbabbb", "ababbabbbabbbb"],
    "squares": ["a" * n * n for n in range(1, 9)],
    "powers": ["a" * 2**n for n in range(7)],
    "equal": ["a" * n + ("b" + "a" * m) * p for n in range(3) for m in range(4) for p in (1, 2, 4)],
    "squares after": ["a" * n + "b" * n * n for n in range(1, 8)],
    "doubles": ["a" * n + "b" * 2**n for n in range(1, 6)],
    "products": ["a" * n + "b" * m + "c" * n * m for n in range(1, 5) for m in range(1, 5)],
}


@pytest.mark.parametrize("name", LOADED)
def test_a_counter_is_loaded_from_another(name: str) -> None:
    """Its test tells all that there is: after a symbol the sets of next symbols follow from it, but
    for the first block of equal ones, which may be of any length."""
    corpus = Corpus.from_strings([s for s in LOADED[name] for _ in range(40)])
    assert corpus.alphabet is not None
    boundary = corpus.alphabet.index("#")
    (found,) = loads_of(corpus, boundary)
    assert isinstance(found.counter, Loaded)
    automata = automata_of(corpus, [found])
    assert automata
    for automaton in automata:
        network = automaton_network(automaton, corpus.alphabet, boundary, [found])
        for string in LOADED[name]:
            for step, symbol in zip(mdlrnn.feed(network, string), [*string, "#"], strict=True):
                assert step.probabilities[symbol] > 0


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.lists(st.text("ab", max_size=9), min_size=1, max_size=6))
def test_loaded_counters_count(place: int, strings: list[str]) -> None:
    corpus = Corpus.from_strings([*strings, "ab"])
    tried = list(_loads([1, 2]))
    loaded = tried[place % len(tried)]
    zeros = zeros_of(corpus, [loaded])[:, 0]
    for node in range(len(corpus.parent)):
        number, late = loaded.start, False
        counter = loaded.start if loaded.counted is None else 0
        for symbol in _path(corpus, node):
            empty = counter == 0
            late = late or (loaded.mark is not None and symbol == loaded.mark.symbol)
            in_phase = loaded.mark is None or late == loaded.late
            if symbol == loaded.counted and in_phase and (empty or not loaded.at_zero):
                number += loaded.step
            if symbol == loaded.loading and (empty or not loaded.load_at_zero):
                counter += counter if loaded.counted is None else number
            counter = max(0, counter - (symbol == loaded.down))
        assert zeros[node] == (counter == 0)


def problem_of(corpus: Corpus) -> Problem:
    return Problem(corpus, Search(), Encoding.every_part())


@pytest.mark.parametrize(
    "name",
    ["a^n b^n a^n", "a^n b^m a^n b^m", "a^n b^m c^n d^m", "a^n b^n c^n d^n e^n",
     "equally_many.lang", "dyck1.pcfg", "tomita6.lang", "marked_palindrome.pcfg", "dyck2.pcfg",
     "nested_pairs.pcfg", "arithmetic.pcfg", "growing_blocks.lang", "mod2_mod4.lang"],
)  # fmt: skip
def test_a_founder_is_as_good_as_the_language_itself(name: str) -> None:
    corpus = task(name).training(500)
    problem = problem_of(corpus)
    rows = founders_for(problem, 10)
    assert rows
    networks = [network_from_row(row, corpus.inputs, corpus.outputs, corpus.alphabet)
                for row in rows]  # fmt: skip
    least = min(s.d_given_g for s in mdlrnn.score_many(networks, corpus, problem.encoding))
    optimal = task(name).truth(corpus).optimal_bits
    assert least < optimal + 0.1 * corpus.sequences


def test_founders_keep_to_the_space_and_the_limits() -> None:
    corpus = task("marked_palindrome.pcfg").training(300)
    problem = problem_of(corpus)
    for island in range(16):
        rows = founders_for(problem, island)
        assert bool(rows) == has_founders(island) or not rows
        own = island_problem(problem, island)
        for row in rows:
            network = network_from_row(row, corpus.inputs, corpus.outputs)
            assert {u.activation for u in network.units} <= set(own.encoding.activations)
            assert own.encoding.products or all(u.type == "sum" for u in network.units)
            assert np.array_equal(marked(row_of(network), CONSTRUCTED), row)
    small = problem._replace(search=Search(max_units=12))
    assert founders_for(small, 10) == ()
    assert founders_for(problem._replace(encoding=Encoding()), 10) == ()


def test_every_set_of_parts_has_islands_with_founders() -> None:
    with_founders = {(island - 1) % len(SETS) for island in range(1, 16) if has_founders(island)}
    assert with_founders == set(range(len(SETS)))


def test_very_long_strings_suggest_automata_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = task("a^n b^n").training(500)
    with_counter = founders_for(problem_of(corpus), 1)
    monkeypatch.setattr(_founders, "MOST_LEVELS", 10)
    _founders.suggested.cache_clear()
    alone = founders_for(problem_of(corpus), 1)
    _founders.suggested.cache_clear()
    assert len(alone) < len(with_counter)


def test_numbers_have_no_founders() -> None:
    corpus = task("addition").training(4)
    assert founders_for(problem_of(corpus), 1) == ()
