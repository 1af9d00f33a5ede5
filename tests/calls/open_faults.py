"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""
