"""Products of vectors, alone and with matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue
from cupola._functions.linalg.generalized import generalized, loop_dtype
from cupola._functions.linalg.products import (
    _operand,
    foreign_product,
    is_foreign,
    product_in_order,
    single_output,
)

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike

__all__ = ["matvec", "vecdot", "vecmat"]


@generalized
def matvec(
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
    """Products of matrices and vectors, of stacks of both.

    Parameters
    ----------
    x1, x2 : arrays
        (..., m, n) and (..., n); the leading dimensions broadcast.
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

    if is_foreign(x1, x2):
        options = {"dtype": dtype, "casting": casting, "order": order, "signature": signature}
        return foreign_product("matvec", x1, x2, out=out, axes=axes, **options)
    operands = _with_dimensions("matvec", x1, 2, x2, 1)
    loop = loop_dtype("matvec", operands, dtype, signature, casting)

    def product(matrices: ndarray, vectors: ndarray, target: Any) -> ndarray:
        target = None if target is None else target[..., None]
        return _core.matmul(matrices, vectors[..., None], target, loop, casting)[..., 0]

    return product_in_order("matvec", product, operands, (2, 1, 1), axes, order, out)


@generalized
def vecmat(
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
    """Products of conjugated vectors and matrices, of stacks of both.

    Parameters
    ----------
    x1, x2 : arrays
        (..., n) and (..., n, m); the leading dimensions broadcast.
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

    if is_foreign(x1, x2):
        options = {"dtype": dtype, "casting": casting, "order": order, "signature": signature}
        return foreign_product("vecmat", x1, x2, out=out, axes=axes, **options)
    operands = _with_dimensions("vecmat", x1, 1, x2, 2)
    loop = loop_dtype("vecmat", operands, dtype, signature, casting)

    def product(vectors: ndarray, matrices: ndarray, target: Any) -> ndarray:
        if vectors.dtype.kind == "c":
            vectors = _core._ufuncs["conjugate"](vectors)
        target = None if target is None else target[..., None, :]
        return _core.matmul(vectors[..., None, :], matrices, target, loop, casting)[..., 0, :]

    return product_in_order("vecmat", product, operands, (1, 2, 1), axes, order, out)


def _with_dimensions(
    name: str, x1: Any, least1: int, x2: Any, least2: int
) -> tuple[ndarray, ndarray]:
    """Operands of as many dimensions as a product needs."""
    operands = (_operand(x1), _operand(x2))
    for number, (array, least) in enumerate(zip(operands, (least1, least2), strict=True)):
        if array.ndim < least:
            raise ValueError(
                f"{name}: Input operand {number} does not have enough dimensions (has "
                f"{array.ndim}, requires {least})"
            )
    return operands


@generalized
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    axis: Any = NoValue,
    axes: Any = NoValue,
    keepdims: bool = False,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
) -> ndarray:
    """Sum of products of vectors, the elements of `x1` conjugated.

    Parameters
    ----------
    x1, x2 : arrays
        The dimensions broadcast, but for those of the vectors.
    axis : int
        That of the vectors in both. Default: the last.
    axes : list of ints, optional
        The axis of the vectors in each of both.
    keepdims : bool
        The axis stays, with an extent of 1; with `axes` a third number says where.
    out : ndarray, optional
        Where the result is written.
    dtype, casting, order
        What is computed in, how operands may be cast to it, and the memory order of the result.
    subok : bool
        Makes no difference.
    signature : str, dtype or tuple of dtypes, optional
        The loop, as NumPy's universal functions take it: 'dd->d'.

    Returns
    -------
    ndarray
        Of the broadcast shape without that of the vectors.

    Raises
    ------
    ValueError
        For numbers, and for extents that do not match.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.vecdot(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 10])).tolist()
    [21, 43]
    """

    if is_foreign(x1, x2):
        options = {"dtype": dtype, "casting": casting, "order": order, "signature": signature}
        options |= {"axes": axes, "axis": axis, "keepdims": keepdims}
        return foreign_product("vecdot", x1, x2, out=out, **options)
    operands = _with_dimensions("vecdot", x1, 1, x2, 1)
    loop = loop_dtype("vecdot", operands, dtype, signature, casting)

    def product(left: ndarray, right: ndarray, target: Any) -> ndarray:
        return _dot_of_rows(left, right, target, loop, casting)

    if out is not None:
        out = single_output(out)
    if axis is NoValue and axes is NoValue and keepdims is False:
        return product_in_order("vecdot", product, operands, (1, 1, 0), NoValue, order, out)
    from cupola._functions.linalg.core_axes import axes_of_vectors

    places, kept = axes_of_vectors(axis, axes, keepdims)
    if kept is None:
        return product_in_order("vecdot", product, operands, (1, 1, 0), places, order, out)
    target = None if out is None else _core.squeeze(out, kept)
    result = product_in_order("vecdot", product, operands, (1, 1, 0), places, order, target)
    return _core.expand_dims(result, kept) if out is None else out


def _dot_of_rows(left: ndarray, right: ndarray, target: Any, dtype: Any, casting: Any) -> ndarray:
    if left.shape[-1] != right.shape[-1]:
        raise ValueError(f"vecdot: extents {left.shape[-1]} and {right.shape[-1]} do not match")
    if left.dtype.kind == "c":
        left = _core._ufuncs["conjugate"](left)
    if target is not None:
        target = target[..., None, None]
    result = _core.matmul(left[..., None, :], right[..., :, None], target, dtype, casting)
    result = result[..., 0, 0]
    if target is not None or result.ndim < 2 or not result.size or not left.shape[-1]:
        return result
    # It lies as what is computed from the other dimensions element by element.
    alike = _core.empty_like(_core._ufuncs["multiply"](left[..., 0], right[..., 0]), result.dtype)
    if alike.flags.c_contiguous:
        return result
    alike[...] = result
    return alike
