"""The page as a file, and the commands `report` and `watch`."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from helpers.commands import Result, refused
from helpers.data import a_theorem, is_one_sentence
from helpers.slow import few
from helpers.strategies import networks
from mdlrnn import (
    Corpus,
    Encoding,
    InputError,
    Network,
    Search,
    Stop,
    encode,
    evolve,
    languages,
    machines,
    zoo,
)
from mdlrnn.cli._runs import curve
from mdlrnn.extraction import Learned, Verdict
from mdlrnn.languages import TASKS, language_from
from mdlrnn.languages import _tasks as tasks_module
from mdlrnn.network._encoding import SCHEMES
from mdlrnn.show._content import network_content, run_content
from mdlrnn.show._page import asset, described_parts, example_string, page, verdict_section

CORPUS = Corpus.from_strings(["ab", "aabb", "aaabbb"], [6, 3, 1])
SEARCH = Search(islands=2, population=30)
STOP = Stop(generations=40)


class Outline(HTMLParser):
    """Tags that are open, to see that all get closed, and every address that is named."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input", "circle", "path", "polygon", "polyline"):
            self.open.append(tag)
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href", "action", "data")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "small"
    evolve(CORPUS, SEARCH, stop=STOP, out=path)
    return path


@pytest.fixture
def anbn(tmp_path: Path) -> str:
    zoo.anbn().save(tmp_path / "anbn.json")
    return "anbn.json"


@pytest.mark.parametrize("name", few(zoo.names(), "anbn", "dyck2", "addition"))
def test_a_page_is_whole_small_and_alone(name: str) -> None:
    text = page(network_content(zoo.load(name), name))
    outline = Outline(text)
    assert outline.open == []
    assert outline.addresses == []
    assert len(text.encode()) < 200_000
    assert "default-src 'none'" in text


@given(networks(max_hidden=4, max_connections=12))
@settings(max_examples=30)
def test_the_bits_of_the_page_are_the_network_s(net: Network) -> None:
    for scheme in SCHEMES:
        encoding = Encoding.fitting(net, scheme)
        parts = described_parts(net, encoding)
        assert "".join(part["bits"] for part in parts) == encode(net, encoding)
        for number, c in enumerate(net.connections):
            own = [part for part in parts if part["connection"] == number]
            assert [part["kind"] for part in own] == ["target", "weight", "kind"]
            assert own[0]["label"] == f"to unit {c.target}"
            assert own[1]["label"] == f"weight {c.weight}"
            assert own[2]["label"] == c.kind


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_kind_of_bits_has_a_colour_and_is_explained(scheme: str) -> None:
    network = zoo.load("dyck2")
    encoding = Encoding.fitting(network, scheme)
    kinds = {part["kind"] for part in described_parts(network, encoding)}
    shown = page(network_content(network, "dyck2", encoding))
    legend = shown[shown.index('<ul class="legend">') :]
    for kind in kinds:
        assert f".k-{kind} {{ background: #" in asset("page.css")
        assert f'<b class="k-{kind}"></b>' in legend
    assert ("part" in kinds) == encoding.says_parts


@given(networks(max_hidden=4, max_connections=12))
@settings(max_examples=12)
def test_any_network_has_a_page(net: Network) -> None:
    outline = Outline(page(network_content(net, "any")))
    assert outline.open == []
    assert outline.addresses == []


def test_a_theorem_has_a_place_and_none_leaves_none() -> None:
    theorem = a_theorem(
        "For every n it is right.", ("phase", "u6"), (("after a", "k"),), "By machine."
    )
    content = network_content(zoo.anbn(), "anbn")
    shown = page(replace(content, verdict=Verdict(zoo.anbn(), "a^n b^n", theorem)))
    assert "<h2>Theorem</h2>" in shown
    assert "For every n it is right." in shown
    assert '<th scope="row">after a</th><td>k</td>' in shown
    assert "<h2>Theorem</h2>" not in page(content)


def test_a_theorem_s_probabilities_stand_before_its_units() -> None:
    head = ("after", "where", "unit 6", "unit 3", "P(#)", "P(a)")
    theorem = a_theorem("It is right.", head, (("a", "k > 0", "k", "7/3", "0", "1"),))
    verdict = Verdict(zoo.anbn(), "a^n b^n", theorem)
    shown = page(replace(network_content(zoo.anbn(), "anbn"), verdict=verdict))
    cells = "".join(f"<td>{cell}</td>" for cell in ("k &gt; 0", "0", "1", "k", "7/3"))
    assert f'<th scope="row">a</th>{cells}' in shown


