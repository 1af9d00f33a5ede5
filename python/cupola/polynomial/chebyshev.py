"""Series of Chebyshev's polynomials of the first kind.

The functions have NumPy's names and meaning. Coefficients are arrays of ours or what NumPy makes
arrays of, from the lowest degree to the highest; their algebra runs on the host, derivatives and
integrals of many series at once, values, matrices and fits on the device of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cupola._cupola import dot, ndarray
from cupola.polynomial._basis import Basis
from cupola.polynomial._classes import OnDevice
from cupola.polynomial._coefficients import on_device, on_host
from cupola.polynomial.polyutils import mapdomain
from cupola.polynomial.polyutils import trimcoef as chebtrim

__all__ = [
    "Chebyshev",
    "cheb2poly",
    "chebadd",
    "chebcompanion",
    "chebder",
    "chebdiv",
    "chebdomain",
    "chebfit",
    "chebfromroots",
    "chebgauss",
    "chebgrid2d",
    "chebgrid3d",
    "chebint",
    "chebinterpolate",
    "chebline",
    "chebmul",
    "chebmulx",
    "chebone",
    "chebpow",
    "chebpts1",
    "chebpts2",
    "chebroots",
    "chebsub",
    "chebtrim",
    "chebval",
    "chebval2d",
    "chebval3d",
    "chebvalnd",
    "chebvander",
    "chebvander2d",
    "chebvander3d",
    "chebweight",
    "chebx",
    "chebzero",
    "poly2cheb",
]

_basis = Basis("chebyshev", "cheb")

cheb2poly = _basis.to_poly
chebadd = _basis.add
chebcompanion = _basis.companion
chebder = _basis.der
chebdiv = _basis.div
chebfit = _basis.fit
chebfromroots = _basis.fromroots
chebgauss = _basis.gauss
chebgrid2d = _basis.grid2d
chebgrid3d = _basis.grid3d
chebint = _basis.integ
chebline = _basis.line
chebmul = _basis.mul
chebmulx = _basis.mulx
chebpow = _basis.power
chebroots = _basis.roots
chebsub = _basis.sub
chebval = _basis.val
chebval2d = _basis.val2d
chebval3d = _basis.val3d
chebvalnd = _basis.valnd
chebvander = _basis.vander
chebvander2d = _basis.vander2d
chebvander3d = _basis.vander3d
chebweight = _basis.weight
poly2cheb = _basis.from_poly


def chebpts1(npts: int) -> ndarray:
    """So many points of Chebyshev of the first kind, the roots of the polynomial of that degree.

    Parameters
    ----------
    npts : int

    Returns
    -------
    ndarray
        In ascending order, of dtype float64.

    Raises
    ------
    ValueError
        For less than one point.

    Examples
    --------
    >>> from cupola.polynomial import chebyshev
    >>> chebyshev.chebpts1(1).tolist()
    [0.0]
    """
    result: ndarray = on_device(np.polynomial.chebyshev.chebpts1(npts))
    return result


def chebpts2(npts: int) -> ndarray:
    """So many points of Chebyshev of the second kind, the ends of the interval among them.

    Parameters
    ----------
    npts : int

    Returns
    -------
    ndarray
        In ascending order, of dtype float64.

    Raises
    ------
    ValueError
        For less than two points.

    Examples
    --------
    >>> from cupola.polynomial import chebyshev
    >>> chebyshev.chebpts2(2).tolist()
    [-1.0, 1.0]
    """
    result: ndarray = on_device(np.polynomial.chebyshev.chebpts2(npts))
    return result


def chebinterpolate(func: Callable[..., Any], deg: int, args: Any = ()) -> ndarray:
    """The series that has a function's values in the points of the first kind.

    Parameters
    ----------
    func : function of an array of points in [-1, 1], and of `args`
    deg : int
    args : sequence

    Returns
    -------
    ndarray
        Of shape (deg + 1,), followed by the dimensions that the values have behind the first one.

    Raises
    ------
    TypeError, ValueError
        For a `deg` that is no whole number, or negative.

    Examples
    --------
    >>> from cupola.polynomial import chebyshev
    >>> chebyshev.chebinterpolate(lambda x: 1 + x, 1).round(6).tolist()
    [1.0, 1.0]
    """
    degree = np.asarray(on_host(deg))
    if degree.ndim or degree.dtype.kind not in "iu":
        raise TypeError("deg must be an int")
    if degree < 0:
        raise ValueError("expected deg >= 0")
    order = int(degree) + 1
    x = chebpts1(order)
    sums = dot(chebvander(x, order - 1).T, func(x, *args))
    sums[0] /= order
    sums[1:] /= 0.5 * order
    return sums


class Chebyshev(OnDevice, np.polynomial.Chebyshev):  # type: ignore[misc]
    """A series of Chebyshev's polynomials of the first kind on a domain.

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
    >>> series = cp.polynomial.Chebyshev([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [2.0, 4.0]
    """

    _basis = _basis

    @classmethod
    def interpolate(  # type: ignore[override]
        cls, func: Callable[..., Any], deg: int, domain: Any = None, args: Any = ()
    ) -> Self:
        """The series that has a function's values in the points of the first kind of a domain.

        Parameters
        ----------
        func : function
            Takes an array of points, and returns its values.
        deg : int
            The degree of the series.
        domain : array_like, optional
            Its two ends; default: [-1, 1].
        args : tuple, optional
            Further arguments of `func`.

        Returns
        -------
        Chebyshev

        Examples
        --------
        >>> import cupola as cp
        >>> series = cp.polynomial.Chebyshev.interpolate(lambda x: x * x, 2)
        >>> series(cp.asarray([1.0, 2.0])).round(6).tolist()
        [1.0, 4.0]
        """
        place = cls.domain if domain is None else on_host(domain)
        coefficients = chebinterpolate(lambda x: func(mapdomain(x, cls.window, place), *args), deg)
        return cls(coefficients, domain=place)


if TYPE_CHECKING:
    chebdomain: ndarray
    chebone: ndarray
    chebx: ndarray
    chebzero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("chebdomain", "chebone", "chebx", "chebzero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
