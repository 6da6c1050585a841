"""What values show in a notebook, and what a run has learned: attached here, in one place.

A network and a run know nothing of pictures and proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .network import Network

if TYPE_CHECKING:
    from .extraction import Verdict
    from .search import Run


def attach_to_network() -> None:
    setattr(Network, "_repr_svg_", _network_svg)  # noqa: B010, type checkers know it already


def attach_to_run(kind: type[Run]) -> None:
    setattr(kind, "_repr_html_", _run_html)  # noqa: B010
    setattr(kind, "verdict", property(_verdict))  # noqa: B010
    setattr(kind, "learned", property(lambda run: run.verdict.learned))  # noqa: B010


def _network_svg(network: Network) -> str:
    from .show import draw  # heavier than a network

    return draw(network).svg()


def _run_html(run: Run) -> str:
    from .show import run_html

    return run_html(run)


def _verdict(run: Run) -> Verdict:
    if "_verdict" not in vars(run):
        from .interface import verdict_by

        vars(run)["_verdict"] = verdict_by(run)
    found: Verdict = vars(run)["_verdict"]
    return found
