"""The atlas as a site: its pages, its links, and the index in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import mdlrnn
from helpers.commands import Result, refused
from helpers.data import ROOT, is_one_sentence
from helpers.results import HOSTILE, hostile_network, result, write
from mdlrnn import zoo
from mdlrnn_lab import atlas
from mdlrnn_lab.site import _build, _result
from mdlrnn_lab.site._build import thumbnail

pytest.importorskip("z3", reason="the atlas is not tested: z3 is not installed")
LANGUAGE = ROOT / "benchmarks/languages/files/golden_mean.lang"
SECONDS = 60.0


def some_results(folder: Path) -> None:
    """A theorem, a refutation, a file, a network of an unknown language, and a broken file."""
    file = {"file": LANGUAGE.name, "text": LANGUAGE.read_text()}
    write(folder, "1.json", result(zoo.load("anbn"), "task anbn", source={"name": "anbn"}))
    write(folder, "2.json", result(zoo.load("anbn"), "a^n b^2n", size=100))
    write(folder, "3.json", result(zoo.load("addition"), "addition", size=100))
    write(folder, "4.json", result(zoo.load("anbn"), "golden mean", source=file, size=50))
    write(folder / "deeper", "5.json", hostile_network().to_dict())
    (folder / "broken.json").write_text('{"netw')


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> _build.Site:
    folder = tmp_path_factory.mktemp("atlas")
    some_results(folder / "results")
    return atlas(folder / "results", folder / "site", seconds=SECONDS, title="An <atlas>")


class Addresses(HTMLParser):
    """Every address that a page names, and the elements that it names by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        named = ("src", "href", "action", "data", "poster", "xlink:href")
        self.addresses += [value or "" for name, value in attrs if name in named]

    def handle_data(self, data: str) -> None:
        self.text += data


def pages(site: Path) -> Iterator[Path]:
    yield from sorted(site.rglob("*.html"))


def test_links_are_whole_and_no_other_host_is_asked(made: _build.Site) -> None:
    linked = {made.folder / "index.html"}
    for page in pages(made.folder):
        parsed = Addresses(page.read_text(encoding="utf-8"))
        assert "img" not in parsed.tags
        for address in parsed.addresses:
            assert "//" not in address
            target = (page.parent / unquote(address)).resolve()
            assert target.is_file(), (page, address)
            linked.add(target)
    every = {path.resolve() for path in made.folder.rglob("*") if path.is_file()}
    assert {path.name for path in every - linked} == {"atlas.json", "findings.json"}


def test_what_was_found_is_said(made: _build.Site) -> None:
    assert (made.languages, made.proved) == (5, 2)
    (problem,) = made.problems
    assert is_one_sentence(problem)
    rows = {row["name"]: row for row in json.loads((made.folder / "atlas.json").read_text())
            ["languages"]}  # fmt: skip
    assert rows["task anbn"]["proof"] == "proved"
    assert rows["a^n b^2n"]["proof"] == "refuted"
    assert rows["golden mean"]["kind"] == "finite-state"
    assert rows[HOSTILE]["proof"] == "not tried"
    text = Addresses((made.folder / rows["task anbn"]["page"]).read_text()).text
    kept = json.loads((made.folder / "task-anbn/findings.json").read_text())["theorem"]
    assert kept["statement"].startswith("For every string of a^n b^n and every step of it")
    assert kept["statement"] in text
    assert "mdlrnn evolve anbn --seed 1 --generations 30" in text
    wrong = Addresses((made.folder / rows["a^n b^2n"]["page"]).read_text()).text
    assert "Refuted" in wrong
    assert "It has learned a^n b^n" in wrong


