"""Error bounds of sums in any order, against sums in more digits."""

import numpy as np

from .compare import Tolerance
from .dtypes import epsilon, is_inexact


def sum_tolerance(a: np.ndarray, axis: object, dtype: np.dtype, factor: float = 2) -> Tolerance:
    """The bound for adding the elements along the axis in any order, in `dtype`.

    The error of n additions is at most n * eps * sum(|a|); trees stay far below that, so the depth
    of a binary tree and a constant stand for n.
    """
    if not is_inexact(dtype):
        return Tolerance()
    wide = np.abs(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))
    wide = np.where(np.isfinite(wide), wide, 0)
    count = max(a.size, 1)
    depth = factor * (np.log2(count) + 2 + min(count, 128) / 8)
    total = np.sum(wide, axis=axis, keepdims=False)
    return Tolerance(1, total * (epsilon(dtype) * depth) + 1e-300)