def test_a_machine_that_is_not_proved_is_no_theorem() -> None:
    network = zoo.anbn()
    open_ = Learned(network, None, None, None, "Up to 1 symbol.", 0.0, 1)
    shown = verdict_section(Verdict(network, learned=open_))
    assert "<p>Up to 1 symbol.</p>" in shown
    assert "Its rules" not in shown
    proved = replace(open_, machine=languages.anbn(), proof=a_theorem("Right."))
    shown = verdict_section(Verdict(network, learned=proved))
    assert "<p>Theorem. Up" in shown
    assert "Its rules" in shown


@pytest.mark.parametrize("name", few(["anbn", "anbncn", "anb2n", "dyck1", "dyck2"], "dyck1"))
def test_a_page_opens_on_a_string_of_the_language(name: str) -> None:
    """Without a corpus on one that the network itself finds likely."""
    language = TASKS[name].rules
    assert isinstance(language, machines.Machine)
    network = zoo.load(name)
    assert language.accepts(example_string(network))
    assert len(example_string(network)) >= 2
    content = network_content(network, name, task=language_from(f"{name}_100"))
    assert content.example is not None
    assert language.accepts(content.example)


def test_what_can_be_proved_stands_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("z3")
    monkeypatch.setattr(tasks_module, "BEYOND", 30)
    content = network_content(zoo.anbn(), "anbn", task=language_from("anbn_100"))
    assert content.theorem is not None
    assert "3.1·10^-7" in content.theorem.statement
    assert "k &gt; 0" in page(content)
    wrong = network_content(zoo.anb2n(), "anb2n", task=language_from("anbn_100"))
    assert wrong.theorem is None


def test_a_run_s_theorem_is_shown_of_the_network_that_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks_module, "BEYOND", 30)
    evolve("anbn_100", SEARCH, stop=Stop(generations=1), out=tmp_path / "run", prove=False)
    theorem = {
        "proved": True, "statement": "It is right.", "language": "a^n b^n", "notes": ["By hand."],
        "outcome": "proved", "claims": [], "float_failure": None,
        "network": Network.load(tmp_path / "run" / "best.json").to_dict(),
        "table": {"head": ["phase", "u6"], "rows": [["after a", "k"]]},
    }  # fmt: skip
    (tmp_path / "run" / "theorem.json").write_text(json.dumps(theorem))
    shown = run_content(tmp_path / "run").theorem
    assert shown is not None
    assert (shown.statement, shown.notes) == ("It is right.", ("By hand.",))
    assert shown.table() == (["phase", "u6"], [["after a", "k"]])
    with pytest.raises(InputError, match="was read from a file"):
        shown.certificate()
    theorem["float_failure"] = {"string": "ab", "step": 1, "given": {}}
    (tmp_path / "run" / "theorem.json").write_text(json.dumps(theorem))
    content = run_content(tmp_path / "run")
    assert content.theorem is not None
    assert content.theorem.only_exact
    assert "<h2>Theorem, in exact numbers</h2>" in page(content)
    zoo.anb2n().save(tmp_path / "run" / "best.json")
    assert run_content(tmp_path / "run").theorem is None, "the run has gone on to another network"


def test_score_and_measures_are_those_of_the_commands() -> None:
    shown = page(
        network_content(zoo.anbn(), "anbn", Encoding("tacl2022"), task=language_from("anbn"))
    )
    assert "<dd>160 bits, the network</dd>" in shown
    assert "1,643.91 bits" in shown
    assert "<p>no mistake on any of these strings</p>" in shown
    assert "0.258213" in shown


# report


def test_report_on_a_network(
    run: Callable[..., Result], anbn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks_module, "BEYOND", 30)
    code, out, err = run("report", anbn, "--task", "anbn_100", "-o", "page.html")
    assert (code, out, err) == (0, "saved as page.html; open it in a browser\n", "")
    text = Path("page.html").read_text()
    assert "<h1>anbn</h1>" in text
    assert "a^n b^n, 100" in text


def test_report_on_a_network_and_a_corpus(run: Callable[..., Result], anbn: str) -> None:
    Path("strings.txt").write_text("ab\naabb\n")
    assert run("report", anbn, "--corpus", "strings.txt", "--title", "A & <b>").code == 0
    text = Path("report.html").read_text()
    assert "<h1>A &amp; &lt;b&gt;</h1>" in text
    assert "bits, strings</dd>" in text


