"""Polynomials of least squares, in the order and with the covariance of the older functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._functions.creation.matrices import vander
from cupola._functions.few_elements import few_by_numpy
from cupola.polynomial import _fitting
from cupola.polynomial._coefficients import points

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["polyfit"]


@few_by_numpy(np.polyfit, keeps_scalars=True)
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: Any = False,
) -> Any:
    """The polynomial that comes closest to values at points: of least squares.

    Parameters
    ----------
    x : (m,) array_like
    y : (m,) or (m, k) array_like
        Values of one or k functions.
    deg : int
    rcond : float, optional
        Singular values up to so much of the largest one count as 0. Default: m times the precision.
    full : bool
        Also return residuals, rank, singular values and `rcond`.
    w : (m,) array_like, optional
        Factors of the differences before they are squared.
    cov : bool or 'unscaled'
        Also return the covariance of the coefficients, scaled so that chi-square is m - deg - 1;
        'unscaled': with `w` the reciprocals of standard deviations.

    Returns
    -------
    ndarray
        Coefficients from the highest degree to the lowest: (deg + 1,) or (deg + 1, k).

    Raises
    ------
    TypeError
        For shapes that do not fit.
    ValueError
        For ``deg < 0``, and a scaled covariance of too few points.
    numpy.linalg.LinAlgError
        Where the iteration does not converge.

    Warns
    -----
    RankWarning
        Where the points do not determine the polynomial, without `full`.

    Examples
    --------
    >>> import cupola as cp
    >>> x = cp.arange(5.0)
    >>> cp.polyfit(x, 3 * x - 1, 1).round(6).tolist()
    [3.0, -1.0]
    """
    order = int(deg) + 1
    if deg < 0:
        raise ValueError("expected deg >= 0")
    x, y, w = _fitting.checked_samples(x, y, w)
    if rcond is None:
        rcond = x.size * np.finfo(x.dtype).eps
    columns, values = vander(x, order), y
    if w is not None:
        columns = columns * w[:, None]
        values = (y.T * w).T
    norms = _core._ufuncs["sqrt"](_core.sum(columns * columns, 0))
    solution, residuals, rank, singular = _fitting.solve(columns, norms, values, float(rcond))
    if full:
        return solution, residuals, rank, singular, rcond
    _fitting.warn_of_rank(rank, order, "Polyfit may be poorly conditioned")
    if not cov:
        return solution
    from cupola.linalg import inv

    scaled = columns / norms
    base = inv(scaled.T @ scaled) / (norms[:, None] * norms)
    if cov != "unscaled":
        if x.size <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = residuals / (x.size - order)
    else:
        factor = points(1)
    return solution, (base if y.ndim == 1 else base[:, :, None]) * factor
