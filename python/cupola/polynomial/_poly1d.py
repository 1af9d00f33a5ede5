"""Polynomials as coefficients from the highest degree to the lowest; see also `cupola.polynomial`.

Coefficients are few numbers, whose algebra NumPy does on the host. Values, roots and fits are
computed on the device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array
from cupola._functions.creation.filled import zeros_like
from cupola.polynomial._coefficients import algebra, device_of, on_host, points
from cupola.polynomial._poly_roots import poly as poly
from cupola.polynomial._poly_roots import roots as roots
from cupola.polynomial._polyfit import polyfit as polyfit

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def _of_ours(value: Any) -> Any:
    """NumPy's polynomials as `poly1d`."""
    if isinstance(value, tuple):
        return tuple(_of_ours(part) for part in value)
    if isinstance(value, np.poly1d) and not isinstance(value, poly1d):
        return poly1d(value)
    return value


def _combined(function: Callable[..., Any], *operands: Any) -> Any:
    return _of_ours(algebra(function, *operands))


def _giving_ours(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        values = (on_host(value) for value in args)
        named = {name: on_host(value) for name, value in kwargs.items()}
        return _of_ours(method(self, *values, **named))

    return call


class poly1d(np.poly1d):  # noqa: N801
    """A polynomial of one variable.

    Parameters
    ----------
    c_or_r : array_like or poly1d
        Coefficients from the highest degree to the lowest, or roots.
    r : bool
        These are roots.
    variable : str, optional
        In texts; default 'x'.

    Attributes
    ----------
    c, coef, coefficients, coeffs : numpy.ndarray
        On the host.
    o, order : int
        The degree.
    r, roots : ndarray
        On the current device.
    variable : str
        In texts.

    Examples
    --------
    >>> import cupola as cp
    >>> p = cp.poly1d([1, 0, 2])
    >>> (p * p)(cp.asarray([1.0, 2.0])).tolist()
    [9.0, 36.0]
    """

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        super().__init__(on_host(c_or_r), r, variable)

    def __call__(self, val: Any) -> Any:
        """The values at points; of a polynomial, the composition."""
        return polyval(self, val)

    def _cupola_operand(self) -> np.ndarray:
        return self.coeffs

    @property
    def roots(self) -> Any:
        """The roots of the polynomial."""
        return roots(self.coeffs)

    r = roots

    def get(self, stream: Any = None, out: Any = None) -> np.poly1d:
        """The polynomial as NumPy's.

        Parameters
        ----------
        stream : Stream, optional
            Not used: the coefficients lie on the host.
        out : numpy.poly1d, optional
            Gets the coefficients, and is returned.

        Returns
        -------
        numpy.poly1d
            `out` where that is given.

        Raises
        ------
        TypeError
            For an `out` that is no numpy.poly1d.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.poly1d([1, 2]).get()
        poly1d([1, 2])
        """
        if out is None:
            return np.poly1d(self.coeffs, variable=self.variable)
        if not isinstance(out, np.poly1d):
            raise TypeError(f"out must be a numpy.poly1d, not {type(out).__name__}")
        vars(out).update(coeffs=np.array(self.coeffs), _variable=self.variable)
        return out

    def set(self, polyin: np.poly1d, stream: Any = None) -> None:
        """Take the coefficients of a NumPy polynomial.

        Parameters
        ----------
        polyin : numpy.poly1d
        stream : Stream, optional
            Not used: the coefficients lie on the host.

        Raises
        ------
        TypeError
            For what is no numpy.poly1d.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> p = cp.poly1d([0])
        >>> p.set(np.poly1d([1, 2]))
        >>> p.coeffs.tolist()
        [1, 2]
        """
        if not isinstance(polyin, np.poly1d):
            raise TypeError(f"a numpy.poly1d is needed, not {type(polyin).__name__}")
        vars(self).update(coeffs=np.array(polyin.coeffs), _variable=polyin.variable)

    __neg__ = _giving_ours(np.poly1d.__neg__)
    __mul__ = _giving_ours(np.poly1d.__mul__)
    __rmul__ = _giving_ours(np.poly1d.__rmul__)
    __add__ = _giving_ours(np.poly1d.__add__)
    __radd__ = _giving_ours(np.poly1d.__radd__)
    __pow__ = _giving_ours(np.poly1d.__pow__)
    __sub__ = _giving_ours(np.poly1d.__sub__)
    __rsub__ = _giving_ours(np.poly1d.__rsub__)
    __truediv__ = _giving_ours(np.poly1d.__truediv__)
    __rtruediv__ = _giving_ours(np.poly1d.__rtruediv__)

    def deriv(self, m: Any = 1) -> poly1d:
        """The derivative, `m` times.

        Parameters
        ----------
        m : int, optional
            How many times; 0: the polynomial itself.

        Returns
        -------
        poly1d

        Raises
        ------
        ValueError
            For ``m < 0``.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.poly1d([1, 2, 3]).deriv()
        poly1d([2, 2])
        """
        return poly1d(super().deriv(on_host(m)))

    def integ(self, m: Any = 1, k: Any = 0) -> poly1d:
        """The integral, `m` times, with constants.

        Parameters
        ----------
        m : int, optional
            How many times; 0: the polynomial itself.
        k : number or sequence of numbers, optional
            A constant for each time, the first integral first; one number stands for all.

        Returns
        -------
        poly1d

        Raises
        ------
        ValueError
            For ``m < 0``, and fewer constants than `m` but not one.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.poly1d([2, 2]).integ(k=3)
        poly1d([1., 2., 3.])
        """
        return poly1d(super().integ(on_host(m), on_host(k)))


def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like or poly1d
        Coefficients from the highest degree to the lowest.

    Returns
    -------
    ndarray
        A `poly1d` where one of the two is one.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polyadd([1, 2], [9, 5, 4]).tolist()
    [9, 6, 6]
    """
    return _combined(np.polyadd, a1, a2)


def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials, as `polyadd`.

    Parameters
    ----------
    a1, a2 : array_like or poly1d
        Coefficients, the highest power first.

    Returns
    -------
    ndarray or poly1d

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polysub(cp.asarray([2, 1]), cp.asarray([1])).tolist()
    [2, 0]
    """
    return _combined(np.polysub, a1, a2)


def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials, as `polyadd`; without zeros at its start.

    Parameters
    ----------
    a1, a2 : array_like or poly1d
        Coefficients, highest power first.

    Returns
    -------
    ndarray or poly1d

    Raises
    ------
    ValueError
        For more than one dimension.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polymul([1, 1], [1, -1]).tolist()
    [1, 0, -1]
    """
    return _combined(np.polymul, a1, a2)


def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Quotient and remainder of two polynomials.

    Parameters
    ----------
    u, v : poly1d or array_like
        Dividend and divisor: coefficients from the highest power to the lowest.

    Returns
    -------
    q, r : poly1d or ndarray
        poly1d where one of the operands is.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.polydiv([3, 5, 2], [2, 1])]
    [[1.5, 1.75], [0.25]]
    """
    quotient, remainder = _combined(np.polydiv, u, v)
    return quotient, remainder


def _is_kept(p: Any, times: int) -> bool:
    """Whether a derivative or an integral is the array itself, as in NumPy."""
    return isinstance(p, ndarray) and int(times) == 0


def polyder(p: Any, m: int = 1) -> Any:
    """The derivative of a polynomial, `m` times.

    Parameters
    ----------
    p : poly1d or array_like
        Coefficients from the highest power to the lowest.
    m : int

    Returns
    -------
    poly1d or ndarray
        As `p` is.

    Raises
    ------
    ValueError
        For ``m < 0``.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polyder([1, 1, 1, 1]).tolist()
    [3, 2, 1]
    """
    return p if _is_kept(p, m) else _combined(lambda given: np.polyder(given, m), p)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The integral of a polynomial, `m` times, with the constants `k` or 0.

    Parameters
    ----------
    p : poly1d or array_like
        Coefficients from the highest power to the lowest.
    m : int
    k : number or sequence of numbers, optional
        One for each time, the first integral first; one number stands for all.

    Returns
    -------
    poly1d or ndarray
        As `p` is.

    Raises
    ------
    ValueError
        For ``m < 0``, and fewer constants than `m` but not one.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polyint([3, 2, 1], k=5).tolist()
    [1.0, 1.0, 1.0, 5.0]
    """
    constants = on_host(k)
    return p if _is_kept(p, m) else _combined(lambda given: np.polyint(given, m, constants), p)


def polyval(p: Any, x: Any) -> Any:
    """The values of a polynomial at points, by Horner's rule.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients from the highest degree to the lowest.
    x : array_like or poly1d

    Returns
    -------
    ndarray
        Of the shape of `x`, computed where it is used, in one kernel. The composition for a
        polynomial.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.polyval([3, 0, 1], cp.asarray([0, 5])).tolist()
    [1, 76]
    """
    if isinstance(x, np.poly1d):
        return _of_ours(np.polyval(on_host(p), x))
    x = points(x, device_of(p))
    coefficients = p if isinstance(p, ndarray) else np.asarray(on_host(p))
    if coefficients.ndim > 1 and isinstance(coefficients, np.ndarray):
        coefficients = array(coefficients, device=x.device)
    result = zeros_like(x)
    for coefficient in coefficients:
        result = result * x + coefficient
    return result
