"""The search and scores on a graphics card, from the helpers that the CPU's kernels are made of.

`_cuda` is the one module that imports CUDA. `_feeding` and `_breeding` say what the card's threads
do; the former is made of `_scalars`, `_rows`, `_teams`, `_loops` and, for large corpora, `_sweep`.
`_memory` says what lies there for it, `_roles` what each island is for; `_islands` keeps them
there, `_migration` has what they send each other, as `_offers`, `_card` is their loop as `search`
drives it, and `_scoring` has `score_many`.
"""

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable that says which cards a process may use; it uses the first of them."""
