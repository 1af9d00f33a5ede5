"""Columns and rows beside matrices: one element of a column stands for a row of tiles."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

RNG = np.random.default_rng(5)
SHAPES = [(3, 5), (70, 257), (9, 3000), (1, 600), (400, 1)]
EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "column last": lambda x, a, b, c, d, w: a - c,
    "column first": lambda x, a, b, c, d, w: c - a,
    "columns and a row": lambda x, a, b, c, d, w: (a - c) * d + w,
    "two columns": lambda x, a, b, c, d, w: c * d + a,
    "column times row": lambda x, a, b, c, d, w: c * w - d,
    "read twice": lambda x, a, b, c, d, w: a * c + b * c - c * 2,
    "chosen": lambda x, a, b, c, d, w: x.where(a != c, a, c),
    "beside a sum of columns": lambda x, a, b, c, d, w: (c + d) + (c + a),
    "transposed": lambda x, a, b, c, d, w: (a.T - w.T).T,
    "with gaps": lambda x, a, b, c, d, w: a[::2, ::3] * c[::2],
    "a column of itself": lambda x, a, b, c, d, w: a * a[:, :1] + a[:1],
}


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "u1", "c16"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_values(name: str, dtype: str, deferred: None) -> None:
    for rows, columns in SHAPES:
        shapes = [(rows, columns), (rows, columns), (rows, 1), (rows, 1), (1, columns)]
        host = [RNG.integers(1, 9, shape).astype(dtype) for shape in shapes]
        expected = EXPRESSIONS[name](np, *host)
        found = to_numpy(EXPRESSIONS[name](cp, *map(from_numpy, host)))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_a_column_that_is_overwritten() -> None:
    host = RNG.random((60, 300))
    a = from_numpy(host)
    for k in (0, 7, 299):
        np.minimum(host, host[:, k, None] + host[k % 60], out=host)
        cp.minimum(a, a[:, k, None] + a[k % 60], out=a)
        host *= host[:, k : k + 1]
        a *= a[:, k : k + 1]
    np.testing.assert_array_equal(to_numpy(a), host)
