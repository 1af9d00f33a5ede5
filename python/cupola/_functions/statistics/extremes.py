"""The smallest and the largest element, where they are, and whether any or all hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, DTypeLike

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


def min(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """Smallest element; NaN if there is one. ValueError for no elements without `initial`."""
    return _core.min(a, axis, None, out, keepdims, initial, where)


def max(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """Largest element; NaN if there is one. ValueError for no elements without `initial`."""
    return _core.max(a, axis, None, out, keepdims, initial, where)


amin = min
amax = max


def _positions(found: ndarray, out: ndarray | None, dtype: DTypeLike) -> ndarray:
    """Indices as another integer dtype."""
    wanted = _core.dtype(dtype)
    if wanted.kind not in "iu":
        raise TypeError(f"indices are integers, not of dtype {wanted}")
    result = _core.astype(found, wanted, "K", "unsafe", False)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape} instead of {result.shape}")
    out[...] = result
    return out


def argmin(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: Any = NoValue,
    dtype: DTypeLike = None,
) -> ndarray:
    """Index of the first smallest element (NaN counts as smallest): int64, or of `dtype`."""
    if dtype is None:
        return _core.argmin(a, axis, out, keepdims)
    return _positions(_core.argmin(a, axis, None, keepdims), out, dtype)


def argmax(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: Any = NoValue,
    dtype: DTypeLike = None,
) -> ndarray:
    """Index of the first largest element (NaN counts as largest): int64, or of `dtype`."""
    if dtype is None:
        return _core.argmax(a, axis, out, keepdims)
    return _positions(_core.argmax(a, axis, None, keepdims), out, dtype)


def ptp(
    a: ArrayLike, axis: AxisLike = None, out: ndarray | None = None, keepdims: Any = NoValue
) -> ndarray:
    """Largest less smallest element."""
    array = _core.as_array(a)
    high = _core.max(array, axis, None, None, keepdims)
    if isinstance(out, ndarray) and out.shape != high.shape:
        raise ValueError(f"ptp: out has shape {out.shape} instead of {high.shape}")
    return _core._ufuncs["subtract"](high, _core.min(array, axis, None, None, keepdims), out=out)


def any(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> ndarray:
    """Whether any element is non-zero."""
    return _core.any(a, axis, None, out, keepdims, NoValue, where)


def all(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> ndarray:
    """Whether all elements are non-zero."""
    return _core.all(a, axis, None, out, keepdims, NoValue, where)