def test_a_theorem_of_exact_numbers_alone_is_told_apart(
    made: _build.Site, tmp_path: Path, run: Callable[..., Result]
) -> None:
    shutil.copytree(made.folder.parent, tmp_path / "copy")
    site = tmp_path / "copy/site"
    kept = json.loads((site / "task-anbn/findings.json").read_text())
    assert kept["theorem"]["float_failure"] is None
    kept["theorem"]["float_failure"] = {"string": "ab", "step": 1, "given": {"#": 1.0}}
    (site / "task-anbn/findings.json").write_text(json.dumps(kept))
    called = run(
        "lab", "atlas", "copy/results", "-o", "copy/site", "--time", f"{SECONDS}s", "--quiet"
    )
    assert called.out.startswith("5 languages, 2 proved, 1 of them in exact numbers only; ")
    rows = {row["name"]: row for row in json.loads((site / "atlas.json").read_text())["languages"]}
    assert rows["task anbn"]["proof"] == "proved in exact numbers"
    assert rows["task anbn"]["learned"] == "the language itself, in exact numbers"
    assert rows["addition"]["proof"] == "proved"
    index = (site / "index.html").read_text()
    said = "2 networks are proved right for every string, 1 of them in exact numbers only."
    assert said in index
    assert [index.count(f'data-proved="{how}"') for how in ("yes", "exact", "no")] == [1, 1, 3]
    assert '<option value="exact">' in index
    assert '<option value="exact">' not in (made.folder / "index.html").read_text()
    for name in ("index.html", "step.html"):
        assert "<h2>Theorem, in exact numbers</h2>" in (site / "task-anbn" / name).read_text()
    assert "but not as it runs" in (site / "task-anbn/index.html").read_text()


def test_what_could_not_be_used_is_named_on_the_index(made: _build.Site) -> None:
    text = (made.folder / "index.html").read_text()
    folded = text[text.index("<summary>1 result could not be used") : text.index("</details>")]
    assert "<li>broken.json: not JSON; make this result again.</li>" in folded
    assert str(made.folder.parent) not in text


def test_a_table_says_how_many_strings_each_network_was_found_on(tmp_path: Path) -> None:
    about: dict[str, Any] = {"source": {"name": "anbn"}, "proved_best": False}
    for size in (100, 500):
        write(
            tmp_path / "results", f"{size}.json", result(zoo.load("anbn"), "x", size=size, **about)
        )
    small = mdlrnn.Search(islands=2, population=20)
    mdlrnn.evolve("anbn_300", small, stop=mdlrnn.Stop(generations=5), objective="d", prove=False,
                  out=tmp_path / "results/run", workers=1)  # fmt: skip
    atlas(tmp_path / "results", tmp_path / "site", seconds=0.1)
    (page,) = (tmp_path / "site").glob("*/index.html")
    shown = page.read_text(encoding="utf-8")
    heads = re.findall(r'<th scope="col">([^<]*)</th>', shown[shown.index('id="search"') :])
    assert heads[:4] == ["seed", "setting", "strings", "objective"]
    rows = [
        re.findall(r"<td[^>]*>([^<]*)</td>", line)
        for line in shown[shown.index('id="search"') :].splitlines()
        if line.startswith('<tr><th scope="row"')
    ]
    assert {(row[1], row[2], "shown" in row[-1]) for row in rows} == {
        ("100", "|D:G| + |G|", False), ("500", "|D:G| + |G|", True), ("300", "|D:G|", False),
    }  # fmt: skip
    assert "of those found on the most strings, 500." in shown
    assert sorted(row[heads.index("origin") - 1] for row in rows) == ["from random", "–", "–"]


def test_names_and_symbols_stay_text(made: _build.Site) -> None:
    scripts = 0
    for page in pages(made.folder):
        text = page.read_text(encoding="utf-8")
        assert "<img" not in text
        assert "<script>alert" not in text
        scripts += Addresses(text).tags.count("script")
    said = "the index, one on each page, and two on each page to step through"
    assert scripts == 1 + 3 * made.languages, said
    index = Addresses((made.folder / "index.html").read_text(encoding="utf-8"))
    assert HOSTILE in index.text
    assert "An <atlas>" in index.text


