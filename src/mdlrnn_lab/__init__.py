"""The laboratory: what reproduces, compares and measures."""
