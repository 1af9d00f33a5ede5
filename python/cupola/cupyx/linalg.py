"""Linear algebra beyond NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupola._cupola import ndarray
from cupola._functions.linalg.factorisations import cholesky, inv
from cupola._functions.linalg.matrix_forms import matrix_transpose

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["invh"]


def invh(a: ArrayLike) -> ndarray:
    """The inverse of each Hermitian, positive definite matrix of (..., n, n), by Cholesky's way.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n); only the lower triangles are read.

    Returns
    -------
    ndarray
        Of the same shape.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where a matrix is not positive definite or not square.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx.linalg import invh
    >>> invh(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    inverse = inv(cholesky(a))
    return matrix_transpose(inverse).conj() @ inverse
