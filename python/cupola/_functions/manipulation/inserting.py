"""Elements left out and put between."""

from __future__ import annotations

import builtins
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import asarray, ndarray
from cupola._functions.arguments import axis_in, on_host, prefers_gathers
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, OrderLike

__all__ = ["delete", "insert"]

_FEW_PIECES = 32  # that are copied one by one
_SHORT = 1024  # axes whose elements one kernel finds sooner than pieces are copied


@few_by_numpy(np.delete)
def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """`arr` without the elements at `obj` (an index, slice, or list of indices) of `axis`.

    Parameters
    ----------
    arr : array_like
    obj : int, slice or array
        What to leave out.
    axis : int or None, optional
        None: of the flattened array.

    Returns
    -------
    ndarray
        A copy without it.

    Raises
    ------
    IndexError
        For positions out of bounds.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.delete([1, 2, 3], 1).tolist()
    [1, 3]
    """
    array, axis, selector = _along(arr, axis, obj)
    extent = array.shape[axis]
    # NumPy's results lie as those of an index by an array then.
    is_indexed = not isinstance(selector, slice) and np.size(selector) != 1
    may_copy = _copies_pieces(array, axis) and (array.flags.c_contiguous or not is_indexed)
    left_out = _places_left_out(selector, extent, axis)
    if may_copy and (pieces := _pieces_between(left_out, extent)):
        moved = _core.moveaxis(array, axis, 0)
        joined = _one_after_the_other(pieces)
        shape = (joined[-1].stop, *moved.shape[1:])
        if is_indexed:
            result = _core.empty(shape, array.dtype, device=array.device)
        else:
            shape = (*shape[1 : axis + 1], shape[0], *shape[axis + 1 :])
            memory: OrderLike = "F" if array.flags.fnc else "C"
            result = _core.empty(shape, array.dtype, memory, device=array.device)
            result = _core.moveaxis(result, axis, 0)
        for to, piece in zip(joined, pieces, strict=True):
            result[to] = moved[piece]
        return _core.moveaxis(result, 0, axis)
    kept = np.delete(np.arange(extent), left_out)
    if is_indexed:
        return array[(slice(None),) * axis + (kept,)]
    if array.flags.fnc:
        return _core.take(array.T, kept, array.ndim - 1 - axis).T
    return _core.take(array, kept, axis)


@few_by_numpy(np.insert)
def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` with `values` before the elements at `obj` of `axis`.

    Parameters
    ----------
    arr : array_like
    obj : int, slice or array
        Positions, as they are before.
    values : array_like
    axis : int or None, optional
        None: of the flattened array.

    Returns
    -------
    ndarray
        A copy with them.

    Raises
    ------
    IndexError
        For positions out of bounds.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.insert([1, 3], 1, 2).tolist()
    [1, 2, 3]
    """
    array, axis, selector = _along(arr, axis, obj)
    extent = array.shape[axis]
    places = _places_of_new(selector, extent, axis)
    if isinstance(values, (int, float, complex, list, tuple, str, bytes)):
        values = asarray(values, array.dtype, device=array.device)
    inserted = _core.as_array(values, array.device)
    if len(places) == 1:
        rank = builtins.max(array.ndim - inserted.ndim, 0)
        inserted = _core.reshape(inserted, (1,) * rank + inserted.shape)
        if not isinstance(selector, slice) and np.ndim(selector) == 0:
            inserted = _core.moveaxis(inserted, 0, axis)
        places = places + np.arange(inserted.shape[axis])
    elif array.ndim == 1 and not len(places) and inserted.shape[-1:] == (0,):
        inserted = _core.reshape(inserted, (0,))  # nothing, in several dimensions
    count = extent + len(places)
    new_shape = (*array.shape[:axis], count, *array.shape[axis + 1 :])
    memory: OrderLike = "F" if array.flags.fnc else "C"
    result = _core.empty(new_shape, array.dtype, memory, device=array.device)
    lead = (slice(None),) * axis
    result[(*lead, places)] = inserted
    pieces = _pieces_between(np.sort(places), count) if _copies_pieces(array, axis) else None
    if pieces is not None:
        for piece, of in zip(pieces, _one_after_the_other(pieces), strict=True):
            result[(*lead, piece)] = array[(*lead, of)]
        return result
    kept = np.ones(count, bool)
    kept[places] = False
    result[(*lead, np.flatnonzero(kept))] = array
    return result


def _along(arr: ArrayLike, axis: int | None, obj: Any) -> tuple[ndarray, int, Any]:
    """The array, flattened where there is no axis; the axis; what is named of it, on the host."""
    array = _core.as_array(arr)
    if axis is None:
        array, axis = _core.ravel(array), 0
    selector = obj if isinstance(obj, slice) else on_host(obj)
    return array, axis_in(axis, array.ndim), selector


def _copies_pieces(array: ndarray, axis: int) -> bool:
    return array.shape[axis] >= _SHORT and not prefers_gathers(array)


def _places(selector: Any, extent: int) -> np.ndarray:
    """From the front, as they are named."""
    if isinstance(selector, slice):
        return np.arange(*selector.indices(extent))
    places = np.array(selector).ravel()
    places = np.flatnonzero(places) if places.dtype == bool else places.astype(np.int64)
    return np.where(places < 0, places + extent, places)


def _is_number(selector: Any) -> bool:
    return isinstance(selector, (int, np.integer)) and not isinstance(selector, bool)


def _axis_of(extent: int, axis: int) -> np.ndarray:
    """An array of which NumPy tells what is wrong with positions along this axis."""
    return np.zeros((1,) * axis + (extent,), bool)


def _places_left_out(selector: Any, extent: int, axis: int) -> np.ndarray:
    """In order, each once."""
    if _is_number(selector) and -extent <= selector < extent:
        return np.array([selector % extent])
    np.delete(_axis_of(extent, axis), selector, axis)
    return np.unique(_places(selector, extent))


def _places_of_new(selector: Any, extent: int, axis: int) -> np.ndarray:
    """Where what stands before each of these positions is in the result."""
    if _is_number(selector) and -extent <= int(selector) <= extent:
        place = int(selector)  # which a number of a narrow dtype may not hold
        return np.array([place + extent if place < 0 else place])
    np.insert(_axis_of(extent, axis), selector, 0, axis)
    places = _places(selector, extent)
    places[np.argsort(places, kind="stable")] += np.arange(len(places))
    return places


def _pieces_between(places: np.ndarray, extent: int) -> list[slice] | None:
    """What lies between places in order, if anything; None where they are many."""
    if np.count_nonzero(np.diff(places) > 1) >= _FEW_PIECES:
        return None
    bounds = [-1, *places.tolist(), extent]
    return [slice(a + 1, b) for a, b in itertools.pairwise(bounds) if b > a + 1]


def _one_after_the_other(pieces: list[slice]) -> list[slice]:
    """The same lengths without what lies between them."""
    ends = list(itertools.accumulate(piece.stop - piece.start for piece in pieces))
    return [slice(a, b) for a, b in itertools.pairwise([0, *ends])]
