"""Eigenvalues and eigenvectors of stacks of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.linalg.stacks import in_order_of_stack

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


class EigResult(NamedTuple):
    """What `eig` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


def _is_upper(triangle: str) -> bool:
    if triangle.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return triangle.upper() == "U"


@in_order_of_stack
def eigh(a: ArrayLike, UPLO: str = "L") -> EighResult:  # noqa: N803
    """Eigenvalues, ascending, and eigenvectors, as columns, of Hermitian matrices (..., n, n).

    Parameters
    ----------
    UPLO : {'L', 'U'}
        The triangle of `a` that is read.

    Returns
    -------
    EighResult
        Eigenvalues (..., n), rising, and eigenvectors (..., n, n) in columns.

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square, and where the iteration does not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> bool(cp.allclose(cp.linalg.eigh(cp.diag([3.0, 1.0])).eigenvalues, [1, 3]))
    True
    """
    return EighResult(*_core.eigh(a, _is_upper(UPLO)))


@in_order_of_stack
def eigvalsh(a: ArrayLike, UPLO: str = "L") -> ndarray:  # noqa: N803
    """The eigenvalues of Hermitian matrices; see `eigh`.

    Parameters
    ----------
    a : (..., n, n)
        Hermitian.
    UPLO : {'L', 'U'}, optional
        Which triangle is read.

    Returns
    -------
    ndarray
        (..., n), rising.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where they do not converge.

    Examples
    --------
    >>> import cupola as cp
    >>> bool(cp.allclose(cp.linalg.eigvalsh(cp.diag([3.0, 1.0])), [1, 3]))
    True
    """
    return _core.eigvalsh(a, _is_upper(UPLO))


def _in_double(matrices: ndarray) -> ndarray:
    """In double precision: whether eigenvalues have imaginary parts must not depend on rounding."""
    if matrices.dtype == np.complex64:
        return _core.astype(matrices, np.complex128)
    return _core.astype(matrices, np.float64) if matrices.dtype == np.float32 else matrices


def _as_single(result: ndarray, matrices: ndarray) -> ndarray:
    """In single precision where the matrices were."""
    if matrices.dtype not in (np.float32, np.complex64):
        return result
    return _core.astype(result, np.complex64)


@in_order_of_stack
def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and eigenvectors, as columns, of square matrices (..., n, n).

    Parameters
    ----------
    a : array_like
        Of finite numbers.

    Returns
    -------
    eigenvalues : (..., n) ndarray
        In no order. Always complex, as in the array API standard and in NumPy from 2.5 on; NumPy
        before gives real ones where all are. Those of real matrices that are not real come in
        conjugate pairs.
    eigenvectors : (..., n, n) ndarray
        Of the same dtype, of Euclidean norm 1.

    Notes
    -----
    In double precision also where the result is in single precision.

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square or not finite, and where the iteration does not converge.

    See Also
    --------
    eigh, eigvals

    Examples
    --------
    >>> import cupola as cp
    >>> values, vectors = cp.linalg.eig(cp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    >>> values.tolist(), vectors.tolist()
    ([(2+0j), (3+0j)], [[(1+0j), 0j], [0j, (1+0j)]])
    >>> cp.linalg.eig(cp.asarray([[0.0, -1.0], [1.0, 0.0]])).eigenvalues.tolist()
    [1j, -1j]
    """
    matrices = _core.as_array(a)
    values, vectors = _core.eig(_in_double(matrices))
    return EigResult(_as_single(values, matrices), _as_single(vectors, matrices))


@in_order_of_stack
def eigvals(a: ArrayLike) -> ndarray:
    """The eigenvalues of square matrices; see `eig`.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    ndarray
        Of shape (..., n); always complex: complex64 for float32, else complex128.

    Raises
    ------
    numpy.linalg.LinAlgError
        For matrices that are not square, have NaN or infinities, and where the iteration does not
        converge.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linalg.eigvals(cp.asarray([[2.0, 1.0], [0.0, -3.0]])).tolist()
    [(2+0j), (-3+0j)]
    """
    matrices = _core.as_array(a)
    values = _core.eigvals(_in_double(matrices))
    return _as_single(values, matrices)
