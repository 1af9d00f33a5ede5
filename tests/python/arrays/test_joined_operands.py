"""`operator.concat` of arrays, copies from objects with `__array__`, and errors of such objects."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp
from support.compare import agree

A = np.arange(4.0)
# An extension for several versions of Python has no access to that place of the class.
HAS_SLOTS = IS_NUMPY or not cp._cupola.__file__.endswith(".abi3.so")


class Holds:
    """Its elements are in an array of NumPy's."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return A * 2


class Fails:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise self.error


@pytest.mark.skipif(not HAS_SLOTS, reason="built for several versions of Python")
def test_arrays_are_not_joined_by_an_operator() -> None:
    agree(lambda xp, x: operator.concat(x, x), A)
    agree(lambda xp, x: operator.concat(x, [1, 2, 3, 4]), A)
    agree(lambda xp, x: operator.iconcat(x, x), A)
    agree(lambda xp, x: x + x, A)
    agree(lambda xp, x: operator.add([1, 2, 3, 4], x), A)
    agree(lambda xp, x: operator.add(x, [1, 2, 3, 4]), A)
    agree(lambda xp, x: operator.iadd(x, [1, 2, 3, 4]), A)


def test_no_sum_with_other_objects() -> None:
    for call in (lambda x: x + object(), lambda x: object() + x, lambda x: operator.iadd(x, {})):
        agree(lambda xp, x, call=call: call(x), A)


def test_copies_of_objects_that_hold_elements() -> None:
    def copied(xp: Any, x: Any) -> Any:
        xp.copyto(x, Holds())
        return x

    agree(copied, A)
    agree(lambda xp, x: xp.full_like(x, Holds()), A)


READERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "asarray": lambda xp, x, other: xp.asarray(other),
    "nested": lambda xp, x, other: xp.array([other, 1]),
    "copyto": lambda xp, x, other: xp.copyto(x, other),
    "setitem": lambda xp, x, other: x.__setitem__(slice(None), other),
    "index": lambda xp, x, other: x[other],
    "concatenate": lambda xp, x, other: xp.concatenate([x, other]),
    "dot": lambda xp, x, other: xp.dot(x, other),
    "isin": lambda xp, x, other: xp.isin(x, other),
    "where": lambda xp, x, other: xp.add(x, x, where=other),
    "take": lambda xp, x, other: xp.take(x, other),
}


@pytest.mark.parametrize("name", READERS)
def test_errors_of_objects_come_through(name: str) -> None:
    for error in (ValueError("v"), KeyError("k"), ZeroDivisionError("z"), RuntimeError("r")):
        agree(lambda xp, x, e=error: READERS[name](xp, x, Fails(e)), A)
