"""What is made of differences between neighbours: gradients, areas, phases without jumps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axes_in, axis_in, prefers_gathers
from cupola._functions.few_elements import few_by_numpy
from cupola._functions.mathematics.scans import diff

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = ["gradient", "trapezoid", "unwrap"]

_ufuncs = _core._ufuncs


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: Any = 1.0, axis: int = -1) -> ndarray:
    """The integral by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        The values to integrate along `axis`.
    x : array_like, optional
        Their coordinates, along `axis` or of the shape of `y`.
    dx : number or array
        The distance between neighbours where there is no `x`.
    axis : int

    Returns
    -------
    ndarray
        Without `axis`; float64 for integers.

    Raises
    ------
    ValueError
        For coordinates that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.trapezoid(cp.asarray([1, 2, 3]), [4, 6, 8]).tolist()
    8.0
    """
    values = _core.as_array(y, x.device if isinstance(x, ndarray) else None)
    distances = dx
    if x is not None:
        points = _core.as_array(x, values.device)
        if points.ndim == 1:
            distances = diff(points)
            shape = [1] * values.ndim
            shape[axis] = distances.shape[0]
            distances = _core.reshape(distances, tuple(shape))
        else:
            distances = diff(points, axis=axis)
    number = axis_in(axis, values.ndim)
    both = _along(values, number, 1, None) + _along(values, number, None, -1)
    return _core.sum(distances * both / 2.0, axis)


def _along(array: ndarray, axis: int, start: int | None, stop: int | None) -> ndarray:
    """A part of an array along an axis."""
    return array[(slice(None),) * axis + (slice(start, stop),)]


def unwrap(
    p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
) -> ndarray:
    """Phases with periods added, so that neighbours differ by half a period at most.

    Parameters
    ----------
    p : array_like
    discont : float, optional
        Smaller differences stay as they are. Default, and least: half a period.
    axis : int
    period : float
        Integers stay integers where it is one.

    Returns
    -------
    ndarray
        Of the shape of `p`.

    Raises
    ------
    ValueError
        For an array without dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unwrap(cp.asarray([0, 1, 2, -1, 0]), period=4).tolist()
    [0, 1, 2, 3, 4]
    """
    array = _core.as_array(p)
    if isinstance(period, ndarray):
        period = period.dtype.type(_core.item(period))
    steps = diff(array, axis=axis)
    number = axis_in(axis, array.ndim)
    dtype = np.result_type(steps.dtype, period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        is_ambiguous = rest == 0
    else:
        high, is_ambiguous = period / 2, True
    low = -high
    wrapped = _ufuncs["remainder"](steps - low, period) + low
    if is_ambiguous:  # half a period up stays half a period up
        wrapped = _core.where((wrapped == low) & (steps > 0), high, wrapped)
    least = period / 2 if discont is None else discont
    correction = _core.where(_ufuncs["absolute"](steps) < least, 0, wrapped - steps)
    result = _core.astype(array, dtype, "K", "unsafe", True)
    others = (slice(None),) * number + (slice(1, None),)
    result[others] = array[others] + _core.cumsum(correction, number)
    return result


@few_by_numpy(np.gradient)
def gradient(f: ArrayLike, *varargs: Any, axis: AxisLike = None, edge_order: int = 1) -> Any:
    """Derivatives by central differences, one-sided at the edges.

    Parameters
    ----------
    f : array_like
    *varargs : number or array_like
        Nothing: neighbours lie at a distance of 1. One number: at that. One for each axis: a
        number, or the coordinates along it.
    axis : int or tuple of ints, optional
        Default: all.
    edge_order : {1, 2}
        The order of accuracy at the edges.

    Returns
    -------
    ndarray, or tuple of them
        For each axis one, of the shape of `f`; float64 for integers. Whether coordinates on a
        device are evenly spaced is only known after waiting for them.

    Raises
    ------
    ValueError
        For fewer than `edge_order` + 1 elements along an axis, coordinates that do not fit, and
        another `edge_order`.
    TypeError
        For another number of distances.

    Notes
    -----
    One kernel for each axis on a GPU; elsewhere each of the two edges is another one.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.gradient(cp.asarray([1.0, 2.0, 4.0, 7.0]), 2).tolist()
    [0.5, 0.75, 1.25, 1.5]
    >>> cp.gradient(cp.asarray([0.0, 1.0, 9.0]), [0, 1, 3], edge_order=2).tolist()
    [0.0, 2.0, 6.0]
    """
    array = _core.as_array(f)
    axes = _axes(axis, array.ndim)
    spacings = _spacings(array, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    dtype = array.dtype
    if dtype.kind in "biu":
        dtype = np.dtype(np.float64)
        array = array if array.dtype.kind == "b" else _core.astype(array, dtype)
    parts = []
    for number, spacing in zip(axes, spacings, strict=True):
        if array.shape[number] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                "(edge_order + 1) elements are required."
            )
        out = _core.empty_like(array, dtype)
        _differentiate(array, out, number, spacing, edge_order)
        parts.append(out)
    return parts[0] if len(parts) == 1 else tuple(parts)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim)) if axis is None else axes_in(axis, ndim)


def _spacings(array: ndarray, axes: tuple[int, ...], given: tuple[Any, ...]) -> list[Any]:
    """For each axis the distance of neighbours, or all distances along it."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and np.ndim(given[0]) == 0:
        return list(given) * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    return [
        spacing if np.ndim(spacing) == 0 else _distances(spacing, array.shape[axis], array.device)
        for axis, spacing in zip(axes, given, strict=True)
    ]


