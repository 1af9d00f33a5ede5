"""New matrices by their diagonals or their columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import place_for
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike, OrderLike

__all__ = [
    "diag",
    "diagflat",
    "eye",
    "identity",
    "mask_indices",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]


def eye(
    N: int,  # noqa: N803
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: DTypeLike = float,
    order: OrderLike = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> ndarray:
    """A matrix with ones on diagonal `k` and zeros elsewhere.

    Parameters
    ----------
    N, M : int
        Rows and columns; as many columns as rows by default.
    k : int, optional
        Which diagonal.
    dtype, order, device : optional
        float64 by default.

    Returns
    -------
    ndarray
        (N, M), ones on one diagonal.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.eye(2, 3, k=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if isinstance(k, float | np.floating) and k >= (N if M is None else M):
        k = 2**62  # beyond all columns NumPy asks for no integer
    return _core.eye(N, M, _diagonal(k), dtype, order, place_for(device, like))


def identity(
    n: int, dtype: DTypeLike = None, *, device: DeviceLike = None, like: Any = None
) -> ndarray:
    """The unit matrix of `n` rows.

    Parameters
    ----------
    n : int
    dtype : optional
        float64 by default.

    Returns
    -------
    ndarray
        (n, n)

    Raises
    ------
    ValueError
        For a negative extent.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.identity(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return _core.eye(n, None, 0, dtype, "C", place_for(device, like))


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
    return _core.tri(_extent(N), _extent(M), _diagonal(k), dtype, place)


def _diagonal(k: Any) -> Any:
    """A diagonal beyond 64 bits is as far away as the last one within."""
    return max(-(2**62), min(2**62, k)) if isinstance(k, int) else k


def _extent(count: Any) -> Any:
    """As `numpy.tri` takes it."""
    return 0 if isinstance(count, (int, np.integer)) and count < 0 else count


@few_by_numpy(np.tril)
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
    return _core.tril(_core.as_array(m), _diagonal(k))


@few_by_numpy(np.triu)
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
    return _core.triu(_core.as_array(m), _diagonal(k))


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


def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with `v` on diagonal `k`; of a matrix, that diagonal.

    Parameters
    ----------
    v : array_like
        Of one or two dimensions.
    k : int, optional
        Which diagonal: above the main one if positive.

    Returns
    -------
    ndarray
        A matrix with `v` on its diagonal, or the diagonal of `v`.

    Raises
    ------
    ValueError
        For other numbers of dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.diag([1, 2]).tolist()
    [[1, 0], [0, 2]]
    >>> cp.diag([[1, 2], [3, 4]]).tolist()
    [1, 4]
    """
    return _core.diag(_core.as_array(v), k)


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with the flattened `v` on diagonal `k`.

    Parameters
    ----------
    v : array_like
        Flattened.
    k : int, optional
        Which diagonal.

    Returns
    -------
    ndarray
        A matrix.

    Raises
    ------
    ValueError
        For more elements than a matrix can have.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.diagflat([[1], [2]]).tolist()
    [[1, 0], [0, 2]]
    """
    return _core.diag(_core.ravel(_core.as_array(v)), k)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:  # noqa: N803
    """The powers of the elements of `x`, one column per exponent.

    Parameters
    ----------
    x : array_like
        One-dimensional.
    N : int, optional
        Columns; as many as elements by default.
    increasing : bool, optional
        The power 0 first.

    Returns
    -------
    ndarray
        (x.size, N)

    Raises
    ------
    ValueError
        For other dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.vander([1, 2, 3], 3).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    base = _core.as_array(x)
    if base.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = base.size if N is None else N
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    exponents = _core.arange(0, count, 1) if increasing else _core.arange(count - 1, -1, -1)
    dtype = np.promote_types(base.dtype, int)
    return _core.astype(base, dtype)[:, None] ** _core.astype(exponents, dtype)
