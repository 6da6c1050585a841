"""The verdict of a proof on a network, in a word or two for a table's last column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._errors import MissingExtra
from ..languages import Grammar
from ..proofs._prove import prove
from ..tasks._tasks import TASKS
from ._runs import best_network, write_figures


def with_verdict(folder: Path, figures: dict[str, Any]) -> dict[str, Any]:
    """The figures with the proof's outcome, from the file or made now and kept."""
    if "proof" in figures or figures["task"] not in TASKS:
        return figures
    language = TASKS[figures["task"]].language
    if isinstance(language, Grammar):
        return figures
    try:
        proof = prove(best_network(folder, figures["name"]), language).to_dict()
    except MissingExtra:
        return figures
    found = {**figures, "proof": proof}
    write_figures(folder / "figures" / f"{figures['name']}.json", found)
    return found


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
