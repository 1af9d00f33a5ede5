"""The jobs of demo.py. Each runs with NumPy or with Cupola as its module `xp`, the same code."""
