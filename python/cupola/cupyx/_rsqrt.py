"""One divided by the square root."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ndarray

__all__ = ["rsqrt"]


def rsqrt(x: Any, out: ndarray | None = None) -> ndarray:
    """1 / sqrt(x), element by element; one kernel.

    Parameters
    ----------
    x : array_like
        Integers become floating numbers as for `cupola.sqrt`; no complex ones.
    out : ndarray, optional
        Where the result goes.

    Returns
    -------
    ndarray
        Of the shape of `x`; `out` where that is given.

    Raises
    ------
    TypeError
        For complex numbers.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> cupyx.rsqrt(cp.array([4.0, 16.0]))
    array([0.5 , 0.25])
    """
    root = _core._ufuncs["sqrt"](x)
    if root.dtype.kind == "c":
        raise TypeError(f"rsqrt takes real numbers, not {root.dtype}")
    return _core._ufuncs["reciprocal"](root, out=out)