def test_a_second_call_proves_nothing_again_and_gives_the_same_bytes(
    made: _build.Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    before = {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()}
    monkeypatch.setattr(_result, "prove", refuse)
    monkeypatch.setattr(_result, "find_learned", refuse)
    results = made.folder.parent / "results"
    atlas(results, made.folder, seconds=SECONDS, title="An <atlas>")
    assert {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()} == before


def test_what_goes_wrong_with_one_language_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "results", "1.json", result(zoo.load("anbn"), "good"))
    write(tmp_path / "results", "2.json", result(zoo.load("anbn"), "bad"))
    calls: list[object] = []

    def once(picture: Any) -> str:
        calls.append(picture)
        if len(calls) == 2:
            raise ValueError("a bug")
        return thumbnail(picture)

    monkeypatch.setattr(_build, "thumbnail", once)
    made = atlas(tmp_path / "results", tmp_path / "site", seconds=0.1)
    assert (made.languages, made.problems) == (1, ("bad: ValueError: a bug.",))
    assert "ValueError: a bug." in (tmp_path / "site/index.html").read_text()
    # What is no longer among the results goes, and nothing else does.
    (tmp_path / "results/2.json").unlink()
    write(tmp_path / "results", "3.json", result(zoo.load("anbn"), "new"))
    (tmp_path / "site/good/mine.txt").write_text("kept")
    (tmp_path / "results/1.json").unlink()
    atlas(tmp_path / "results", tmp_path / "site", seconds=0.1)
    left = sorted(str(p.relative_to(tmp_path / "site")) for p in (tmp_path / "site").rglob("*.*"))
    assert [name for name in left if "/" in name and not name.startswith("new/")] == [
        "good/mine.txt"
    ]


def test_an_interrupted_call_leaves_an_atlas_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, site = tmp_path / "results", tmp_path / "site"
    for name in ("first", "second"):
        write(results, f"{name}.json", result(zoo.load("anbn"), name))

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atlas(results, site, seconds=0.1, tell=interrupt)
    assert not (site / "index.html").exists()
    asked: list[str] = []
    find = _result.findings

    def found(result: Any, seconds: float, kept: Path) -> Any:
        asked.append(f"{kept.parent.name} {'kept' if kept.exists() else 'missing'}")
        return find(result, seconds, kept)

    monkeypatch.setattr(_build, "findings", found)
    made = atlas(results, site, seconds=0.1)
    assert (made.languages, asked) == (2, ["first kept", "second missing"])
    assert set(json.loads((site / "atlas.json").read_text())) == {"format", "title", "languages"}


