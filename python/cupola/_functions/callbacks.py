"""Python functions that are called with parts of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.creation.filled import zeros_like

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> ndarray:
    """What a function makes of each line along an axis.

    Parameters
    ----------
    func1d : callable
        Called with each line, an array of one dimension, and the further arguments. A function of
        the library with an `axis` of its own is faster: it is called once.
    axis : int
    arr : array_like

    Returns
    -------
    ndarray
        The dimensions of a result stand in the place of `axis`.

    Raises
    ------
    ValueError
        Where there is no line, and for results of different shapes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.apply_along_axis(lambda line: line[0] + line[-1], 1, [[1, 2, 3], [4, 5, 6]]).tolist()
    [4, 10]
    """
    array = _core.as_array(arr)
    number = axis_in(axis, array.ndim)
    moved = _core.moveaxis(array, number, -1)
    places = np.ndindex(moved.shape[:-1])
    first = next(places, None)
    if first is None:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result = _core.as_array(func1d(moved[first], *args, **kwargs), array.device)
    found = _core.empty((*moved.shape[:-1], *result.shape), result.dtype, device=array.device)
    found[first] = result
    for place in places:
        found[place] = _core.as_array(func1d(moved[place], *args, **kwargs), array.device)
    rank = moved.ndim - 1
    order = [*range(number), *range(rank, found.ndim), *range(number, rank)]
    return _core.transpose(found, order)


def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Any) -> ndarray:
    """What a function makes of an array along one axis after the other.

    Parameters
    ----------
    func : callable
        Called with the array so far and an axis; its result has as many dimensions, or lacks that
        axis.
    a : array_like
    axes : int or sequence of ints

    Returns
    -------
    ndarray
        With as many dimensions as `a`.

    Raises
    ------
    ValueError
        For a result of another number of dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.apply_over_axes(cp.sum, cp.ones((2, 3, 4)), [0, 2]).tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    array = _core.as_array(a)
    rank = array.ndim
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        number = rank + axis if axis < 0 else axis
        result = func(array, number)
        if result.ndim != array.ndim:
            result = _core.expand_dims(result, number)
        if result.ndim != array.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        array = result
    return array


def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray:
    """Values of the functions whose conditions hold.

    Parameters
    ----------
    x : array_like
    condlist : sequence of boolean arrays, or one
        Of the shape of `x`. Where several hold, the last one counts.
    funclist : sequence of callables and numbers
        As many as there are conditions, or one more for where none holds. A function is called
        with the elements where its condition holds, unless there are none, and the further
        arguments.

    Returns
    -------
    ndarray
        Of the shape and dtype of `x`; 0 where nothing is given.

    Raises
    ------
    ValueError
        For another number of functions.

    Notes
    -----
    Which elements a function gets is known after waiting for the condition; `where` and `select`
    compute all functions everywhere instead.

    Examples
    --------
    >>> import cupola as cp
    >>> x = cp.asarray([-2.0, 3.0])
    >>> cp.piecewise(x, [x < 0, x >= 0], [lambda part: -part, 10]).tolist()
    [2.0, 10.0]
    """
    array = _core.as_array(x)
    conditions = _conditions(array, condlist)
    count = len(conditions)
    if count == len(funclist) - 1:
        any_holds = conditions[0]
        for condition in conditions[1:]:
            any_holds = any_holds | condition
        conditions.append(~any_holds)
    elif count != len(funclist):
        raise ValueError(
            f"with {count} condition(s), either {count} or {count + 1} functions are expected"
        )
    result = zeros_like(array)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = function
            continue
        part = array[condition]
        if part.size:
            result[condition] = function(part, *args, **kw)
    return result


def _conditions(array: ndarray, given: Any) -> list[ndarray]:
    """The conditions one by one; one alone need not be in a list."""
    is_array = isinstance(given, (list, tuple)) and isinstance(given[0], (list, ndarray))
    if isinstance(given, ndarray):
        is_array = given.ndim > 1
        if given.ndim and not len(given):
            raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if np.isscalar(given) or (not is_array and array.ndim):
        given = [given]
    if isinstance(given, ndarray) and given.ndim == 0:
        given = [given]
    return [
        _core.astype(_core.as_array(each, array.device), np.bool_, "K", "unsafe", False)
        for each in given
    ]
