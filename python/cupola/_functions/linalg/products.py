"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import dot, ndarray
from cupola._functions.arguments import NoValue, axis_in
from cupola._functions.linalg.generalized import check_order, generalized, loop_dtype

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "outer",
    "tensordot",
    "trace",
    "vdot",
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


@generalized
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    axes: Any = NoValue,
) -> ndarray:
    """Matrix product, of stacks of matrices as well.

    Parameters
    ----------
    x1, x2 : arrays
        (..., n, k) and (..., k, m); the leading dimensions broadcast. A vector is a row on the
        left and a column on the right, and its dimension is left out of the result.
    out : ndarray, optional
        Where the result is written.
    dtype, casting, order
        What is computed in, how operands may be cast to it, and the memory order of the result.
    subok : bool
        Makes no difference.
    signature : str, dtype or tuple of dtypes, optional
        The loop, as NumPy's universal functions take it: 'dd->d'.
    axes : list of tuples of ints, optional
        The axes of the vectors or matrices in both operands and in the result, instead of the last
        ones. A number stands for a tuple of one.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For numbers, and for extents that do not match.

    Examples
    --------
    >>> import cupola as cp
    >>> (cp.array([[1, 2]]) @ cp.array([[3], [4]])).tolist()
    [[11]]
    """

    if is_foreign(x1, x2):
        options = {"dtype": dtype, "casting": casting, "order": order, "signature": signature}
        return foreign_product("matmul", x1, x2, out=out, axes=axes, **options)
    left, right = _matrix(x1, 0), _matrix(x2, 1)
    loop = loop_dtype("matmul", (left, right), dtype, signature, casting)

    def product(left: ndarray, right: ndarray, target: Any) -> ndarray:
        return _core.matmul(left, right, target, loop, casting)

    if out is not None:
        out = single_output(out)
    if axes is NoValue and order == "K":
        return product(left, right, out)
    is_row, is_column = left.ndim == 1, right.ndim == 1
    ranks = (2 - is_row, 2 - is_column, 2 - is_row - is_column)
    return product_in_order("matmul", product, (left, right), ranks, axes, order, out)


def single_output(out: Any) -> Any:
    """The output of a tuple of one. `...` asks for an array, which every result is: None."""
    if isinstance(out, tuple):
        (out,) = out
        if out is ...:
            raise TypeError("`...` is given as out=..., not in a tuple")
    return None if out is ... else out


def is_foreign(x1: Any, x2: Any) -> bool:
    """Whether one of them decides by its `__array_ufunc__` what a product is."""
    return _core.has_override(x1) or _core.has_override(x2)


def foreign_product(name: str, x1: Any, x2: Any, **options: Any) -> Any:
    """NumPy's product, which asks the operands; options that were not given are left out."""
    defaults = {"casting": "same_kind", "order": "K", "keepdims": False}
    given = {
        key: value
        for key, value in options.items()
        if value is not None and value is not NoValue and value is not defaults.get(key)
    }
    return getattr(np, name)(x1, x2, **given)


def product_in_order(
    name: str,
    product: Any,
    operands: tuple[ndarray, ndarray],
    ranks: tuple[int, int, int],
    axes: Any,
    order: str,
    out: Any,
) -> ndarray:
    """A product along `axes`, in a memory order, into an output that is alone or in a tuple."""
    check_order(order)
    if out is not None:
        out = single_output(out)
    if axes is NoValue:
        result = product(*operands, out)
    else:
        from cupola._functions.linalg.core_axes import product_along

        result = product_along(product, name, operands, ranks, axes, out)
    if out is not None:
        return out
    if order == "A":
        order = "F" if all(each.flags.f_contiguous for each in operands) else "C"
    return result if order == "K" else _core.copy(result, order)


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of the products of all elements, those of `a` conjugated.

    Parameters
    ----------
    a, b : array_like
        Flattened; `a` is conjugated.

    Returns
    -------
    ndarray without dimensions

    Raises
    ------
    ValueError
        For different numbers of elements.

    Examples
    --------
    >>> import cupola as cp
    >>> complex(cp.vdot(cp.asarray([1j]), cp.asarray([1j])))
    (1+0j)
    """
    return _core.vdot(_core.as_array(a), _core.as_array(b))


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of products over the last dimensions.

    Parameters
    ----------
    a, b : array_like

    Returns
    -------
    ndarray
        Sums over the last dimensions of both.

    Raises
    ------
    ValueError
        For extents that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.inner(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1])).tolist()
    [3, 7]
    """
    return _core.inner(_operand(a), _operand(b))


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Product of every pair of elements of the two flattened arrays.

    Parameters
    ----------
    a, b : array_like
        Flattened.
    out : ndarray, optional

    Returns
    -------
    ndarray
        (a.size, b.size)

    Raises
    ------
    ValueError
        For an `out` of another shape.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.outer([1, 2], [3, 4]).tolist()
    [[3, 4], [6, 8]]
    """
    return _core.outer(_operand(a), _operand(b), out)


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> ndarray:
    """Sum of products over pairs of dimensions.

    Parameters
    ----------
    axes : int or (axes of a, axes of b)
        A number n pairs the last n dimensions of `a` with the first n of `b`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        When the extents of a pair differ.
    IndexError
        For a dimension that there is not.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.tensordot(cp.ones((2, 3)), cp.ones((3, 2)), 1).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
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
    """Sum of a diagonal.

    Parameters
    ----------
    a : array_like
        Of two dimensions and more.
    offset : int, optional
        Which diagonal.
    axis1, axis2 : int, optional
    dtype, out : optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.trace(cp.array([[1, 2], [3, 4]])))
    5
    """
    return _core.sum(_core.diagonal(_core.as_array(a), offset, axis1, axis2), -1, dtype, out)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """Kronecker product.

    Parameters
    ----------
    a, b : array_like

    Returns
    -------
    ndarray
        Of the product of both extents along each axis.

    Raises
    ------
    TypeError
        For dtypes that cannot be multiplied.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.kron([1, 10], [1, 2]).tolist()
    [1, 2, 10, 20]
    """
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
