"""The examples are languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.data import ROOT
from mdlrnn.languages import language_from, language_with_rules
from mdlrnn.languages._grammar import Grammar

EXAMPLES = sorted(
    path for path in (ROOT / "examples").iterdir() if path.suffix in (".lang", ".pcfg")
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_a_language_with_a_machine(path: Path) -> None:
    if path.suffix == ".pcfg":
        pytest.importorskip("nltk")
    source = language_from(path)
    assert source.machine is not None
    assert not isinstance(language_with_rules(source).rules, Grammar)
    assert source.rules is not None
    assert source.training(20).sequences == 20


def test_there_are_ten_examples_and_each_is_told_of() -> None:
    told = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 10
    assert all(f"`{path.name}`" in told for path in EXAMPLES)
    for line in (ROOT / "examples" / "notations.txt").read_text(encoding="utf-8").splitlines():
        assert language_from(line).machine is not None
