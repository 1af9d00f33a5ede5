"""Norms of vectors and of matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.linalg.factorisations import svdvals

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = ["matrix_norm", "norm", "vector_norm"]


def norm(x: ArrayLike, ord: Any = None, axis: AxisLike = None, keepdims: bool = False) -> ndarray:
    """The norm of a vector along one axis, or of matrices along two.

    Parameters
    ----------
    ord : number, inf, -inf, 'fro', 'nuc' or None
        None: the root of the sum of squared absolute values.
    axis : int or pair of int, optional
        Default: all, of one or two dimensions; with `ord` None, of any number.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For a norm that vectors or matrices do not have, and for another number of axes.
    numpy.linalg.LinAlgError
        Where singular values are asked for and do not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.linalg.norm(cp.array([3.0, 4.0])))
    5.0
    """
    array = _core.as_array(x)
    if array.dtype.kind not in "fc":
        array = array.astype(np.float64)
    if axis is None:
        axes = tuple(range(array.ndim))
        if ord is None:
            return _root_of_squares(array, axes, keepdims)
    else:
        axes = axis if isinstance(axis, tuple) else (_axis_number(axis),)
    axes = tuple(axis_in(each, array.ndim) for each in axes)
    if len(axes) == 1:
        return _of_vectors(array, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if axes[0] == axes[1]:
        raise ValueError("Duplicate axes given.")
    result = _of_matrices(_core.moveaxis(array, axes, (-2, -1)), ord)
    return _core.expand_dims(result, tuple(sorted(axes))) if keepdims else result


def _axis_number(axis: Any) -> int:
    try:
        return int(axis)
    except Exception as error:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from error


def _root_of_squares(array: ndarray, axes: tuple[int, ...], keepdims: bool = False) -> ndarray:
    if array.dtype.kind == "c" and array.ndim and array.flags.c_contiguous:
        parts = _core.reshape(array.view(array.real.dtype), (*array.shape, 2))
        numbers = sorted(axis % array.ndim for axis in axes)
        sums = _core.sum(parts * parts, (*numbers, array.ndim), None, None, False)
        sums = _core.expand_dims(sums, tuple(numbers)) if keepdims else sums
    else:
        squares = (array * array.conj()).real if array.dtype.kind == "c" else array * array
        sums = _core.sum(squares, axes, None, None, keepdims)
    return _core._ufuncs["sqrt"](sums)


def _of_vectors(array: ndarray, order: Any, axis: int, keepdims: bool) -> ndarray:
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    if order is None or order == 2:
        return _root_of_squares(array, (axis,), keepdims)
    if order == np.inf:
        return _core.max(abs(array), axis, None, keepdims, 0)
    if order == -np.inf:
        return _core.min(abs(array), axis, None, keepdims)
    if order == 0:
        return _core.sum((array != 0).astype(array.real.dtype), axis, None, None, keepdims)
    if order == 1:
        return _core.sum(abs(array), axis, None, None, keepdims)
    if isinstance(order, int) and not -(2**63) <= order < 2**64:
        raise TypeError(f"no dtype holds the order {order} of a norm")
    sizes = abs(array)
    power = _core._ufuncs["power"]
    sums = _core.sum(power(sizes, order, dtype=sizes.dtype), axis, None, None, keepdims)
    return power(sums, 1 / order, dtype=sums.dtype)


def _of_matrices(array: ndarray, order: Any) -> ndarray:
    if order in (None, "fro", "f"):
        return _root_of_squares(array, (-2, -1))
    if order in (2, -2, "nuc"):
        values = svdvals(array)
        if order == "nuc":
            return _core.sum(values, -1)
        return _core.max(values, -1, None, False, 0) if order == 2 else _core.min(values, -1)
    if order in (1, -1):
        sums = _core.sum(abs(array), -2)
    elif order in (np.inf, -np.inf):
        sums = _core.sum(abs(array), -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return _core.max(sums, -1, None, False, 0) if order > 0 else _core.min(sums, -1)


def vector_norm(
    x: ArrayLike, /, *, axis: AxisLike = None, keepdims: bool = False, ord: Any = 2
) -> ndarray:
    """The norm of the elements along `axis`, any number of axes, as one vector.

    Parameters
    ----------
    axis : int or tuple of int, optional
        Default: all.
    ord : number, inf or -inf

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For a norm that vectors do not have.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.linalg.vector_norm(cp.array([3.0, 4.0])))
    5.0
    """
    array = _core.as_array(x)
    axes: Any = tuple(range(array.ndim)) if axis is None else axis
    if not isinstance(axes, tuple):
        if not keepdims:
            return norm(array, ord, axes)
        axes = (axes,)
    axes = tuple(axis_in(each, array.ndim) for each in axes)
    rest = [i for i in range(array.ndim) if i not in axes]
    joined = _core.transpose(array, [*rest, *axes])
    kept = joined.shape[: len(rest)]
    result = norm(_core.reshape(joined, (*kept, math.prod(joined.shape[len(rest) :]))), ord, -1)
    return _core.expand_dims(result, tuple(sorted(axes))) if keepdims else result


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> ndarray:
    """The norm of each matrix of (..., m, n); see `norm`.

    Parameters
    ----------
    x : (..., m, n)
    keepdims : bool, optional
        Keep the two last axes, with extent 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, optional

    Returns
    -------
    ndarray
        One for each matrix.

    Raises
    ------
    ValueError
        For another `ord`, or fewer than two dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.linalg.matrix_norm(cp.array([[3.0, 0.0], [0.0, 4.0]])))
    5.0
    """
    return norm(x, ord, (-2, -1), keepdims)
