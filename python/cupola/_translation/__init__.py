"""Python functions made into kernels."""
