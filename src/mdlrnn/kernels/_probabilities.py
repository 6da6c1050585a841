"""The distribution after every prefix of a corpus, for measures that need more than a score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpus._corpus import Corpus
from ..network._network import Network
from ._compile import announced, entry
from ._contexts import feed_contexts, fill_tables
from ._feed import feed_chunk
from ._genome import Words, row_of
from ._plan import make_plan
from ._surprisal import set_chances
from ._tree import CHUNK, Tree, tree_of
from ._types import Floats2
from ._workspace import Workspace, check_fed, workspace_for


def distributions(network: Network, corpus: Corpus) -> NDArray[np.float64]:
    """(node, target): probabilities; with one output the targets are 0 and 1.

    `corpus` is in the order of the network's units.
    """
    tree = tree_of(corpus, is_scored=False)
    check_fed(tree, len(network.units), len(network.connections))
    work = workspace_for(tree, len(network.units), len(network.connections), network.saturation)
    found = np.zeros((len(corpus.parent), max(corpus.outputs, 2)))
    with announced("measure", "the measuring kernels"):
        fill_distributions(row_of(network), tree, work, found)
    return found


@entry
def fill_distributions(genome: Words, tree: Tree, work: Workspace, found: Floats2) -> None:
    inputs, outputs, full = tree.inputs, tree.outputs, tree.full
    plan, weights, values = work.plan, work.weights, work.values
    links = tree.links
    make_plan(genome, inputs, outputs, full, plan, weights, work.reach)
    feed_contexts(
        genome, full, tree.sizes, plan, weights, values, tree.rows, links, work.most,
    )  # fmt: skip
    fill_tables(
        genome, full, tree.sizes, plan, weights, values, work.tables, tree.rows, links,
    )  # fmt: skip
    chunk = tree.chunk_start[full]
    while tree.chunks[chunk] < tree.sizes[full]:
        begin, end = tree.chunks[chunk], tree.chunks[chunk + 1]
        feed_chunk(
            genome, full, begin, end, plan, weights, values, work.tables, links, tree.levels,
            work.most,
        )  # fmt: skip
        set_chances(inputs, outputs, full, begin, end, plan, values, work.chances, links)
        for i in range(end - begin):
            total = 1.0 if outputs == 1 else work.chances[outputs * CHUNK + i]
            for t in range(found.shape[1]):
                found[begin + i, t] = work.chances[t * CHUNK + i] / total
        chunk += 1
