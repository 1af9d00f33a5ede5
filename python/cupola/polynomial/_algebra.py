"""Series as coefficients: sums, products, derivatives, roots."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola.polynomial._coefficients import (
    algebra,
    coefficient_array,
    device_of,
    eigenvalues,
    on_device,
    on_host,
    rows,
    stacked,
)
from cupola.polynomial._named import Named

if TYPE_CHECKING:
    from cupola._typing import ArrayLike


class Algebra(Named):
    """Functions of coefficients, which are arrays of ours or what NumPy makes arrays of."""

    def constant(self, name: str) -> ndarray:
        """The coefficients of 0, 1 or x, or the domain of the basis."""
        value: Any = self._numpy(name)
        result: ndarray = on_device(value)
        return result

    def line(self, off: Any, scl: Any) -> ndarray:
        """The series of the line off + scl x.

        Parameters
        ----------
        off, scl : number

        Returns
        -------
        ndarray
            Two coefficients, one where `scl` is 0.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebline(3, 2).tolist()
        [3, 2]
        """
        result: ndarray = algebra(self._numpy("*line"), off, scl)
        return result

    def fromroots(self, roots: ArrayLike) -> ndarray:
        """The series whose roots these are, with the highest coefficient of x of 1.

        Parameters
        ----------
        roots : array_like
            In one dimension; a root of multiplicity k is there k times.

        Returns
        -------
        ndarray
            One coefficient more than roots; complex for complex roots.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyfromroots([1, 2]).tolist()
        [2.0, -3.0, 1.0]
        """
        result: ndarray = algebra(self._numpy("*fromroots"), roots)
        return result

    def add(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The sum of two series, without zeros at its end.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients from the lowest to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebadd([1, 2, 3], [3, 2, -3]).tolist()
        [4.0, 4.0]
        """
        result: ndarray = algebra(self._numpy("*add"), c1, c2)
        return result

    def sub(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The difference of two series, without zeros at its end.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebsub([1, 2, 3], [1, 2, 1]).tolist()
        [0.0, 0.0, 2.0]
        """
        result: ndarray = algebra(self._numpy("*sub"), c1, c2)
        return result

    def mulx(self, c: ArrayLike) -> ndarray:
        """A series times x.

        Parameters
        ----------
        c : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import legendre
        >>> legendre.legmulx([0, 3]).tolist()
        [1.0, 0.0, 2.0]
        """
        result: ndarray = algebra(self._numpy("*mulx"), c)
        return result

    def mul(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The product of two series, without zeros at its end.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebmul([0, 1], [0, 1]).tolist()
        [0.5, 0.0, 0.5]
        """
        result: ndarray = algebra(self._numpy("*mul"), c1, c2)
        return result

    def div(self, c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
        """Quotient and remainder of two series.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        (ndarray, ndarray)
            Without zeros at their ends; the remainder has a lower degree than `c2`.

        Raises
        ------
        ZeroDivisionError
            Where the highest coefficient of `c2` is 0.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> [part.tolist() for part in polynomial.polydiv([1, 2, 3], [3, 2, 1])]
        [[3.0], [-8.0, -4.0]]
        """
        result: tuple[ndarray, ndarray] = algebra(self._numpy("*div"), c1, c2)
        return result

    def power(self, c: ArrayLike, pow: int, maxpower: int | None = 16) -> ndarray:
        """A series to the power of a whole number, at most `maxpower`.

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
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebpow([1, 1], 2).tolist()
        [1.5, 2.0, 0.5]
        """
        result: ndarray = algebra(lambda given: self._numpy("*pow")(given, pow, maxpower), c)
        return result

    def to_poly(self, c: ArrayLike) -> ndarray:
        """The coefficients of the powers of x of a series of this basis.

        Parameters
        ----------
        c : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.cheb2poly([0, 0, 1]).tolist()
        [-1.0, 0.0, 2.0]
        """
        result: ndarray = algebra(self._numpy("*2poly"), c)
        return result

    def from_poly(self, pol: ArrayLike) -> ndarray:
        """The series of this basis of coefficients of the powers of x.

        Parameters
        ----------
        pol : array_like
            Coefficients of the powers of x from the lowest to the highest, in one dimension.

        Returns
        -------
        ndarray
            Coefficients in one dimension, inexact: float64 for integers.

        Raises
        ------
        ValueError
            For series without coefficients, or of several dimensions.

        Examples
        --------
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.poly2cheb([-1, 0, 2]).tolist()
        [0.0, 0.0, 1.0]
        """
        result: ndarray = algebra(self._numpy("poly2*"), pol)
        return result

    def companion(self, c: ArrayLike) -> ndarray:
        """The matrix whose eigenvalues are the roots of a series.

        Parameters
        ----------
        c : array_like
            Coefficients from the lowest degree to the highest, in one dimension.

        Returns
        -------
        ndarray
            Of shape ``(n - 1, n - 1)`` for `n` coefficients; of the bases of orthogonal polynomials
            scaled so that it is symmetric for a function of the basis.

        Raises
        ------
        ValueError
            For fewer than two coefficients.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polycompanion([2, -3, 1]).tolist()
        [[0.0, -2.0], [1.0, 3.0]]
        """
        result: ndarray = algebra(self._numpy("*companion"), c)
        return result

    def roots(self, c: ArrayLike) -> ndarray:
        """The roots of a series, in order: eigenvalues of its companion matrix.

        Parameters
        ----------
        c : array_like
            Coefficients from the lowest degree to the highest, in one dimension.


        Returns
        -------
        ndarray
            Complex where one of them is.

        Notes
        -----
        Whether all are real is known when the eigenvalues are computed, which is waited for.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyroots([2, -3, 1]).round(6).tolist()
        [1.0, 2.0]
        """
        (series,) = np.polynomial.polyutils.as_series([on_host(c)])
        device = device_of(c)
        if len(series) <= 2:
            return on_device(self._numpy("*roots")(series), device)
        turned = self._numpy("*companion")(series)[::-1, ::-1]
        return _core.sort(eigenvalues(on_device(turned, device)))

    # ---- derivatives and integrals

    def der(self, c: ArrayLike, m: int = 1, scl: Any = 1, axis: int = 0) -> ndarray:
        """The derivative of series.

        Parameters
        ----------
        c : array_like
            Coefficients along `axis`, of as many series as the other dimensions have.
        m : int
            How often.
        scl : number
            A factor for each time.
        axis : int

        Returns
        -------
        ndarray
            With `m` coefficients less along `axis`, one zero at least.

        Raises
        ------
        ValueError
            For ``m < 0``.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyder([1, 2, 3]).tolist()
        [2.0, 6.0]
        """
        scl = on_host(scl)
        derivative = self._along(
            c, axis, "*der", lambda function, given, at: function(given, m, scl, at)
        )
        if not isinstance(c, ndarray) or c.ndim < 2:
            return derivative
        first = axis_in(axis, c.ndim)
        if m < c.shape[first] or not c.shape[first]:
            return derivative
        # Nothing is left, and zeros lie in memory as the coefficients do.
        array = _core.moveaxis(coefficient_array(c), first, 0)
        return _core.moveaxis(array[:1] * 0, 0, first)

    def integ(
        self,
        c: ArrayLike,
        m: int = 1,
        k: Any = [],  # noqa: B006
        lbnd: Any = 0,
        scl: Any = 1,
        axis: int = 0,
    ) -> ndarray:
        """The integral of series.

        Parameters
        ----------
        c : array_like
            Coefficients along `axis`, of as many series as the other dimensions have.
        m : int
            How often.
        k : number or sequence of numbers
            The values of the integrals at `lbnd`, the first one first; others are 0.
        lbnd : number
        scl : number
            A factor for each time.
        axis : int

        Returns
        -------
        ndarray
            With `m` coefficients more along `axis`.

        Raises
        ------
        ValueError
            For ``m < 0``, more than `m` constants, and a `lbnd` or `scl` that is no number.

        Examples
        --------
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyint([2, 6], k=1).tolist()
        [1.0, 2.0, 3.0]
        """
        k, lbnd, scl = on_host(k), on_host(lbnd), on_host(scl)
        return self._along(
            c, axis, "*int", lambda function, given, at: function(given, m, k, lbnd, scl, at)
        )

    def _along(self, c: Any, axis: Any, name: str, call: Callable[..., Any]) -> ndarray:
        """Series in one dimension are NumPy's; of more, each coefficient is an array of ours."""
        function = self._numpy(name)
        if not isinstance(c, ndarray) or c.ndim < 2:
            result: ndarray = algebra(lambda given: call(function, given, axis), c)
            return result
        coefficients = coefficient_array(c)
        first = axis_in(axis, coefficients.ndim)
        array = _core.moveaxis(coefficients, first, 0)
        before = rows(array)
        given = call(function, before, 0)
        if len(given) == len(before) and all(map(operator.is_, given, before)):
            return _core.copy(coefficients, "K")  # no times
        return _core.moveaxis(stacked(given, array[:0]), 0, first)
