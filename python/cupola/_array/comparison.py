"""`==` and `!=` of an array and an object that is neither an array nor a number."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

_MEMORY = ("__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__")
"""Attributes of objects that hold elements in memory of their own."""


def compare(array: ndarray, other: Any, unequal: bool) -> Any:
    """What NumPy answers.

    A number of another library (a fraction, a decimal) is compared with each element, a sequence
    as a list is. An object whose class defines equality is asked, and equals no element where it
    does not know arrays; nor does any other object.

    Raises
    ------
    TypeError
        For an object with elements in memory of its own: nothing is copied unasked.
    """
    kind = type(other)
    # The answer for all elements, in the order in memory that a comparison has.
    constant = _core._ufuncs["logical_or" if unequal else "logical_and"]
    if isinstance(other, Number) and not isinstance(other, np.generic):
        value = _value_of(other)
        return constant(array, unequal) if value is None else _by_value(array, value, unequal)
    if isinstance(other, (str, bytes, np.generic)) or other is None:
        return constant(array, unequal)
    method: Any = kind.__ne__ if unequal else kind.__eq__
    answer: Any
    if isinstance(other, memoryview):
        answer = NotImplemented
    elif isinstance(other, Sequence):
        return _by_value(array, list(other), unequal)
    else:
        answer = method(other, array)
    if answer is not NotImplemented:
        return answer
    if isinstance(other, memoryview) or any(hasattr(kind, name) for name in _MEMORY):
        raise TypeError(
            f"operand is a {kind.__module__}.{kind.__qualname__}; cupola.asarray copies it to a "
            "device (nothing is copied between host and device unasked)"
        )
    return constant(array, unequal)


def _by_value(array: ndarray, value: Any, unequal: bool) -> ndarray:
    return _core._ufuncs["not_equal" if unequal else "equal"](array, value)


def _value_of(number: Any) -> int | float | complex | None:
    """The Python number that equals one of another class; None where none does."""
    for convert in (int, float, complex):
        try:
            value = convert(number)
        except (TypeError, ValueError, OverflowError):
            continue
        if value == number:
            return value
    return None
