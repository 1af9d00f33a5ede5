"""numpy.pad, mode by mode, written with slices of the padded array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import on_host
from cupola._functions.few_elements import few_by_numpy

__all__ = ["pad"]

# Keyword arguments that each mode allows, with NumPy's defaults.
_ALLOWED: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}


@few_by_numpy(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ndarray:
    """An array with margins.

    Parameters
    ----------
    array : array
    pad_width : int, (before, after), or one such pair per dimension; or a dict {axis: width}
    mode : str or function
        'constant', 'edge', 'empty', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum',
        'reflect', 'symmetric' or 'wrap'; or a function as numpy.pad takes it.
    constant_values, end_values, stat_length, reflect_type
        As numpy.pad.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For a negative width, an unknown mode, or an argument that the mode does not have.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.pad([1, 2], 1, constant_values=0).tolist()
    [0, 1, 2, 0]
    """
    source = _core.as_array(array)
    if isinstance(pad_width, dict):
        pad_width = _widths_of_dict(pad_width, source.ndim)
    widths = _pairs(on_host(pad_width), source.ndim, "pad_width", whole=True)
    if callable(mode):
        return _pad_by_function(source, widths, mode, kwargs)
    options = _options(mode, kwargs)
    padded = _framed(source, widths)
    _MODES[mode](padded, source, widths, options)
    return padded


def _host(value: Any) -> Any:
    return value.tolist() if isinstance(value, ndarray) else value


def _widths_of_dict(pad_width: dict[int, Any], rank: int) -> list[Any]:
    widths: list[Any] = [(0, 0)] * rank
    for axis, width in pad_width.items():
        widths[axis] = (width, width) if np.ndim(width) == 0 else tuple(width)
    return widths


def _options(mode: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    if mode not in _ALLOWED:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_ALLOWED[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    return {**_ALLOWED[mode], **kwargs}


def _pairs(value: Any, rank: int, name: str, whole: bool = False) -> list[tuple[Any, Any]]:
    """(before, after) per dimension, from what NumPy allows to be given."""
    if value is None and name != "pad_width":
        return [(None, None)] * rank
    given = np.asarray(value)
    if whole:
        if name == "stat_length":
            given = np.round(given).astype(np.intp)
        if given.dtype.kind != "i":
            raise TypeError(f"`{name}` must be of integral type.")
        if given.size and given.min() < 0:
            raise ValueError("index can't contain negative values")
    if given.ndim == 2 and given.shape == (rank, 1):
        given = np.repeat(given, 2, axis=1)
    pairs = np.broadcast_to(given, (rank, 2))
    if not whole and given.dtype.kind in "iufc" and given.size <= 2:
        return [(pair[0], pair[1]) for pair in pairs]  # NumPy casts these as elements of an array
    return [tuple(pair) for pair in pairs.tolist()]


def _framed(source: ndarray, widths: list[tuple[int, int]]) -> ndarray:
    shape = tuple(
        extent + before + after
        for extent, (before, after) in zip(source.shape, widths, strict=True)
    )
    padded = _core.empty(
        shape, source.dtype, "F" if source.flags.fnc else "C", device=source.device
    )
    inner = tuple(
        slice(before, before + extent)
        for extent, (before, _) in zip(source.shape, widths, strict=True)
    )
    padded[inner] = source
    return padded


def _at(axis: int, start: int, stop: int, step: int = 1) -> tuple[Any, ...]:
    end = None if stop < 0 else stop
    return (slice(None),) * axis + (slice(start, end, step),)


def _each_axis(
    padded: ndarray, source: ndarray, widths: list[tuple[int, int]]
) -> list[tuple[int, int, int, int]]:
    """(axis, before, extent, whole extent) of each dimension that has a margin."""
    return [
        (axis, before, source.shape[axis], padded.shape[axis])
        for axis, (before, after) in enumerate(widths)
        if before or after
    ]


def _refuse_empty(mode: str, axis: int, extent: int) -> None:
    if extent == 0:
        raise ValueError(
            f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
        )


def _constant(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
    values = _pairs(_host(options["constant_values"]), source.ndim, "constant_values")
    for axis, before, extent, whole in _each_axis(padded, source, widths):
        padded[_at(axis, 0, before)] = values[axis][0]
        padded[_at(axis, before + extent, whole)] = values[axis][1]


def _edge(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
    for axis, before, extent, whole in _each_axis(padded, source, widths):
        _refuse_empty("edge", axis, extent)
        end = before + extent
        padded[_at(axis, 0, before)] = padded[_at(axis, before, before + 1)]
        padded[_at(axis, end, whole)] = padded[_at(axis, end - 1, end)]


def _linear_ramp(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
    from cupola._functions.creation.ranges import linspace

    values = _pairs(_host(options["end_values"]), source.ndim, "end_values")
    for axis, before, extent, whole in _each_axis(padded, source, widths):
        _refuse_empty("linear_ramp", axis, extent)
        end = before + extent
        for side, count in ((0, before), (1, whole - end)):
            border = padded[_at(axis, before, before + 1) if side == 0 else _at(axis, end - 1, end)]
            ramp = linspace(
                values[axis][side],
                _core.squeeze(border, axis),
                count,
                endpoint=False,
                dtype=padded.dtype,
                axis=axis,
            )
            target = _at(axis, 0, before) if side == 0 else _at(axis, end, whole)
            padded[target] = ramp if side == 0 else _core.flip(ramp, axis)


def _statistic(function: Callable[..., ndarray]) -> Callable[..., None]:
    def fill(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
        lengths = _pairs(
            options["stat_length"],
            source.ndim,
            "stat_length",
            whole=options["stat_length"] is not None,
        )
        counts = [
            [extent if length is None else min(length, extent) for length in lengths[axis]]
            for axis, extent in enumerate(source.shape)
        ]
        for axis, _, extent, _ in _each_axis(padded, source, widths):
            _refuse_empty("statistic", axis, extent)
        if not padded.size:
            return
        if not all(map(all, counts)) and function not in (_core.mean, _median):
            raise ValueError("stat_length of 0 yields no value for padding")
        for axis, before, extent, whole in _each_axis(padded, source, widths):
            end = before + extent
            left, right = counts[axis]
            low = function(padded[_at(axis, before, before + left)], axis, keepdims=True)
            high = function(padded[_at(axis, end - right, end)], axis, keepdims=True)
            padded[_at(axis, 0, before)] = _rounded(low, padded)
            padded[_at(axis, end, whole)] = _rounded(high, padded)

    return fill


def _median(part: ndarray, axis: int, keepdims: bool) -> ndarray:
    ordered = _sorted(_core.moveaxis(part, axis, -1))
    middle, odd = divmod(part.shape[axis], 2)
    chosen = ordered[..., middle - 1 + odd : middle + 1]
    return _core.moveaxis(_core.mean(chosen, -1, keepdims=keepdims), -1, axis)


def _sorted(a: ndarray) -> ndarray:
    """Sorted along the last dimension by a bitonic network: minima and maxima of halves.

    Batcher, "Sorting networks and their applications", 1968.
    """
    extent = a.shape[-1]
    width = 1 << (extent - 1).bit_length() if extent else 0
    lead = a.shape[:-1]
    work = _core.empty((*lead, width), a.dtype, device=a.device)
    work[..., :extent] = a
    work[..., extent:] = _largest(a.dtype)
    size = 2
    while size <= width:
        half = size // 2
        work = _exchanged(work, _core.flip(_blocks(work, size)[..., half:], -1), size, True)
        while (half := half // 2) > 0:
            work = _exchanged(work, _blocks(work, 2 * half)[..., half:], 2 * half, False)
        size *= 2
    return work[..., :extent]


def _blocks(a: ndarray, size: int) -> ndarray:
    return _core.reshape(a, (*a.shape[:-1], a.shape[-1] // size, size))


def _exchanged(a: ndarray, upper: ndarray, size: int, mirrored: bool) -> ndarray:
    """The smaller of each pair goes to the lower half of its block."""
    lower = _blocks(a, size)[..., : size // 2]
    low = _core._ufuncs["minimum"](lower, upper)
    high = _core._ufuncs["maximum"](lower, upper)
    if mirrored:
        high = _core.flip(high, -1)
    return _core.reshape(_core.concatenate([low, high], -1), a.shape)


def _largest(dtype: Any) -> Any:
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    return True if dtype.kind == "b" else float("inf")


def _rounded(value: ndarray, padded: ndarray) -> ndarray:
    """Statistics that are computed as floating numbers, as integers of the array."""
    is_rounded = padded.dtype.kind in "iu" and value.dtype.kind not in "iu"
    return _core._ufuncs["rint"](value) if is_rounded else value


def _mirrored(skip_edge: bool) -> Callable[..., None]:
    """'reflect' leaves the edge out of the copies, 'symmetric' repeats it."""
    skip = 1 if skip_edge else 0

    def fill(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
        odd = options["reflect_type"] == "odd"
        if options["reflect_type"] not in ("even", "odd"):
            raise ValueError(
                f"reflect_type must be 'even' or 'odd', got {options['reflect_type']!r}"
            )
        for axis, before, extent, whole in _each_axis(padded, source, widths):
            _refuse_empty("reflect", axis, extent)
            first, end = before, before + extent
            if skip_edge and extent == 1:
                padded[_at(axis, 0, before)] = padded[_at(axis, first, first + 1)]
                padded[_at(axis, end, whole)] = padded[_at(axis, end - 1, end)]
                continue
            # The mirrored part grows with each pass, in whole periods of the original.
            period = extent - skip
            while first > 0 or end < whole:
                length = period * max(1, (end - first - skip) // period)
                count = min(first, length)
                if count:
                    chunk = padded[_at(axis, first + skip + count - 1, first + skip - 1, -1)]
                    edge = padded[_at(axis, first, first + 1)]
                    padded[_at(axis, first - count, first)] = 2 * edge - chunk if odd else chunk
                    first -= count
                count = min(whole - end, length)
                if count:
                    chunk = padded[_at(axis, end - 1 - skip, end - 1 - skip - count, -1)]
                    edge = padded[_at(axis, end - 1, end)]
                    padded[_at(axis, end, end + count)] = 2 * edge - chunk if odd else chunk
                    end += count

    return fill


def _wrap(padded: ndarray, source: ndarray, widths: Any, options: dict[str, Any]) -> None:
    for axis, before, extent, whole in _each_axis(padded, source, widths):
        _refuse_empty("wrap", axis, extent)
        first, end = before, before + extent
        while first > 0 or end < whole:
            length = (end - first) // extent * extent
            count = min(first, length)
            if count:
                chunk = padded[_at(axis, first + length - count, first + length)]
                padded[_at(axis, first - count, first)] = chunk
                first -= count
            count = min(whole - end, length)
            if count:
                chunk = padded[_at(axis, end - length, end - length + count)]
                padded[_at(axis, end, end + count)] = chunk
                end += count


_MODES: dict[str, Callable[..., None]] = {
    "constant": _constant,
    "edge": _edge,
    "empty": lambda *arguments: None,
    "linear_ramp": _linear_ramp,
    "maximum": _statistic(_core.max),
    "mean": _statistic(_core.mean),
    "median": _statistic(_median),
    "minimum": _statistic(_core.min),
    "reflect": _mirrored(skip_edge=True),
    "symmetric": _mirrored(skip_edge=False),
    "wrap": _wrap,
}


def _pad_by_function(
    source: ndarray, widths: list[tuple[int, int]], function: Callable[..., Any], kwargs: Any
) -> ndarray:
    padded = _core.zeros(
        tuple(n + sum(pair) for n, pair in zip(source.shape, widths, strict=True)),
        source.dtype,
        device=source.device,
    )
    inner = tuple(slice(b, b + n) for n, (b, _) in zip(source.shape, widths, strict=True))
    padded[inner] = source
    for axis in range(padded.ndim):
        view = _core.moveaxis(padded, axis, -1)
        for index in np.ndindex(view.shape[:-1]):
            vector = view[index]
            function(vector, widths[axis], axis, kwargs)
    return padded
