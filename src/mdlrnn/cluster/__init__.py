"""The search on other processes and machines: Dask, and MPI where that rules.

`_connect` finds the cluster that a user means, `_crew` runs the legs of islands on it, `_worker` is
what happens on a worker, `_mpi` does the same through MPI. `_spread` gives each worker a piece of
work for itself. Nothing here decides what is found.
"""
