"""NumPy's module of that name; of it `stride_tricks`, and `scimath`, which is `cupola.emath`."""

from cupola._functions.mathematics import scimath as scimath
from cupola.lib import stride_tricks as stride_tricks
