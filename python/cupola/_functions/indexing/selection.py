"""Choosing elements by condition or position, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray, take
from cupola._functions.arguments import NoValue
from cupola._functions.manipulation.joining import with_typed_numbers

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike, ModeLike

__all__ = [
    "argwhere",
    "choose",
    "clip",
    "compress",
    "diag_indices",
    "diag_indices_from",
    "extract",
    "flatnonzero",
    "ix_",
    "nonzero",
    "select",
    "take",
    "take_along_axis",
    "where",
]


@overload
def where(condition: ArrayLike, /) -> tuple[ndarray, ...]: ...
@overload
def where(condition: ArrayLike, x: Any, y: Any, /) -> ndarray: ...
def where(condition: ArrayLike, x: Any = NoValue, y: Any = NoValue, /) -> Any:
    """Elements of `x` where `condition` holds, else of `y`; without both, `nonzero(condition)`.

    Parameters
    ----------
    condition : array_like
    x, y : array_like, optional
        Both or none; they broadcast with the condition.

    Returns
    -------
    ndarray
        `x` where the condition holds, else `y`; without them `nonzero(condition)`.

    Raises
    ------
    ValueError
        For one of the two alone, and shapes that do not broadcast.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.where([True, False], 1, [10, 20]).tolist()
    [1, 20]
    """
    if x is NoValue and y is NoValue:
        return nonzero(condition)
    if x is NoValue or y is NoValue:
        raise ValueError("either both or neither of x and y should be given")
    return _core.where(condition, x, y)


def clip(
    a: ArrayLike,
    a_min: Any = NoValue,
    a_max: Any = NoValue,
    out: ndarray | None = None,
    *,
    min: Any = NoValue,
    max: Any = NoValue,
    where: Any = True,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Elements limited to [a_min, a_max].

    A bound that is None, or is not given, is no bound. `min` and `max` are the same bounds under
    the names of the array API standard.

    Parameters
    ----------
    a : array_like
    a_min, a_max : array_like or None
        Bounds, which broadcast; None: none.
    out : ndarray, optional
    min, max : array_like or None, optional
        The array standard's names of the bounds.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For bounds that are given under both names.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.clip([1, 5, 9], 2, 6).tolist()
    [2, 5, 6]
    """
    if a_min is not NoValue and a_max is not NoValue and not (min is NoValue is max):
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    low = _bound(a_min, min, "min")
    high = _bound(a_max, max, "max")
    return limited(_core.as_array(a), low, high, out, where, dtype, casting)


def _bound(numpys: Any, standards: Any, name: str) -> Any:
    """A bound of `clip`, which has two names."""
    if numpys is not NoValue and standards is not NoValue:
        raise ValueError(f"clip() takes `a_{name}` or `{name}`, not both")
    value = standards if numpys is NoValue else numpys
    return None if value is NoValue else value


def limited(
    a: ndarray, low: Any, high: Any, out: Any, where: Any, dtype: Any, casting: Any
) -> ndarray:
    """`clip`; a Python int that the dtype cannot be beyond is no bound."""
    if a.dtype.kind in "iu":
        limits = np.iinfo(a.dtype)
        if type(low) is int and low <= limits.min:
            low = None
        if type(high) is int and high >= limits.max:
            high = None
    return _core.clip(a, low, high, out, where, dtype, casting)


def take_along_axis(arr: ArrayLike, indices: ndarray, axis: int | None = -1) -> ndarray:
    """Elements at `indices`, one per position of the other dimensions.

    Parameters
    ----------
    arr : array_like
    indices : array of integers
        Positions along the axis.
    axis : int or None, optional
        None: of the flattened array.
    mode : {'raise', 'wrap', 'clip', 'fill'}, optional

    Returns
    -------
    ndarray
        Of the shape of `indices`, broadcast with `arr`.

    Raises
    ------
    IndexError
        For positions out of bounds.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.array([[3, 1, 2]])
    >>> cp.take_along_axis(a, cp.argsort(a, axis=1), axis=1).tolist()
    [[1, 2, 3]]
    """
    return _core.take_along_axis(_core.as_array(arr), _core.as_array(indices), axis)


