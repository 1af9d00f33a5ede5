"""Coefficients: few numbers, whose algebra NumPy does on the host, and rows of them on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array


def on_host(value: Any) -> Any:
    """Coefficients for NumPy: arrays of ours, also in a list, are copied from their device."""
    if isinstance(value, ndarray):
        if 0 not in value.strides:
            return _core.download(value, "K")
        # What repeats does so there, too: the order in memory of results depends on it.
        once = value[tuple(slice(None if step else 1) for step in value.strides)]
        return np.broadcast_to(_core.download(once, "K"), value.shape)
    if isinstance(value, list | tuple):
        return [on_host(item) for item in value]
    return value


def device_of(*values: Any) -> Any:
    """The device of the first array of ours; None without one."""
    return next((value.device for value in values if isinstance(value, ndarray)), None)


def on_device(value: Any, device: Any = None) -> Any:
    """What NumPy gave, with arrays of ours."""
    if isinstance(value, tuple | list):
        return type(value)(on_device(item, device) for item in value)
    return array(value, device=device) if isinstance(value, np.ndarray | np.generic) else value


def algebra(function: Callable[..., Any], *operands: Any) -> Any:
    """A function of NumPy's of coefficients, whose results are arrays of ours."""
    return on_device(function(*(on_host(operand) for operand in operands)), device_of(*operands))


def points(x: Any, device: Any = None) -> ndarray:
    """Where values are wanted, as an array. TypeError for a NumPy array."""
    if isinstance(x, list | tuple):
        return array(x, device=device)
    return _core.as_array(x, device)


def place(x: Any, device: Any = None) -> Any:
    """Points as an array; a number of Python's as it is."""
    return x if is_number(x) else points(x, device)


def is_number(x: Any) -> bool:
    """Whether it is a number of Python's, which takes the dtype of what it meets."""
    return isinstance(x, int | float | complex) and not isinstance(x, np.generic)


def coefficient_array(c: Any, device: Any = None) -> ndarray:
    """Coefficients as an array of one dimension or more, integers as float64."""
    result = c if isinstance(c, ndarray) else array(on_host(c), device=device)
    if result.dtype.kind in "biu":
        result = _core.astype(result, np.float64)
    return result if result.ndim else _core.reshape(result, (1,))


def rows(array: ndarray, more_dimensions: int = 0) -> np.ndarray:
    """The rows of an array, each with so many dimensions of extent 1 behind its own.

    NumPy's recurrences compute with rows as with numbers: what they give waits for its use and
    becomes one kernel.
    """
    result = np.empty(array.shape[0], object)
    for i in range(array.shape[0]):
        row = array[i]
        if more_dimensions and row.ndim:
            row = _core.reshape(row, row.shape + (1,) * more_dimensions)
        result[i] = row
    return result


def stacked(given: np.ndarray, none: ndarray) -> ndarray:
    """The array of rows, in C order, of the dtype of that one, which is what no rows are."""
    if not len(given):
        return none
    dtype = none.dtype
    result = _core.stack([_core.astype(row, dtype, "K", "same_kind", False) for row in given], 0)
    return result if result.flags.c_contiguous else _core.copy(result, "C")


def eigenvalues(matrix: ndarray) -> ndarray:
    """Of a matrix; of a real one real where all of them are, which is waited for."""
    from cupola.linalg import eigvals

    found = eigvals(matrix)
    is_real = matrix.dtype.kind != "c" and found.dtype.kind == "c"
    if is_real and not bool(_core.any(found.imag != 0)):
        found = found.real
    return found
