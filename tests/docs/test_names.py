"""Modules and files that docs and docstrings name exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.data import ROOT

PACKAGE = ROOT / "src" / "mdlrnn"
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
QUOTED = re.compile(r"`([^`\s]+)`")
PATH = re.compile(r"[\w./-]*\w\.(?:py|js|md|json|toml|cff|css)|(?:[\w-]+/)+")
MADE = re.compile(r"^(settings|best|front|theorem|proved|anbn|net|table|probe|results)\.\w+$")
"""Files of a run or of an example, which the repository does not hold."""


def docstrings() -> Iterator[tuple[Path, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        if text:
            yield path, text


def is_there(name: str, folder: Path) -> bool:
    """A path from the repository, the package, the docs or the folder of what names it."""
    laboratory = ROOT / "src" / "mdlrnn_lab"
    homes = (ROOT, PACKAGE, laboratory, ROOT / "docs", folder, ROOT / "tests", ROOT / "src")
    return any((home / name).exists() for home in homes)


@pytest.mark.parametrize("page", DOCS, ids=lambda path: path.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = QUOTED.findall(page.read_text(encoding="utf-8"))
    paths = [name for name in named if PATH.fullmatch(name) and not MADE.match(name)]
    missing = [name for name in paths if not is_there(name, page.parent) and "/" in name]
    assert missing == []


@pytest.mark.parametrize("page", DOCS, ids=lambda path: path.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose)
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("path", "text"), list(docstrings()), ids=[str(p.relative_to(PACKAGE)) for p, _ in docstrings()]
)
def test_modules_that_a_docstring_names_exist(path: Path, text: str) -> None:
    """`_plan` is a module beside, `network._code` one of another room."""
    missing = []
    for name in QUOTED.findall(text):
        if re.fullmatch(r"_[a-z][a-z0-9_]*", name) and not name.startswith("__"):
            beside = path.parent / f"{name}.py"
            inside = name in path.read_text(encoding="utf-8").replace(text, "")
            if not beside.exists() and not inside:
                missing.append(name)
        elif re.fullmatch(r"[a-z]+\._[a-z][a-z0-9_]*", name):
            if not (PACKAGE / f"{name.replace('.', '/')}.py").exists():
                missing.append(name)
        elif "/" in name and PATH.fullmatch(name) and not is_there(name, path.parent):
            missing.append(name)
    for name in re.findall(r"\bdocs/\w+\.md\b|\btests/\w+\.py\b", text):
        if not (ROOT / name).exists():
            missing.append(name)
    assert missing == []
