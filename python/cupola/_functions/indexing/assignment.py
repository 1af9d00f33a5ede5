"""Elements set by condition or position, in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import asarray, ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, ModeLike

__all__ = [
    "copyto",
    "fill_diagonal",
    "put",
    "put_along_axis",
    "putmask",
]


def put(a: ndarray, ind: Any, v: Any, mode: ModeLike = "raise") -> None:
    """Set the elements at `ind` of the flattened array to the values `v`, repeated as needed.

    Parameters
    ----------
    a : ndarray
    ind : array_like of integers
        Places in `ravel(a)`.
    v : array_like
        Repeated as often as needed.
    mode : {'raise', 'wrap', 'clip'}

    Returns
    -------
    None

    Raises
    ------
    IndexError
        For an index out of bounds with mode 'raise'.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.zeros(3)
    >>> cp.put(a, [0, 2], [5, 6])
    >>> a.tolist()
    [5.0, 0.0, 6.0]
    """
    if isinstance(a, ndarray) and a.size == 0 and _core.as_array(ind).size:
        if not a.flags.writeable:
            raise ValueError("put: output array is read-only")
        raise IndexError("cannot replace elements of an empty array")
    _core.put(a, ind, _converted(v, a), mode)


def _converted(values: Any, array: ndarray) -> Any:
    """Python's numbers as elements of `array`, refused where they do not fit."""
    if isinstance(values, (float, list, tuple)):
        return asarray(values, array.dtype, device=array.device)
    return values


def put_along_axis(arr: ndarray, indices: ndarray, values: Any, axis: int | None) -> None:
    """Set the elements that `take_along_axis` takes.

    Parameters
    ----------
    arr : ndarray
    indices : array of integers
        Of as many dimensions.
    values : array_like
    axis : int or None
        None: `arr` is flattened.

    Returns
    -------
    None

    Raises
    ------
    IndexError
        For an index out of bounds.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.zeros((2, 2), int)
    >>> cp.put_along_axis(a, cp.asarray([[1], [0]]), 9, 1)
    >>> a.tolist()
    [[0, 9], [9, 0]]
    """
    _core.put_along_axis(arr, _core.as_array(indices), values, axis)


def copyto(
    dst: ndarray, src: ArrayLike, casting: CastingLike = "same_kind", where: Any = True
) -> None:
    """Copy the elements of `src`, which broadcasts, into `dst`.

    Parameters
    ----------
    dst : ndarray
    src : array_like
        Broadcast to `dst`; also a NumPy array.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
    where : array_like of bool
        Which elements are set.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        For a cast that `casting` forbids.
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.zeros(2)
    >>> cp.copyto(a, [1, 2])
    >>> a.tolist()
    [1.0, 2.0]
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() argument 1 must be cupola.ndarray, not {type(dst).__name__}")
    if type(src) is int and dst.dtype.kind in "fc" and abs(src) > np.iinfo(np.int64).max:
        src = float(src)  # which no integer holds
    _core.copyto(dst, src, casting, where)


def putmask(a: ndarray, mask: ArrayLike, values: ArrayLike) -> None:
    """Set elements where `mask` holds to values[i % len(values)] at flat position i.

    Parameters
    ----------
    a : array
    mask : array of a's size
    values : array that can be cast to a's dtype safely, or numbers

    Returns
    -------
    None

    Raises
    ------
    TypeError
        For an array of values that cannot be cast safely.
    ValueError
        For a mask of another size.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(4)
    >>> cp.putmask(a, a % 2 == 1, [7, 8, 9])
    >>> a.tolist()
    [0, 8, 2, 7]
    """
    _check_target("putmask", a)
    test = _mask_of("putmask", a, mask)
    source = _values_for(a, values)
    if source.size == 0:
        return
    if 1 < source.size < a.size:
        source = _core.take(source, _core.arange(0, a.size, 1, np.int64, a.device) % source.size)
    elements = source if source.size == 1 else _core.reshape(source[: a.size], a.shape)
    _core.copyto(a, elements, "unsafe", _core.reshape(test, a.shape))


def _check_target(name: str, a: Any) -> None:
    if not isinstance(a, ndarray):
        raise TypeError(f"{name}: the first argument must be a cupola.ndarray, not {type(a)}")
    if not a.flags.writeable:
        raise ValueError(f"{name}: output array is read-only")


def _mask_of(name: str, a: ndarray, mask: ArrayLike) -> ndarray:
    test = _core.as_array(mask)
    if test.size != a.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return _core.astype(test, bool, "K", "unsafe", False)


def _values_for(a: ndarray, values: ArrayLike) -> ndarray:
    """The values as one row of a's dtype: numbers as `array` converts them, arrays safely."""
    if not isinstance(values, ndarray):
        return _core.ravel(asarray(values, a.dtype, device=a.device))
    return _core.ravel(_core.astype(values, a.dtype, "K", "safe", False))


def _set_places(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    _check_target("place", arr)
    positions = _core.flatnonzero(_mask_of("place", arr, mask))
    source = _values_for(arr, vals)
    if positions.size == 0:
        return
    if source.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    _core.put(arr, positions, source)


def fill_diagonal(a: ndarray, val: Any, wrap: bool = False) -> None:
    """Set the elements a[i, i, ...] to `val`.

    Parameters
    ----------
    a : ndarray
        Of two dimensions at least; of more than two all of one extent.
    val : number or array_like
        Repeated as often as needed.
    wrap : bool
        Go on below the square in tall matrices.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For other shapes.
    OverflowError
        For numbers that the dtype of `a` does not hold.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.zeros((2, 2), int)
    >>> cp.fill_diagonal(a, 7)
    >>> a.tolist()
    [[7, 0], [0, 7]]
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = a.shape[1] * a.shape[1] if not wrap else a.size
    else:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + sum(a.shape[0] ** i for i in range(1, a.ndim))
        end = a.size
    positions = _core.arange(0, min(end, a.size), step, np.int64, a.device)
    _core.put(a, positions, _converted(val, a))
