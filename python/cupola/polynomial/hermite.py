"""Series of Hermite's polynomials, those of physics.

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
from cupola.polynomial.polyutils import trimcoef as hermtrim

__all__ = [
    "Hermite",
    "herm2poly",
    "hermadd",
    "hermcompanion",
    "hermder",
    "hermdiv",
    "hermdomain",
    "hermfit",
    "hermfromroots",
    "hermgauss",
    "hermgrid2d",
    "hermgrid3d",
    "hermint",
    "hermline",
    "hermmul",
    "hermmulx",
    "hermone",
    "hermpow",
    "hermroots",
    "hermsub",
    "hermtrim",
    "hermval",
    "hermval2d",
    "hermval3d",
    "hermvalnd",
    "hermvander",
    "hermvander2d",
    "hermvander3d",
    "hermweight",
    "hermx",
    "hermzero",
    "poly2herm",
]

_basis = Basis("hermite", "herm")

herm2poly = _basis.to_poly
hermadd = _basis.add
hermcompanion = _basis.companion
hermder = _basis.der
hermdiv = _basis.div
hermfit = _basis.fit
hermfromroots = _basis.fromroots
hermgauss = _basis.gauss
hermgrid2d = _basis.grid2d
hermgrid3d = _basis.grid3d
hermint = _basis.integ
hermline = _basis.line
hermmul = _basis.mul
hermmulx = _basis.mulx
hermpow = _basis.power
hermroots = _basis.roots
hermsub = _basis.sub
hermval = _basis.val
hermval2d = _basis.val2d
hermval3d = _basis.val3d
hermvalnd = _basis.valnd
hermvander = _basis.vander
hermvander2d = _basis.vander2d
hermvander3d = _basis.vander3d
hermweight = _basis.weight
poly2herm = _basis.from_poly


class Hermite(OnDevice, np.polynomial.Hermite):  # type: ignore[misc]
    """A series of Hermite's polynomials, those of physics on a domain.

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
    >>> series = cp.polynomial.Hermite([1, 2])
    >>> (series + 1)(cp.asarray([0.0, 1.0])).tolist()
    [2.0, 6.0]
    """

    _basis = _basis


if TYPE_CHECKING:
    hermdomain: ndarray
    hermone: ndarray
    hermx: ndarray
    hermzero: ndarray
else:

    def __getattr__(name: str) -> Any:
        if name in ("hermdomain", "hermone", "hermx", "hermzero"):
            return _basis.constant(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
