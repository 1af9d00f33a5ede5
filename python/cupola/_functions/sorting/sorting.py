"""Sorting, and what is found in sorted elements."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import (
    array_to_compare,
    axis_in,
    check_one_dimension,
)
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]

# So many NumPy sorts sooner than a kernel has begun.
MOST_KEYS = 1 << 10


def _check_kind(kind: Any, order: Any, stable: Any = None, descending: Any = None) -> None:
    """NumPy's arguments that change nothing here: every sort is stable."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is None:
        return
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if stable is not None or descending is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time. Use only one of "
            "them."
        )
    if kind[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")


def _places(a: ndarray, kth: Any, axis: int | None, kind: Any, order: Any) -> list[int]:
    """The places of a partition, whose arguments are checked."""
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got '{kind}')")
    _check_kind(None, order)
    wanted = np.asarray(_core.download(kth) if isinstance(kth, ndarray) else kth)
    if wanted.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if not a.size:
        return []
    extent = a.size if axis is None else a.shape[axis_in(axis, a.ndim)]
    places = []
    for number in wanted.ravel().tolist():
        place = number + extent if number < 0 else number
        if not 0 <= place < extent:
            raise ValueError(f"kth(={place}) out of bounds ({extent})")
        places.append(place)
    return places


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """A sorted copy.

    Parameters
    ----------
    axis : int or None
        The axis along which to sort. None: the flattened array.
    kind, stable : optional
        NumPy's. Every sort is stable and deterministic; where memory for a second array is
        missing, zeros of both signs, and NaNs, may change places among themselves.
    descending : bool
        The largest first, and NaN before it; equal ones stay in order.

    Returns
    -------
    ndarray

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Notes
    -----
    NaN comes last, -0.0 equals 0.0, complex numbers are ordered by their real, then by their
    imaginary parts.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.sort([3, 1, 2]).tolist()
    [1, 2, 3]
    """
    _check_kind(kind, order, stable, descending)
    if not descending:
        return _core.sort(a, axis)
    array = _core.as_array(a)
    if axis is None:
        array, axis = _core.ravel(array), -1
    result = _core.copy(array, "K")
    sort_in_place(result, axis, None, None, None, descending=True)
    return result


def sort_in_place(
    a: ndarray, axis: int, kind: Any, order: Any, stable: Any, descending: Any = None
) -> None:
    """The method `ndarray.sort`."""
    _check_kind(kind, order, stable, descending)
    # The last come first in a view, and so equal ones stay in their order.
    _core.sort_in_place(_core.flip(a, axis_in(axis, a.ndim)) if descending else a, axis)


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """Positions (int64) of the elements in sorted order; equal ones stay in order.

    Parameters
    ----------
    axis : int or None
        The axis along which to sort. None: the flattened array.
    kind, stable : optional
        NumPy's. Every sort is stable.
    descending : bool
        The largest first, and NaN before it; equal ones stay in order.

    Returns
    -------
    ndarray
        Of int64, of the shape of `a`.

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.argsort([3, 1, 2]).tolist()
    [1, 2, 0]
    """
    _check_kind(kind, order, stable, descending)
    if not descending:
        return _core.argsort(a, axis)
    array = _core.as_array(a)
    if axis is None or not array.ndim:
        array = _core.ravel(array)
    axis = axis_in(0 if axis is None else axis, array.ndim)
    places = _core.flip(_core.argsort(_core.flip(array, axis), axis), axis)
    return (array.shape[axis] - 1) - places


def sort_complex(a: ArrayLike) -> ndarray:
    """A sorted copy as complex numbers.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        A sorted copy along the last axis, of a complex dtype.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.sort_complex([2, 1]).tolist()
    [(1+0j), (2+0j)]
    """
    ordered = _core.sort(a, -1)
    if ordered.dtype.kind == "c":
        return ordered
    small = ordered.dtype.kind in "iu" and ordered.dtype.itemsize <= 2
    return _core.astype(ordered, np.complex64 if small else np.complex128)


@few_by_numpy(np.lexsort, MOST_KEYS)
def lexsort(keys: Any, axis: int = -1) -> ndarray:
    """Positions of the elements sorted by several keys, of which the last one decides first.

    Parameters
    ----------
    keys : array or sequence of arrays
        Keys of one shape; of an array, its first dimension counts them.

    Returns
    -------
    ndarray
        Of int64.

    Raises
    ------
    TypeError
        For no keys.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.lexsort(cp.array([[2, 1, 1], [0, 1, 0]])).tolist()
    [2, 0, 1]
    """
    if not isinstance(keys, ndarray) and not hasattr(keys, "__len__"):
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    arrays = [_core.as_array(key) for key in keys]
    return _core.lexsort(arrays, axis)


