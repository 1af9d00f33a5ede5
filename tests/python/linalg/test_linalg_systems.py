"""What is made of factorisations: least squares, ranks, conditions, powers; and norms."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree, assert_same
from support.dtypes import name
from support.matrices import FLOATING, adjoint, assert_small, sample, size_of, wide


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (3, 5, 5), (2, 3, 4)], ids=str)
def test_pinv(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    inverse = cp.linalg.pinv(from_numpy(a), rtol=None)
    assert to_numpy(inverse).dtype == dtype
    p = wide(inverse)
    assert p.shape == (*shape[:-2], shape[-1], shape[-2])
    scale = size_of(wide(a)) ** 2 * size_of(p)
    assert_small(a @ p @ a - a, scale, max(shape), dtype)
    assert_small(p @ a @ p - p, scale * size_of(p), max(shape), dtype)
    assert_small(adjoint(a @ p) - a @ p, scale, max(shape), dtype)


def test_pinv_of_lower_rank() -> None:
    a = sample(np.dtype("d"), (5, 2)) @ sample(np.dtype("d"), (2, 4))
    close = Tolerance(absolute=1e-11)
    agree(lambda xp, x: xp.linalg.pinv(x), a, tolerance=close)
    agree(lambda xp, x: xp.linalg.pinv(x, 1e-10), a, tolerance=close)
    agree(lambda xp, x: xp.linalg.pinv(x @ x.T, hermitian=True), a, tolerance=close)
    agree(
        lambda xp, x: xp.linalg.pinv(xp.stack([x, x]), rtol=xp.asarray([1e-9, 10])),
        a,
        tolerance=close,
    )
    agree(lambda xp, x: xp.linalg.pinv(x, 1e-10, rtol=1e-10), a)
    agree(lambda xp, x: xp.linalg.pinv(x[:0]), a)


def test_matrix_rank() -> None:
    a = sample(np.dtype("d"), (3, 5, 2)) @ sample(np.dtype("d"), (3, 2, 4))
    agree(lambda xp, x: [xp.linalg.matrix_rank(x), xp.linalg.matrix_rank(x[0])], a)
    agree(lambda xp, x: xp.linalg.matrix_rank(x, tol=1e3), a)
    agree(lambda xp, x: xp.linalg.matrix_rank(x, rtol=xp.asarray([0.9, 1e-9, 2.0])), a)
    agree(lambda xp, x: xp.linalg.matrix_rank(x @ x.mT, hermitian=True, rtol=1e-9), a)
    agree(lambda xp, x: [xp.linalg.matrix_rank(x[0, 0]), xp.linalg.matrix_rank(x[0, 0] * 0)], a)
    agree(lambda xp, x: xp.linalg.matrix_rank(x, 1, rtol=1), a)


@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (5, 5), (4, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("dtype", [*FLOATING, np.dtype("i4")], ids=name)
def test_lstsq(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    single = dtype.char in "fF"
    close = Tolerance(absolute=2e-3 if single else 1e-9)
    for columns in ((), (2,), (0,)):
        b = sample(dtype, (shape[0], *columns), 1)
        got = cp.linalg.lstsq(from_numpy(a), from_numpy(b))
        want = np.linalg.lstsq(a, b)
        for i in (0, 1, 3):
            assert_same(got[i], want[i], close, what=f"{i} of {columns}")
        assert got[2] == want[2]


def test_lstsq_of_lower_rank() -> None:
    a = sample(np.dtype("d"), (6, 2)) @ sample(np.dtype("d"), (2, 4))
    b = sample(np.dtype("d"), (6,))
    close = Tolerance(absolute=1e-10)

    def parts(result: Any) -> list[Any]:
        x, residuals, rank, values = result
        return [x, residuals, int(rank), values]

    agree(lambda xp, x, y: parts(xp.linalg.lstsq(x, y)), a, b, tolerance=close)
    agree(lambda xp, x, y: parts(xp.linalg.lstsq(x, y, 0.9)), a, b, tolerance=close)
    agree(lambda xp, x, y: xp.linalg.lstsq(x, y[:5]), a, b)
    agree(lambda xp, x, y: xp.linalg.lstsq(x[None], y), a, b)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"], ids=str)
def test_cond(p: Any) -> None:
    close = Tolerance(ulps=1e5)
    agree(lambda xp, x: xp.linalg.cond(x, p), sample(np.dtype("d"), (3, 4, 4)), tolerance=close)
    singular = np.stack([np.eye(3), np.zeros((3, 3)), np.full((3, 3), np.nan)])
    if p not in (None, 2, -2, "nuc"):  # singular values of NaN do not converge
        agree(lambda xp, x: xp.linalg.cond(x, p), singular, tolerance=close)
    agree(lambda xp, x: xp.linalg.cond(x, p), np.zeros((0, 0)))


@pytest.mark.parametrize("power", [0, 1, 2, 3, 5, 10, -1, -3])
def test_matrix_power(power: int) -> None:
    a = sample(np.dtype("d"), (2, 3, 3))
    close = Tolerance(ulps=1e6)
    agree(lambda xp, x: xp.linalg.matrix_power(x, power), a, tolerance=close)
    whole = sample(np.dtype("i8"), (3, 3)) + np.eye(3, dtype=np.int64) * 20
    agree(lambda xp, x: xp.linalg.matrix_power(x, power), whole, tolerance=close)


def test_exponents_are_integers() -> None:
    agree(lambda xp, x: xp.linalg.matrix_power(x, 2.5), np.eye(2))
    agree(lambda xp, x: xp.linalg.matrix_power(x, 2), np.ones((2, 3)))


@pytest.mark.parametrize("dtype", [*FLOATING, np.dtype("i4")], ids=name)
def test_norms(dtype: np.dtype) -> None:
    a = sample(dtype, (3, 4, 5))
    close = Tolerance(ulps=1e3)
    for order in (None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf, "fro"):
        for axis in (0, -1, (1,)):
            for keep in (False, True):
                agree(
                    lambda xp, x, *of: xp.linalg.norm(x, *of), a, order, axis, keep, tolerance=close
                )
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf, 3):
        for axes in ((0, 1), (2, 0), (-1, -2)):
            agree(lambda xp, x, *of: xp.linalg.norm(x, *of), a, order, axes, True, tolerance=close)
        agree(lambda xp, x, of: xp.linalg.matrix_norm(x, ord=of), a, order, tolerance=close)
    agree(
        lambda xp, x: [xp.linalg.norm(x), xp.linalg.norm(x[0]), xp.linalg.norm(x[0, 0], 2)],
        a,
        tolerance=close,
    )
    for axis in (None, 1, (0, 2), (2, 1, 0)):
        agree(
            lambda xp, x, of: xp.linalg.vector_norm(x, axis=of, keepdims=True),
            a,
            axis,
            tolerance=close,
        )
        agree(lambda xp, x, of: xp.linalg.vector_norm(x, axis=of, ord=1), a, axis, tolerance=close)


def test_norms_that_are_none() -> None:
    a = sample(np.dtype("d"), (3, 4, 5))
    agree(lambda xp, x: xp.linalg.norm(x, 2), a)
    agree(lambda xp, x: xp.linalg.norm(x, axis=(0, 0)), a)
    agree(lambda xp, x: xp.linalg.norm(x, axis="x"), a)
    agree(lambda xp, x: xp.linalg.norm(x, axis=3), a)
    agree(lambda xp, x: [xp.linalg.norm(x[:0], axis=0), xp.linalg.norm(x[:0], 1, (0, 1))], a)
