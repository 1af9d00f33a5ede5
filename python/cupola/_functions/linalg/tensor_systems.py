"""Products of several matrices, and systems of equations of tensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy.linalg import LinAlgError

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of
from cupola._functions.linalg.factorisations import inv, solve

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["multi_dot", "tensorinv", "tensorsolve"]


def multi_dot(arrays: Any, *, out: ndarray | None = None) -> ndarray:
    """The product of several matrices, in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of arrays
        Of two dimensions; the first may be a row of one dimension, the last a column.
    out : ndarray, optional
        Where the result is written.

    Returns
    -------
    ndarray
        Of two dimensions, less those that a row or a column lacks.

    Raises
    ------
    ValueError
        For fewer than two arrays, and for extents that do not match.
    numpy.linalg.LinAlgError
        For another number of dimensions.

    Notes
    -----
    The order by dynamic programming: Cormen, Leiserson, Rivest and Stein, "Introduction to
    Algorithms", chapter "Matrix-chain multiplication".

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.linalg.multi_dot([cp.ones(3), cp.ones((3, 2)), cp.ones(2)]))
    6
    """
    matrices = arrays_of(arrays)
    if len(matrices) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(matrices) == 2:
        return _core.dot(matrices[0], matrices[1], out)
    is_row, is_column = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if is_row:
        matrices[0] = matrices[0][None, :]
    if is_column:
        matrices[-1] = matrices[-1][:, None]
    for each in matrices:
        if each.ndim != 2:
            raise LinAlgError(f"{each.ndim}-dimensional array given. Array must be two-dimensional")
    extents = [each.shape[0] for each in matrices] + [matrices[-1].shape[1]]
    product = _chain(matrices, _splits(extents), 0, len(matrices) - 1, out)
    if is_row and is_column:
        return product[0, 0]
    return _core.ravel(product) if is_row or is_column else product


def _splits(extents: list[int]) -> dict[tuple[int, int], int]:
    """Behind which matrix each part of a chain is divided."""
    count = len(extents) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            found = [
                costs[i, k] + costs[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1]
                for k in range(i, j)
            ]
            costs[i, j] = min(found)
            splits[i, j] = i + found.index(costs[i, j])
    return splits


def _chain(
    matrices: list[ndarray], splits: dict[tuple[int, int], int], i: int, j: int, out: Any = None
) -> ndarray:
    """The product of the matrices from i to j."""
    if i == j:
        return matrices[i]
    k = splits[i, j]
    left, right = _chain(matrices, splits, i, k), _chain(matrices, splits, k + 1, j)
    return _core.dot(left, right, out)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any = None) -> ndarray:
    """The x for which tensordot(a, x, x.ndim) == b.

    Parameters
    ----------
    a : array_like
        Of the shape b.shape + x.shape, with as many elements in both parts.
    b : array_like
    axes : tuple of ints, optional
        Axes of `a` that are moved to its end first.

    Returns
    -------
    ndarray
        Of the shape of x.

    Raises
    ------
    numpy.linalg.LinAlgError
        For a matrix that is singular or not square.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.eye(6).reshape(2, 3, 6)
    >>> cp.linalg.tensorsolve(a, cp.ones((2, 3))).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    left, right = arrays_of((a, b))
    if axes is not None:
        order = list(range(left.ndim))
        for axis in axes:
            order.remove(axis)
            order.append(axis)
        left = _core.transpose(left, order)
    shape = left.shape[-(left.ndim - right.ndim) :]
    extent = math.prod(shape)
    if left.size != extent**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
            "prod(a.shape[:b.ndim])"
        )
    return _core.reshape(solve(_core.reshape(left, (extent, extent)), _core.ravel(right)), shape)


def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """The inverse with respect to tensordot over `ind` axes.

    Parameters
    ----------
    a : array_like
        Of as many elements in its first `ind` dimensions as in the others.
    ind : int

    Returns
    -------
    ndarray
        Of the shape a.shape[ind:] + a.shape[:ind].

    Raises
    ------
    ValueError
        For an `ind` that is not positive.
    TypeError
        For a number.
    numpy.linalg.LinAlgError
        For a matrix that is singular or not square.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.tensorinv(cp.eye(6).reshape(2, 3, 6), 2).shape
    (6, 2, 3)
    """
    array = _core.as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    if array.ndim == 0:
        raise TypeError("tensorinv takes an array of at least one dimension")
    inverse_shape = array.shape[ind:] + array.shape[:ind]
    matrix = _core.reshape(array, (math.prod(array.shape[ind:]), -1))
    return _core.reshape(inv(matrix), inverse_shape)
