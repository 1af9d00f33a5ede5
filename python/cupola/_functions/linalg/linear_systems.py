"""What follows from singular values, products and inverses of matrices."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue
from cupola._functions.few_elements import few_by_numpy
from cupola._functions.linalg.factorisations import inv, svd
from cupola._functions.linalg.norms import norm
from cupola._functions.linalg.products import _operand

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "pinv"]


def _check_matrices(a: ndarray) -> None:
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )


def _check_square(a: ndarray) -> None:
    _check_matrices(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")


def _inverted(values: ndarray, cutoff: Any) -> ndarray:
    """The reciprocals of the values above the cutoff, and 0 for the others."""
    large = values > cutoff
    return _core.where(large, 1 / _core.where(large, values, 1), 0)


def pinv(
    a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NoValue
) -> ndarray:
    """The pseudo-inverse of each matrix of (..., m, n), by its singular values.

    Parameters
    ----------
    rcond, rtol : number or array, optional
        Singular values up to so much of the largest one count as zero. Default: 1e-15; `rtol=None`
        means the precision of the dtype times the longer extent.
    hermitian : bool
        The matrices are Hermitian.

    Returns
    -------
    ndarray
        (..., n, m)

    Raises
    ------
    numpy.linalg.LinAlgError
        For fewer than two dimensions, and where the iteration does not converge.
    ValueError
        For both limits at once.

    Examples
    --------
    >>> import cupola as cp
    >>> bool(cp.allclose(cp.linalg.pinv(cp.diag([2.0, 0.0])), cp.diag([0.5, 0.0])))
    True
    """
    array = _core.as_array(a)
    if rcond is not None and rtol is not NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    limit = rtol if rcond is None else rcond
    if limit is NoValue:
        limit = 1e-15
    elif limit is None:
        limit = builtins.max(array.shape[-2:]) * float(np.finfo(array.dtype).eps)
    if array.size == 0 and array.ndim < 2:
        raise ValueError(f"a matrix has two dimensions at least, not {array.ndim}")
    if 0 in array.shape[-2:]:
        return _core.empty((*array.shape[:-2], *array.shape[:-3:-1]), array.dtype)
    u, values, vh = svd(array, False, True, hermitian)
    smallest = _with_axis(limit) * _core.max(values, -1, None, True)
    if np.broadcast_shapes(smallest.shape, values.shape) != values.shape:
        raise ValueError(f"limits of shape {np.shape(limit)} for matrices {array.shape[:-2]}")
    inverted = _inverted(values, smallest)
    return _core.matmul(vh.conj().mT * inverted[..., None, :], u.conj().mT)


def matrix_rank(
    A: ArrayLike,  # noqa: N803
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> Any:
    """How many singular values of each matrix are not zero.

    Parameters
    ----------
    tol : number or array, optional
        Singular values up to this count as zero.
    rtol : number or array, optional
        The same as a part of the largest one. Default: the precision of the dtype times the longer
        extent.
    hermitian : bool
        The matrices are Hermitian.

    Returns
    -------
    ndarray
        Of int64, one for each matrix; of a vector or number whether it has an element that is not
        zero.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where the singular values do not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> int(cp.linalg.matrix_rank(cp.ones((2, 2))))
    1
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    array = _core.as_array(A)
    if array.ndim < 2:
        return _core.astype(_core.any(array != 0), np.int64)
    values = svd(array, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        limit = _with_axis(tol)
    else:
        if rtol is None:
            scale = builtins.max(array.shape[-2:]) * float(np.finfo(values.dtype).eps)
        else:
            scale = _with_axis(rtol)
        limit = scale * _core.max(values, -1, None, True, 0) if values.size else 0.0
    return _core.sum(values > limit, -1)


def _with_axis(value: Any) -> Any:
    return value if isinstance(value, float | int) else _core.as_array(value)[..., None]


@few_by_numpy(np.linalg.lstsq, keeps_scalars=True)
def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | None = None
) -> tuple[ndarray, ndarray, np.int32, ndarray]:
    """The x for which the norm of b - a x is least, and of these the shortest.

    Parameters
    ----------
    a : (m, n)
    b : (m,) or (m, k)
    rcond : float, optional
        Singular values up to so much of the largest one count as zero. Default: the precision of
        the dtype times the longer extent; numbers outside of 0 to 1 mean the precision alone.

    Returns
    -------
    x : (n,) or (n, k)
    residuals : (k,)
        Squared norms of the columns of b - a x; (0,) where the rank of `a` is below n, or m <= n.
    rank : numpy.int32
    s : (min(m, n),)
        The singular values of `a`.

    Raises
    ------
    numpy.linalg.LinAlgError
        For extents that do not match, and where the iteration does not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> x = cp.linalg.lstsq(cp.array([[1.0], [1.0]]), cp.array([1.0, 3.0]), rcond=None)[0]
    >>> bool(cp.allclose(x, 2))
    True
    """
    left, right = _operand(a), _operand(b)
    columns = right[:, None] if right.ndim == 1 else right
    for array in (left, columns):
        if array.ndim != 2:
            raise LinAlgError(
                f"{array.ndim}-dimensional array given. Array must be two-dimensional"
            )
    m, n = left.shape
    if columns.shape[0] != m:
        raise LinAlgError("Incompatible dimensions")
    given = [a.dtype if a.dtype.kind in "fc" else np.float64 for a in (left, columns)]
    if np.float16 in given:
        raise TypeError("array type float16 is unsupported in linalg")
    dtype = np.result_type(*given)
    left, columns = left.astype(dtype), columns.astype(dtype)
    if isinstance(rcond, (complex, np.complexfloating)):
        raise TypeError(f"rcond is a real number, not {rcond}")
    u, values, vh = svd(left, False)
    if bool(_core.any(_core._ufuncs["isnan"](values))):
        raise LinAlgError("SVD did not converge in Linear Least Squares")
    epsilon = float(np.finfo(values.dtype).eps)
    if rcond is None:
        rcond = epsilon * builtins.max(m, n)
    elif not 0 < rcond < 1:  # as LAPACK reads it, whose epsilon is half of NumPy's
        rcond = epsilon / 2
    cutoff = rcond * values[:1]
    inverted = _inverted(values, cutoff)
    shares = u.conj().mT @ columns
    x = vh.conj().mT @ (inverted[:, None] * shares)
    rank = np.int32(int(_core.sum(values > cutoff)))
    if rank == n and m > n:
        rest = columns - u @ shares  # x is inaccurate where `a` is nearly singular
        residuals = _core.sum((rest * rest.conj()).real, 0)
    else:
        residuals = _core.empty((0,), x.real.dtype)
    return (x[:, 0] if right.ndim == 1 else x), residuals, rank, values


