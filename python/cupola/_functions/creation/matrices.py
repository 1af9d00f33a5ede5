"""New matrices by their diagonals or their columns."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import place_for
from cupola._functions.creation.triangles import as_diagonal

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike, OrderLike

__all__ = [
    "diag",
    "diagflat",
    "eye",
    "identity",
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
    return _core.eye(N, M, as_diagonal(k), dtype, order, place_for(device, like))


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
    count = base.size if N is None else operator.index(N)
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    exponents = _core.arange(0, count, 1) if increasing else _core.arange(count - 1, -1, -1)
    dtype = np.promote_types(base.dtype, int)
    return _core.astype(base, dtype)[:, None] ** _core.astype(exponents, dtype)
