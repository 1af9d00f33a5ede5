"""Arrays as sets of their elements."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import array_to_compare, arrays_of
from cupola._functions.manipulation.joining import concatenate
from cupola._functions.sorting.unique import _bounds, unique

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"]

# So many elements are compared with each one in one kernel; more are sorted and searched.
MOST_COMPARED = 32
# The last one is repeated up to a multiple of this, so that there are few kernels.
COMPARED_TOGETHER = 4
# Fewer elements are sorted: the bounds of a table are only known after waiting for the device.
LEAST_FOR_BOUNDS = 1 << 15
# Entries of a table for each element, as NumPy counts them.
ENTRIES_PER_ELEMENT = 6


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> ndarray:
    """Which elements of an array occur in another one.

    Parameters
    ----------
    element, test_elements : array_like
        Of any shapes.
    assume_unique : bool
        Makes no difference.
    invert : bool
        Which elements do not occur there.
    kind : {None, 'sort', 'table'}
        'table': a table of all integers from the smallest to the largest of `test_elements`.
        'sort': they are sorted and searched. None: by a table where it is small, and by comparing
        with each of them where they are few. The result is the same.

    Returns
    -------
    ndarray
        bool, of the shape of `element`. NaN equals nothing. Integers are compared as integers,
        also where their common dtype is float64.

    Raises
    ------
    ValueError
        For another `kind`, and a table for other dtypes than integers and bool.
    RuntimeError
        For a table of more entries than the dtype of `test_elements` can count.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isin(cp.asarray([[3, 1], [4, 1]]), [1, 2, 3]).tolist()
    [[True, True], [False, True]]
    """
    if kind is not None and kind not in ("sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    first, second = (array_to_compare(given) for given in (element, test_elements))
    array, tests = arrays_of((first, second))
    found = _found(_core.ravel(array), _core.ravel(tests), kind)
    if invert:
        found = _core._ufuncs["logical_not"](found)
    return _core.reshape(found, array.shape)


def _found(array: ndarray, tests: ndarray, kind: str | None) -> ndarray:
    """Where elements of an array occur in a line of others."""
    is_integer = array.dtype.kind in "biu" and tests.dtype.kind in "biu"
    if kind == "table" and not is_integer:
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select "
            "'sort' or None for kind."
        )
    if not tests.size or not array.size:
        return _core.zeros(array.shape, np.bool_, device=array.device)
    if kind != "sort" and is_integer and (bounds := _table_bounds(array, tests, kind)):
        return _found_in_table(array, tests, *bounds)
    if kind is None and tests.size <= MOST_COMPARED:
        return _found_by_comparing(array, tests)
    if is_integer and array.dtype != tests.dtype:
        held, array = _cast_to(array, tests.dtype)
        return held & _found_sorted(array, tests)
    return _found_sorted(array, tests)


def _found_by_comparing(array: ndarray, tests: ndarray) -> ndarray:
    count = -(-tests.size // COMPARED_TOGETHER) * COMPARED_TOGETHER
    last = tests.size - 1
    return functools.reduce(operator.or_, (array == tests[min(i, last)] for i in range(count)))


def _found_sorted(array: ndarray, tests: ndarray) -> ndarray:
    line = _core.sort(tests, None)
    places = _core.searchsorted(line, array)
    return _core.take(line, places, None, None, "clip") == array


def _limits(dtype: np.dtype) -> tuple[int, int]:
    """The smallest and the largest integer of a dtype."""
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _within(array: ndarray, low: int, high: int) -> Any:
    """Where integers lie between bounds, which their own dtype need not hold."""
    smallest, largest = _limits(array.dtype)
    if low > largest or high < smallest:
        return _core.zeros(array.shape, np.bool_, device=array.device)
    parts = []
    if low > smallest:
        parts.append(array >= low)
    if high < largest:
        parts.append(array <= high)
    return functools.reduce(operator.and_, parts) if parts else True


def _cast_to(array: ndarray, dtype: np.dtype) -> tuple[Any, ndarray]:
    """Which integers another dtype holds, and all of them cast to it."""
    return _within(array, *_limits(dtype)), _core.astype(array, dtype)


def _table_bounds(array: ndarray, tests: ndarray, kind: str | None) -> tuple[int, int] | None:
    """The first and the last integer of a table; None where there should be none."""
    if tests.dtype.itemsize == 1:
        return _limits(tests.dtype)
    size = array.size + tests.size
    if kind is None and (size < LEAST_FOR_BOUNDS or tests.size <= MOST_COMPARED):
        return None
    low, high = _bounds(tests)
    if high - low > np.iinfo(tests.dtype).max:
        if kind == "table":
            raise RuntimeError(
                "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed "
                "the maximum integer of the datatype. Please set `kind` to None or 'sort'."
            )
        return None
    if kind is None and high - low > ENTRIES_PER_ELEMENT * size:
        return None
    return low, high


def _found_in_table(array: ndarray, tests: ndarray, low: int, high: int) -> ndarray:
    table = _core.zeros(high - low + 1, np.bool_, device=array.device)
    _core.put(table, _table_places(tests, low), True)
    found = _core.take(table, _table_places(array, low), None, None, "clip")
    return found & _within(array, low, high)


def _table_places(array: ndarray, low: int) -> ndarray:
    """Differences to the first entry, modulo 2**64: those of the table's elements fit int64."""
    start = low - (1 << 64) if low >= 1 << 63 else low
    return _core.astype(array, np.int64) - start


