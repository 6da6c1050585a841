"""The documentation: what it shows is what happens."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.claims import agrees, failures

from helpers.commands import Run
from helpers.data import ROOT
from helpers.slow import few
from mdlrnn import show, zoo
from mdlrnn.search.workers._workers import _settings as cluster_settings

DOCS = ROOT / "docs"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def blocks(path: Path, language: str) -> list[str]:
    found = re.findall(
        rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.S | re.M
    )
    assert found, f"{path.name} has no {language} block"
    return found


NEEDED = {
    "exports.md": ("torch", "sympy", "nltk", "networkx"),
    "estimator.md": ("sklearn",),
}


def skip_without(name: str) -> None:
    for module in NEEDED.get(name, ()):
        pytest.importorskip(module, reason=f"{name} is not followed: {module} is not installed")


QUICK = ["commands.md", "exports.md", "inside.md", "languages.md", "paper.md", "proofs.md"]
MOST_WORDS = {"README.md": 750, "docs": 16_000, "docs/lab": 10_000}


@pytest.mark.parametrize("name", few(QUICK, "exports.md", "languages.md", "proofs.md"))
def test_commands_print_what_the_page_says(name: str, tmp_path: Path) -> None:
    pytest.importorskip("z3")
    assert list(failures(DOCS / name, tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "tutorial.md"], ids=lambda p: p.name)
def test_a_first_hour_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("z3")
    assert list(failures(page, tmp_path)) == []


def test_the_pages_are_few_and_short() -> None:
    pages = [page for page in DOCS.glob("*.md") if page.name != "design.md"]
    assert len(pages) <= 12
    words = {
        "README.md": _words([ROOT / "README.md"]),
        "docs": _words(pages),
        "docs/lab": _words(DOCS.glob("lab/*.md")),
    }
    assert all(words[name] <= most for name, most in MOST_WORDS.items()), words


def _words(pages: Iterable[Path]) -> int:
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


@pytest.mark.parametrize(
    ("shown", "printed", "holds"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("...\nb\n...\nd\n", "a\nb\nc\nd\ne\n", True),
        ("...\nd\n...\nb\n", "a\nb\nc\nd\n", False),
        ("0.7 s; run\nb\n", "1.9 s; run\nb\n", True),
    ],
)
def test_a_claim_holds_where_what_it_shows_is_printed(
    shown: str, printed: str, holds: bool
) -> None:
    assert agrees(shown, printed) is holds


@pytest.mark.parametrize(
    "name", ["inside.md", "exports.md", "estimator.md", "languages.md", "python.md"]
)
def test_python_examples_give_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without(name)
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(DOCS / name, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_the_readme_s_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = blocks(ROOT / "README.md", "python")
    exec(compile(block, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("a^n b^n\n")
    assert "gives each next symbol exactly its true probability" in " ".join(shown.split())


@pytest.mark.slow
def test_the_page_on_clusters_runs_as_it_stands(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="pip install distributed to test Dask")
    page = DOCS / "cluster.md"
    assert list(failures(page, tmp_path)) == []
    assert run("evolve", "anbn", "--size", "100", "--generations", "60", "--out", "here").code == 0
    best = [(tmp_path / name / "best.json").read_text(encoding="utf-8") for name in ("run", "here")]
    assert best[0] == best[1]
    (settings,) = blocks(page, "yaml")
    path = tmp_path / "slurm.yaml"
    path.write_text(settings)
    system, jobs, options = cluster_settings(path)
    assert (system, jobs, options["interface"]) == ("slurm", 8, "ib0")
    (script,) = blocks(page, "bash")
    if bash := shutil.which("bash"):
        subprocess.run([bash, "-n"], input=script, text=True, check=True)


def test_the_drawings_of_the_zoo_are_in_the_docs_and_up_to_date() -> None:
    page = (DOCS / "paper.md").read_text(encoding="utf-8")
    for name in zoo.names():
        assert f"(zoo/{name}.svg)" in page
        kept = (DOCS / "zoo" / f"{name}.svg").read_text(encoding="utf-8")
        # Another version of Graphviz may put things elsewhere, but what is drawn stays the same.
        assert _what_is_drawn(kept) == _what_is_drawn(show.draw(zoo.load(name)).svg())
    for name in ("dyck1_pcfg", "arithmetic", "toy_english"):
        assert f"(zoo/{name}.svg)" in page
        kept = (DOCS / "zoo" / f"{name}.svg").read_text(encoding="utf-8")
        assert _what_is_drawn(kept) == _what_is_drawn(show.draw(zoo.golden(name)).svg())


def _what_is_drawn(svg: str) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for item in ElementTree.fromstring(svg).iter():
        found[item.tag, item.get("class", ""), item.text or ""] += 1
    return found


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the site is not built: Sphinx is not installed")
    pytest.importorskip("myst_parser")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(DOCS), str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.stem for path in (tmp_path / "site").glob("*.html")}
    assert pages >= {"index", "tutorial", "inside", "paper", "searching", "design", "python"}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="no notebook is run: nbclient is missing")
    nbclient = pytest.importorskip("nbclient", reason="no notebook is run: nbclient is missing")
    book = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=300, resources=resources).execute()


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {
        "estimator", "find_anbn", "own_strings", "read_a_network",
    }  # fmt: skip
