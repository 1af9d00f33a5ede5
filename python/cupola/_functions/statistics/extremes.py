"""The smallest and the largest element, where they are, and whether any or all hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import all, any, argmax, argmin, max, min, ndarray
from cupola._functions.arguments import NoValue

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "max",
    "min",
    "ptp",
]


amin = min
amax = max


def ptp(
    a: ArrayLike, axis: AxisLike = None, out: ndarray | None = None, keepdims: Any = NoValue
) -> ndarray:
    """Largest less smallest element.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of ints, optional
        None: over all elements.
    out : ndarray, optional
        Where the result is written. The difference is computed in its dtype if that is wider.
    keepdims : bool, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For no elements, and an `out` of another shape.
    TypeError
        For an `out` that the elements cannot be cast to; for booleans without one.

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.ptp([1, 5, 3]))
    4
    """
    array = _core.as_array(a)
    high = _core.max(array, axis, None, keepdims)
    if isinstance(out, ndarray):
        if out.shape != high.shape:
            raise ValueError(f"ptp: out has shape {out.shape} instead of {high.shape}")
        high = _core.astype(high, out.dtype, "K", "same_kind", False)  # as NumPy, which uses it
    return _core._ufuncs["subtract"](high, _core.min(array, axis, None, keepdims), out=out)