@pytest.mark.parametrize("more", [(), ("--follow",)])
def test_report_on_a_run(run: Callable[..., Result], folder: Path, more: tuple[str, ...]) -> None:
    code, out, err = run("report", folder, *more)
    assert (code, err) == (0, "")
    assert out.startswith("saved as report.html; ")
    text = Path("report.html").read_text()
    assert "<h2>The search</h2>" in text
    assert "<dd>finished: generations</dd>" in text
    assert "The front" in text
    assert 'http-equiv="refresh"' not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), "nothing: cannot be read"),
        (("anbn.json", "--follow"), "anbn.json is no run that could be followed; "),
        (("anbn.json", "--task", "anbm"), "no task has that name; did you mean anb"),
        (("anbn.json", "--task", "strings.txt"), "strings.txt is a file and no task; "),
        (("anbn.json", "--task", "anbn.json"), "anbn.json: line "),
        (("anbn.json", "--task", "dyck1"), "anbn.json: "),
        (("anbn.json", "--corpus", "none.txt"), "none.txt: cannot be read"),
        (("anbn.json", "-o", "no/such.html"), "no/such.html: cannot be written"),
        (("empty",), "empty: holds no run; "),
    ],
)
def test_report_refuses_in_a_sentence(
    run: Callable[..., Result], anbn: str, arguments: tuple[str, ...], words: str
) -> None:
    Path("empty").mkdir()
    Path("strings.txt").write_text("ab\n")
    assert refused(run("report", *arguments), words)
    assert not Path("report.html").exists()


OFTEN = (
    "import mdlrnn.cli._show as report, mdlrnn.runs._recorder as runs; "
    "report.SECONDS = 0.1; runs.LEAST_SECONDS = 0.0; from mdlrnn.cli import main; main()"
)
"""A command line that saves at every migration and looks often."""


def test_report_follows_a_run_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "ab.txt").write_text("6\tab\n3\taabb\n")
    command = [sys.executable, "-c", OFTEN]
    limits = ["--time", "10m", "--set", "islands=4", "--set", "population=40", "--workers", "1"]
    search = subprocess.Popen(
        [*command, "evolve", "ab.txt", "--out", "run", "--quiet", *limits],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not (tmp_path / "run" / "log.jsonl").exists():
        assert search.poll() is None
        time.sleep(0.2)
    following = subprocess.Popen(
        [*command, "report", "run", "--follow"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    report = tmp_path / "report.html"
    while not report.exists():
        assert following.poll() is None
        time.sleep(0.2)
    whole = report.read_text()
    assert whole.endswith("</html>\n")
    assert 'http-equiv="refresh"' in whole  # the run goes on, and the page with it
    search.send_signal(signal.SIGINT)
    assert search.wait(timeout=120) == 130
    told, _ = following.communicate(timeout=120)
    assert following.returncode == 0
    assert told.endswith("the run has ended, and the page is complete\n")
    text = report.read_text()
    assert 'http-equiv="refresh"' not in text
    assert "<dd>stopped" in text


# watch


def test_watch_shows_a_finished_run(run: Callable[..., Result], folder: Path) -> None:
    code, out, err = run("runs", "--watch", folder)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith("finished: generations")
    assert any(re.fullmatch(r"best +\|G\| \d+  \|D:G\| .*  MDL .*", line) for line in lines)
    assert "generation  40 of 40" in lines
    assert any(line.startswith("unit ") and "P(a)" in line for line in lines)
    assert all(len(line) <= 80 for line in lines[1:])
    assert set(curve(folder, 40)) <= set("▁▂▃▄▅▆▇█")


def test_watch_refuses_what_is_no_run(run: Callable[..., Result], tmp_path: Path) -> None:
    assert refused(run("runs", "--watch", "none"), "none: there is no such folder; ")
    (tmp_path / "empty").mkdir()
    assert refused(run("runs", "--watch", "empty"), "empty: holds no run; ")


def test_a_broken_run_is_named_as_such(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "settings.json").write_text("{}")
    for command in (("runs", "--watch"), ("report",)):
        result = run(command, "broken")
        assert result.code == 2
        assert is_one_sentence(result.err.strip())


def test_a_run_s_page_says_how_many_strings_are_enough(tmp_path: Path) -> None:
    small = Search(islands=2, population=20)
    for name, source in (("known", "a^n b^n"), ("own", ["ab", "aabb"])):
        evolve(source, small, stop=Stop(generations=5), out=tmp_path / name, progress=False)
    known = page(run_content(tmp_path / "known"))
    assert "<h2>How many strings are enough</h2>" in known
    assert re.search(r"strings? makes? a network|None of these networks is right", known)
    assert "How many strings are enough" not in page(run_content(tmp_path / "own"))
