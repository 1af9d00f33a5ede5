"""The order of elements, and arrays as sets of them."""
