"""Functions of the namespace, by family."""