def _distances(points: Any, extent: int, device: Any) -> Any:
    """Between coordinates; one number, as an array, where they are the same."""
    line = _core.as_array(points, device)
    if line.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if line.size != extent:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if line.dtype.kind in "iu":
        line = _core.astype(line, np.float64)
    steps = diff(line)
    return steps[0] if bool(_core.all(steps == steps[0])) else steps


@dataclass(frozen=True)
class _Stencil:
    """Three values in a row, and their distances: of one pair and of the other, if not the same."""

    left: Any
    middle: Any
    right: Any
    before: Any
    after: Any

    def inside(self, is_even: bool) -> Any:
        """The derivative at the middle."""
        before, after = self.before, self.after
        if is_even:
            return (self.right - self.left) / (2.0 * before)
        a = -after / (before * (before + after))
        b = (after - before) / (before * after)
        c = before / (after * (before + after))
        return a * self.left + b * self.middle + c * self.right

    def at_left(self, edge_order: int, is_even: bool) -> Any:
        if edge_order == 1:
            return (self.middle - self.left) / self.before
        a, b, c = _edge_weights(self.before, self.after, is_even)
        return a * self.left + b * self.middle + c * self.right

    def at_right(self, edge_order: int, is_even: bool) -> Any:
        if edge_order == 1:
            return (self.right - self.middle) / self.after
        # The same with the coordinates mirrored.
        a, b, c = _edge_weights(self.after, self.before, is_even)
        return -c * self.left + -b * self.middle + -a * self.right


def _edge_weights(near: Any, far: Any, is_even: bool) -> tuple[Any, Any, Any]:
    """Of three values in the derivative at the first, exact for parabolas."""
    if is_even:
        return -1.5 / near, 2.0 / near, -0.5 / near
    return (
        -(2.0 * near + far) / (near * (near + far)),
        (near + far) / (near * far),
        -near / (far * (near + far)),
    )


def _differentiate(f: ndarray, out: ndarray, axis: int, spacing: Any, edge_order: int) -> None:
    """Write the derivative along an axis."""
    if f.shape[axis] > 2 and prefers_gathers(f):
        _core.copyto(out, _derivative(f, axis, spacing, edge_order), "unsafe")
        return
    is_even = np.ndim(spacing) == 0
    f, out = _core.moveaxis(f, axis, 0), _core.moveaxis(out, axis, 0)
    count = f.shape[0]

    def stencil(start: int, stop: int) -> _Stencil:
        left, middle, right = (f[start + i : stop + i] for i in range(3))
        if is_even:
            return _Stencil(left, middle, right, spacing, spacing)
        shape = (-1,) + (1,) * (f.ndim - 1)
        before, after = (_core.reshape(spacing[start + i : stop + i], shape) for i in range(2))
        return _Stencil(left, middle, right, before, after)

    out[1:-1] = stencil(0, count - 2).inside(is_even)
    if count > 2:
        out[:1] = stencil(0, 1).at_left(edge_order, is_even)
        out[-1:] = stencil(count - 3, count - 2).at_right(edge_order, is_even)
    elif edge_order == 1:
        out[:] = (f[1:] - f[:1]) / (spacing if is_even else spacing[0])
    else:  # any other order is the second
        raise IndexError(f"index 2 is out of bounds for axis {axis}")


def _derivative(f: ndarray, axis: int, spacing: Any, edge_order: int) -> ndarray:
    """The derivative, pending: each element reads three along the axis."""
    is_even = np.ndim(spacing) == 0
    count, inner = f.shape[axis], math.prod(f.shape[axis + 1 :])
    element = _core.positions(f.shape, f.device)
    place = element // inner % count if f.ndim > 1 else element
    middle = _ufuncs["minimum"](_ufuncs["maximum"](place, 1), count - 2)
    element = element + (middle - place) * inner
    left, value, right = (
        _core.take(f, element + i * inner, None, None, "clip") for i in (-1, 0, 1)
    )
    before = spacing if is_even else _core.take(spacing, middle - 1, None, None, "clip")
    after = spacing if is_even else _core.take(spacing, middle, None, None, "clip")
    stencil = _Stencil(left, value, right, before, after)
    result = stencil.inside(is_even)
    result = _core.where(place == 0, stencil.at_left(edge_order, is_even), result)
    return _core.where(place == count - 1, stencil.at_right(edge_order, is_even), result)
