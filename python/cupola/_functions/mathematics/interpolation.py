"""Values between sample points."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import (
    arrays_of,
    check_one_dimension,
    is_beyond_64_bits,
)
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["interp"]

# Coordinates, points and values, together: more NumPy searches later than kernels do.
MOST_BY_NUMPY = 6 << 10
# Fewer coordinates are searched one by one, without a look at their order.
LEAST_SORTED = 1 << 14
# With fewer coordinates, to wait for a look at the sample points takes longer than it saves.
LEAST_FINITE = 1 << 12
# One of so many sorted points (a binary logarithm) is searched in all coordinates, the others
# between two of those.
ANCHORS = 5
# How many points may lie near one of as many even ones: with more, those are no guess. Each takes
# one step of a search more than the one before.
MOST_NEAR = (1, 3, 7, 15)
# With fewer than one point for so many sorted coordinates, points are looked for among these.
FEW_POINTS = 4
NEGATIVE_ZERO = -(1 << 63)  # the bits of -0.0, as an integer


def _real_number(end: Any) -> float:
    if isinstance(end, str | bytes):
        raise TypeError(f"must be real number, not {type(end).__name__}")
    return float(end)


@few_by_numpy(np.interp, MOST_BY_NUMPY)
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> ndarray:
    """Values of the lines through sample points.

    Parameters
    ----------
    x : array_like
        Where to evaluate.
    xp : array_like
        The coordinates of the sample points, of one dimension, increasing unless there is a
        `period`. That they are is not checked.
    fp : array_like
        Their values, as many; real or complex.
    left, right : number, optional
        The value before the first and behind the last sample point. Default: that at the point.
    period : number, optional
        Coordinates are taken modulo its absolute value; `left` and `right` do not count.

    Returns
    -------
    ndarray
        float64 or complex128, of the shape of `x`.

    Raises
    ------
    ValueError
        Where there are no sample points, not as many values, another number of dimensions than
        one, and for a period of 0.
    TypeError
        For complex coordinates.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.interp(cp.asarray([0.0, 1.5, 9.0]), [1, 2, 3], [3.0, 2.0, 0.0]).tolist()
    [3.0, 2.5, 0.0]
    """
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
    coordinates = float(x) if is_beyond_64_bits(x) else x  # type: ignore[arg-type]
    places, points, values = arrays_of((coordinates, xp, fp))
    places, points = _as_real(places), _as_real(points)
    is_complex = values.dtype.kind == "c"
    values = _core.astype(values, np.complex128 if is_complex else np.float64, "K", "unsafe", False)
    for line in (points, values):
        check_one_dimension(line)
    if points.size == 0 and period is None:
        raise ValueError("array of sample points is empty")
    if points.size != values.size:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        places, points, values = _periodic(places, points, values, period)
        left = right = None
    if not is_complex:
        ends: list[Any] = [None if end is None else _real_number(end) for end in (left, right)]
        found = _on_finite(places, points, values, ends[0], ends[1])
        return _on_lines(places, points, values, *ends) if found is None else found
    return _on_complex_lines(places, points, values, left, right)


def _as_real(array: ndarray) -> ndarray:
    if array.dtype.kind == "c":
        raise TypeError(
            f"Cannot cast array data from dtype('{array.dtype}') to dtype('float64') according to "
            "the rule 'safe'"
        )
    return _core.astype(array, np.float64, "K", "unsafe", False)


def _periodic(places: ndarray, points: ndarray, values: ndarray, period: Any) -> tuple[Any, ...]:
    """The coordinates within one period, and the sample points around it in order."""
    points = points % period
    order = _core.argsort(points, None)
    points, values = _core.take(points, order), _core.take(values, order)
    points = _core.concatenate([points[-1:] - period, points, points[:1] + period])
    values = _core.concatenate([values[-1:], values, values[:1]])
    if not points.size:
        raise ValueError("array of sample points is empty")
    return places % period, points, values


def _sorted_places(x: ndarray, points: ndarray) -> ndarray:
    """How many coordinates are less than each point, of sorted coordinates and points."""
    if points.size < LEAST_SORTED:
        return _core.searchsorted(x, points, False)
    anchors = _core.searchsorted(x, points[:: 1 << ANCHORS], False)
    last = _core.full(1, x.size, np.int64, device=x.device)
    left = int(_core.max(_core.concatenate([anchors[1:], last]) - anchors))
    place: Any = _core.positions((points.size,), x.device) >> ANCHORS
    place = _core.take(anchors, place, None, None, "clip")
    # What lies behind the next anchor is no less than the point.
    return _narrowed(x, place, left, lambda found: found < points)


class _EvenGuess:
    """Which of as many even points between the same ends is the nearest one."""

    def __init__(self, points: ndarray) -> None:
        self._points = points
        self._scale = (points.size - 1) / (points[-1] - points[0])
        self.of_points = self.near(points)
        there = _core.positions((points.size,), points.device)
        self.is_right = bool(_core.all(self.of_points == there))  # for each of the points

    def near(self, line: ndarray) -> ndarray:
        """Numbers of points; never less for a larger coordinate."""
        return _core.astype((line - self._points[0]) * self._scale + 0.5, np.int64)


def _places(x: ndarray, inside: ndarray, points: ndarray, guess: _EvenGuess) -> ndarray:
    """The last point that each coordinate reaches; `inside` are coordinates within the points."""
    if guess.is_right:
        place = _core.clip(guess.near(inside), 0, points.size - 1)
        return _core._ufuncs["maximum"](place - (_core.take(points, place) > inside), 0)
    is_large = points.size * FEW_POINTS >= x.size  # as a table beside the coordinates
    most = _most_alike(guess.of_points) if points.size >= LEAST_SORTED else None
    if (most is None or not is_large) and _is_sorted(x):
        return _core.cumsum(_core.bincount(_sorted_places(x, points), x.size)) - 1
    if most is None:
        return _core.searchsorted(points, inside, True) - 1
    counts = _core.bincount(guess.of_points, points.size)
    place = _core.take(_core.cumsum(counts) - counts, guess.near(inside), None, None, "clip")
    return _narrowed(points, place, most, lambda found: found <= inside) - 1


def _most_alike(places: ndarray) -> int | None:
    """A bound for how often a number occurs among ascending ones; None where that is often."""
    alone = [_core.all(places[most:] != places[:-most]) for most in MOST_NEAR]
    number = int(sum(_core.astype(each, np.int64) for each in alone))
    return MOST_NEAR[-number] if number else None


def _narrowed(
    line: ndarray, place: ndarray, left: int, comes_before: Callable[[ndarray], ndarray]
) -> ndarray:
    """Behind the elements that come before: they are among the next `left` from `place` on."""
    while left > 0:
        half = (left + 1) // 2
        found = _core.take(line, place + (half - 1), None, None, "clip")
        place = _core.where(comes_before(found), place + half, place)
        left -= half
    return _core._ufuncs["minimum"](place, line.size)


def _is_sorted(x: ndarray) -> bool:
    """Whether they are many coordinates that do not decrease, the first and last ones finite."""
    if x.ndim != 1 or x.size < LEAST_SORTED:
        return False
    isfinite = _core._ufuncs["isfinite"]
    return bool(_core.all(x[1:] >= x[:-1]) & isfinite(x[0]) & isfinite(x[-1]))


def _on_finite(
    x: ndarray, points: ndarray, values: ndarray, left: Any, right: Any
) -> ndarray | None:
    """`interp` of real values where the sample points make finite lines, each computed once.

    None where something is not finite, or a zero is negative: there the general form tells cases
    apart.
    """
    if not 2 <= points.size <= x.size or x.size < LEAST_FINITE:
        return None
    if x.device.platform != "cpu":  # elsewhere waiting takes longer than each coordinate's line
        return None
    isfinite = _core._ufuncs["isfinite"]
    slopes = (values[1:] - values[:-1]) / (points[1:] - points[:-1])
    guess = _EvenGuess(points)
    # Where slopes are finite, values are; so are points that lie where even ones do.
    fits = [_core.all(isfinite(slopes)), _core.all(values.view(np.int64) != NEGATIVE_ZERO)]
    if not guess.is_right:
        fits.append(_core.all(isfinite(points)))
    if not bool(functools.reduce(operator.and_, fits)):
        return None
    inside = _core.clip(x, points[0], points[-1])
    place = _places(x, inside, points, guess)

    def at(table: ndarray) -> ndarray:
        return _core.take(table, place, None, None, "clip")

    line = at(slopes) * (inside - at(points)) + at(values)  # the last slope at the last point too
    if left is not None:
        line = _core.where(x < points[0], left, line)
    if right is not None:
        line = _core.where(x > points[-1], right, line)
    return line


def _on_lines(
    x: ndarray, points: ndarray, values: ndarray, left: Any, right: Any, multiplies: bool = False
) -> ndarray:
    """`interp` of real values. `multiplies`: slopes are products with reciprocals."""
    where = _core.where
    before = values[0] if left is None else left
    behind = values[-1] if right is None else right
    if points.size == 1:
        return where(x < points[0], before, where(x > points[0], behind, values[0]))
    start = _core.clip(_core.searchsorted(points, x, True) - 1, 0, points.size - 2)
    x0, x1 = (_core.take(points, start + i, None, None, "clip") for i in (0, 1))
    y0, y1 = (_core.take(values, start + i, None, None, "clip") for i in (0, 1))
    slope = (y1 - y0) * (1.0 / (x1 - x0)) if multiplies else (y1 - y0) / (x1 - x0)
    line = slope * (x - x0) + y0
    # Infinities make no number of one end, perhaps of neither.
    is_nan = _core._ufuncs["isnan"]
    line = where(is_nan(line), slope * (x - x1) + y1, line)
    line = where(is_nan(line) & (y0 == y1), y0, line)
    line = where(x == points[-1], values[-1], where(x == x0, y0, line))
    line = where(x < points[0], before, where(x > points[-1], behind, line))
    return where(is_nan(x), x, line)


def _on_complex_lines(
    x: ndarray, points: ndarray, values: ndarray, left: Any, right: Any
) -> ndarray:
    result = _core.empty(x.shape, np.complex128, device=x.device)
    ends = [None if end is None else complex(end) for end in (left, right)]
    real: list[Any] = [None if end is None else end.real for end in ends]
    imag: list[Any] = [None if end is None else end.imag for end in ends]
    result.real = _on_lines(x, points, values.real, real[0], real[1], multiplies=True)
    part = _on_lines(x, points, values.imag, imag[0], imag[1], multiplies=True)
    # What is no coordinate has no imaginary part.
    result.imag = _core.where(_core._ufuncs["isnan"](x), 0.0, part) if points.size > 1 else part
    return result
