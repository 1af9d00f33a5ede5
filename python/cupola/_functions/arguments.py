"""What functions of several files do with their arguments."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from cupola import _cupola as _core
from cupola._cupola import ndarray

NoValue: Any = np._NoValue
"""An argument that was not given, where None means something else."""

MOST_DIMENSIONS = 64
"""Of an array."""


def arrays_of(sequence: Any) -> list[ndarray]:
    """The arrays to join: a sequence, or an array whose first dimension counts them."""
    if isinstance(sequence, ndarray):
        return list(sequence)
    if not isinstance(sequence, (list, tuple, Sequence)):
        raise TypeError(
            'arrays to join must be passed as a "sequence" type such as list or tuple, '
            f"not {type(sequence).__name__}"
        )
    operands = list(sequence)
    arrays = [item for item in operands if isinstance(item, ndarray)]
    if len(arrays) == len(operands):
        return arrays
    device = arrays[0].device if arrays else None
    return [_as_operand(item, device) for item in operands]


def _as_operand(item: Any, device: Any) -> ndarray:
    if isinstance(item, np.ndarray) and item.ndim:
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    return _core.as_array(item, device)


def array_to_compare(item: Any, device: Any = None) -> ndarray:
    """An array of what is only compared: integers beyond 64 bits are rounded to float64."""
    try:
        return _core.as_array(item, device)
    except (OverflowError, TypeError):
        numbers = np.array(item)
        if numbers.dtype != np.object_ or not all(
            isinstance(n, (int, float)) for n in numbers.flat
        ):
            raise
        return _core.as_array([_rounded(n) for n in numbers.flat], device).reshape(numbers.shape)


def _rounded(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_beyond_64_bits(item: Any) -> bool:
    """Whether it is an integer of Python's that no integer dtype holds."""
    return type(item) is int and not -(1 << 63) <= item < 1 << 64


def axis_in(axis: int, ndim: int) -> int:
    """The axis, counted from the front. AxisError if there is none of that number."""
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise AxisError(number, ndim)
    return number % ndim


def axes_in(axes: Any, ndim: int) -> tuple[int, ...]:
    """An axis or several, counted from the front. ValueError if one is there twice."""
    try:
        given: Any = (operator.index(axes),)
    except TypeError:
        given = axes  # also an array
    numbers = tuple(axis_in(axis, ndim) for axis in given)
    if len(set(numbers)) != len(numbers):
        raise ValueError("repeated axis")
    return numbers


def place_for(device: Any, like: Any) -> Any:
    """Where a new array is made: on `device`; without it where the array given as `like=` is."""
    if like is None:
        return device
    if not isinstance(like, ndarray):
        raise TypeError(
            "`like` must be a cupola.ndarray, whose device is that of the result, not "
            f"{type(like).__name__}"
        )
    return like.device if device is None else device


def scope_of(like: Any) -> Any:
    """A scope in which new arrays are made where the array given as `like=` is."""
    return contextlib.nullcontext() if like is None else place_for(None, like)


def on_host(obj: Any) -> Any:
    """An array as a NumPy array, anything else as it is."""
    return _core.download(obj) if isinstance(obj, ndarray) else obj


def prefers_gathers(array: ndarray) -> bool:
    """Whether one kernel that picks elements is better than one for each part of the result."""
    return array.device.platform == "cuda" and not array.device.is_set


def check_one_dimension(array: ndarray) -> None:
    """Raise NumPy's ValueError where an array has not one dimension."""
    if array.ndim != 1:
        depth = "too deep" if array.ndim else "of too small depth"
        raise ValueError(f"object {depth} for desired array")
