"""Series of Laguerre's polynomials.

The functions have NumPy's names and meaning. Coefficients are arrays of ours or what NumPy makes
arrays of, from the lowest degree to the highest; their algebra runs on the host, derivatives and
integrals of many series at once, values, matrices and fits on the device of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._cupola import ndarray
from cupola.polynomial._basis import Basis
from cupola.polynomial._classes import OnDevice
from cupola.polynomial.polyutils import trimcoef as lagtrim

__all__ = [
    "Laguerre",
    "lag2poly",
    "lagadd",
    "lagcompanion",
    "lagder",
    "lagdiv",
    "lagdomain",
    "lagfit",
    "lagfromroots",
    "laggauss",
    "laggrid2d",
    "laggrid3d",
    "lagint",
    "lagline",
    "lagmul",
    "lagmulx",
    "lagone",
    "lagpow",
    "lagroots",
    "lagsub",
    "lagtrim",
    "lagval",
    "lagval2d",
    "lagval3d",
    "lagvalnd",
    "lagvander",
    "lagvander2d",
    "lagvander3d",
    "lagweight",
    "lagx",
    "lagzero",
    "poly2lag",
]

_basis = Basis("laguerre", "lag")

lag2poly = _basis.to_poly
lagadd = _basis.add
lagcompanion = _basis.companion
lagder = _basis.der
lagdiv = _basis.div
lagfit = _basis.fit
lagfromroots = _basis.fromroots
laggauss = _basis.gauss
laggrid2d = _basis.grid2d
laggrid3d = _basis.grid3d
lagint = _basis.integ
lagline = _basis.line
lagmul = _basis.mul
lagmulx = _basis.mulx
lagpow = _basis.power
lagroots = _basis.roots
lagsub = _basis.sub
lagval = _basis.val
lagval2d = _basis.val2d
lagval3d = _basis.val3d
lagvalnd = _basis.valnd
lagvander = _basis.vander
lagvander2d = _basis.vander2d
lagvander3d = _basis.vander3d
lagweight = _basis.weight
poly2lag = _basis.from_poly


class Laguerre(OnDevice, np.polynomial.Laguerre):  # type: ignore[misc]
    """A series of Laguerre's polynomials on a domain.

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
    >>> series = cp.polynomial.Laguerre([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [4.0, 2.0]
    """

    _basis = _basis


if TYPE_CHECKING:
    lagdomain: ndarray
    lagone: ndarray
    lagx: ndarray
    lagzero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("lagdomain", "lagone", "lagx", "lagzero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
