"""The kernels of a graphics card, made of the helpers that the CPU's kernels are made of."""
