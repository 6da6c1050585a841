"""Plots, each in two steps: a function that returns the data, and a renderer that draws them.

picture = plots.plot_probabilities(plots.probabilities(net, "aabb"))
picture.save("aabb.svg")  # or .png, .pdf, .tex; a notebook shows it as it is
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._accuracy import Accuracy as Accuracy
from ._accuracy import accuracy as accuracy
from ._along import Probabilities as Probabilities
from ._along import Values as Values
from ._along import probabilities as probabilities
from ._along import values as values
from ._charts import plot_accuracy as plot_accuracy
from ._charts import plot_enough as plot_enough
from ._charts import plot_front as plot_front
from ._charts import plot_history as plot_history
from ._charts import plot_probabilities as plot_probabilities
from ._charts import plot_values as plot_values
from ._enough import LinesOverStrings as LinesOverStrings
from ._enough import lines_over_strings as lines_over_strings
from ._search import Front as Front
from ._search import History as History
from ._search import front as front
from ._search import history as history

if TYPE_CHECKING:
    from ..search._run import Run

__all__ = [
    "Accuracy", "Front", "History", "LinesOverStrings", "Probabilities", "Values", "accuracy",
    "front", "history", "lines_over_strings", "plot_accuracy", "plot_enough", "plot_front",
    "plot_history", "plot_probabilities", "plot_values", "probabilities", "run_html", "values",
]  # fmt: skip


def run_html(run: Run) -> str:
    """What a notebook shows of a `Run`: its curve and its best network."""
    return plot_history(history(run)).svg() + run.best.draw().svg()
