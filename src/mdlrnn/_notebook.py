"""What values show in a notebook, and what a run has learned: attached here, in one place.

A network and a run know nothing of pictures and proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .network import Network

if TYPE_CHECKING:
    from .extraction import Learned
    from .search import Run


def attach_to_network() -> None:
    setattr(Network, "_repr_svg_", _network_svg)  # noqa: B010, type checkers know it already


def attach_to_run(kind: type[Run]) -> None:
    setattr(kind, "_repr_html_", _run_html)  # noqa: B010
    setattr(kind, "learned", property(_learned))  # noqa: B010


def _network_svg(network: Network) -> str:
    from .show import draw  # heavier than a network

    return draw(network).svg()


def _run_html(run: Run) -> str:
    from .show import run_html

    return run_html(run)


def _learned(run: Run) -> Learned | None:
    if "_learned" not in vars(run):
        from .interface import learned_by_run

        vars(run)["_learned"] = learned_by_run(run)
    found: Learned | None = vars(run)["_learned"]
    return found
