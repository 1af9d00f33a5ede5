"""Comparisons with Python integers that no dtype holds."""

import operator
from typing import Any

import numpy as np
import pytest
from support.compare import agree

COMPARISONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
OPERATORS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
LARGE = [2**63, -(2**63) - 1, 2**64, 2**70, -(2**70), 10**400, -(10**400), 300, -1]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.parametrize("dtype", [*INTEGERS, "?", "f4", "c16"])
def test_operators(dtype: str) -> None:
    for a in (np.array([0, 1, 100], dtype), np.zeros((), dtype), np.zeros((0, 2), dtype)):
        for number in LARGE:
            for compare in OPERATORS:
                agree(lambda xp, x, f=compare, n=number: f(x, n), a)
                agree(lambda xp, x, f=compare, n=number: f(n, x), a)
                agree(lambda xp, x, f=compare, n=number: f(x[x != 1], n), a)


@pytest.mark.parametrize("name", COMPARISONS)
def test_functions(name: str) -> None:
    def compared(xp: Any, x: Any, number: int) -> Any:
        function = getattr(xp, name)
        out = function(x, number, out=xp.zeros(x.shape, bool))
        return function(x, number), function(number, x), out

    for dtype in INTEGERS:
        a = np.array([0, 1, 100], dtype)
        for number in LARGE:
            agree(lambda xp, x, n=number: compared(xp, x, n), a)
            if number not in (300, -1):
                agree(lambda xp, x, n=number: getattr(xp, name).outer(x, n), a)
                agree(lambda xp, x, n=number: getattr(xp, name).outer(n, x), a)


@pytest.mark.parametrize("name", COMPARISONS)
def test_numbers_alone(name: str) -> None:
    for one in (*LARGE, 0, 1):
        for other in (*LARGE, 2**70 + 1):
            agree(lambda xp, a=one, b=other: getattr(xp, name)(a, b))