def test_pages_of_an_interrupted_call_go_with_their_results(tmp_path: Path) -> None:
    results, site = tmp_path / "results", tmp_path / "site"
    write(results, "1.json", result(zoo.load("anbn"), "first"))
    atlas(results, site, seconds=0.1)
    index = (site / "index.html").read_bytes()
    write(results, "2.json", result(zoo.load("anbn"), "second"))

    def interrupt(text: str) -> None:
        if text.startswith("2 of 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atlas(results, site, seconds=0.1, tell=interrupt)
    assert (site / "index.html").read_bytes() == index
    assert [row["name"] for row in json.loads((site / "atlas.json").read_text())["languages"]] == [
        "first"
    ]
    (results / "2.json").unlink()
    atlas(results, site, seconds=0.1)
    assert sorted(path.name for path in site.iterdir()) == ["atlas.json", "first", "index.html"]


def test_a_disk_that_is_full_from_the_start_leaves_a_folder_that_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, site = tmp_path / "results", tmp_path / "site"
    write(results, "1.json", result(zoo.load("anbn"), "first"))
    with monkeypatch.context() as patch:
        patch.setattr(_build, "save", full)
        with pytest.raises(mdlrnn.InputError):
            atlas(results, site, seconds=0.1)
    (site / ".atlas.json.cut").write_text('{"form')
    assert atlas(results, site, seconds=0.1).languages == 1


def full(path: Path, data: object) -> None:
    raise mdlrnn.InputError(f"{path}: cannot be written (no space left on device).")


def test_nothing_is_said_of_a_search_that_was_not(tmp_path: Path) -> None:
    write(tmp_path / "results", "anbn.json", {**zoo.load("anbn").to_dict(), "name": "anbn"})
    atlas(tmp_path / "results", tmp_path / "site", seconds=0.1)
    text = Addresses((tmp_path / "site/anbn/index.html").read_text(encoding="utf-8")).text
    assert "The file holds a network alone" in text
    assert "bits in the encoding parts" in text
    for word in ("as searched", "searches the same way", "found after"):
        assert word not in text
    write(tmp_path / "results", "2.json", result(zoo.load("anbn"), "anbn"))
    atlas(tmp_path / "results", tmp_path / "site", seconds=0.1)
    text = Addresses((tmp_path / "site/anbn/index.html").read_text(encoding="utf-8")).text
    assert "from a file" in text
    assert "the best, shown" in text


def test_the_command(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert refused(run("lab", "atlas", "empty"), "empty holds no results")
    assert refused(run("lab", "atlas", "nowhere"), "there is no such folder")
    write(tmp_path / "in", "x.json", result(zoo.load("anbn"), "x"))
    write(tmp_path / "mine", "y.json", {})
    assert refused(run("lab", "atlas", "in", "-o", "mine"), "is there and is no atlas")
    assert refused(run("lab", "atlas", "mine", "-o", "out"), "holds no result that can be used")
    (tmp_path / "in/broken.json").write_text("{")
    called = run(
        "lab", "atlas", "in", "-o", "out", "--time", "0.1s", "--docs", "../docs/index.html"
    )
    assert called.code == 0
    assert called.out == "1 language, 0 proved; open out/index.html in a browser\n"
    assert "broken.json: not JSON; make this result again.\n" in called.err
    assert 'href="../docs/index.html"' in (tmp_path / "out/index.html").read_text()
    assert refused(run("lab", "atlas", "out/x", "-o", "out"), "holds the results")


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)",
        "java\nscript:alert(1)", "data:text/html,x", "//example.org", "///example.org",
        "\\\\example.org", "https:", "file:///x", "http://[", "ftp://example.org",
    ],
)  # fmt: skip
def test_a_link_leads_to_a_page_or_a_file_alone(
    run: Callable[..., Result], tmp_path: Path, address: str
) -> None:
    write(tmp_path / "in", "x.json", result(zoo.load("anbn"), "x"))
    assert refused(
        run("lab", "atlas", "in", "-o", "out", "--docs", address), "is no address for a link"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "address",
    ["../index.html", "https://example.org/a?b#c", "HTTP://example.org", "/docs/", "a b.html"],
)
def test_other_links_are_taken(address: str) -> None:
    _build.check_address(address)


NAMES = """() => [...document.querySelectorAll("#index tbody tr:not([hidden]) th a")]
    .map((a) => a.textContent)"""
"""Of the languages that are shown, in their order."""


def opened(browser: Any, path: Path, **options: Any) -> tuple[Any, list[str]]:
    tab = browser.new_context(**options).new_page()
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    tab.on("request", lambda r: None if r.url.startswith("file:") else wrong.append(r.url))
    tab.on("requestfailed", lambda r: wrong.append(r.url))
    tab.goto(path.as_uri())
    return tab, wrong


def test_the_index_is_searched_and_sorted_by_keyboard(made: _build.Site, browser: Any) -> None:
    tab, wrong = opened(browser, made.folder / "index.html")
    assert len(tab.evaluate(NAMES)) == 5
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "search"
    tab.keyboard.type("N B^2")
    assert tab.evaluate(NAMES) == ["a^n b^2n"]
    assert tab.text_content("#count") == "1 of 5 languages"
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("aⁿbⁿ")
    has_learned = ["a^n b^2n", "golden mean"]  # but was not meant to
    assert tab.evaluate(NAMES) == [*has_learned, "task anbn"]
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("a^{n} b²ⁿ")
    assert tab.evaluate(NAMES) == ["a^n b^2n"]
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("counter aⁿbⁿ proved")
    assert tab.evaluate(NAMES) == ["task anbn"]
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("proved counter")
    assert tab.evaluate(NAMES) == ["task anbn"]
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("zzz")
    assert tab.evaluate(NAMES) == []
    assert tab.is_visible("#none")
    tab.fill("#search", "")
    tab.focus("#proved")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(NAMES) == ["addition", "task anbn"]
    tab.select_option("#proved", "")
    for _ in range(4):  # over language, class and counters to |G|
        tab.keyboard.press("Tab")
    focused = "document.activeElement.dataset.sort"
    assert tab.evaluate(focused) == "g"
    sizes = "() => [...document.querySelectorAll('#index tbody tr')].map(r => Number(r.dataset.g))"
    tab.keyboard.press("Enter")
    assert tab.evaluate(sizes) == sorted(tab.evaluate(sizes))
    assert tab.get_attribute("th.of-g", "aria-sort") == "ascending"
    assert tab.get_attribute("th.of-name", "aria-sort") is None
    tab.keyboard.press("Space")
    assert tab.evaluate(sizes) == sorted(tab.evaluate(sizes), reverse=True)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.evaluate(NAMES)[:2] == ["addition", "task anbn"], "proofs first"
    assert wrong == []


