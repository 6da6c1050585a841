"""benchmarks/lines: changes of single lines leave a file that Python reads, and another one."""

from __future__ import annotations

import ast

from benchmarks.lines import changes_of, drawn, reaching

from helpers.data import ROOT

PRODUCT = ROOT / "src" / "mdlrnn" / "machines" / "_algebra.py"


def test_a_change_is_one_change_and_leaves_python() -> None:
    whole = PRODUCT.read_text(encoding="utf-8")
    kinds = {}
    for change in changes_of(PRODUCT):
        kinds[type(change.node).__name__] = change
    assert {"Compare", "BoolOp", "Constant", "Call", "Return", "Assign"} <= kinds.keys()
    for change in kinds.values():
        text = change.text()
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(whole)), str(change)


def test_changes_repeat_by_their_seed_and_know_their_tests() -> None:
    first, second = (list(map(str, drawn(1, 5, {"machines"}))) for _ in range(2))
    assert first == second
    assert first != list(map(str, drawn(2, 5, {"machines"})))
    own, others = reaching(ROOT / "src" / "mdlrnn" / "network" / "_units.py")
    assert own == [str(ROOT / "tests" / "network")]
    assert any("test_kernels" in path for path in others)
