"""Numbers in a row, and grids of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue, on_host, place_for, scope_of
from cupola._functions.creation.arrays import array, asarray
from cupola._functions.dtypes import result_type

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike, ShapeLike

__all__ = [
    "arange",
    "fromfunction",
    "geomspace",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "mgrid",
    "ogrid",
]

_LARGEST_SIZE = 2**63 - 1


def arange(
    start: Any = NoValue,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike = None,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> ndarray:
    """Evenly spaced numbers from `start` (0 when only one is given) to below `stop`.

    Parameters
    ----------
    start, stop : number
        One of them has to be given.
    step : number
    dtype : optional
        Default: that of the numbers; int64 for integers.
    device : optional
        Default: that of `like`, else the current device.
    like : ndarray, optional

    Returns
    -------
    ndarray of one dimension

    Raises
    ------
    ZeroDivisionError
        For a step of 0.
    ValueError
        For more elements than can be addressed.
    TypeError
        Without `start` and `stop`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.arange(1, 8, 3).tolist()
    [1, 4, 7]
    """
    if start is NoValue:
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start = 0
    elif stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if dtype is None and _has_typed_number(start, stop, step):
        dtypes = (np.asarray(value).dtype for value in (start, stop, step))
        dtype = np.result_type(np.int64, *dtypes)
    if isinstance(step, (int, float)) and step == 0:
        raise ZeroDivisionError(f"division by zero: arange({start}, {stop}, {step})")
    return _core.arange(start, stop, step, dtype, place_for(device, like))


def range_of_large(start: Any, stop: Any, step: Any, dtype: Any, device: Any) -> ndarray:
    """As `arange`, of numbers that no integer dtype holds: their differences may be few.

    Raises
    ------
    ValueError
        For more elements than can be addressed.
    OverflowError
        For a dtype that does not hold the elements, and for none.
    """
    try:
        length = -((start - stop) // step)
    except OverflowError:
        length = _LARGEST_SIZE + 1
    if not -_LARGEST_SIZE - 2 <= length <= _LARGEST_SIZE:
        raise ValueError("Maximum allowed size exceeded")
    if dtype is None:
        raise OverflowError(f"no integer dtype holds all of {start}, {stop} and {step}")
    length = max(int(length), 0)
    ends = asarray(np.array([start, start + step][:length], dtype), device=device)
    if length <= 1:
        return ends
    positions = _core.arange(0, length, 1, dtype, ends.device)
    return ends[0] + positions * (ends[1] - ends[0])


def _has_typed_number(start: Any, stop: Any, step: Any) -> bool:
    number = np.generic
    return isinstance(start, number) or isinstance(stop, number) or isinstance(step, number)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start, stop : numbers or arrays
        Arrays give samples along `axis`.
    endpoint : bool
        Whether `stop` is the last of them.
    retstep : bool
        Return (samples, distance between them).

    Returns
    -------
    ndarray
        With `retstep` the step as well.

    Raises
    ------
    ValueError
        When `num` is negative.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    num = _count(num)
    intervals = num - 1 if endpoint else num
    if _is_number(start) and _is_number(stop):
        step = _distance(start, stop, intervals)
        if step == 0 and start != stop:  # as numbers so small are computed with
            kind = _inexact_type(start, stop)
            first, last = (asarray(bound, kind, device=device) for bound in (start, stop))
            samples, _ = _linspace_arrays(first, last, num, intervals, endpoint, dtype, axis)
        else:
            samples = _core.linspace(start, stop, num, endpoint, dtype, device)
    else:
        samples, step = _linspace_arrays(start, stop, num, intervals, endpoint, dtype, axis)
    return (samples, step) if retstep else samples


def _distance(start: Any, stop: Any, intervals: int) -> Any:
    """Between neighbours, in a type that holds it."""
    if intervals <= 0:
        return float("nan")
    if isinstance(start, np.generic) or isinstance(stop, np.generic):
        convert = _inexact_type(start, stop).type
        with np.errstate(all="ignore"):
            return (convert(stop) - convert(start)) / intervals
    return (stop - start) / intervals


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def _count(num: Any) -> int:
    try:
        count = num.__index__()
    except AttributeError:
        raise TypeError(
            f"'{type(num).__name__}' object cannot be interpreted as an integer"
        ) from None
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    return count


def _linspace_arrays(
    start: Any, stop: Any, num: int, intervals: int, endpoint: bool, dtype: DTypeLike, axis: int
) -> tuple[ndarray, Any]:
    first, last = (
        bound if isinstance(bound, (int, float, complex)) else asarray(bound)
        for bound in (start, stop)
    )
    delta = _core._ufuncs["subtract"](last, first, dtype=_inexact_type(start, stop))
    steps = _core.reshape(
        _core.arange(0, num, 1, delta.real.dtype, delta.device), (num,) + (1,) * delta.ndim
    )
    step, distances = float("nan"), steps * delta
    if intervals > 0:
        step = delta / intervals
        # Where a distance vanishes as it is divided, NumPy multiplies by all of them undivided.
        vanishes = _core.any(step == 0)
        distances = _core.where(vanishes, steps / intervals * delta, steps * step)
    # NumPy adds in place: the bounds do not decide how the samples lie.
    samples = _core.empty_like(distances)
    _core._ufuncs["add"](distances, first, out=samples)
    if endpoint and num > 1:
        samples[-1] = last
    if axis != 0:
        samples = _core.moveaxis(samples, 0, axis)
    if dtype is not None:
        wanted = _core.dtype(dtype)
        if wanted.kind in "iu":
            samples = _core._ufuncs["floor"](samples)
        samples = _core.astype(samples, wanted, "K", "unsafe", False)
    return samples, step


def _inexact_type(*values: Any) -> np.dtype:
    """What NumPy computes numbers between these in: Python's numbers take the type of arrays."""
    common = result_type(*(_typed(value) for value in values))
    return result_type(common, np.float64) if common.kind in "biu" else common


