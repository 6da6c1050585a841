"""The meaning again, compiled: the same networks as flat integer rows, fed and scored over arrays.

Importing anything from here imports Numba, which takes a moment: what can do without it does not
import it. `_genome` is the row, `_plan`, `_contexts` and `_feed` feed it over a `_tree`, `_length`
and `_surprisal` score it, `_edit`, `_simple`, `_compound`, `_stack` and `_crossover` change it,
`_mutate` draws a change, `_advance` is the genetic algorithm, `_helped` the same by several
threads, `_scoring` has `score`.
"""
