"""NumPy's module of that name: what is here of it, `stride_tricks`."""

from cupola.lib import stride_tricks as stride_tricks
