"""The search: the genetic algorithm of the paper on islands, and what mdlrnn adds to it.

`_settings` says how to search and when to stop, `_island` advances one island, `_migration` is what
islands have to do with each other, `_archipelago` is all of them between two epochs, `_evolve` the
loop, `_run` what it tells and gives back. Where runs are kept is known to `runs`.
"""
