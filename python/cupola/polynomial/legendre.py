"""Series of Legendre's polynomials.

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
from cupola.polynomial.polyutils import trimcoef as legtrim

__all__ = [
    "Legendre",
    "leg2poly",
    "legadd",
    "legcompanion",
    "legder",
    "legdiv",
    "legdomain",
    "legfit",
    "legfromroots",
    "leggauss",
    "leggrid2d",
    "leggrid3d",
    "legint",
    "legline",
    "legmul",
    "legmulx",
    "legone",
    "legpow",
    "legroots",
    "legsub",
    "legtrim",
    "legval",
    "legval2d",
    "legval3d",
    "legvalnd",
    "legvander",
    "legvander2d",
    "legvander3d",
    "legweight",
    "legx",
    "legzero",
    "poly2leg",
]

_basis = Basis("legendre", "leg")

leg2poly = _basis.to_poly
legadd = _basis.add
legcompanion = _basis.companion
legder = _basis.der
legdiv = _basis.div
legfit = _basis.fit
legfromroots = _basis.fromroots
leggauss = _basis.gauss
leggrid2d = _basis.grid2d
leggrid3d = _basis.grid3d
legint = _basis.integ
legline = _basis.line
legmul = _basis.mul
legmulx = _basis.mulx
legpow = _basis.power
legroots = _basis.roots
legsub = _basis.sub
legval = _basis.val
legval2d = _basis.val2d
legval3d = _basis.val3d
legvalnd = _basis.valnd
legvander = _basis.vander
legvander2d = _basis.vander2d
legvander3d = _basis.vander3d
legweight = _basis.weight
poly2leg = _basis.from_poly


class Legendre(OnDevice, np.polynomial.Legendre):  # type: ignore[misc]
    """A series of Legendre's polynomials on a domain.

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
    >>> series = cp.polynomial.Legendre([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [2.0, 4.0]
    """

    _basis = _basis


if TYPE_CHECKING:
    legdomain: ndarray
    legone: ndarray
    legx: ndarray
    legzero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("legdomain", "legone", "legx", "legzero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
