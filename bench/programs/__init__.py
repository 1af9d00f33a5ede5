"""Programs whose speed is compared: operands, sizes, and the program with NumPy as a parameter."""
