"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._arguments import axis_in
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]


def _operand(value: Any) -> ndarray:
    """An array as it is; a number or list as an array with NumPy's dtype for it."""
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    return _core.as_array(value)


def _matrix(value: Any, position: int) -> ndarray:
    if isinstance(value, np.ndarray):
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    array = _core.as_array(value)
    if array.ndim == 0:
        raise ValueError(
            f"matmul: Input operand {position} does not have enough dimensions (has 0, gufunc "
            "core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    return array


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Matrix product, of stacks of matrices as well.

    Parameters
    ----------
    x1, x2 : arrays
        (..., n, k) and (..., k, m); the leading dimensions broadcast. A vector is a row on the
        left and a column on the right, and its dimension is left out of the result.

    Raises
    ------
    ValueError
        For numbers, and for extents that do not match.
    """
    if isinstance(out, tuple):
        (out,) = out
    return _core.matmul(_matrix(x1, 0), _matrix(x2, 1), out, dtype, casting)


def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Products of matrices and vectors, of stacks of both.

    Parameters
    ----------
    x1, x2 : arrays
        (..., m, n) and (..., n); the leading dimensions broadcast.

    Returns
    -------
    ndarray
        (..., m)

    Raises
    ------
    ValueError
        For too few dimensions, and for extents that do not match.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.matvec(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 10])).tolist()
    [21, 43]
    """
    matrices, vectors = _with_dimensions("matvec", x1, 2, x2, 1)
    target = None if out is None else _only(out)[..., None]
    product = _core.matmul(matrices, vectors[..., None], target, dtype, casting)
    return product[..., 0] if out is None else _only(out)


def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Products of conjugated vectors and matrices, of stacks of both.

    Parameters
    ----------
    x1, x2 : arrays
        (..., n) and (..., n, m); the leading dimensions broadcast.

    Returns
    -------
    ndarray
        (..., m)

    Raises
    ------
    ValueError
        For too few dimensions, and for extents that do not match.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.vecmat(cp.asarray([1, 10]), cp.asarray([[1, 2], [3, 4]])).tolist()
    [31, 42]
    """
    vectors, matrices = _with_dimensions("vecmat", x1, 1, x2, 2)
    if vectors.dtype.kind == "c":
        vectors = _core._ufuncs["conjugate"](vectors)
    target = None if out is None else _only(out)[..., None, :]
    product = _core.matmul(vectors[..., None, :], matrices, target, dtype, casting)
    return product[..., 0, :] if out is None else _only(out)


def _only(out: Any) -> ndarray:
    """The one output, alone or in a tuple."""
    return out[0] if isinstance(out, tuple) else out


def _with_dimensions(name: str, x1: Any, least1: int, x2: Any, least2: int) -> list[ndarray]:
    """Operands of as many dimensions as a product needs."""
    operands = [_operand(x1), _operand(x2)]
    for number, (array, least) in enumerate(zip(operands, (least1, least2), strict=True)):
        if array.ndim < least:
            raise ValueError(
                f"{name}: Input operand {number} does not have enough dimensions (has "
                f"{array.ndim}, requires {least})"
            )
    return operands


def dot(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Sum of products over the last dimension of `a` and the last but one of `b`."""
    return _core.dot(_operand(a), _operand(b), out)


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of the products of all elements, those of `a` conjugated."""
    return _core.vdot(_core.as_array(a), _core.as_array(b))


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of products over the last dimensions."""
    return _core.inner(_operand(a), _operand(b))


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Product of every pair of elements of the two flattened arrays."""
    return _core.outer(_operand(a), _operand(b), out)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Sum of products along `axis`, the elements of `x1` conjugated."""
    left = _core.moveaxis(_core.as_array(x1), axis, -1)
    right = _core.moveaxis(_core.as_array(x2), axis, -1)
    if left.shape[-1] != right.shape[-1]:
        raise ValueError(f"vecdot: extents {left.shape[-1]} and {right.shape[-1]} do not match")
    if left.dtype.kind == "c":
        left = _core._ufuncs["conjugate"](left)
    result = _core.matmul(left[..., None, :], right[..., :, None])[..., 0, 0]
    if result.ndim < 2 or not result.size or not left.shape[-1]:
        return result
    # It lies as what is computed from the other dimensions element by element.
    alike = _core.empty_like(_core._ufuncs["multiply"](left[..., 0], right[..., 0]), result.dtype)
    if alike.flags.c_contiguous:
        return result
    alike[...] = result
    return alike


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> ndarray:
    """Sum of products over pairs of dimensions.

    Parameters
    ----------
    axes : int or (axes of a, axes of b)
        A number n pairs the last n dimensions of `a` with the first n of `b`.

    Raises
    ------
    ValueError
        When the extents of a pair differ.
    IndexError
        For a dimension that there is not.
    """
    left, right = _core.as_array(a), _core.as_array(b)
    if np.ndim(axes) == 0 and hasattr(axes, "__index__"):
        count = axes.__index__()
        axes_a, axes_b = list(range(-count, 0)), list(range(count))
    else:
        axes_a, axes_b = ([part] if hasattr(part, "__index__") else list(part) for part in axes)
    if any(len(set(part)) != len(part) for part in (axes_a, axes_b)):
        raise ValueError("duplicate axes are not allowed in tensordot")
    if len(axes_a) != len(axes_b) or any(
        left.shape[i] != right.shape[j] for i, j in zip(axes_a, axes_b, strict=True)
    ):
        raise ValueError(
            f"shape-mismatch for sum: axes {axes_a} of {left.shape}, {axes_b} of {right.shape}"
        )
    return _core.tensordot(left, right, axes_a, axes_b)


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
) -> ndarray:
    """Sum of a diagonal."""
    return _core.sum(_core.diagonal(_core.as_array(a), offset, axis1, axis2), -1, dtype, out)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """Kronecker product."""
    left, right = _core.as_array(a), _core.as_array(b)
    rank = builtins.max(left.ndim, right.ndim)
    left = _core.reshape(left, (1,) * (rank - left.ndim) + left.shape)
    right = _core.reshape(right, (1,) * (rank - right.ndim) + right.shape)
    left = _core.expand_dims(left, tuple(range(1, 2 * rank, 2)))
    right = _core.expand_dims(right, tuple(range(0, 2 * rank, 2)))
    shape = tuple(m * n for m, n in zip(left.shape[::2], right.shape[1::2], strict=True))
    return _core.reshape(left * right, shape)


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> ndarray:
    """Vector product of vectors of two or three components.

    Parameters
    ----------
    a, b : arrays
        They broadcast but for the axis of the vectors. The third of two components is zero.
    axisa, axisb, axisc, axis : int
        The axis of the vectors in `a`, in `b`, in the result, and in all of them.

    Returns
    -------
    array
        Of the third component alone where both have two.

    Raises
    ------
    ValueError
        For vectors of another number of components.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cross([1, 2, 3], [4, 5]).tolist()
    [-15, 12, -3]
    """
    if axis is not None:
        axisa = axisb = axisc = operator.index(axis)
    left, right = _core.as_array(a), _core.as_array(b)
    if not left.ndim or not right.ndim:
        raise ValueError("At least one array has zero dimension")
    left = _core.moveaxis(left, axis_in(axisa, left.ndim), -1)
    right = _core.moveaxis(right, axis_in(axisb, right.ndim), -1)
    if not {left.shape[-1], right.shape[-1]} <= {2, 3}:
        raise ValueError(
            "incompatible dimensions for cross product (dimension must be 2 or 3): "
            f"{left.shape[-1]} and {right.shape[-1]}"
        )
    if left.shape[-1] == right.shape[-1] == 2:
        return _difference_of_products(left, right, 0, 1)
    parts = [_difference_of_products(left, right, i, j) for i, j in ((1, 2), (2, 0), (0, 1))]
    product = _core.stack(parts, -1)
    if not product.flags.c_contiguous:  # of transposed operands; NumPy's is row-major
        product = _core.copy(product, "C")
    return _core.moveaxis(product, -1, axis_in(axisc, product.ndim))


def _difference_of_products(left: ndarray, right: ndarray, i: int, j: int) -> ndarray:
    """left[i] * right[j] - left[j] * right[i] of vectors; components that are missing are zero."""
    has_first = i < left.shape[-1] and j < right.shape[-1]
    has_second = j < left.shape[-1] and i < right.shape[-1]
    if not has_second:
        return left[..., i] * right[..., j]
    second = left[..., j] * right[..., i]
    return left[..., i] * right[..., j] - second if has_first else -second