def _joined_unique(ar1: Any, ar2: Any, assume_unique: bool) -> ndarray:
    """The different elements of two arrays one behind the other."""
    if assume_unique:
        return concatenate((ar1, ar2), None)
    first, second = arrays_of((ar1, ar2))
    return concatenate((unique(first), unique(second)), None)


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The different elements of two arrays, sorted.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened where they have several dimensions.

    Returns
    -------
    ndarray
        Of one dimension and the common dtype.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.union1d([3, 1], cp.asarray([[1, 2], [3, 3]])).tolist()
    [1, 2, 3]
    """
    return unique(concatenate((ar1, ar2), None))


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """The different elements that are in both of two arrays, sorted.

    Parameters
    ----------
    assume_unique : bool
        No element occurs twice in one of the arrays.
    return_indices : bool
        Also where each result is found first in the flattened arrays.

    Returns
    -------
    ndarray, or tuple of it and two arrays of int64
        Of one dimension. NaN is in no intersection.

    Examples
    --------
    >>> import cupola as cp
    >>> common, first, second = cp.intersect1d(cp.asarray([4, 2, 3]), [3, 4], return_indices=True)
    >>> common.tolist(), first.tolist(), second.tolist()
    ([3, 4], [2, 0], [0, 1])
    """
    first, second = arrays_of((ar1, ar2))
    if not return_indices:
        line = _core.sort(_joined_unique(first, second, assume_unique), None)
        return line[:-1][line[1:] == line[:-1]]
    places: Any = None
    if assume_unique:
        first, second = _core.ravel(first), _core.ravel(second)
    else:
        (first, of_first), (second, of_second) = unique(first, True), unique(second, True)
        places = of_first, of_second
    line = concatenate((first, second), None)
    order = _core.argsort(line, None)
    line = _core.take(line, order)
    twice = _core.flatnonzero(line[1:] == line[:-1])
    indices = _core.take(order, twice), _core.take(order, twice + 1) - first.size
    if places is not None:
        indices = _core.take(places[0], indices[0]), _core.take(places[1], indices[1])
    return _core.take(line, twice), *indices


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The different elements of one array that are not in another one.

    Parameters
    ----------
    assume_unique : bool
        No element occurs twice in `ar1`: its elements stay in order.

    Returns
    -------
    ndarray
        Of one dimension and the dtype of `ar1`; sorted unless `assume_unique`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.setdiff1d(cp.asarray([5, 3, 1, 3]), [1, 2]).tolist()
    [3, 5]
    """
    first, second = arrays_of((ar1, ar2))
    first = _core.ravel(first) if assume_unique else unique(first)
    return first[~_found(first, _core.ravel(second), None)]


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The different elements that are in one of two arrays and not in the other, sorted.

    Parameters
    ----------
    assume_unique : bool
        No element occurs twice in one of the arrays.

    Returns
    -------
    ndarray
        Of one dimension and the common dtype.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.setxor1d(cp.asarray([1, 2, 3]), [3, 4]).tolist()
    [1, 2, 4]
    """
    line = _joined_unique(ar1, ar2, assume_unique)
    if not line.size:
        return line
    line = _core.sort(line, None)
    differs = _core.empty(line.size + 1, np.bool_, device=line.device)
    differs[:1] = differs[-1:] = True
    differs[1:-1] = line[1:] != line[:-1]
    return line[differs[1:] & differs[:-1]]
