"""Elements of several places of the right side that meet in one of the left."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.arrays import asarray

__all__ = ["scatter_add", "scatter_max", "scatter_min"]


def _scattered(ufunc: str, a: ndarray, slices: Any, value: Any) -> None:
    if not isinstance(a, ndarray):
        raise TypeError(f"the first argument must be a cupola.ndarray, not {type(a).__name__}")
    if isinstance(value, bool | int | float | complex | np.generic):
        value = np.asarray(value).astype(a.dtype)[()] if isinstance(a.dtype, np.dtype) else value
    else:
        value = _core.astype(asarray(value), a.dtype, copy=False)
    _core._ufuncs[ufunc].at(a, slices, value)


def scatter_add(a: ndarray, slices: Any, value: Any) -> None:
    """Add `value` to a[slices], once for each time that an element is named.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        What a[slices] takes; integer arrays may name an element several times.
    value : array_like
        Repeated to the shape of a[slices], and of the dtype of `a`.

    Raises
    ------
    IndexError
        For an index out of bounds.
    TypeError
        For what is no array of the package.

    Notes
    -----
    `cupola.add.at`, whose sums of floating numbers do not depend on how threads meet.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> a = cp.zeros(4)
    >>> cupyx.scatter_add(a, cp.array([1, 2, 1]), cp.array([1.0, 2.0, 3.0]))
    >>> a
    array([0., 4., 2., 0.])
    """
    _scattered("add", a, slices, value)


def scatter_max(a: ndarray, slices: Any, value: Any) -> None:
    """Let each element of a[slices] be the largest of itself and the values for it.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        What a[slices] takes; integer arrays may name an element several times.
    value : array_like
        Repeated to the shape of a[slices], and of the dtype of `a`.

    Raises
    ------
    IndexError
        For an index out of bounds.
    TypeError
        For what is no array of the package.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> a = cp.zeros(3)
    >>> cupyx.scatter_max(a, cp.array([1, 2, 1]), cp.array([1.0, -2.0, 3.0]))
    >>> a
    array([0., 3., 0.])
    """
    _scattered("maximum", a, slices, value)


def scatter_min(a: ndarray, slices: Any, value: Any) -> None:
    """Let each element of a[slices] be the smallest of itself and the values for it.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        What a[slices] takes; integer arrays may name an element several times.
    value : array_like
        Repeated to the shape of a[slices], and of the dtype of `a`.

    Raises
    ------
    IndexError
        For an index out of bounds.
    TypeError
        For what is no array of the package.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> a = cp.zeros(3)
    >>> cupyx.scatter_min(a, cp.array([1, 2, 1]), cp.array([1.0, -2.0, -3.0]))
    >>> a
    array([ 0., -3., -2.])
    """
    _scattered("minimum", a, slices, value)
