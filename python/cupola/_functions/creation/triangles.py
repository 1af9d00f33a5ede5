"""Triangles of matrices, and where their elements are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import place_for

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

__all__ = [
    "mask_indices",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
]


def tri(
    N: int,  # noqa: N803
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: DTypeLike = float,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> ndarray:
    """A matrix with ones at and below diagonal `k`; negative extents count as 0.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; default: N.
    k : int
        The last diagonal with ones.
    dtype, device, like : optional
        As those of `zeros`.

    Returns
    -------
    ndarray of shape (N, M)

    Examples
    --------
    >>> import cupola as cp
    >>> cp.tri(2, 3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    place = place_for(device, like)
    return _core.tri(_extent(N), _extent(M), as_diagonal(k), dtype, place)


def as_diagonal(k: Any) -> Any:
    """A diagonal beyond 64 bits is as far away as the last one within."""
    return max(-(2**62), min(2**62, k)) if isinstance(k, int) else k


def _extent(count: Any) -> Any:
    """As `numpy.tri` takes it."""
    return 0 if isinstance(count, (int, np.integer)) and count < 0 else count


def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """`m` with zeros above diagonal `k` of its last two dimensions.

    Parameters
    ----------
    m : array_like
        (..., rows, columns)
    k : int, optional
        The highest diagonal that is kept.

    Returns
    -------
    ndarray
        Zero above it.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.tril([[1, 2], [3, 4]]).tolist()
    [[1, 0], [3, 4]]
    """
    return _core.tril(_core.as_array(m), as_diagonal(k))


def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """`m` with zeros below diagonal `k` of its last two dimensions.

    Parameters
    ----------
    m : array_like
        (..., rows, columns)
    k : int, optional
        The lowest diagonal that is kept.

    Returns
    -------
    ndarray
        Zero below it.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.triu([[1, 2], [3, 4]]).tolist()
    [[1, 2], [0, 4]]
    """
    return _core.triu(_core.as_array(m), as_diagonal(k))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Indices of the elements at and below diagonal `k`.

    Parameters
    ----------
    n : int
        Rows.
    k : int, optional
        The highest diagonal.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of two ndarrays
        Row and column of each element.

    Examples
    --------
    >>> import cupola as cp
    >>> [index.tolist() for index in cp.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return _core.nonzero(tri(n, m, k, bool))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Indices of the elements at and above diagonal `k`.

    Parameters
    ----------
    n : int
        Rows.
    k : int, optional
        The lowest diagonal.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of two ndarrays
        Row and column of each element.

    Examples
    --------
    >>> import cupola as cp
    >>> [index.tolist() for index in cp.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return _core.nonzero(~tri(n, m, k - 1, bool))


def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """Indices of the elements of a matrix at and below diagonal `k`.

    Parameters
    ----------
    arr : ndarray
        Of two dimensions.
    k : int
        Above the main diagonal; negative: below it.

    Returns
    -------
    tuple of ndarray
        Two int64 arrays, of rows and of columns.

    Raises
    ------
    ValueError
        For another number of dimensions than two.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.tril_indices_from(cp.zeros((2, 3)))]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = _matrix_extents(arr)
    return _core.nonzero(_core.tri(rows, columns, k, bool, arr.device))


def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """Indices of the elements of a matrix at and above diagonal `k`.

    Parameters
    ----------
    arr : ndarray
        Of two dimensions.
    k : int
        Above the main diagonal; negative: below it.

    Returns
    -------
    tuple of ndarray
        Two int64 arrays, of rows and of columns.

    Raises
    ------
    ValueError
        For another number of dimensions than two.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.triu_indices_from(cp.zeros((2, 3)), 1)]
    [[0, 0, 1], [1, 2, 2]]
    """
    rows, columns = _matrix_extents(arr)
    return _core.nonzero(~_core.tri(rows, columns, k - 1, bool, arr.device))


def _matrix_extents(array: ndarray) -> tuple[int, int]:
    if array.ndim != 2:
        raise ValueError("input array must be 2-d")
    return array.shape[0], array.shape[1]


def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[ndarray, ...]:
    """Indices of the elements of a square matrix that a function such as `triu` keeps.

    Parameters
    ----------
    n : int
        The rows and columns of the matrix.
    mask_func : callable
        Called with a matrix of ones and `k`; what it does not make zero is kept.
    k : any
        The function's second argument.

    Returns
    -------
    tuple of ndarray
        Two int64 arrays, of rows and of columns.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.mask_indices(2, cp.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    ones = _core.ones((n, n), int)
    return _core.nonzero(mask_func(ones, k) != 0)
