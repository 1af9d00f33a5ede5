"""Series of Hermite's polynomials, those of probability.

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
from cupola.polynomial.polyutils import trimcoef as hermetrim

__all__ = [
    "HermiteE",
    "herme2poly",
    "hermeadd",
    "hermecompanion",
    "hermeder",
    "hermediv",
    "hermedomain",
    "hermefit",
    "hermefromroots",
    "hermegauss",
    "hermegrid2d",
    "hermegrid3d",
    "hermeint",
    "hermeline",
    "hermemul",
    "hermemulx",
    "hermeone",
    "hermepow",
    "hermeroots",
    "hermesub",
    "hermetrim",
    "hermeval",
    "hermeval2d",
    "hermeval3d",
    "hermevalnd",
    "hermevander",
    "hermevander2d",
    "hermevander3d",
    "hermeweight",
    "hermex",
    "hermezero",
    "poly2herme",
]

_basis = Basis("hermite_e", "herme")

herme2poly = _basis.to_poly
hermeadd = _basis.add
hermecompanion = _basis.companion
hermeder = _basis.der
hermediv = _basis.div
hermefit = _basis.fit
hermefromroots = _basis.fromroots
hermegauss = _basis.gauss
hermegrid2d = _basis.grid2d
hermegrid3d = _basis.grid3d
hermeint = _basis.integ
hermeline = _basis.line
hermemul = _basis.mul
hermemulx = _basis.mulx
hermepow = _basis.power
hermeroots = _basis.roots
hermesub = _basis.sub
hermeval = _basis.val
hermeval2d = _basis.val2d
hermeval3d = _basis.val3d
hermevalnd = _basis.valnd
hermevander = _basis.vander
hermevander2d = _basis.vander2d
hermevander3d = _basis.vander3d
hermeweight = _basis.weight
poly2herme = _basis.from_poly


class HermiteE(OnDevice, np.polynomial.HermiteE):  # type: ignore[misc]
    """A series of Hermite's polynomials, those of probability on a domain.

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
    >>> series = cp.polynomial.HermiteE([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [2.0, 4.0]
    """

    _basis = _basis


if TYPE_CHECKING:
    hermedomain: ndarray
    hermeone: ndarray
    hermex: ndarray
    hermezero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("hermedomain", "hermeone", "hermex", "hermezero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