def test_pages_fit_a_phone_and_lead_to_each_other(made: _build.Site, browser: Any) -> None:
    size = {"width": 390, "height": 800}
    tab, wrong = opened(browser, made.folder / "index.html", viewport=size, color_scheme="dark")
    width = "document.documentElement.scrollWidth"
    assert tab.evaluate(width) == 390
    for name in tab.evaluate(NAMES)[:3]:
        tab.click(f"text={name}") if '"' not in name else tab.click("a:has-text('<img')")
        assert tab.evaluate(width) == 390, name
        assert tab.locator("#drawing svg").count() == 1
        tab.click("text=Step through strings")
        tab.wait_for_selector("html[data-ready]", state="attached")
        tab.click("text=in the atlas")
        tab.click("text=All languages")
    assert wrong == []


def test_the_site_is_printed_whole(made: _build.Site, browser: Any) -> None:
    size = {"width": 680, "height": 960}
    for path in pages(made.folder):
        tab, wrong = opened(browser, path, viewport=size)
        tab.emulate_media(media="print")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 680, path
        tab.evaluate(
            """() => addEventListener("beforeprint", () => {
            window.folded = document.querySelectorAll("details:not([open])").length; })"""
        )
        tab.pdf()
        assert tab.evaluate("window.folded") == 0
        assert wrong == []
        if path.parent == made.folder:
            display = "e => getComputedStyle(e).display"
            assert tab.eval_on_selector("#index tbody tr", display) == "table-row"
            breaks = "e => getComputedStyle(e).breakInside"
            assert tab.eval_on_selector("main > section", breaks) == "auto"
        tab.context.close()


@pytest.mark.slow
def test_several_processes_give_the_same_site(made: _build.Site, tmp_path: Path) -> None:
    for name in ("1.json", "2.json"):
        data = json.loads((made.folder.parent / "results" / name).read_text())
        write(tmp_path / "results", name, data)
    again = atlas(tmp_path / "results", tmp_path / "site", seconds=SECONDS, workers=2)
    assert again.languages == 2
    for path in (tmp_path / "site").rglob("*/*.html"):
        first = made.folder / path.relative_to(tmp_path / "site")
        assert first.read_bytes() == path.read_bytes(), path.name


def test_no_two_rows_have_one_name() -> None:
    named = _build._distinct([("anbn", "b"), ("dyck", "c"), ("anbn", "a")])
    assert named == [("anbn (2)", "b"), ("dyck", "c"), ("anbn (1)", "a")]


def test_a_machine_that_was_read_off_counts_as_such(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    pytest.importorskip("z3")
    (tmp_path / "in").mkdir()
    replace(zoo.anbn(), name="mine").save(tmp_path / "in" / "mine.json")
    assert run("lab", "atlas", "in", "-o", "out").code == 0
    text = (tmp_path / "out" / "index.html").read_text()
    assert "1 more follows a machine that was read off, for every string" in text
    page = (tmp_path / "out" / "mine" / "index.html").read_text()
    assert "It has learned a^n b^n" in page
    assert "It is not known" not in page
