"""The meaning again, compiled: the same networks as flat integer rows, fed and scored over arrays.

Importing anything from here imports Numba. Only `_score` and the search do so, and only when a
network is to be scored.
"""
