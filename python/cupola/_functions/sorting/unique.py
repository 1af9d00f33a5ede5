"""Elements without those that occur again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

# Counting takes a pass over the elements and one over the counts; sorting takes several.
MOST_COUNTS = 1 << 20
ELEMENTS_PER_COUNT = 4


class UniqueAllResult(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    values: ndarray
    inverse_indices: ndarray


def _begins_run(differs: ndarray) -> ndarray:
    """Where elements begin to be others, from what differs from the one before it."""
    begins = _core.empty(differs.size + 1, np.bool_, device=differs.device)
    begins[:1] = True
    begins[1:] = differs
    return begins


def _differing(line: ndarray, equal_nan: bool) -> ndarray:
    """Whether sorted elements differ from the one before them."""
    differs = line[1:] != line[:-1]
    if equal_nan and line.dtype.kind not in "biu":
        nan = _core._ufuncs["isnan"](line)
        differs = differs & ~(nan[1:] & nan[:-1])
    return differs


def _found(
    values: ndarray, order: Any, begins: ndarray, shape: tuple[int, ...], wanted: tuple[bool, ...]
) -> Any:
    """The results of `unique` that are wanted: index, inverse, counts."""
    return_index, return_inverse, return_counts = wanted
    results = [values]
    if return_index:
        results.append(order[begins])
    if return_inverse:
        inverse = _core.empty(begins.size, np.int64, device=begins.device)
        _core.put(inverse, order, _core.cumsum(begins, 0, np.int64) - 1)
        results.append(_core.reshape(inverse, shape))
    if return_counts:
        firsts = _core.flatnonzero(begins)
        ends = _core.concatenate(
            [firsts, _core.full((1,), begins.size, np.int64, "C", firsts.device)]
        )
        results.append(ends[1:] - firsts)
    return tuple(results) if len(results) > 1 else values


def _bounds(line: ndarray) -> tuple[int, int]:
    """The smallest and the largest of some integers, or of their dtype where that has few."""
    if line.dtype.kind == "b":
        return 0, 1
    if line.dtype.itemsize == 1:
        limits = np.iinfo(line.dtype)
        return int(limits.min), int(limits.max)
    low, high = _core.min(line), _core.max(line)
    _core.evaluate(low, high)
    return int(low), int(high)


def _counted(array: ndarray, return_inverse: bool, return_counts: bool) -> Any:
    """`unique` by counting, for integers that lie close to one another; None for others."""
    if array.dtype.kind not in "biu" or array.size < ELEMENTS_PER_COUNT:
        return None
    line = _core.ravel(array)
    low, high = _bounds(line)
    if high - low >= min(MOST_COUNTS, array.size // ELEMENTS_PER_COUNT):
        return None
    # Differences between integers of 64 bits without sign fit no other dtype.
    wide = np.uint64 if array.dtype == np.uint64 else np.int64
    places = _core.astype(_core.astype(line, wide) - low, np.int64)
    counts = _core.bincount(places, high - low + 1)
    present = counts != 0
    values = _core.astype(_core.flatnonzero(present), wide) + low
    results = [_core.astype(values, array.dtype)]
    if return_inverse:
        numbers = _core.cumsum(present, 0, np.int64) - 1
        results.append(_core.reshape(_core.take(numbers, places), array.shape))
    if return_counts:
        results.append(counts[present])
    return tuple(results) if len(results) > 1 else results[0]


def _unique_slices(array: ndarray, axis: int, wanted: tuple[bool, ...]) -> Any:
    """`unique` along an axis: slices are compared element by element, the first one first."""
    number = axis_in(axis, array.ndim)
    moved = _core.moveaxis(array, [number], [0])
    count = moved.shape[0]
    rows = _core.reshape(moved, (count, int(np.prod(moved.shape[1:], dtype=np.int64))))
    if count == 0 or rows.shape[1] == 0:
        order = _core.arange(0, count, 1, np.int64, array.device)
        differs = _core.zeros(max(count - 1, 0), np.bool_, device=array.device)
    else:
        order = _core.lexsort([rows[:, i] for i in reversed(range(rows.shape[1]))], -1)
        rows = _core.take(rows, order, 0)
        differs = _core.any(rows[1:] != rows[:-1], 1)
    begins = _begins_run(differs)[:count]
    chosen = _core.take(_core.take(moved, order, 0), _core.flatnonzero(begins), 0)
    return _found(_core.moveaxis(chosen, [0], [number]), order, begins, (count,), wanted)


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ndarray: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any: ...
@few_by_numpy(np.unique)
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The different elements, sorted.

    Parameters
    ----------
    return_index : bool
        Also where each of them is found first.
    return_inverse : bool
        Also, for each element of the input, its number among the different ones.
    return_counts : bool
        Also how often each of them occurs.
    axis : int or None
        The axis whose slices are compared. None: elements are.
    equal_nan : bool
        All NaN are one value.
    sorted : bool
        The result is sorted in any case.

    Returns
    -------
    ndarray, or tuple of it and what else was asked for

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unique([2, 1, 2]).tolist()
    [1, 2]
    """
    array = _core.as_array(ar)
    wanted = (return_index, return_inverse, return_counts)
    if axis is not None and (axis_in(axis, array.ndim), array.ndim) != (0, 1):
        return _unique_slices(array, axis, wanted)
    if not return_index and (counted := _counted(array, return_inverse, return_counts)) is not None:
        return counted
    order = None
    if return_index or return_inverse:
        order = _core.argsort(array, None)
        line = _core.take(_core.ravel(array), order)
    else:
        line = _core.sort(array, None)
    begins = _begins_run(_differing(line, equal_nan))[: line.size]
    return _found(line[begins], order, begins, array.shape, wanted)


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """`unique` with everything that it can tell; each NaN is a value of its own.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueAllResult
        values, indices, inverse_indices and counts. Their number is needed: it waits.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unique_all(cp.array([2, 1, 2])).counts.tolist()
    [1, 2]
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """The different elements and how often they occur; each NaN is a value of its own.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueCountsResult
        values and counts. Their number is needed: it waits.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unique_counts(cp.array([2, 1, 2])).counts.tolist()
    [1, 2]
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """The different elements and the number of each element among them, NaN as in `unique_all`.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueInverseResult
        values and inverse_indices. Their number is needed: it waits.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unique_inverse(cp.array([2, 1, 2])).inverse_indices.tolist()
    [1, 0, 1]
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike) -> ndarray:
    """The different elements; each NaN is a value of its own.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Each value once, rising. Their number is needed: it waits.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unique_values(cp.array([2, 1, 2])).tolist()
    [1, 2]
    """
    return unique(x, equal_nan=False)