def choose(
    a: ArrayLike, choices: Any, out: ndarray | None = None, mode: ModeLike = "raise"
) -> ndarray:
    """Elements of choices[a[i]] at i; everything broadcasts.

    Parameters
    ----------
    a : array of integers
    choices : sequence of array_like
    out : ndarray, optional
    mode : {'raise', 'wrap', 'clip'}
        What happens to an index out of bounds.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For an index out of bounds with mode 'raise'.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.choose(cp.asarray([1, 0]), [[1, 2], [3, 4]]).tolist()
    [3, 2]
    """
    arrays = with_typed_numbers(choices)
    return _core.choose(_core.as_array(a), arrays, out, mode)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> ndarray:
    """Elements of the first choice whose condition holds, else `default`.

    Parameters
    ----------
    condlist : list of arrays of bool
    choicelist : list of array_like
        As many.
    default : number or array_like
        Where no condition holds.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For lists of different lengths, and none.

    Examples
    --------
    >>> import cupola as cp
    >>> x = cp.arange(4)
    >>> cp.select([x < 1, x > 2], [x - 9, x * 10], 5).tolist()
    [-9, 5, 5, 30]
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [_core.as_array(condition) for condition in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != np.dtype(bool):
            np.broadcast_shapes(*(each.shape for each in conditions))  # raises ValueError first
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    return _core.select(conditions, list(choicelist), _default_of(choicelist, default))


def _default_of(choices: Any, default: Any) -> Any:
    """An integer beside arrays of integers is stored by any rule: what does not fit wraps."""
    dtypes = [choice.dtype for choice in choices if hasattr(choice, "dtype")]
    if type(default) is not int or not dtypes or any(dtype.kind not in "biu" for dtype in dtypes):
        return default
    dtype = np.result_type(*dtypes)
    if dtype.kind == "b":
        return default
    return default if np.can_cast(np.min_scalar_type(default), dtype) else _wrapped(default, dtype)


def _wrapped(number: int, dtype: np.dtype) -> Any:
    return np.asarray(number).astype(dtype)[()]


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """Index arrays whose product is a grid, from one vector of indices (or bool) per dimension.

    Parameters
    ----------
    *args : array_like of integers or bool
        Of one dimension each.

    Returns
    -------
    tuple of ndarrays

    Raises
    ------
    ValueError
        For more dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.arange(6).reshape(2, 3)[cp.ix_([0, 1], [0, 2])].tolist()
    [[0, 2], [3, 5]]
    """
    parts = []
    for position, arg in enumerate(args):
        index = _core.as_array(arg)
        if index.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if index.size == 0 and not isinstance(arg, ndarray):
            index = _core.astype(index, np.intp)
        if index.dtype == np.dtype(bool):
            (index,) = _core.nonzero(index)
        shape = (1,) * position + (index.size,) + (1,) * (len(args) - position - 1)
        parts.append(_core.reshape(index, shape))
    return tuple(parts)


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """Indices of the non-zero elements, one int64 array per dimension.

    Parameters
    ----------
    a : array_like
        Of one dimension and more.

    Returns
    -------
    tuple of ndarrays
        Positions along each axis, of int64. Their number is needed: it waits.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> [index.tolist() for index in cp.nonzero(cp.array([[0, 1], [2, 0]]))]
    [[0, 1], [1, 0]]
    """
    array = _core.as_array(a)
    if array.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return _core.nonzero(array)


def flatnonzero(a: ArrayLike) -> ndarray:
    """Indices of the non-zero elements of the flattened array.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> import cupola as cp
    >>> cp.flatnonzero(cp.asarray([0, 3, 4])).tolist()
    [1, 2]
    """
    return _core.flatnonzero(_core.as_array(a))


def argwhere(a: ArrayLike) -> ndarray:
    """Indices of the non-zero elements, one row each.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray of shape (count, a.ndim), of int64
        The number of rows is read from the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.argwhere(cp.asarray([[0, 1], [2, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    array = _core.as_array(a)
    if array.ndim == 0:
        return _core.empty((int(bool(array)), 0), np.int64)
    return _core.transpose(_core.stack(list(_core.nonzero(array)), 0))


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """Elements of the flattened array where the flattened condition holds.

    Parameters
    ----------
    condition : array_like
    arr : array_like
        Of as many elements.

    Returns
    -------
    ndarray of one dimension

    Examples
    --------
    >>> import cupola as cp
    >>> cp.extract(cp.asarray([0, 1, 1]), cp.asarray([1, 2, 3])).tolist()
    [2, 3]
    """
    array = _core.ravel(_core.as_array(arr))
    test = _core.ravel(_core.as_array(condition))
    if test.size != array.size:
        return _core.take(array, _core.flatnonzero(test))
    return array[_core.astype(test, np.bool_)]


def compress(
    condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None
) -> ndarray:
    """Slices along `axis` where `condition` (one dimension) holds.

    Parameters
    ----------
    condition : array_like of bool
        Of one dimension.
    a : array_like
    axis : int or None
        None: `a` is flattened.
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For a condition of more dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.compress([True, False, True], cp.asarray([1, 2, 3])).tolist()
    [1, 3]
    """
    test = _core.as_array(condition)
    if test.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return _core.take(_core.as_array(a), _core.flatnonzero(test), axis, out)


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """Indices of the diagonal of an array of `ndim` dimensions of extent `n`.

    Parameters
    ----------
    n : int
    ndim : int

    Returns
    -------
    tuple of ndarrays of int64

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    index = _core.arange(0, n, 1)
    return (index,) * ndim


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """Indices of the diagonal of an array.

    Parameters
    ----------
    arr : ndarray
        Of two dimensions at least, all of one extent.

    Returns
    -------
    tuple of ndarray
        An int64 array for each dimension of `arr`.

    Raises
    ------
    ValueError
        For other shapes.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.diag_indices_from(cp.zeros((2, 2)))]
    [[0, 1], [0, 1]]
    """
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    index = _core.arange(0, arr.shape[0], 1, np.int64, arr.device)
    return (index,) * arr.ndim
