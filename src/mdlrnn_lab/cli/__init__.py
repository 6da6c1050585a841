"""`mdlrnn lab`: the laboratory's commands, found by the command line through an entry point."""

from __future__ import annotations

import click

from mdlrnn.cli import Entry, LazyGroup

SECTIONS = {
    "The paper's results": {
        "table": Entry("_tables", "Make the main table: MDLRNNs and RNNs on all tasks."),
        "probe": Entry("_tables", "Search with five objectives on a^n b^n."),
        "zoo": Entry("_zoo", "Write a network of the paper, or list them."),
        "rnns": Entry("_rnns", "Train the paper's classical RNNs on a task."),
    },
    "Other comparisons": {
        "regularisers": Entry("_tables", "Say which regulariser keeps a golden network."),
        "bliss": Entry("_tables", "Search on the BLISS benchmark."),
        "handful": Entry("_tables", "Search on the benchmark of few strings."),
        "atlas": Entry("_tables", "Write a site on all that a folder of results holds."),
        "bench": Entry("_rnns", "Measure the speed of this machine."),
    },
}


@click.group(cls=LazyGroup, package=__name__, sections=SECTIONS)
def lab() -> None:
    """Make the paper's tables, comparisons and measurements again."""
