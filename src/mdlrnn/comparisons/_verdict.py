"""The verdict of a proof on a network, in a word or two for a table's last column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._errors import InputError
from ..languages import Grammar, Language, Transducer
from ..proofs._prove import prove
from ..proofs._solver import available
from ._runs import best_network, write_figures


def with_verdict(
    folder: Path, figures: dict[str, Any], language: Language | Grammar | Transducer
) -> dict[str, Any]:
    """The figures with the proof's outcome, from the file or made now and kept; without it, where
    there is an obstacle."""
    if "proof" in figures or obstacle_to(language) is not None:
        return figures
    proof = prove(best_network(folder, figures["name"]), _machine_of(language)).to_dict()
    found = {**figures, "proof": proof}
    write_figures(folder / "figures" / f"{figures['name']}.json", found)
    return found


def obstacle_to(language: Language | Grammar | Transducer) -> str | None:
    """Why no theorem can be sought about a language, as a sentence; None where it can."""
    if not available("z3"):
        return 'No theorem was sought: the prover is not installed (pip install "mdlrnn[prove]").'
    try:
        _machine_of(language)
    except InputError as error:
        return f"No theorem was sought: {error}"
    return None


def _machine_of(language: Language | Grammar | Transducer) -> Language | Transducer:
    return language.machine() if isinstance(language, Grammar) else language


def verdict(figures: dict[str, Any]) -> str:
    """'exact', 'within 1e-06', 'refuted', 'not shown', or nothing where no proof was tried."""
    proof = figures.get("proof")
    if not isinstance(proof, dict):
        return ""
    if not proof.get("proved"):
        return str(proof.get("outcome", "not shown"))
    claim = (proof.get("claims") or [{}])[0]
    kind = str(claim.get("kind", "proved"))
    margin = claim.get("margin") or 0
    return f"{kind} {margin:g}" if margin else kind
