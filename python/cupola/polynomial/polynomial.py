"""Series of powers of x.

The functions have NumPy's names and meaning. Coefficients are arrays of ours or what NumPy makes
arrays of, from the lowest degree to the highest; their algebra runs on the host, derivatives and
integrals of many series at once, values, matrices and fits on the device of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array
from cupola.polynomial._basis import Basis
from cupola.polynomial._classes import OnDevice
from cupola.polynomial._coefficients import device_of, on_host, place
from cupola.polynomial.polyutils import trimcoef as polytrim

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "Polynomial",
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polydomain",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polyone",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvalfromroots",
    "polyvalnd",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
    "polyx",
    "polyzero",
]

_basis = Basis("polynomial", "poly")

polyadd = _basis.add
polycompanion = _basis.companion
polyder = _basis.der
polydiv = _basis.div
polyfit = _basis.fit
polyfromroots = _basis.fromroots
polygrid2d = _basis.grid2d
polygrid3d = _basis.grid3d
polyint = _basis.integ
polyline = _basis.line
polymul = _basis.mul
polymulx = _basis.mulx
polyroots = _basis.roots
polysub = _basis.sub
polyval = _basis.val
polyval2d = _basis.val2d
polyval3d = _basis.val3d
polyvalnd = _basis.valnd
polyvander = _basis.vander
polyvander2d = _basis.vander2d
polyvander3d = _basis.vander3d


def polypow(c: ArrayLike, pow: int, maxpower: int | None = None) -> ndarray:
    """A polynomial to the power of a whole number, at most `maxpower`.

    Parameters
    ----------
    c : array_like
        Coefficients from the lowest degree to the highest, in one dimension.
    pow : int
        At least 0.
    maxpower : int, optional
        None: any.

    Returns
    -------
    ndarray
        Coefficients in one dimension, inexact: float64 for integers.

    Raises
    ------
    ValueError
        For other powers.

    Examples
    --------
    >>> from cupola.polynomial import polynomial
    >>> polynomial.polypow([1, 1], 3).tolist()
    [1.0, 3.0, 3.0, 1.0]
    """
    return _basis.power(c, pow, maxpower)


def polyvalfromroots(x: Any, r: ArrayLike, tensor: bool = True) -> ndarray:
    """The values of polynomials that are given by their roots: the products of x - r.

    Parameters
    ----------
    x : array_like
    r : array_like
        Roots along the first dimension; the others count polynomials.
    tensor : bool
        Each polynomial at each point; False: `x` and the other dimensions of `r` broadcast.

    Returns
    -------
    ndarray
        Of shape ``r.shape[1:] + x.shape``, or the one of the broadcast.

    Raises
    ------
    ValueError
        For ``tensor=False`` and points of as many dimensions as the roots.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.polynomial import polynomial
    >>> polynomial.polyvalfromroots(cp.asarray([0.0, 3.0]), [1, 2]).tolist()
    [2.0, 2.0]
    """
    where = place(x, device_of(r))
    roots = r if isinstance(r, ndarray) else array(on_host(r), device=device_of(where))
    if not roots.ndim:
        roots = roots.reshape((1,))
    if roots.dtype.kind in "biu":
        roots = roots.astype(np.float64)
    if isinstance(where, ndarray) and tensor:
        roots = roots.reshape(roots.shape + (1,) * where.ndim)
    elif isinstance(where, ndarray) and where.ndim >= roots.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (where - roots).prod(0)


class Polynomial(OnDevice, np.polynomial.Polynomial):  # type: ignore[misc]
    """A series of powers of x on a domain.

    The coefficients, `domain` and `window` are few numbers and lie in NumPy arrays on the host.

    Parameters
    ----------
    coef : array_like
        From the lowest degree to the highest.
    domain, window : array_like of two numbers, optional
        The series is evaluated at points moved as `domain` is moved to `window`.
    symbol : str
        The variable in texts.

    Examples
    --------
    >>> import cupola as cp
    >>> series = cp.polynomial.Polynomial([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [2.0, 4.0]
    """

    _basis = _basis


if TYPE_CHECKING:
    polydomain: ndarray
    polyone: ndarray
    polyx: ndarray
    polyzero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("polydomain", "polyone", "polyx", "polyzero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
