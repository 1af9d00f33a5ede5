"""Several arrays become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of, is_beyond_64_bits
from cupola._functions.dtypes import result_type
from cupola._functions.manipulation.shapes import to_2d, to_3d

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike

__all__ = [
    "append",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "stack",
    "vstack",
]


def concatenate(
    arrays: Any,
    /,
    axis: int | None = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Join arrays along an existing dimension.

    Parameters
    ----------
    arrays : sequence of arrays
        Of equal shapes but for `axis`.
    axis : int or None
        None: the flattened arrays.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For no arrays, or shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.concatenate([[1, 2], [3]]).tolist()
    [1, 2, 3]
    """
    is_typed = axis is None and dtype is None and out is None
    parts = with_typed_numbers(arrays) if is_typed else arrays_of(arrays)
    return _core.concatenate(parts, axis, out, dtype, casting)


def with_typed_numbers(arrays: Any) -> list[ndarray]:
    """The arrays of a sequence; Python's numbers take the dtype of the arrays beside them."""
    if isinstance(arrays, ndarray) or not isinstance(arrays, Sequence):
        return arrays_of(arrays)
    parts = arrays_of([0 if is_beyond_64_bits(item) else item for item in arrays])
    numbers = {index for index, item in enumerate(arrays) if type(item) in (int, float, complex)}
    if not numbers:
        return parts
    common = result_type(
        *(type(arrays[i])() if i in numbers else part for i, part in enumerate(parts))
    )
    return [
        _typed(arrays[i], part, common) if i in numbers else part for i, part in enumerate(parts)
    ]


def _typed(number: Any, array: ndarray, dtype: Any) -> ndarray:
    """A number as an array of a dtype, given as an array of its own; wrapped as NumPy's are."""
    if is_beyond_64_bits(number):
        return _core.full((), number, dtype, device=array.device)
    return _core.astype(array, dtype)


concat = concatenate


def stack(
    arrays: Any,
    axis: int = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Join arrays of one shape along a new dimension.

    Parameters
    ----------
    arrays : sequence of array_like
        Of one shape.
    axis : int
        Where the new dimension is.
    out : ndarray, optional
    dtype, casting : optional
        As those of `concatenate`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For different shapes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.stack([cp.asarray([1, 2]), cp.asarray([3, 4])], 1).tolist()
    [[1, 3], [2, 4]]
    """
    return _core.stack(arrays_of(arrays), axis, out, dtype, casting)


def vstack(tup: Any, *, dtype: DTypeLike = None, casting: CastingLike = "same_kind") -> ndarray:
    """Join along the first dimension, after atleast_2d.

    Parameters
    ----------
    tup : sequence of array_like
        Vectors are rows.
    dtype, casting : optional
        As those of `concatenate`.

    Returns
    -------
    ndarray of two dimensions at least

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.vstack([cp.asarray([1, 2]), cp.asarray([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    parts = [to_2d(array) for array in arrays_of(tup)]
    return _core.concatenate(parts, 0, None, dtype, casting)


row_stack = vstack


def hstack(tup: Any, *, dtype: DTypeLike = None, casting: CastingLike = "same_kind") -> ndarray:
    """Join along the second dimension (vectors: the first).

    Parameters
    ----------
    tup : sequence of arrays
    dtype, casting : optional

    Returns
    -------
    ndarray
        Joined along the second axis, vectors along their only one.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.hstack([[1], [2, 3]]).tolist()
    [1, 2, 3]
    """
    parts = [array if array.ndim else _core.reshape(array, (1,)) for array in arrays_of(tup)]
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return _core.concatenate(parts, axis, None, dtype, casting)


def dstack(tup: Any) -> ndarray:
    """Join along the third dimension, after atleast_3d.

    Parameters
    ----------
    tup : sequence of arrays

    Returns
    -------
    ndarray
        Of three dimensions and more, joined along the third.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.dstack([[1, 2], [3, 4]]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return _core.concatenate([to_3d(array) for array in arrays_of(tup)], 2)


def column_stack(tup: Any) -> ndarray:
    """Join along the second dimension; vectors are columns.

    Parameters
    ----------
    tup : sequence of array_like
        Vectors are columns.

    Returns
    -------
    ndarray of two dimensions

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.column_stack([cp.asarray([1, 2]), cp.asarray([3, 4])]).tolist()
    [[1, 3], [2, 4]]
    """
    parts = [
        array if array.ndim >= 2 else _core.reshape(array, (array.size, 1))
        for array in arrays_of(tup)
    ]
    return _core.concatenate(parts, 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` followed by `values`.

    Parameters
    ----------
    arr, values : array_like
    axis : int or None, optional
        None: of the flattened arrays.

    Returns
    -------
    ndarray
        A copy: nothing grows in place.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.append([1, 2], [3]).tolist()
    [1, 2, 3]
    """
    return _core.concatenate(arrays_of((arr, values)), axis)
