"""Windows of signals, and the Bessel function that one of them needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

_ufuncs = _core._ufuncs

# Chebyshev coefficients of exp(-x) I0(x) for 0 <= x <= 8, those of the highest degree first.
SMALL = (
    -4.4153416464793395e-18,
    3.3307945188222384e-17,
    -2.431279846547955e-16,
    1.715391285555133e-15,
    -1.1685332877993451e-14,
    7.676185498604936e-14,
    -4.856446783111929e-13,
    2.95505266312964e-12,
    -1.726826291441556e-11,
    9.675809035373237e-11,
    -5.189795601635263e-10,
    2.6598237246823866e-09,
    -1.300025009986248e-08,
    6.046995022541919e-08,
    -2.670793853940612e-07,
    1.1173875391201037e-06,
    -4.4167383584587505e-06,
    1.6448448070728896e-05,
    -5.754195010082104e-05,
    0.00018850288509584165,
    -0.0005763755745385824,
    0.0016394756169413357,
    -0.004324309995050576,
    0.010546460394594998,
    -0.02373741480589947,
    0.04930528423967071,
    -0.09490109704804764,
    0.17162090152220877,
    -0.3046826723431984,
    0.6767952744094761,
)
# And of exp(-x) sqrt(x) I0(x) for 8 <= x, in 32 / x - 2.
LARGE = (
    -7.233180487874754e-18,
    -4.830504485944182e-18,
    4.46562142029676e-17,
    3.461222867697461e-17,
    -2.8276239805165836e-16,
    -3.425485619677219e-16,
    1.7725601330565263e-15,
    3.8116806693526224e-15,
    -9.554846698828307e-15,
    -4.150569347287222e-14,
    1.54008621752141e-14,
    3.8527783827421426e-13,
    7.180124451383666e-13,
    -1.7941785315068062e-12,
    -1.3215811840447713e-11,
    -3.1499165279632416e-11,
    1.1889147107846439e-11,
    4.94060238822497e-10,
    3.3962320257083865e-09,
    2.266668990498178e-08,
    2.0489185894690638e-07,
    2.8913705208347567e-06,
    6.889758346916825e-05,
    0.0033691164782556943,
    0.8044904110141088,
)


def _chebyshev(x: ndarray, coefficients: tuple[float, ...]) -> ndarray:
    """The sum of a Chebyshev series in x / 2, by Clenshaw's recurrence."""
    last: Any = 0.0
    before: Any = 0.0
    current: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        before, last = last, current
        current = x * last - before + coefficient
    return 0.5 * (current - before)


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind of order 0.

    Parameters
    ----------
    x : array_like
        Real numbers; integers are computed in float64.

    Returns
    -------
    ndarray
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    TypeError
        For complex numbers.

    Notes
    -----
    By the Chebyshev series of C. W. Clenshaw, "Chebyshev series for mathematical functions",
    National Physical Laboratory Mathematical Tables, vol. 5, 1962.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.i0(cp.asarray([0.0, 1.0])).round(4).tolist()
    [1.0, 1.2661]
    """
    array = _core.as_array(x)
    if array.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if array.dtype.kind in "biu":
        array = _core.astype(array, np.float64)
    size = _ufuncs["absolute"](array)
    grown = _ufuncs["exp"](size)
    small = grown * _chebyshev(size / 2.0 - 2.0, SMALL)
    large = grown * _chebyshev(32.0 / size - 2.0, LARGE) / _ufuncs["sqrt"](size)
    return _core.where(size <= 8.0, small, large)


def _number(value: Any) -> Any:
    """The number of points, or another number, in float64 at least."""
    if isinstance(value, ndarray):
        if value.ndim:
            raise ValueError("setting an array element with a sequence")
        value = _core.item(value)
    number = np.array([0.0, value])[1]
    if isinstance(number, int):
        raise OverflowError(f"Python int too large: {number} is beyond 64 bits")
    if not isinstance(number, np.number):
        kind = type(value).__name__
        raise TypeError(f"a {kind} is not supported; arrays hold bool, integers and floats")
    return number


def _positions(count: Any, device: Any) -> tuple[ndarray, float] | ndarray:
    """Twice the distances from the middle, and the largest; of one point or none the window."""
    points = _number(count)
    if points < 1:
        return _core.zeros(0, points.dtype, device=device)
    if points == 1:
        return _core.ones(1, points.dtype, device=device)
    return _core.arange(1 - points, points, 2, np.float64, device), points - 1


def _cosines(count: Any, device: Any, constant: float, *weights: float) -> ndarray:
    """A constant and weighted cosines of one period, two periods and so on."""
    found = _positions(count, device)
    if isinstance(found, ndarray):
        return found
    places, span = found
    window: Any = constant
    for number, weight in enumerate(weights, 1):
        window = window + weight * _ufuncs["cos"](number * math.pi * places / span)
    return window


def bartlett(M: int, *, device: DeviceLike = None) -> ndarray:  # noqa: N803
    """The triangle from 0 up to 1 and down to 0.

    Parameters
    ----------
    M : int
        The number of points; below 1: none.

    Returns
    -------
    ndarray
        float64, of M elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    found = _positions(M, device)
    if isinstance(found, ndarray):
        return found
    places, span = found
    return _core.where(places <= 0, 1 + places / span, 1 - places / span)


def blackman(M: int, *, device: DeviceLike = None) -> ndarray:  # noqa: N803
    """Blackman's window 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        The number of points; below 1: none.

    Returns
    -------
    ndarray
        float64, of M elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.blackman(5).round(2).tolist()
    [-0.0, 0.34, 1.0, 0.34, -0.0]
    """
    return _cosines(M, device, 0.42, 0.5, 0.08)


def hamming(M: int, *, device: DeviceLike = None) -> ndarray:  # noqa: N803
    """Hamming's window 0.54 - 0.46 cos(2 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        The number of points; below 1: none.

    Returns
    -------
    ndarray
        float64, of M elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.hamming(3).round(2).tolist()
    [0.08, 1.0, 0.08]
    """
    return _cosines(M, device, 0.54, 0.46)


def hanning(M: int, *, device: DeviceLike = None) -> ndarray:  # noqa: N803
    """Hann's window 0.5 - 0.5 cos(2 pi n / (M - 1)).

    Parameters
    ----------
    M : int
        The number of points; below 1: none.

    Returns
    -------
    ndarray
        float64, of M elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.hanning(5).round(2).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _cosines(M, device, 0.5, 0.5)


def kaiser(M: int, beta: float, *, device: DeviceLike = None) -> ndarray:  # noqa: N803
    """Kaiser's window I0(beta sqrt(1 - (2 n / (M - 1) - 1)^2)) / I0(beta).

    Parameters
    ----------
    M : int
        The number of points; below 1: none.
    beta : float
        The shape: 0 a rectangle, 5 about Hamming's window, 8.6 about Blackman's.

    Returns
    -------
    ndarray
        float64, of M elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.kaiser(3, 0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    shape, points = _number(beta), _number(M)
    if points == 1:
        return _core.ones(1, np.result_type(shape, points), device=device)
    middle = (points - 1) / 2.0
    places = _core.arange(0, points, 1, np.float64, device)
    squares = ((places - middle) / middle) ** 2.0
    return i0(shape * _ufuncs["sqrt"](1 - squares)) / np.i0(shape)
