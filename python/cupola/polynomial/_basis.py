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

        Parameters
        ----------
        deg : int
            How many points; the rule is exact for polynomials of degree ``2 * deg - 1`` and less.

        Returns
        -------
        (ndarray, ndarray)
            Points in ascending order and their weights, of dtype float64 and shape (deg,).

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
        """The weight of the orthogonality of the basis at points.

        Parameters
        ----------
        x : array_like

        Returns
        -------
        ndarray
            Of the shape of `x`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import laguerre
        >>> laguerre.lagweight(cp.asarray([0.0, 1.0])).round(6).tolist()
        [1.0, 0.367879]
        """
        where = x if isinstance(x, list | tuple) else place(x)  # which no formula takes
        result: ndarray = on_device(self._numpy("*weight")(where))
        return result
