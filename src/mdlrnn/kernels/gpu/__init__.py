"""The kernels of a graphics card, from the helpers that the CPU's kernels are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import breeding as breeding
    from ._cuda import SIMULATED as SIMULATED
    from ._cuda import VISIBLE as VISIBLE
    from ._cuda import WARP as WARP
    from ._cuda import card_of_process as card_of_process
    from ._cuda import cards as cards
    from ._cuda import cuda as cuda
    from ._cuda import free_bytes as free_bytes
    from ._cuda import multiprocessors as multiprocessors
    from ._cuda import name_of_card as name_of_card
    from ._cuda import new_stream as new_stream
    from ._cuda import repeated as repeated
    from ._cuda import require_card as require_card
    from ._cuda import synchronize as synchronize
    from ._feeding import ABOUT as ABOUT
    from ._feeding import plan_kernel as plan_kernel
    from ._scoring import MOST_NETWORKS as MOST_NETWORKS
    from ._scoring import SHARE as SHARE
    from ._scoring import SHARE_FOR_VALUES as SHARE_FOR_VALUES
    from ._scoring import CardBatch as CardBatch
    from ._scoring import Values as Values
    from ._scoring import blocks_for as blocks_for
    from ._scoring import bytes_a_block as bytes_a_block
    from ._scoring import bytes_a_network as bytes_a_network
    from ._scoring import columns_for as columns_for
    from ._scoring import feed as feed
    from ._scoring import feeders_for as feeders_for
    from ._scoring import new_plans as new_plans
    from ._scoring import new_values as new_values
    from ._scoring import score_on_card as score_on_card
    from ._scoring import too_little as too_little
    from ._scoring import tree_there as tree_there
    from ._scoring import within_memory as within_memory
else:
    from ...door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__)