def partition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> ndarray:
    """A copy with the kth smallest element in its place, smaller ones before it.

    Parameters
    ----------
    a : array_like
    kth : int or array_like of int
        One place, or several. Negative ones count from the end.
    axis : int or None
        The axis along which to part. None: the flattened array.
    kind, order : optional
        NumPy's, of which there is one each.

    Returns
    -------
    ndarray
        Of a's dtype and shape, or of one dimension for an `axis` of None.

    Raises
    ------
    ValueError
        For places out of bounds.
    TypeError
        For places that are no integers.

    Notes
    -----
    Elements smaller than the kth come first, then those that equal it, then the others, each of
    these in the order of `a`; with several places likewise around each. Complex numbers, and
    elements around more than eight places, are sorted, which satisfies this.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.partition(cp.asarray([7, 1, 5, 9, 3, 2]), 2).tolist()
    [1, 2, 3, 7, 5, 9]
    """
    array = _core.as_array(a)
    return _core.partition(array, _places(array, kth, axis, kind, order), axis)


def partition_in_place(a: ndarray, kth: Any, axis: int, kind: Any, order: Any) -> None:
    """The method `ndarray.partition`."""
    if not a.flags.writeable:
        raise ValueError("partition array is read-only")
    operator.index(axis)  # a method's axis is one
    _core.partition_in_place(a, _places(a, kth, axis, kind, order), axis)


@few_by_numpy(np.argpartition)
def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> ndarray:
    """Positions (int64) that bring the kth smallest element to its place, smaller ones before it.

    They are the positions in `a` of the elements of `partition`.

    Parameters
    ----------
    a : array_like
    kth : int or array_like of int
        One place, or several. Negative ones count from the end.
    axis : int or None
        The axis along which to part. None: the flattened array.
    kind, order : optional
        NumPy's, of which there is one each.

    Returns
    -------
    ndarray
        Of the shape of `a`, or of one dimension for an `axis` of None.

    Raises
    ------
    ValueError
        For places out of bounds.
    TypeError
        For places that are no integers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.argpartition(cp.asarray([7, 1, 5, 9, 3, 2]), 2).tolist()
    [1, 5, 4, 0, 2, 3]
    """
    array = _core.as_array(a)
    if not array.ndim and axis in (0, -1):
        array = _core.reshape(array, (1,))
    return _core.argpartition(array, _places(array, kth, axis, kind, order), axis)


def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
) -> ndarray:
    """Positions (int64) at which to insert `v` into the sorted array `a`.

    Parameters
    ----------
    a : array_like
        Of one dimension; sorted, or sorted by `sorter`.
    side : {'left', 'right'}
        Before the elements that equal the value, or behind them.
    sorter : array_like of integers, optional
        Positions that sort `a`, as `argsort` gives them.

    Returns
    -------
    ndarray
        Of int64, of the shape of `v`.

    Raises
    ------
    ValueError
        For another `side`, or `a` of another number of dimensions than 1.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.searchsorted([1, 2, 3], [2, 5]).tolist()
    [1, 3]
    """
    line = _core.as_array(a)
    values = array_to_compare(v, line.device)
    check_one_dimension(line)
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    if sorter is not None:
        places = _core.as_array(sorter, line.device)
        if places.dtype.kind not in "iub":
            raise TypeError("sorter must only contain integers")
        if places.size != line.size:
            raise ValueError("sorter.size must equal a.size")
        line = _core.take(line, places, 0)
    return _core.searchsorted(line, values, side == "right")


@few_by_numpy(np.digitize)
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ndarray:
    """Numbers of the bins that the values belong to.

    Parameters
    ----------
    bins : array_like
        Edges of one dimension, increasing or decreasing.
    right : bool
        Bins contain their right edge instead of their left one.

    Returns
    -------
    ndarray
        Of int64, of the shape of `x`.

    Raises
    ------
    ValueError
        For bins that neither rise nor fall.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.digitize([0.5, 2.5], [0, 1, 2]).tolist()
    [1, 3]
    """
    values = array_to_compare(x)
    edges = _core.as_array(bins, values.device)
    if "c" in (values.dtype.kind, edges.dtype.kind):
        raise TypeError("x and bins may not be complex")
    check_one_dimension(edges)
    if edges.size < 2:
        return _core.searchsorted(edges, values, not right)
    falls = _falls(edges)
    ascending = _core.where(falls, edges[::-1], edges)
    places = _core.searchsorted(ascending, values, not right)
    return _core.where(falls, edges.size - places, places)


def _falls(edges: ndarray) -> ndarray:
    """Whether edges decrease: by the first two that differ, as NumPy decides it where NaN is one.

    Reports a ValueError where others do not go the same way.
    """
    differs = edges[1:] != edges[:1]
    other = edges[_core.argmax(differs) + 1]
    falls = _core.any(differs) & ~(edges[0] < other)
    before, after = edges[:-1], edges[1:]
    is_wrong = _core.where(falls, before < after, before > after)
    _core.report_any(is_wrong, "bins must be monotonically increasing or decreasing")
    return falls
