"""What values show in a notebook."""

from __future__ import annotations

import pytest

import mdlrnn
from mdlrnn import Search, Stop, show, zoo


def test_answers_show_themselves() -> None:
    pytest.importorskip("z3")
    assert "a^n b^n" in mdlrnn.learned(zoo.anbn())._repr_html_()
    assert mdlrnn.prove(zoo.anbn(), "anbn")._repr_markdown_().startswith("**")


def test_a_run_and_its_front_show_themselves() -> None:
    run = mdlrnn.evolve(["ab", "aabb"], Search(islands=2, population=20), stop=Stop(generations=30))
    shown = run._repr_html_()
    assert shown.count("<svg") in (1, 2)
    assert "unit 3, P(#)" in shown
    assert show.front(run)._repr_svg_().startswith("<svg")
