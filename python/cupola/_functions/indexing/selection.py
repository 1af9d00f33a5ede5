"""Choosing elements by condition or position, and finding them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import asarray, ndarray, take
from cupola._functions.arguments import NoValue
from cupola._functions.dtypes import result_type

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike, ModeLike

__all__ = [
    "argwhere",
    "choose",
    "clip",
    "compress",
    "copyto",
    "diag_indices",
    "diag_indices_from",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "ix_",
    "nonzero",
    "put",
    "put_along_axis",
    "putmask",
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
    """Elements of `x` where `condition` holds, else of `y`; without both, `nonzero(condition)`."""
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

    Raises
    ------
    ValueError
        For bounds that are given under both names.
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


def put(a: ndarray, ind: Any, v: Any, mode: ModeLike = "raise") -> None:
    """Set the elements at `ind` of the flattened array to the values `v`, repeated as needed."""
    if isinstance(a, ndarray) and a.size == 0 and _core.as_array(ind).size:
        if not a.flags.writeable:
            raise ValueError("put: output array is read-only")
        raise IndexError("cannot replace elements of an empty array")
    values = asarray(v, a.dtype, device=a.device) if isinstance(v, (float, list, tuple)) else v
    _core.put(a, ind, values, mode)


def take_along_axis(arr: ArrayLike, indices: ndarray, axis: int | None = -1) -> ndarray:
    """Elements at `indices`, one per position of the other dimensions."""
    return _core.take_along_axis(_core.as_array(arr), _core.as_array(indices), axis)


def put_along_axis(arr: ndarray, indices: ndarray, values: Any, axis: int | None) -> None:
    """Set the elements that `take_along_axis` takes."""
    _core.put_along_axis(arr, _core.as_array(indices), values, axis)


def choose(
    a: ArrayLike, choices: Any, out: ndarray | None = None, mode: ModeLike = "raise"
) -> ndarray:
    """Elements of choices[a[i]] at i; everything broadcasts."""
    arrays = [_core.as_array(choice) for choice in choices]
    weak = [isinstance(choice, (int, float, complex)) for choice in choices]
    if builtins.any(weak) and not builtins.all(weak):
        pairs = zip(choices, arrays, weak, strict=True)
        dtype = result_type(*(choice if is_weak else array for choice, array, is_weak in pairs))
        arrays = [_core.astype(array, dtype) for array in arrays]
    return _core.choose(_core.as_array(a), arrays, out, mode)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> ndarray:
    """Elements of the first choice whose condition holds, else `default`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [_core.as_array(condition) for condition in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != np.dtype(bool):
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    return _core.select(conditions, list(choicelist), _default_of(choicelist, default))


def _default_of(choices: Any, default: Any) -> Any:
    """An integer beside arrays of integers is stored by any rule: what does not fit wraps."""
    dtypes = [choice.dtype for choice in choices if hasattr(choice, "dtype")]
    if type(default) is not int or not dtypes or any(dtype.kind not in "iu" for dtype in dtypes):
        return default
    dtype = np.result_type(*dtypes)
    return default if np.can_cast(np.min_scalar_type(default), dtype) else _wrapped(default, dtype)


def _wrapped(number: int, dtype: np.dtype) -> Any:
    return np.asarray(number).astype(dtype)[()]


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """Index arrays whose product is a grid, from one vector of indices (or bool) per dimension."""
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
    """Indices of the non-zero elements, one int64 array per dimension."""
    array = _core.as_array(a)
    if array.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return _core.nonzero(array)


def flatnonzero(a: ArrayLike) -> ndarray:
    """Indices of the non-zero elements of the flattened array."""
    return _core.flatnonzero(_core.as_array(a))


def argwhere(a: ArrayLike) -> ndarray:
    """Indices of the non-zero elements, one row each."""
    array = _core.as_array(a)
    if array.ndim == 0:
        return _core.empty((int(bool(array)), 0), np.int64)
    return _core.transpose(_core.stack(list(_core.nonzero(array)), 0))


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """Elements of the flattened array where the flattened condition holds."""
    array = _core.ravel(_core.as_array(arr))
    test = _core.ravel(_core.as_array(condition))
    if test.size != array.size:
        return _core.take(array, _core.flatnonzero(test))
    return array[_core.astype(test, np.bool_)]


def compress(
    condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None
) -> ndarray:
    """Slices along `axis` where `condition` (one dimension) holds."""
    test = _core.as_array(condition)
    if test.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return _core.take(_core.as_array(a), _core.flatnonzero(test), axis, out)


def copyto(
    dst: ndarray, src: ArrayLike, casting: CastingLike = "same_kind", where: Any = True
) -> None:
    """Copy the elements of `src`, which broadcasts, into `dst`."""
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
    if not isinstance(a, ndarray):
        raise TypeError("putmask: first argument must be an array")
    if not a.flags.writeable:
        raise ValueError("putmask: output array is read-only")
    positions = _true_positions("putmask", a, mask)
    source = _values_for(a, values)
    if positions.size and source.size:
        _core.put(a, positions, _core.take(source, positions % source.size))


def _true_positions(name: str, a: ndarray, mask: ArrayLike) -> ndarray:
    test = _core.as_array(mask)
    if test.size != a.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return _core.flatnonzero(test)


def _values_for(a: ndarray, values: ArrayLike) -> ndarray:
    """The values as one row of a's dtype: numbers as `array` converts them, arrays safely."""
    if not isinstance(values, ndarray):
        return _core.ravel(asarray(values, a.dtype, device=a.device))
    return _core.ravel(_core.astype(values, a.dtype, "K", "safe", False))


def _set_places(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    positions = _true_positions("place", arr, mask)
    source = _values_for(arr, vals)
    if positions.size == 0:
        return
    if source.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    _core.put(arr, positions, source)


def fill_diagonal(a: ndarray, val: Any, wrap: bool = False) -> None:
    """Set the elements a[i, i, ...] to `val`."""
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
    _core.put(a, positions, val)


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """Indices of the diagonal of an array of `ndim` dimensions of extent `n`."""
    index = _core.arange(0, n, 1)
    return (index,) * ndim


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """Indices of the diagonal of an array.

    Parameters
    ----------
    arr : ndarray
        Of two dimensions at least, all of one extent.

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
