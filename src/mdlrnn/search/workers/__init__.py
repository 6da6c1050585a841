"""Who advances the islands beyond this process's threads: Dask, MPI, graphics cards."""
