"""What sorts, selections and counts are tried on."""

import numpy as np

from .dtypes import INTEGERS, NUMPY_FLOATS

SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 1e-45, -1e-45, 65504.0]
REAL_DTYPES = [*INTEGERS, *NUMPY_FLOATS]
QUANTILE_METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


def finite(dtype: np.dtype, size: int) -> np.ndarray:
    random = np.random.default_rng(size)
    return (random.standard_normal(size) * 50).astype(dtype)


def values_of(dtype: np.dtype, size: int, seed: int = 0) -> np.ndarray:
    """Values of the whole range, many of them equal; of floating ones many that are special."""
    random = np.random.default_rng(seed + size)
    if dtype.kind == "b":
        return random.random(size) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = random.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
        return np.where(random.random(size) < 0.3, random.integers(0, 5, size).astype(dtype), whole)
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        result = np.empty(size, dtype)
        result.real = values_of(part, size, seed + 1)
        result.imag = values_of(part, size, seed + 2)
        return result
    with np.errstate(all="ignore"):
        spread = random.standard_normal(size) * 10.0 ** random.integers(-3, 4, size)
        chosen = random.choice(SPECIAL, size)
        return np.where(random.random(size) < 0.3, chosen, spread).astype(dtype)
