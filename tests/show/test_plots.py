"""Plots: the data are what the network and the search say, and every renderer draws them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import is_one_sentence
from helpers.networks import leaky, without_carry
from mdlrnn import Corpus, InputError, Run, Search, Stop, evolve, show, zoo
from mdlrnn.show._formats import Line, Point, Words, text_width
from mdlrnn.show._plots import BOTTOM, LEFT, RIGHT, SIZE, spanning, ticks

CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb"], [6, 3, 1])
SEARCH = Search(expressions=False, islands=2, population=30)
STOP = Stop(generations=40)


@pytest.fixture(scope="module")
def run() -> Run:
    return evolve(CORPUS, SEARCH, stop=STOP)


def test_probabilities_are_those_of_the_network() -> None:
    data = show.probabilities(zoo.anbn(), "aabb")
    assert data.read == ("#", "a", "a", "b", "b")
    assert data.symbols == ("#", "a", "b")
    expected = zoo.anbn().probabilities("aabb")
    for step, row in zip(data.chances, expected.tolist(), strict=True):
        assert step == pytest.approx(row)


def test_one_output_is_shown_as_two_symbols() -> None:
    data = show.probabilities(zoo.addition(), [[1, 1], [0, 0]])
    assert data.read == ("1,1", "0,0")
    assert data.symbols == ("0", "1")
    assert data.chances == ((1.0, 0.0), (0.0, 1.0))


def test_values_are_those_of_the_units() -> None:
    data = show.values(zoo.anbn(), "aab", [6])
    assert data == (("#", "a", "a", "b"), (6,), ((0.0,), (1.0,), (2.0,), (1.0,)))
    assert show.values(zoo.anbn(), "ab").units == (3, 4, 5, 6)
    with pytest.raises(InputError) as caught:
        show.values(zoo.anbn(), "ab", [7])
    assert is_one_sentence(str(caught.value))


def test_history_ends_with_the_best_score(run: Run) -> None:
    data = show.history(run)
    assert data.generation[-1] == run.archipelago.generation
    assert data.mdl[-1] == pytest.approx(run.score.mdl)
    assert all(a >= b - 1e-9 for a, b in zip(data.mdl, data.mdl[1:], strict=False))


def test_the_front_names_the_best(run: Run) -> None:
    data = show.front(run)
    assert data.best is not None
    assert data.g[data.best] + data.d_given_g[data.best] == pytest.approx(run.score.mdl)
    assert list(data.g) == sorted(data.g)


def test_a_run_s_folder_gives_the_same_front(tmp_path: Path) -> None:
    found = evolve(CORPUS, SEARCH, stop=STOP, out=tmp_path / "run")
    assert show.front(tmp_path / "run") == show.front(found)
    assert show.history(str(tmp_path / "run")).mdl[-1] == pytest.approx(found.score.mdl)


@pytest.mark.parametrize("plot", [show.history, show.front])
def test_a_folder_without_a_run_is_refused(plot: object, tmp_path: Path) -> None:
    assert callable(plot)
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError) as caught:
            plot(folder)
        assert is_one_sentence(str(caught.value))


def test_accuracy_falls_where_the_network_fails() -> None:
    right = show.accuracy(zoo.anbn(), "anbn", 20)
    assert set(right.share) == {1.0}
    assert right.length == tuple(range(2, 42, 2))
    assert right.measure == "deterministic"
    wrong = show.accuracy(leaky(), "anbn", 20)
    assert wrong.share[0] == 1.0
    assert wrong.share[-1] < 1.0


def test_accuracy_of_addition_counts_digits_and_of_dyck_all_steps() -> None:
    assert set(show.accuracy(zoo.addition(), "addition").share) == {1.0}
    assert min(show.accuracy(without_carry(), "addition").share[1:]) < 1.0
    dyck = show.accuracy(zoo.dyck1(), "dyck1", 30)
    assert dyck.measure == "categorical"
    assert set(dyck.share) == {1.0}


def test_every_plot_is_drawn(run: Run) -> None:
    net = zoo.anbn()
    pictures = {
        "bars": show.plot_probabilities(show.probabilities(net, "aabb")),
        "lines": show.plot_values(show.values(net, "aabb")),
        "history": show.plot_history(show.history(run)),
        "front": show.plot_front(show.front(run)),
        "accuracy": show.plot_accuracy(show.accuracy(net, "anbn", 9)),
    }
    for picture in pictures.values():
        root = ElementTree.fromstring(picture.svg())
        assert picture._repr_svg_() == picture.svg()
        assert float(root.attrib["width"]) == picture.width
    # Only positive chances have a bar: one after #, two after each a, one after each b.
    bars = [g for g in pictures["bars"].groups if g.title.startswith("after ")]
    assert len(bars) == 5
    assert bars[-1].title == "after b: P(#) = 1, P(a) = 0, P(b) = 0"


def test_bars_fill_the_plot_and_words_under_them_are_whole() -> None:
    words = ("the", "children", "sleep")
    chances = ((0.5, 0.5, 0.0),) * 3
    for read in (words, words * 20):
        data = show.Probabilities(read, words, chances * (len(read) // 3))
        picture = show.plot_probabilities(data)
        bars = [g for g in picture.groups if g.title.startswith("after ")]
        corners = [p.x for g in bars for s in g.shapes if isinstance(s, Line) for p in s.points]
        step = (picture.width - LEFT - RIGHT) / len(read)
        assert min(corners) - LEFT < 0.1 * step
        assert picture.width - RIGHT - max(corners) < 0.1 * step
        shown = [s for g in picture.groups for s in g.shapes if isinstance(s, Words)]
        assert [s.text for s in shown if s.text in words] == list(read)
        assert all(text_width(word, SIZE) < step for word in words)


def test_nothing_to_plot_is_plotted_as_nothing() -> None:
    """Axes and key are there, but no curve and no dot, which are what has a title."""
    for picture in (
        show.plot_history(show.History((), (), ())),
        show.plot_front(show.Front((), (), None)),
    ):
        assert [group.title for group in picture.groups if group.title] == []
        words = [text.text for text in ElementTree.fromstring(picture.svg()).iter() if text.text]
        assert {"0", "1"} <= set(words), "the axes have ticks"
    single = show.plot_history(show.History((0,), (0.0,), (0.0,)))
    curves = {group.title: group.shapes for group in single.groups if group.title}
    assert list(curves) == ["|G|", "|D:G|", "MDL"]
    corner = Point(LEFT, single.height - BOTTOM)
    for (line,) in curves.values():
        assert isinstance(line, Line)
        assert line.points == (corner,)


def test_plots_are_saved_by_their_ending(tmp_path: Path) -> None:
    picture = show.plot_values(show.values(zoo.anbn(), "ab"))
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("tex", b"\\doc")):
        picture.save(tmp_path / f"plot.{kind}")
        assert (tmp_path / f"plot.{kind}").read_bytes().startswith(start)
    with pytest.raises(InputError) as caught:
        picture.save(tmp_path / "plot.dot")
    assert is_one_sentence(str(caught.value))


def test_a_run_is_shown_as_its_curve_and_its_network(run: Run) -> None:
    html = show.run_html(run)
    assert run._repr_html_() == html
    assert html.count("<svg") == 2
    assert show.draw(run.best).svg() in html


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 9))
def test_ticks_are_round_and_inside(low: float, span: float, most: int) -> None:
    high = low + span
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        return
    found = ticks(low, high, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span <= tick <= high + 1e-6 * span for tick in found)


@given(st.lists(st.floats(-1e6, 1e6)), st.booleans())
def test_a_range_holds_its_values(values: list[float], zero: bool) -> None:
    low, high = spanning(values, zero)
    assert low < high
    assert all(low <= value <= high for value in values)
    assert not zero or low <= 0 <= high
