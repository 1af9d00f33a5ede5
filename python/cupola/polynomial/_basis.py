"""The functions of a module of series: one definition for the six bases.

NumPy's functions hold the recurrences of the bases. They compute with whatever has arithmetic, so
that with arrays of ours they make expressions that wait and become one kernel.
"""

from __future__ import annotations

from typing import Any

from cupola._cupola import ndarray
from cupola.polynomial._algebra import Algebra
from cupola.polynomial._coefficients import on_device, on_host, place
from cupola.polynomial._values import Values


class Basis(Algebra, Values):
    """All functions of a basis."""

    def gauss(self, deg: Any) -> tuple[ndarray, ndarray]:
        """Points and weights of Gauss's quadrature with so many points.

        Raises
        ------
        ValueError
            For ``deg < 1``.

        Examples
        --------
        >>> from cupola.polynomial import legendre
        >>> [part.round(6).tolist() for part in legendre.leggauss(1)]
        [[0.0], [2.0]]
        """
        result: tuple[ndarray, ndarray] = on_device(self._numpy("*gauss")(on_host(deg)))
        return result

    def weight(self, x: Any) -> ndarray:
        """The weight of the orthogonality of the basis at points."""
        where = x if isinstance(x, list | tuple) else place(x)  # which no formula takes
        result: ndarray = on_device(self._numpy("*weight")(where))
        return result
