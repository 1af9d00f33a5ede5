"""Reductions over the first axis of tall matrices."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda

pytestmark = pytest.mark.cupola_only

SHAPES = [(20_003, 16), (9_001, 33), (70_001, 5), (300_000, 2), (131, 999, 3), (5, 1_100, 50)]


def operands(shape: tuple[int, ...], dtype: str) -> tuple[Any, Any, Any]:
    """A matrix, or a stack of them; a value for each row; one for each column."""
    random = np.random.default_rng(1)

    def values(shape: tuple[int, ...]) -> Any:
        numbers = random.standard_normal(shape) * 50
        return (numbers + 1j * numbers[::-1] if dtype in "FD" else numbers).astype(dtype)

    return values(shape), values((*shape[:-1], 1)), values((1, shape[-1]))


def along(values: Any) -> Any:
    """The same elements, those of a column side by side."""
    return cp.asarray(np.ascontiguousarray(values.swapaxes(-1, -2))).swapaxes(-1, -2)


REDUCTIONS = {
    "sum": lambda x, rows, columns: x.sum(-2),
    "of squares": lambda x, rows, columns: (x * x).sum(-2),
    "of rows": lambda x, rows, columns: (x * rows).sum(-2),
    "of columns": lambda x, rows, columns: ((x - columns) * 3).sum(-2),
    "of both": lambda x, rows, columns: (x * rows - columns).max(-2),
    "max": lambda x, rows, columns: x.max(-2),
    "mean": lambda x, rows, columns: x.mean(-2),
    "var": lambda x, rows, columns: x.var(-2),
    "any": lambda x, rows, columns: (x == 50).any(-2),
    "count": lambda x, rows, columns: (x > columns).sum(-2),
    "part": lambda x, rows, columns: (x[..., 1:] * x[..., 1:]).sum(-2),
    "numbered": lambda x, rows, columns: (x + cp.arange(x.shape[-1])).sum(-2),
}


@pytest.mark.skipif(on_cuda(), reason="on GPUs the order depends on strides")
@pytest.mark.parametrize("dtype", "dfiBD")
@pytest.mark.parametrize("shape", SHAPES)
def test_bits(shape: tuple[int, ...], dtype: str) -> None:
    x, rows, columns = operands(shape, dtype)
    others = cp.asarray(rows), cp.asarray(columns)
    for name, reduction in REDUCTIONS.items():
        if dtype == "D" and name in ("max", "of both", "count"):
            continue
        if dtype == "f" and name == "var":  # of float32, columns have an algorithm of their own
            continue
        across = cp.asnumpy(reduction(cp.asarray(x), *others))
        assert across.tobytes() == cp.asnumpy(reduction(along(x), *others)).tobytes(), name


@pytest.mark.parametrize("shape", SHAPES)
def test_values(shape: tuple[int, ...]) -> None:
    x, rows, columns = operands(shape, "d")
    device = cp.asarray(x), cp.asarray(rows), cp.asarray(columns)
    for found, expected in (
        ((device[0] * device[1] - device[2]).sum(-2), (x * rows - columns).sum(-2)),
        (device[0].var(-2), x.var(-2)),
        (device[0].max(-2), x.max(-2)),
    ):
        np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-9, atol=1e-7)
    single = x.astype("f")
    found = cp.asnumpy(cp.asarray(single).var(-2))
    np.testing.assert_allclose(found, single.astype("d").var(-2), rtol=1e-6)
    nan = x.copy()
    nan[..., shape[-2] // 2, 1] = np.nan
    found = cp.asnumpy((cp.asarray(nan) * 1).max(-2))
    np.testing.assert_array_equal(found, nan.max(-2))


@pytest.mark.parametrize("columns", [2, 3, 40])
def test_more_than_the_caches_hold(columns: int) -> None:
    rows = 10_000_000 // columns
    x = (np.arange(rows * columns) % 31).astype(np.float32).reshape(rows, columns)
    for values in (cp.asarray(x), cp.asarray(x) * 2 - cp.asarray(x)):
        np.testing.assert_array_equal(cp.asnumpy(values.max(0)), x.max(0))
        sums = x.sum(0, dtype=np.float64)
        np.testing.assert_allclose(cp.asnumpy(values.sum(0)), sums, rtol=1e-6)
