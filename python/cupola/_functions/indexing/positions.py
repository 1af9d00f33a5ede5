"""Flat positions, and indices per dimension."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import on_host

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, ModeLike

__all__ = ["ravel_multi_index", "unravel_index"]

_MODES = ("clip", "wrap", "raise")


def unravel_index(indices: ArrayLike, shape: Any, order: str | None = "C") -> tuple[ndarray, ...]:
    """Indices per dimension from flat positions.

    Parameters
    ----------
    indices : array of integers or bool
    shape : int or tuple of ints
        Of the array that the positions are in.
    order : {'C', 'F'}
        How that array is flattened.

    Returns
    -------
    tuple of arrays of int64
        One for each dimension, of the shape of `indices`.

    Raises
    ------
    TypeError
        For positions or extents that are no integers.
    ValueError
        For a position out of bounds, a shape that no array can have, and another order.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.unravel_index(cp.asarray([1, 7]), (3, 4))]
    [[0, 1], [1, 3]]
    """
    extents = _extents(shape)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"no array has the shape {extents}")
    flat = _positions(indices)
    columns = _is_column_major(order)
    size = math.prod(extents)
    if size > np.iinfo(np.int64).max:
        raise ValueError(f"an array of shape {extents} has more elements than int64 can count")
    if flat.size:
        message = f"an index is out of bounds for array with size {size}"
        if size == 0:
            raise ValueError(message)
        _core.report_any((flat < 0) | (flat >= size), message)
    if not extents and flat.ndim:
        raise ValueError("multiple indices are not supported for 0d arrays")
    parts = []
    for extent in extents if columns else reversed(extents):
        parts.append(flat % extent)
        flat = flat // extent
    return tuple(parts) if columns else tuple(reversed(parts))


def ravel_multi_index(
    multi_index: Any, dims: Any, mode: ModeLike | tuple[ModeLike, ...] = "raise", order: Any = "C"
) -> ndarray:
    """Flat positions from indices per dimension.

    Parameters
    ----------
    multi_index : sequence of arrays of integers or bool
        One for each dimension; they broadcast.
    dims : int or tuple of ints
        The shape of the array that the indices are for.
    mode : {'raise', 'wrap', 'clip'} or a tuple of them
        What happens to an index out of bounds, in all or in each of the dimensions.
    order : {'C', 'F'}
        How that array is flattened.

    Returns
    -------
    array of int64

    Raises
    ------
    TypeError
        For indices or extents that are no integers.
    ValueError
        For an index out of bounds with mode 'raise', a shape that no array can have, another
        number of dimensions, and unknown modes and orders.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ravel_multi_index((cp.asarray([0, 1]), cp.asarray([1, 3])), (3, 4)).tolist()
    [1, 7]
    """
    extents = _extents(dims)
    modes = _modes(mode, len(extents))
    columns = _is_column_major(order)
    is_sequence = hasattr(multi_index, "__getitem__") and not isinstance(multi_index, dict)
    parts = list(multi_index)
    if not is_sequence or len(parts) != len(extents):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(extents)}")
    if math.prod(extents) > np.iinfo(np.int64).max:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    terms = list(zip(map(_positions, parts), extents, modes, strict=True))
    flat: Any = _core.full((), 0, np.int64)
    if terms:
        flat = _core.full((), 0, np.int64, device=terms[0][0].device)
    for index, extent, rule in reversed(terms) if columns else terms:
        flat = flat * extent + _bounded(index, extent, rule)
    return flat


def _positions(indices: Any) -> ndarray:
    """Integers as int64: products of extents are larger than the indices' own dtype holds."""
    array = _core.as_array(indices)
    if array.dtype.kind not in "iub":
        raise TypeError("only int indices permitted")
    return _core.astype(array, np.int64, "K", "unsafe", False)


def _extents(shape: Any) -> tuple[int, ...]:
    shape = on_host(shape)
    if hasattr(shape, "__index__") and not np.ndim(shape):
        return (operator.index(shape),)
    return tuple(operator.index(extent) for extent in shape)


def _is_column_major(order: Any) -> bool:
    if order is None:
        return False
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order.upper() == "F"


def _modes(mode: Any, count: int) -> list[str]:
    """A mode for each dimension."""
    if isinstance(mode, (tuple, list)):
        if len(mode) != count:
            raise ValueError(f"list of clipmodes has wrong length ({len(mode)} instead of {count})")
        return [_mode(one) for one in mode]
    return [_mode(mode)] * count


def _mode(mode: Any) -> str:
    if mode is None:
        return "raise"
    name = mode.decode("latin-1") if isinstance(mode, bytes) else mode
    if not isinstance(name, str):
        if isinstance(name, bool) or not hasattr(name, "__index__"):
            raise TypeError(f"clipmode not understood: {mode}")
        number = operator.index(name)
        if not 0 <= number < len(_MODES):
            raise ValueError(
                f"integer clipmode must be 0 (clip), 1 (wrap) or 2 (raise), not {mode}"
            )
        return _MODES[number]
    if name not in _MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return name


def _bounded(index: ndarray, extent: int, mode: str) -> ndarray:
    if extent == 0 and index.size:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    if mode == "wrap":
        return index % extent
    if mode == "clip":
        # The lower bound counts first, as it does where an extent is negative.
        return _core.where(index < 0, 0, _core._ufuncs["minimum"](index, extent - 1))
    if index.size:
        wrong = (index < 0) | (index >= extent)
        _core.report_any(wrong, "invalid entry in coordinates array")
    return index
