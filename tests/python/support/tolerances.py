"""How far each transcendental function may be from the exact result, in ulps of its type.

The float32 and float64 columns are the largest errors that the CUDA math library documents, plus
half an ulp for the rounding of the expected value; CPU functions are held to the same. 16-bit
floats are computed in float32 and rounded once, so they are off by 1 ulp at most.
"""

from typing import Any

import numpy as np

from .compare import EXACT, UNSIGNED_ZERO, Tolerance
from .dtypes import epsilon
from .ufuncs import is_exact

REAL_ULPS = {
    # name: (float32, float64)
    "exp": (3, 2),
    "exp2": (3, 2),
    "expm1": (3, 2),
    "log": (3, 2),
    "log2": (3, 2),
    "log10": (3, 3),
    "log1p": (3, 2),
    "cbrt": (2, 2),
    "power": (5, 3),
    "float_power": (5, 3),
    "sin": (3, 3),
    "cos": (3, 3),
    "tan": (5, 3),
    "arcsin": (5, 3),
    "arccos": (4, 3),
    "arctan": (4, 3),
    "arctan2": (5, 3),
    "sinh": (5, 3),
    "cosh": (4, 3),
    "tanh": (4, 3),
    "arcsinh": (5, 4),
    "arccosh": (5, 4),
    "arctanh": (5, 4),
    "hypot": (4, 3),
    "degrees": (2, 2),
    "radians": (2, 2),
    "deg2rad": (2, 2),
    "rad2deg": (2, 2),
    "logaddexp": (6, 6),
    "logaddexp2": (6, 6),
}
# Steps of the magnitude for complex results.
COMPLEX_ULPS = {"multiply": 2, "square": 2, "absolute": 4, "divide": 6, "reciprocal": 6, "sign": 6}
COMPLEX_ULPS_OTHERWISE = 24


def tolerance_of(name: str, dtypes: tuple[np.dtype, ...], arguments: list[Any]) -> Tolerance:
    """The tolerance of a ufunc's loop with these arguments."""
    if name in ("maximum", "minimum", "fmax", "fmin"):
        # Which of two zeros wins depends on the type and the length in NumPy.
        return UNSIGNED_ZERO
    if is_exact(name, dtypes):
        return EXACT
    if any(t.kind == "c" for t in dtypes):
        return complex_tolerance(name, dtypes, arguments)
    narrow = max(t.itemsize for t in dtypes) == 2 and all(t.kind not in "iu?" for t in dtypes)
    if narrow or (max(t.itemsize for t in dtypes) == 1):
        return Tolerance(1, logarithm_error(name, dtypes, arguments))
    column = 0 if dtypes[0] == np.float32 else 1
    return Tolerance(REAL_ULPS[name][column], logarithm_error(name, dtypes, arguments))


def logarithm_error(name: str, dtypes: tuple[np.dtype, ...], arguments: list[Any]) -> Any:
    """logaddexp loses its relative accuracy where the two terms cancel."""
    if name not in ("logaddexp", "logaddexp2"):
        return 0.0
    largest = np.maximum(*(np.abs(a.astype(np.longdouble)) for a in arguments))
    return np.where(np.isfinite(largest), largest, 0) * (4 * epsilon(dtypes[0]))


def complex_tolerance(name: str, dtypes: tuple[np.dtype, ...], arguments: list[Any]) -> Tolerance:
    """Powers lose digits with the size of b * log(a)."""
    if name in ("log1p", "expm1"):
        # NumPy's own lose the relative accuracy near zero.
        return Tolerance(COMPLEX_ULPS_OTHERWISE, 4 * epsilon(dtypes[0]))
    if name not in ("power", "float_power"):
        return Tolerance(COMPLEX_ULPS.get(name, COMPLEX_ULPS_OTHERWISE))
    base, exponent = (a.astype(np.complex128) for a in arguments)
    with np.errstate(all="ignore"):
        turns = np.abs(exponent) * (1 + np.abs(np.log(base)))
    worst = float(np.max(np.where(np.isfinite(turns), turns, 0), initial=0))
    return Tolerance(COMPLEX_ULPS_OTHERWISE * (1 + worst))
