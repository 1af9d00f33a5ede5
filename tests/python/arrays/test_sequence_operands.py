"""Python's own sequences as operands, and what is asked for in an array."""

import array
import collections
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree

SEQUENCES: dict[str, Any] = {
    "list": [1, 2, 3],
    "tuple": (1.5, 2.5, 3.5),
    "range": range(1, 4),
    "deque": collections.deque([1, 2, 3]),
    "array": array.array("d", [1, 2, 3]),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_operands(name: str) -> None:
    values = SEQUENCES[name]

    def computed(xp: Any) -> list[Any]:
        a = xp.arange(3.0)
        a[...] = values
        b = a + values
        b *= values
        return [
            *(a, b, a - values, values * a, xp.maximum(a, values), a == values),
            *(xp.where(a > 1, a, values), xp.clip(a, values, 9), xp.full((2, 3), values)),
        ]

    agree(computed)


def test_iterators_over_elements() -> None:
    def computed(xp: Any, a: Any) -> list[Any]:
        line = a.ravel()
        return [line + a.flat, xp.add(a.flat, 1), xp.sin(a.T.flat), line == a.flat, line @ a.flat]

    agree(computed, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    "operand", ["abc", b"abc", {1, 2}, {1: 2}, None, object()], ids=lambda each: type(each).__name__
)
@pytest.mark.cupola_only
def test_what_is_no_operand(operand: Any) -> None:
    a = cp.arange(3.0)
    with pytest.raises(TypeError, match="unsupported operand"):
        a + operand
    with pytest.raises(TypeError):
        cp.add(a, operand)


@pytest.mark.parametrize(
    "value", [2, 2.5, True, 1j, [2], range(2, 3), np.float32(2), None, "x", b"x", ()], ids=repr
)
def test_what_is_in_an_array(value: Any) -> None:
    agree(lambda xp: value in xp.arange(3.0))
    agree(lambda xp: value in xp.arange(6).reshape(2, 3))
