"""Solutions, inverses, determinants and factorisations of stacks of matrices."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.few_elements import few_by_numpy
from cupola._functions.linalg.eigenvalues import eigh, eigvalsh
from cupola._functions.linalg.failures import gives_nan
from cupola._functions.linalg.products import _operand
from cupola._functions.linalg.stacks import in_order_of_stack, reordered, restored, stack_order

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "cholesky",
    "det",
    "inv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]


class SlogdetResult(NamedTuple):
    """What `slogdet` returns."""

    sign: ndarray
    logabsdet: ndarray


class QRResult(NamedTuple):
    """What `qr` returns where it returns both."""

    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    """What `svd` returns where it returns all."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The solution x of a x = b.

    Parameters
    ----------
    a : (..., n, n)
        Of full rank.
    b : (n,) or (..., n, k)
        One vector for all matrices, or matrices whose stack broadcasts against that of `a`.

    Returns
    -------
    ndarray
        (..., n) or (..., n, k), in the common precision of both; float64 for integers.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where a matrix is singular or not square; the call waits until that is known.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.solve(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.array([2.0, 4.0])).tolist()
    [1.0, 1.0]
    """
    matrices, sides = _operand(a), _operand(b)
    order = stack_order(matrices, matrices if sides.ndim < 2 else sides)
    if order is None:
        return _core.solve(matrices, sides, gives_nan())
    if sides.ndim > 1:
        sides = reordered(sides, order)
    return restored(_core.solve(reordered(matrices, order), sides, gives_nan()), order)


@in_order_of_stack
def inv(a: ArrayLike) -> ndarray:
    """The inverse of each matrix of (..., n, n).

    Parameters
    ----------
    a : (..., n, n)

    Returns
    -------
    ndarray
        (..., n, n)

    Raises
    ------
    numpy.linalg.LinAlgError
        Where a matrix is singular or not square; the call waits until that is known.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.inv(cp.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _core.inv(a, gives_nan())


@few_by_numpy(np.linalg.det)
@in_order_of_stack
def det(a: ArrayLike) -> ndarray:
    """The determinant of each matrix of (..., n, n).

    Parameters
    ----------
    a : (..., n, n)

    Returns
    -------
    ndarray
        One for each matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square.

    Examples
    --------
    >>> import cupola as cp
    >>> bool(cp.isclose(cp.linalg.det(cp.array([[1.0, 2.0], [3.0, 4.0]])), -2))
    True
    """
    return _core.det(a)


@in_order_of_stack
def slogdet(a: ArrayLike) -> SlogdetResult:
    """The determinant as its sign and the logarithm of its absolute value.

    Parameters
    ----------
    a : (..., n, n)

    Returns
    -------
    (sign, logabsdet)
        The sign of a complex determinant is a number of absolute value 1; that of a singular matrix
        is 0, and the logarithm -inf.

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square.

    Examples
    --------
    >>> import cupola as cp
    >>> sign, logabsdet = cp.linalg.slogdet(cp.diag([-1.0, 1.0]))
    >>> float(sign), float(logabsdet)
    (-1.0, 0.0)
    """
    return SlogdetResult(*_core.slogdet(a))


@in_order_of_stack
def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ndarray:
    """The triangular factor of each Hermitian matrix of (..., n, n).

    Parameters
    ----------
    upper : bool
        Whether the upper triangle of `a` is read, and u with u^H u = a returned; else the lower
        one, and l with l l^H = a.

    Returns
    -------
    ndarray
        (..., n, n), lower or upper triangular.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where a matrix is not positive definite or not square; the call waits until that is known.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.cholesky(cp.array([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return _core.cholesky(a, bool(upper), gives_nan())


@overload
def qr(a: ArrayLike, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: Literal["r"]) -> ndarray: ...
@overload
def qr(a: ArrayLike, mode: Literal["raw"]) -> tuple[ndarray, ndarray]: ...
@overload
def qr(a: ArrayLike, mode: str) -> Any: ...
@in_order_of_stack
def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """Each matrix of (..., m, n) as an orthonormal and an upper triangular one.

    Parameters
    ----------
    mode : {'reduced', 'complete', 'r', 'raw'}
        Q with min(m, n) columns; with m; R alone; LAPACK's reflectors (transposed) and factors.
        NumPy's old names 'full' (reduced) and 'economic' (the reflectors alone, not transposed)
        are deprecated.

    Returns
    -------
    (Q, R), or R, or (h, tau)

    Raises
    ------
    numpy.linalg.LinAlgError
        For fewer than two dimensions.
    ValueError
        For another mode.

    Examples
    --------
    >>> import cupola as cp
    >>> q, r = cp.linalg.qr(cp.array([[0.0, 1.0], [2.0, 0.0]]))
    >>> bool(cp.allclose(q @ r, [[0, 1], [2, 0]]))
    True
    """
    if mode == "r":
        return _core.qr_r(a)
    if mode == "raw":
        return _core.qr_reflectors(a)
    if mode in ("e", "economic"):
        _deprecate(mode, "raw")
        return _core.swapaxes(_core.qr_reflectors(a)[0], -1, -2)
    if mode in ("f", "full"):
        _deprecate(mode, "reduced")
    elif mode not in ("reduced", "complete"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    return QRResult(*_core.qr(a, mode == "complete"))


def _deprecate(mode: str, better: str) -> None:
    text = f"The mode '{mode}' of qr() is deprecated; use '{better}'."
    warnings.warn(text, DeprecationWarning, stacklevel=4)  # where qr() is called


@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    hermitian: bool = False,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool, compute_uv: Literal[False], hermitian: bool = False
) -> ndarray: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    hermitian: bool = False,
) -> ndarray: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any: ...
@in_order_of_stack
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Each matrix of (..., m, n) as U S Vh, with the singular values S descending.

    Parameters
    ----------
    full_matrices : bool
        Whether U and Vh are square; else they have min(m, n) columns and rows.
    compute_uv : bool
        False: S alone.
    hermitian : bool
        The matrices are Hermitian, and their eigenvalues are computed instead.

    Returns
    -------
    (U, S, Vh), or S

    Raises
    ------
    numpy.linalg.LinAlgError
        For fewer than two dimensions, and where the iteration does not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> u, s, vh = cp.linalg.svd(cp.diag([1.0, 3.0]))
    >>> bool(cp.allclose(s, [3, 1]))
    True
    """
    if hermitian:
        return _hermitian_svd(_core.as_array(a), compute_uv)
    return SVDResult(*_core.svd(a, bool(full_matrices))) if compute_uv else _core.svdvals(a)


def _hermitian_svd(a: ndarray, compute_uv: bool) -> Any:
    if not compute_uv:
        return _core.sort(abs(eigvalsh(a)))[..., ::-1]
    values, vectors = eigh(a)
    order = _core.argsort(abs(values))[..., ::-1]
    values = _core.take_along_axis(values, order, -1)
    u = _core.take_along_axis(vectors, order[..., None, :], -1)
    signs = _core._ufuncs["copysign"](1.0, values).astype(values.dtype)
    return SVDResult(u, abs(values), (u * signs[..., None, :]).conj().mT)


@in_order_of_stack
def svdvals(x: ArrayLike, /) -> ndarray:
    """The singular values of each matrix, descending.

    Parameters
    ----------
    x : (..., m, n)

    Returns
    -------
    ndarray
        (..., min(m, n)), falling.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where they do not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> bool(cp.allclose(cp.linalg.svdvals(cp.diag([1.0, 3.0])), [3, 1]))
    True
    """
    return _core.svdvals(x)
