"""Theorems about networks: search for a proof, certificates, explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._execute import executor as executor
    from ._explain import explain as explain
    from ._proof import Checked as Checked
    from ._proof import Proof as Proof
    from ._proof import check as check
    from ._proof import document as document
    from ._prove import Prover as Prover
    from ._prove import prove as prove
    from ._smt import CHECK as CHECK
    from ._smt import IN_RUN as IN_RUN
    from ._smt import SECONDS as SECONDS
    from ._smt import available as available
    from ._smt import folded as folded
    from ._smt import require as require
    from ._statement import TO_TRY as TO_TRY
    from ._terms import bound_text as bound_text
    from ._terms import decimal_text as decimal_text
    from ._terms import rounded_up as rounded_up
    from ._terms import solve as solve
    from ._witness import Counterexample as Counterexample
else:
    from ..door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
