"""The documentation: what it shows is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

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


def commands(path: Path) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with what it is said to print."""
    found = []
    for block in blocks(path, "console"):
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = piece.partition("\n")
            found.append((command, shown))
    return found


def call(run: Run, command: str, folder: Path, codes: tuple[int, ...] = (0,)) -> str:
    program, *arguments = shlex.split(command)
    if program == "mdlrnn":
        code, out, err = run(*arguments)
    else:
        called = [sys.executable, *arguments]
        done = subprocess.run(called, cwd=folder, capture_output=True, text=True, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    assert code in codes, (command, err)
    return out


NEEDED = {
    "exports.md": ("torch", "sympy", "nltk", "networkx"),
    "estimator.md": ("sklearn",),
}


def skip_without(name: str) -> None:
    for module in NEEDED.get(name, ()):
        pytest.importorskip(module, reason=f"{name} is not followed: {module} is not installed")


@pytest.mark.parametrize(
    "name",
    few(["tasks.md", "pictures.md", "exports.md", "successors.md"], "tasks.md", "exports.md"),
)
def test_commands_print_what_the_page_says(run: Run, name: str, tmp_path: Path) -> None:
    for command, shown in commands(DOCS / name):
        assert call(run, command, tmp_path) == shown, command


@pytest.mark.parametrize(
    "name", ["tasks.md", "pictures.md", "exports.md", "estimator.md", "own_language.md"]
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
    ((command, shown),) = commands(page)
    assert shown == ""
    call(run, command, tmp_path)
    call(run, "mdlrnn evolve anbn --size 100 --generations 60 --out here --quiet", tmp_path)
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


@pytest.mark.slow
def test_the_tutorial_can_be_followed(run: Run, tmp_path: Path) -> None:
    """Its commands in its order; all that they print but times, and what is learned in a time."""
    pytest.importorskip("z3")
    for command, shown in commands(DOCS / "tutorial.md"):
        program, *arguments = shlex.split(command)
        if program == "cat":
            (tmp_path / arguments[0]).write_text(shown.rstrip("\n") + "\n")
            continue
        printed = call(run, command, tmp_path)
        for paragraph in _without_times(shown):
            assert paragraph in printed, command


def _without_times(shown: str) -> list[str]:
    kept = re.sub(r"^\.\.\.$", "", shown.partition("It has learned")[0], flags=re.M)
    return [part.strip("\n") for part in kept.split("\n\n") if not re.search(r"\d s\b", part)]


def test_the_drawings_of_the_zoo_are_in_the_docs_and_up_to_date() -> None:
    page = (DOCS / "zoo.md").read_text(encoding="utf-8")
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
    assert pages >= {"index", "tutorial", "pictures", "zoo", "tasks", "searching", "design", "api"}


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