def _typed(value: Any) -> Any:
    """What decides about a common dtype: of Python's numbers the type alone."""
    if isinstance(value, np.generic):
        return value.dtype
    number = next((kind for kind in (bool, int, float, complex) if isinstance(value, kind)), None)
    return asarray(value) if number is None else number()


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """Numbers from base**start to base**stop, evenly spaced in their logarithm.

    Parameters
    ----------
    start, stop : numbers or arrays
        Arrays, which broadcast, give samples along `axis`.
    num : int
        How many samples.
    endpoint : bool
        Whether ``base**stop`` is the last one.
    base : number or array
    dtype : optional
        Default: float64 or complex128, or what the arrays give.
    axis : int
        Where the samples lie between the dimensions of arrays.
    device : optional
        Default: that of the arrays, else the current one.

    Returns
    -------
    ndarray
        Of shape (num,), with the dimensions of the arrays around.

    Raises
    ------
    ValueError
        For a negative `num`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.logspace(0, 2, 3, base=cp.asarray([2.0, 3.0])).round(9).tolist()
    [[1.0, 1.0], [2.0, 3.0], [4.0, 9.0]]
    """
    if not _is_number(base) and asarray(base).ndim:
        base = asarray(base, device=device)
        rank = max(np.ndim(start), np.ndim(stop), base.ndim)
        start, stop = (array(bound, ndmin=rank, device=device) for bound in (start, stop))
        base = _core.expand_dims(array(base, ndmin=rank), axis)
    exponents = linspace(start, stop, num, endpoint, axis=axis, device=device)
    powers = _core._ufuncs["power"](base, exponents)
    return powers if dtype is None else _core.astype(powers, dtype, "K", "unsafe", False)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """Numbers from `start` to `stop` with a constant quotient.

    Parameters
    ----------
    start, stop : numbers or arrays
        Arrays, which broadcast, give samples along `axis`. Complex ones lie on a spiral.
    num : int
        How many samples.
    endpoint : bool
        Whether `stop` is the last one.
    dtype : optional
        Default: float64 or complex128, or what the arrays give.
    axis : int
        Where the samples lie between the dimensions of arrays.
    device : optional
        Default: that of the arrays, else the current one.

    Returns
    -------
    ndarray
        Of shape (num,), with the dimensions of the arrays around.

    Raises
    ------
    ValueError
        When one of them is zero.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.geomspace(1j, 1000j, 4).imag.tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    same_sign = _is_real(start) and _is_real(stop) and (start > 0 < stop or start < 0 > stop)
    if not same_sign:
        return _geomspace_arrays(start, stop, num, endpoint, dtype, axis, device)
    sign = -1.0 if start < 0 else 1.0
    first, last = (float(np.log10(sign * float(bound))) for bound in (start, stop))
    powers = sign * logspace(first, last, num, endpoint, device=device)
    if num > 0:
        powers[0] = start
    if num > 1 and endpoint:
        powers[-1] = stop
    return powers if dtype is None else _core.astype(powers, dtype, "K", "unsafe", False)


def _is_real(value: Any) -> bool:
    return _is_number(value) and not isinstance(value, (complex, np.complexfloating))


def _geomspace_arrays(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: DTypeLike, axis: int, device: DeviceLike
) -> ndarray:
    first, last = asarray(start, device=device), asarray(stop, device=device)
    if bool(_core.any(first == 0)) or bool(_core.any(last == 0)):
        raise ValueError("Geometric sequence cannot include zero")
    inner = result_type(first, last, float if dtype is None else dtype, 1.0)
    first, last = _core.astype(first, inner), _core.astype(last, inner)
    sign = _core._ufuncs["sign"](first)
    first, last = first / sign, last / sign
    log10 = _core._ufuncs["log10"]
    powers = logspace(log10(first), log10(last), num, endpoint, dtype=inner)
    if num > 0:
        powers[0] = first
    if num > 1 and endpoint:
        powers[-1] = last
    result = powers * sign
    if axis != 0:
        result = _core.moveaxis(result, 0, axis)
    return result if dtype is None else _core.astype(result, dtype, "K", "unsafe", False)


def indices(
    dimensions: ShapeLike, dtype: DTypeLike = int, sparse: bool = False
) -> ndarray | tuple[ndarray, ...]:
    """The index of every element of a grid, one array per dimension.

    Parameters
    ----------
    dimensions : tuple of ints
    dtype : optional
        int64 by default.
    sparse : bool, optional
        One array for each dimension, of extent 1 along the others.

    Returns
    -------
    array of shape (len(dimensions), *dimensions), or, with `sparse`, a tuple of arrays that
    broadcast to `dimensions`.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.indices((2, 2))[0].tolist()
    [[0, 0], [1, 1]]
    """
    shape = tuple(operator.index(extent) for extent in dimensions)  # type: ignore[union-attr]
    parts = tuple(
        _core.reshape(
            arange(extent, dtype=dtype), (1,) * axis + (extent,) + (1,) * (len(shape) - axis - 1)
        )
        for axis, extent in enumerate(shape)
    )
    if sparse:
        return parts
    result = _core.empty((len(shape), *shape), dtype)
    for axis, part in enumerate(parts):
        result[axis] = part
    return result


def fromfunction(
    function: Callable[..., Any],
    shape: ShapeLike,
    *,
    dtype: DTypeLike = float,
    like: Any = None,
    **kwargs: Any,
) -> Any:
    """function(i, j, ...) of the index arrays of a grid of `shape`.

    Parameters
    ----------
    function : callable
        Called once, with one array of indices for each dimension.
    shape : tuple of ints
    dtype : optional
        Of the indices; float64 by default.
    **kwargs
        Passed to the function.

    Returns
    -------
    any
        What the function returns.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fromfunction(lambda i, j: i + j, (2, 2)).tolist()
    [[0.0, 1.0], [1.0, 2.0]]
    """
    with scope_of(like):
        return function(*indices(shape, dtype), **kwargs)


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[ndarray, ...]:
    """Coordinate arrays of a grid from one vector per dimension.

    Parameters
    ----------
    indexing : {'xy', 'ij'}
        'xy' exchanges the first two dimensions.
    sparse : bool
        Return arrays that broadcast, not full ones.

    Returns
    -------
    list of ndarrays
        One for each argument.

    Raises
    ------
    ValueError
        For another `indexing`.

    Examples
    --------
    >>> import cupola as cp
    >>> x, y = cp.meshgrid([1, 2], [3, 4])
    >>> x.tolist(), y.tolist()
    ([[1, 2], [1, 2]], [[3, 3], [4, 4]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    parts = [
        _core.reshape(_core.as_array(x), (1,) * axis + (-1,) + (1,) * (count - axis - 1))
        for axis, x in enumerate(xi)
    ]
    if indexing == "xy" and count > 1:
        parts[0] = _core.reshape(parts[0], (1, -1) + (1,) * (count - 2))
        parts[1] = _core.reshape(parts[1], (-1, 1) + (1,) * (count - 2))
    grids = tuple(parts) if sparse else _core.broadcast_arrays(parts)
    return tuple(_core.copy(grid) for grid in grids) if copy else tuple(grids)


def _on_host(key: Any) -> Any:
    """Slices whose bounds are numbers or NumPy arrays."""
    if isinstance(key, tuple):
        return tuple(_on_host(part) for part in key)
    if isinstance(key, slice):
        return slice(*(on_host(bound) for bound in (key.start, key.stop, key.step)))
    return key


class _Grid:
    """`mgrid` and `ogrid`: grids from slices, as NumPy's objects of these names."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        host = (np.ogrid if self._sparse else np.mgrid)[_on_host(key)]
        if isinstance(host, (tuple, list)):
            return tuple(array(part) for part in host)
        return array(host)


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)
