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
    axis : int, tuple of ints or None
    out : ndarray, optional
    keepdims : bool

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.ptp(cp.asarray([3, 1, 7])))
    6
    """
    array = _core.as_array(a)
    high = _core.max(array, axis, None, keepdims)
    if isinstance(out, ndarray) and out.shape != high.shape:
        raise ValueError(f"ptp: out has shape {out.shape} instead of {high.shape}")
    return _core._ufuncs["subtract"](high, _core.min(array, axis, None, keepdims), out=out)
