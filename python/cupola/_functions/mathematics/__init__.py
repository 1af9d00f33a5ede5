"""Functions of elements, their sums and running sums, and what is made of neighbours."""
