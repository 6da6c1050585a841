"""The page in a real browser: how it is used, and what it must never do."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest

import mdlrnn
from helpers.browser import Tab
from helpers.data import a_theorem
from helpers.slow import few
from mdlrnn import Connection, Network, Unit, Weight, show, zoo
from mdlrnn.proofs import Proof
from mdlrnn.show._content import content_of, network_content
from mdlrnn.show._page import page

SCRIPT = "<script>window.broken=1</script>"

SCHEMES = ("light", "dark")


def test_values_stand_on_the_drawing(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn())
    shown = tab.steps("aab")
    order = tab.tab.eval_on_selector_all(
        "#drawing [data-unit]", "all => all.map(g => Number(g.dataset.unit))"
    )
    on_units = [dict(zip(order, step["drawn"], strict=True)) for step in shown]
    assert [units[6] for units in on_units] == ["0", "1", "2", "1"]
    assert [units[4] for units in on_units] == ["7/3", "7/3", "7/3", "−2/3"]


@pytest.mark.parametrize(
    ("name", "string"),
    few([("anbn", "aaabb"), ("anbn", "aba"), ("dyck2", "[()]")], ("anbn", "aba")),
)
def test_the_machine_steps_along(open_page: Callable[..., Tab], name: str, string: str) -> None:
    """The state that is marked, and the probabilities beside it, are those of the machine."""
    pytest.importorskip("z3")
    network = zoo.load(name)
    machine = mdlrnn.learned(network, seconds=120).machine
    assert machine is not None
    tab = open_page(network)
    tab.steps(string)
    for step in range(len(string) + 1):
        tab.tab.fill("#slider", str(step))
        here = machine.after(string[:step])
        said = str(tab.tab.text_content("#machine-where"))
        marked = tab.tab.eval_on_selector_all(
            "#machine .here[data-state]", "all => all.map(g => g.dataset.state)"
        )
        if here is None:
            assert said == "The machine has no string that begins so."
            assert marked == []
            continue
        assert marked == [here.state]
        values = [f", {n} = {v}" for n, v in zip(machine.counters, here.counters, strict=True)]
        chances = [f"P({o.symbol}) = {o.chance}" for o in machine.options(here)]
        begins = f"The machine is in state {here.state}{''.join(values)}: "
        assert said == f"{begins}{', '.join(chances)}."


@pytest.mark.parametrize(
    ("name", "string", "words"),
    [
        (
            "anbn",
            "aax",
            "The network has no unit for “x” (position 3); use its symbols only: a, b.",
        ),
        ("anbn", "a#b", "The boundary # stands at position 2; it is added, never written."),
        ("addition", "1,1 1", "Step 2, “1”, has 1 of 2 numbers; write 0,0."),
        ("addition", "1,z", "Step 1, “1,z”, is not made of numbers; write 0,0."),
        ("addition", " ", "Type a step, such as 0,0; blanks part steps."),
    ],
)
def test_a_wrong_symbol_is_answered_in_words(
    open_page: Callable[..., Tab], name: str, string: str, words: str
) -> None:
    opened = open_page(zoo.load(name))
    tab = opened.tab
    opened.enter(string)
    assert tab.text_content("#message") == words
    assert tab.get_attribute("#string", "aria-invalid") == "true"
    opened.enter("1,1" if name == "addition" else "ab")
    assert tab.text_content("#message") == ""


def test_digits_side_by_side_are_numbers_too(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.addition())
    with_commas = tab.steps("1,1 0,1")
    assert tab.steps("11 01") == with_commas


def test_the_keyboard_is_enough(open_page: Callable[..., Tab]) -> None:
    opened = open_page(zoo.anbn())
    tab = opened.tab

    def where() -> str:
        return str(tab.text_content("#where"))

    focused = "() => document.activeElement.id"
    while tab.evaluate(focused) != "string":
        tab.keyboard.press("Tab")
    tab.keyboard.press("Control+a")
    tab.keyboard.type("aabb")
    opened.wait()
    assert where() == "step 4 of 4: b is read"
    tab.keyboard.press("ArrowUp")
    assert where() == "step 3 of 4: b is read"
    while tab.evaluate(focused) != "slider":
        tab.keyboard.press("Tab")
    tab.keyboard.press("Home")
    assert where() == "step 0 of 4: the boundary # is read"
    tab.keyboard.press("ArrowRight")
    assert where() == "step 1 of 4: a is read"
    tab.keyboard.press("Tab")
    assert tab.evaluate(focused) == "next"
    tab.keyboard.press("Enter")
    assert where() == "step 2 of 4: a is read"
    while tab.evaluate(focused) != "generate":
        tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Enter")
    assert where().startswith("step ")


def test_units_and_connections_tell_their_bits(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn()).tab
    own = 0
    for u in range(7):
        tab.focus(f'#drawing [data-unit="{u}"]')
        words = str(tab.text_content("#about"))
        assert words.startswith(f"Unit {u}, ")
        own += len(str(tab.text_content("#about code")).replace(" ", ""))
    for c in range(4):
        tab.focus(f'#drawing [data-connection="{c}"]')
        assert "connection from unit" in str(tab.text_content("#about"))
        own += len(str(tab.text_content("#about code")).replace(" ", ""))
    count = len(str(tab.text_content("#bits span")))
    assert own + count == len(str(tab.text_content("#bits"))) == 155
    tab.hover('#bits [data-part="0"]')
    assert str(tab.text_content("#about")).startswith("7 units")


def test_pointing_at_a_thin_line_is_enough(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn()).tab
    # Four pixels beside the middle of each curve, where no weight stands.
    for number in range(4):
        x, y = tab.evaluate(
            f"""() => {{
            const path = document.querySelector('#drawing [data-connection="{number}"] path');
            path.scrollIntoView({{block: "center"}});
            const at = path.getPointAtLength(path.getTotalLength() / 2);
            const p = at.matrixTransform(path.getScreenCTM());
            return [p.x - 4, p.y]; }}"""
        )
        tab.mouse.move(x, y)
        assert tab.get_attribute("#drawing .pointed", "data-connection") == str(number)


def test_what_is_shown_of_an_earlier_string_is_greyed(open_page: Callable[..., Tab]) -> None:
    opened = open_page(zoo.anbn())
    tab = opened.tab
    opacity = "() => getComputedStyle(document.getElementById('chances')).opacity"
    opened.enter("ax")
    assert float(tab.evaluate(opacity)) < 1
    opened.enter("ab")
    assert float(tab.evaluate(opacity)) == 1


def test_pointing_at_bits_marks_the_drawing(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn()).tab
    tab.hover("#bits .k-weight >> nth=0")
    assert tab.get_attribute("#drawing .pointed", "data-connection") == "0"


def test_generate_gives_strings_of_the_language(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn()).tab
    tab.evaluate(
        """() => {
        let seed = 1;
        Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647; }"""
    )
    seen = set()
    for _ in range(12):
        tab.click("#generate")
        string = tab.input_value("#string")
        n = len(string) // 2
        assert string == "a" * n + "b" * n
        seen.add(string)
    assert len(seen) > 1


def test_a_numeric_network_has_nothing_to_generate(open_page: Callable[..., Tab]) -> None:
    assert open_page(zoo.addition()).tab.query_selector("#generate") is None


def test_a_script_in_the_alphabet_or_name_is_shown_as_text(open_page: Callable[..., Tab]) -> None:
    alphabet = ("#", SCRIPT, '"><img src=x onerror=alert(1)>')
    net = Network(3, 3, (Unit(),) * 6, (), alphabet, name=f"</title>{SCRIPT}</script><b>")
    theorem = a_theorem(SCRIPT, (SCRIPT, "n"), ((SCRIPT, "1"),), SCRIPT)
    opened = open_page(net, theorem)
    tab = opened.tab
    opened.enter(f"{SCRIPT} nonsense")
    assert "no unit for “nonsense”" in str(tab.text_content("#message"))
    opened.enter(SCRIPT)
    assert tab.evaluate("() => window.broken") is None
    assert tab.title() == net.name
    assert tab.text_content("h1") == net.name
    assert tab.evaluate("() => document.images.length") == 0
    assert tab.evaluate("() => document.scripts.length") == 2
    assert SCRIPT in str(tab.text_content("#theorem"))
    assert SCRIPT in str(tab.text_content("#where"))


def test_the_policy_forbids_scripts_and_requests(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "policy.html"
    path.write_text(page(network_content(zoo.anbn(), "anbn")), encoding="utf-8")
    tab = Tab(browser, path)
    tab.tab.evaluate(
        """async () => {
        const script = document.createElement("script");
        script.textContent = "window.broken = 1";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "https://example.org/x.png";
        document.body.append(image);
        window.fetched = await fetch("https://example.org/").then(() => "yes", () => "no");
        }"""
    )
    assert tab.tab.evaluate("() => [window.broken ?? null, window.fetched]") == [None, "no"]
    # The browser announces the image and then refuses to ask for it.
    assert [failure for _, failure in tab.failed] == ["csp"]
    assert any("Content Security Policy" in text for text in tab.errors)
    tab.context.close()


def test_labels_lie_apart_in_the_browser_s_own_font(browser: Any, tmp_path: Path) -> None:
    tab = browser.new_page()
    for name in zoo.names():
        path = tmp_path / f"{name}.svg"
        show.draw(zoo.load(name)).save(path)
        tab.goto(path.as_uri())
        boxes = tab.evaluate(
            """() => [...document.querySelectorAll("text")].map((t) => {
            const b = t.getBBox();
            return [b.x, b.y, b.x + b.width, b.y + b.height, t.textContent]; })"""
        )
        for i, one in enumerate(boxes):
            for two in boxes[:i]:
                # A box has room above and below its letters; a point each is not on paper.
                apart = (
                    one[0] >= two[2] or two[0] >= one[2]
                    or one[1] + 1 >= two[3] - 1 or two[1] + 1 >= one[3] - 1
                )  # fmt: skip
                assert apart, (name, one, two)
    tab.close()


@pytest.mark.parametrize(
    ("width", "scheme"), few(product((360, 1280), SCHEMES), (360, "dark"), (1280, "light"))
)
def test_the_page_fits_phone_and_desk(
    open_page: Callable[..., Tab], width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    tab = open_page(zoo.dyck2(), viewport=size, color_scheme=scheme).tab
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
    background = tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
    red = int(background.removeprefix("rgb(").split(",")[0])
    assert (red < 60) if scheme == "dark" else (red > 200)


def test_a_reloaded_page_stands_where_it_stood(open_page: Callable[..., Tab]) -> None:
    opened = open_page(zoo.anbn())
    tab = opened.tab
    opened.enter("aaab")
    tab.fill("#slider", "2")
    tab.reload()
    opened.wait()
    assert tab.input_value("#string") == "aaab"
    assert str(tab.text_content("#where")) == "step 2 of 4: a is read"
    opened.requests[1:] = []


def test_thirty_units_and_five_hundred_symbols_are_fed_to_the_end(
    open_page: Callable[..., Tab],
) -> None:
    draw = random.Random(3)
    some = [
        Connection(draw.randrange(30), draw.randrange(4, 30), "recurrent", Weight(1, 3))
        for _ in range(30)
    ]
    unique = tuple({(c.source, c.target): c for c in some}.values())
    net = Network(2, 2, (Unit(),) * 30, unique, ("#", "a"))
    opened = open_page(net)
    tab = opened.tab
    opened.enter("a" * 500)
    tab.wait_for_selector('#strip [data-step="500"].here', state="attached")
    assert str(tab.text_content("#where")) == "step 500 of 500: a is read"


def test_the_page_s_data_are_json_without_markup() -> None:
    text = page(network_content(Network(1, 1, (Unit(),) * 2, name=SCRIPT), SCRIPT))
    start = text.index('id="data">') + len('id="data">')
    inside = text[start : text.index("</script>", start)]
    assert "<" not in inside
    assert json.loads(inside)["network"]["name"] == SCRIPT


WORDS = ("#", "the", "child", "children", "who", "remembers", "and", "sleep", "sleeps")


def over_words() -> Network:
    """Nine words, each of which makes the next one certain, and the last one the end."""
    nexts = [Connection(i, 9 + (i + 1) % 9, "forward", Weight(1)) for i in range(9)]
    return Network(9, 9, (Unit(),) * 18, tuple(nexts), WORDS, name="words")


def with_tiny_chances() -> Network:
    """P(a) is about 5e-109, which takes twelve characters."""
    outputs = (Unit("sigmoid"), Unit("sigmoid", bias=Weight(-250)))
    return Network(2, 2, (Unit(), Unit(), *outputs), (), ("#", "a"), name="n" * 80)


SPILLS = """() => [...document.querySelectorAll(
    "section, section > *, .row > *, dd, #chances, #chances output, #chances .symbol")]
    .filter((e) => getComputedStyle(e).overflowX === "visible" && e.scrollWidth > e.clientWidth + 1
      || e.getBoundingClientRect().right > innerWidth)
    .map((e) => `${e.tagName} ${e.id} ${e.textContent.slice(0, 40)}`)"""


@pytest.mark.parametrize(("width", "scheme"), few(product((390, 320), SCHEMES), (320, "dark")))
def test_nothing_spills_out_of_a_card_on_a_phone(
    open_page: Callable[..., Tab], width: int, scheme: str
) -> None:
    view = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    long = "a" * 300
    for net in (over_words(), with_tiny_chances(), zoo.anbncn(), zoo.dyck2()):
        tab = open_page(net, a_theorem(f"The network is wrong on {long}.", note=long), **view).tab
        assert tab.evaluate("() => document.scrollingElement.scrollWidth") <= width
        assert tab.evaluate(SPILLS) == []


def heads(tab: Any) -> list[str]:
    found: list[str] = tab.eval_on_selector_all(
        "#steps thead th", "all => all.map((th) => th.textContent)"
    )
    return found


def test_probabilities_stand_before_the_units_and_inputs_are_what_is_read(
    open_page: Callable[..., Tab],
) -> None:
    opened = open_page(over_words(), viewport={"width": 1280, "height": 800})
    tab = opened.tab
    chances = [f"P({word})" for word in WORDS]
    assert heads(tab) == ["step", "read", *chances, *(f"u{u}" for u in range(9, 18))]
    opened.enter("the child")
    cells = tab.eval_on_selector_all(
        "#rows tr[aria-current] > *", "all => all.map((cell) => cell.textContent)"
    )
    one = ["1" if word == "children" else "0" for word in WORDS]
    assert cells == ["2", "child", *one, *one]
    last = "() => document.querySelector('#steps thead .p:nth-child(11)').getBoundingClientRect()"
    assert tab.evaluate(f"{last}.right") < 1280


def test_an_input_that_holds_more_than_what_is_read_keeps_its_column(
    open_page: Callable[..., Tab],
) -> None:
    loop = Connection(1, 1, "recurrent", Weight(1))
    tab = open_page(Network(2, 2, (Unit(),) * 4, (loop,), ("#", "a"))).tab
    assert heads(tab) == ["step", "read", "P(#)", "P(a)", "u1", "u2", "u3"]
    assert heads(open_page(zoo.addition()).tab)[:5] == ["step", "read", "P(1)", "u0", "u1"]


def test_what_is_read_stays_in_sight_when_the_table_scrolls(open_page: Callable[..., Tab]) -> None:
    tab = open_page(over_words(), viewport={"width": 390, "height": 800}).tab
    inside = tab.evaluate(
        """() => {
        const box = document.getElementById("steps").parentElement;
        box.scrollLeft = 10000;
        const cell = box.querySelector("tr[aria-current] .read").getBoundingClientRect();
        return [box.scrollLeft > 0, cell.left - box.getBoundingClientRect().left]; }"""
    )
    assert inside[0]
    assert 0 <= inside[1] < 5


@pytest.mark.parametrize("width", [390, 1280])
def test_the_bars_of_a_short_string_fill_the_width(
    open_page: Callable[..., Tab], width: int
) -> None:
    opened = open_page(over_words(), viewport={"width": width, "height": 800})
    tab = opened.tab
    spans = """() => {
        const box = document.getElementById("strip-box"), strip = document.getElementById("strip");
        const last = strip.querySelector("g:last-child rect").getBoundingClientRect();
        const end = last.right - box.getBoundingClientRect().left;
        return [box.clientWidth, box.scrollWidth, end]; }"""
    for string in ("", "the", "the child"):
        opened.enter(string)
        room, whole, end = tab.evaluate(spans)
        assert whole == room
        assert room - 3 < end <= room
    tab.set_viewport_size({"width": 700, "height": 800})
    tab.wait_for_function(f"() => document.getElementById('strip').clientWidth !== {room}")
    room, whole, end = tab.evaluate(spans)
    assert whole == room
    assert room - 3 < end <= room


def many_symbols(count: int) -> Network:
    """So many symbols, all of them always possible."""
    alphabet = ("#", *"abcdefghijklmnopqrstuvwxyz0123456789"[: count - 1])
    outputs = (Unit(bias=Weight(1)),) * count
    return Network(count, count, ((Unit(),) * count) + outputs, (), alphabet)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_bars_of_many_symbols_are_told_apart(
    open_page: Callable[..., Tab], scheme: str
) -> None:
    opened = open_page(many_symbols(20), color_scheme=scheme)
    opened.enter("ab")
    looks = """all => all.map((e) => {
        const style = getComputedStyle(e);
        return [style.backgroundColor, style.backgroundImage, style.fill]; })"""
    bars = opened.tab.eval_on_selector_all("#chances .bar", looks)
    swatches = opened.tab.eval_on_selector_all("#chances .swatch", looks)
    assert len({(colour, image) for colour, image, _ in bars}) == 20
    assert [found[:2] for found in bars] == [found[:2] for found in swatches]
    plain = [tuple(map(int, re.findall(r"\d+", colour))) for colour, _, _ in bars[:16]]
    card = opened.tab.evaluate(
        "() => getComputedStyle(document.querySelector('section')).backgroundColor"
    )
    every = [*plain, tuple(map(int, re.findall(r"\d+", card)))]
    for one, two in combinations(every, 2):
        assert sum(abs(a - b) for a, b in zip(one, two, strict=True)) > 75, (one, two)
    stack = opened.tab.eval_on_selector_all(
        '#strip [data-step="1"] rect', "all => all.map((r) => getComputedStyle(r).fill)"
    )
    striped = [fill for fill in stack if "stripes" in fill]
    assert len(striped) == 4
    assert [fill for fill in stack if fill not in striped][:16] == [
        colour for colour, *_ in bars[:16]
    ]


def test_words_along_the_string_are_whole_and_lie_apart(open_page: Callable[..., Tab]) -> None:
    opened = open_page(over_words(), viewport={"width": 390, "height": 800})
    tab = opened.tab
    opened.enter(" ".join(WORDS[1:]))
    labels = tab.eval_on_selector_all(
        "#strip text",
        "all => all.map((t) => [t.textContent, t.getBBox().x, t.getBBox().x + t.getBBox().width])",
    )
    assert [text for text, _, _ in labels] == list(WORDS)
    assert all(one[2] < two[1] for one, two in pairwise(labels))
    assert tab.evaluate("() => document.scrollingElement.scrollWidth") <= 390


@pytest.mark.parametrize(("width", "scale"), [(390, 0.75), (1280, 1.0)])
def test_a_wide_drawing_stays_readable(
    open_page: Callable[..., Tab], width: int, scale: float
) -> None:
    tab = open_page(over_words(), viewport={"width": width, "height": 800}).tab
    found = tab.evaluate("() => document.querySelector('#drawing circle').getScreenCTM().a")
    assert found > scale - 0.01
    assert tab.evaluate("() => document.scrollingElement.scrollWidth") <= width


def test_the_measures_are_in_sight_on_a_phone(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "measured.html"
    path.write_text(page(content_of(zoo.dyck1(), task="dyck1")), encoding="utf-8")
    tab = Tab(browser, path, viewport={"width": 390, "height": 800})
    boxes = tab.tab.eval_on_selector_all(
        "#measures .scroll", "all => all.map((box) => [box.scrollWidth, box.clientWidth])"
    )
    assert boxes
    assert all(whole <= room for whole, room in boxes)
    tab.close()


PAPER = {"width": 680, "height": 960}
"""A sheet with its margins, in pixels."""
CUT_OFF = """() => [...document.querySelectorAll("body *")]
    .filter((e) => !e.closest("svg *") && e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => `${e.tagName} ${e.id} ${e.textContent.slice(0, 40)}`)"""


def wide_theorem() -> Proof:
    head = (
        "after",
        "where",
        *(f"P(word{i})" for i in range(20)),
        *(f"unit {u}" for u in range(30)),
    )
    cells = tuple(f"{i}·max(0, 2 − k) + 1/{i + 1}" for i in range(len(head) - 2))
    return a_theorem("It is right.", head, (("a", "k > 0", *cells), ("b", "", *cells)), "A note.")


@pytest.mark.parametrize("net", [over_words(), many_symbols(30), zoo.dyck2()], ids=["9", "30", "5"])
def test_nothing_is_cut_off_on_paper(open_page: Callable[..., Tab], net: Network) -> None:
    opened = open_page(net, wide_theorem(), viewport=PAPER, color_scheme="dark")
    tab = opened.tab
    assert net.alphabet is not None
    opened.enter(" ".join(WORDS[1:]) if net.alphabet == WORDS else net.alphabet[1] * 40)
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("() => document.scrollingElement.scrollWidth") <= PAPER["width"]
    assert tab.evaluate(CUT_OFF) == []
    assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    shown = "e => getComputedStyle(e, '::before').content"
    assert tab.eval_on_selector("#theorem tbody tr td:nth-child(3)", shown) == '"P(word0) "'
    assert tab.eval_on_selector("#theorem tr td:nth-child(3)", "e => e.offsetHeight") < 40
    breaks = tab.eval_on_selector_all(
        "section", "all => all.map((e) => getComputedStyle(e).breakInside)"
    )
    assert set(breaks) == {"auto"}


def test_a_narrow_table_stays_one_on_paper(open_page: Callable[..., Tab]) -> None:
    theorem = a_theorem("It is right.", ("after", "P(a)"), (("a", "1/2"),))
    tab = open_page(zoo.anbn(), theorem, viewport=PAPER).tab
    tab.emulate_media(media="print")
    assert tab.query_selector("#theorem table.wide") is None
    assert tab.query_selector("#steps.wide") is None
    display = "e => getComputedStyle(e).display"
    assert tab.eval_on_selector("#theorem thead", display) == "table-header-group"


def test_what_is_folded_is_printed_open(open_page: Callable[..., Tab]) -> None:
    pytest.importorskip("z3")
    tab = open_page(zoo.anbn()).tab
    folded = "() => document.querySelectorAll('details:not([open])').length"
    assert tab.evaluate(folded) > 0
    before = tab.evaluate(folded)
    tab.evaluate(f"() => addEventListener('beforeprint', () => window.folded = ({folded})())")
    tab.pdf()
    assert tab.evaluate("() => window.folded") == 0
    assert tab.evaluate(folded) == before


def test_what_is_cut_says_that_it_scrolls(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.dyck2()).tab
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.wait_for_timeout(100)
    cut = """() => [...document.querySelectorAll(".scroll, #drawing")].map(
        (box) => [box.scrollWidth > box.clientWidth + 1, box.classList.contains("more")])"""
    found = tab.evaluate(cut)
    assert all(is_cut == says for is_cut, says in found)
    assert any(is_cut for is_cut, _ in found)


def test_the_answer_comes_first_and_the_search_is_folded(open_page: Callable[..., Tab]) -> None:
    tab = open_page(zoo.anbn()).tab
    heads = tab.eval_on_selector_all("main h2", "all => all.map((e) => e.textContent)")
    assert heads.index("The network") < heads.index("Step through a string")
    assert heads.index("Step through a string") < heads.index("Score")
    assert not tab.is_visible("#score dl")
    assert "ab" in tab.eval_on_selector_all(".made code", "all => all.map((e) => e.textContent)")
