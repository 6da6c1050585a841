"""The search and the scores on a graphics card, from the helpers that the CPU's kernels are made of.

`_cuda` is the one module that imports CUDA; `_kernels` says what a thread and a block of threads
do, `_tree` and `_space` bring a corpus and the spaces of islands there, `_islands` keeps thousands
of islands there, `_card` is their loop as `search` drives it, `_scoring` has `score_many`.
"""
