"""The forms of `cupola.linalg` that take the last two dimensions for matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.linalg import products

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DTypeLike

__all__ = ["cross", "diagonal", "matrix_transpose", "outer", "trace"]


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Vector product of vectors of three components.

    Parameters
    ----------
    x1, x2 : arrays
        They broadcast but for `axis`, along which the components lie.

    Returns
    -------
    ndarray
        Of the broadcast shape and the common dtype.

    Raises
    ------
    ValueError
        For vectors of another number of components.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.cross(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    left, right = _core.as_array(x1), _core.as_array(x2)
    if left.shape[axis] != 3 or right.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{left.shape[axis]} and {right.shape[axis]} dimensional instead."
        )
    return products.cross(left, right, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ndarray:
    """A view of a diagonal of each matrix of (..., m, n).

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).
    offset : int
        Above the main diagonal; negative: below it.

    Returns
    -------
    ndarray
        Of shape (..., k), a view.

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.diagonal(cp.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return _core.diagonal(_core.as_array(x), offset, -2, -1)


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """A view of each matrix of (..., m, n), transposed.

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).

    Returns
    -------
    ndarray
        Of shape (..., n, m), a view.

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.matrix_transpose(cp.asarray([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    array = _core.as_array(x)
    if array.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {array.ndim}")
    return _core.swapaxes(array, -1, -2)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """Product of every pair of elements of two vectors.

    Parameters
    ----------
    x1, x2 : array_like
        Of one dimension, with m and n elements.

    Returns
    -------
    ndarray
        Of shape (m, n) and the common dtype.

    Raises
    ------
    ValueError
        For another number of dimensions than one.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.outer(cp.asarray([1, 2]), cp.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    left, right = _core.as_array(x1), _core.as_array(x2)
    if left.ndim != 1 or right.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={left.ndim} and x2.ndim={right.ndim}."
        )
    return _core.outer(left, right)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike = None) -> ndarray:
    """Sum of a diagonal of each matrix of (..., m, n).

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).
    offset : int
        Above the main diagonal; negative: below it.
    dtype : dtype, optional
        Of the sums.

    Returns
    -------
    ndarray
        Of shape (...).

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.linalg.trace(cp.asarray([[1, 2], [3, 4]])))
    5
    """
    return _core.sum(_core.diagonal(_core.as_array(x), offset, -2, -1), -1, dtype)