def cond(x: ArrayLike, p: Any = None) -> ndarray:
    """The condition number of each matrix.

    Parameters
    ----------
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}
        The norm; None and 2: the quotient of the largest and the smallest singular value.

    Returns
    -------
    ndarray
        Infinite where a matrix is singular.

    Raises
    ------
    numpy.linalg.LinAlgError
        For arrays without elements, and matrices that are not square where `p` is no 2.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.linalg.cond(cp.diag([2.0, 1.0])))
    2.0
    """
    array = _core.as_array(x)
    _check_matrices(array)
    if array.size == 0 and 0 in array.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        values = svd(array, compute_uv=False)
        first, last = values[..., 0], values[..., -1]
        result = last / first if p == -2 else first / last
    else:
        _check_square(array)
        result = norm(array, p, (-2, -1)) * norm(_core.inv(array, or_nan=True), p, (-2, -1))
    isnan = _core._ufuncs["isnan"]
    singular = isnan(result) & ~_core.any(isnan(array), (-2, -1))
    return _core.where(singular, np.inf, result)


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """Each square matrix, or for n < 0 its inverse, multiplied with itself abs(n) times.

    Parameters
    ----------
    a : (..., n, n)
    n : int
        Negative: powers of the inverse.

    Returns
    -------
    ndarray
        (..., n, n)

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square; for n < 0 where one is singular.
    TypeError
        For an exponent that is no integer.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.matrix_power(cp.array([[1, 1], [0, 1]]), 3).tolist()
    [[1, 3], [0, 1]]
    """
    array = _core.as_array(a)
    _check_square(array)
    try:
        exponent = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if exponent == 0:
        result = _core.empty_like(array)
        result[...] = _core.eye(array.shape[-1], dtype=array.dtype, device=array.device)
        return result
    if exponent < 0:
        array, exponent = inv(array), -exponent
    while not exponent & 1:
        array, exponent = _core.matmul(array, array), exponent >> 1
    result = array
    while exponent > 1:
        array, exponent = _core.matmul(array, array), exponent >> 1
        if exponent & 1:
            result = _core.matmul(result, array)
    return result
