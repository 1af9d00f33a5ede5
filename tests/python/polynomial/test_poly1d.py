"""Polynomials as coefficients from the highest degree to the lowest."""

import pickle
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import Tolerance, agree

NEAR = Tolerance(64, 1e-12)
FIRST, SECOND = np.array([1.0, -2, 0.5, 3]), np.array([2.0, 1, -1])


@pytest.mark.parametrize("dtypes", ["f8 f8", "i4 i8", "f4 i2", "f4 f4", "c8 f8", "u1 i1"])
def test_algebra(dtypes: str) -> None:
    def found(xp: Any, a: Any, b: Any) -> list[Any]:
        results = [xp.polyadd(a, b), xp.polysub(a, b), xp.polymul(a, b), *xp.polydiv(a, b)]
        results += [xp.polyder(a), xp.polyder(a, 2), xp.polyder(a, 7), xp.polyint(a)]
        return [*results, xp.polyint(a, 2, 3), xp.polyint(a, 2, [1, 2]), xp.polyadd(a, [1, 2])]

    first, second = dtypes.split()
    agree(found, FIRST.astype(first), SECOND.astype(second), tolerance=NEAR)
    agree(found, FIRST[:1].astype(first), SECOND.astype(second), tolerance=NEAR)
    agree(found, np.array(2, first), SECOND.astype(second), tolerance=NEAR)
    agree(found, np.zeros((2, 2), first), SECOND.astype(second), tolerance=NEAR)


def test_no_derivative_is_the_polynomial_itself() -> None:
    def kept(xp: Any, a: Any) -> list[bool]:
        return [xp.polyder(a, 0) is a, xp.polyint(a, 0.0) is a, xp.polyint(xp.poly1d(a), 0) is a]

    agree(kept, FIRST)


def test_bad_orders() -> None:
    agree(lambda xp, a: xp.polyder(a, -1), FIRST)
    agree(lambda xp, a: xp.polyint(a, -1), FIRST)
    agree(lambda xp, a: xp.polyint(a, 3, [1, 2]), FIRST)


@pytest.mark.parametrize("dtype", ["?", "i2", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_values(dtype: str, shape: tuple[int, ...]) -> None:
    def found(xp: Any, x: Any, p: Any) -> list[Any]:
        results = [xp.polyval(p, x), xp.polyval([1, 2, 3], x), xp.polyval(xp.poly1d([1, 2]), x)]
        return [*results, xp.polyval(p[:0], x), xp.polyval([1.5, 2], x), xp.poly1d(p)(x)]

    x = np.asarray(np.arange(np.prod(shape)).reshape(shape)).astype(dtype)
    agree(found, x, FIRST, tolerance=NEAR)
    agree(found, x.T, FIRST.astype("f4"), tolerance=NEAR)
    agree(lambda xp, p: xp.polyval(p, 3), FIRST, tolerance=NEAR)
    agree(lambda xp, p: xp.polyval(p, 2.5), SECOND.astype("i4"), tolerance=NEAR)
    agree(lambda xp, p, x: xp.polyval(p, x), np.ones((2, 3)), np.arange(3.0), tolerance=NEAR)


def test_class() -> None:
    def found(xp: Any, a: Any, b: Any, x: Any) -> list[Any]:
        p, q = xp.poly1d(a), xp.poly1d(b)
        made = [p + q, p - q, p * q, p * 2, 2 * p, p + 1, 1 - p, p**2, -p, p / 2, *(p / q)]
        made += [p.deriv(), p.integ(2, 1), p(q), xp.poly1d(b, True), xp.polyadd(p, b), p * b]
        made += [xp.polymul(b, p), xp.polyval(a, q), xp.polyder(p), xp.polyint(p)]
        for each in made:
            assert isinstance(each, xp.poly1d)
        return [*(each(x) for each in made), *(each.c for each in made), p.o, p[1], len(p), str(p)]

    agree(found, FIRST, SECOND, np.linspace(-1, 1, 7), tolerance=NEAR)
    p = cp.poly1d(from_numpy(FIRST), variable="z")
    assert p == cp.poly1d(FIRST)
    assert pickle.loads(pickle.dumps(p)) == p
    assert repr(p) == repr(np.poly1d(FIRST))
    assert "z" in str(p)


def test_operands_of_arrays_and_functions_are_the_coefficients() -> None:
    def found(xp: Any, a: Any, x: Any) -> list[Any]:
        p = xp.poly1d(a)
        y = x.copy()
        y += p
        return [x + p, x * p, x - p, xp.add(p, 1), xp.sin(p), xp.multiply(p, x), x == p, y]

    agree(found, FIRST, np.arange(float(len(FIRST))), tolerance=NEAR)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_fit(dtype: str) -> None:
    def fits(xp: Any, x: Any, y: Any, w: Any) -> list[Any]:
        found = [xp.polyfit(x, y, 3), xp.polyfit(x, y[:, 1], 0), xp.polyfit(x, y, 2, w=w)]
        found += [*xp.polyfit(x, y, 1, cov=True), *xp.polyfit(x, y[:, 0], 2, w=w, cov="unscaled")]
        coefficients, residuals, rank, values, rcond = xp.polyfit(x, y, 2, full=True)
        return [*found, coefficients, residuals, int(rank), values, rcond]

    rng = np.random.default_rng(7)
    x = np.linspace(0.5, 2, 20).astype("f8" if dtype == "i4" else dtype)
    near = Tolerance(0, 5e-3) if dtype == "f4" else Tolerance(0, 1e-7)
    y = (rng.random((20, 2)) * 9).astype(dtype)
    agree(fits, x, y, (rng.random(20) + 0.5).astype(x.real.dtype), tolerance=near)


def test_bad_fits() -> None:
    x = np.arange(4.0)
    for args in [(x, x, -1), (x[:0], x[:0], 1), (x, x[:3], 1), (x.reshape(2, 2), x, 1)]:
        agree(lambda xp, *args: xp.polyfit(*args), *args)
    agree(lambda xp, x, y: xp.polyfit(x, y, 1), x, x.reshape(4, 1, 1))
    agree(lambda xp, x, w: xp.polyfit(x, x, 1, w=w), x, x[:2])
    agree(lambda xp, x: xp.polyfit(x, x, 3, cov=True), x)
    agree(lambda xp, x: xp.polyfit(x, x, 1), np.zeros(3))
    with pytest.warns(np.exceptions.RankWarning):
        cp.polyfit(from_numpy(np.ones(4)), from_numpy(x), 1)


@pytest.mark.cupola_only
@pytest.mark.usefixtures("deferred")
def test_values_wait_and_are_one_kernel() -> None:
    x = cp.arange(1000.0) / 1000
    for p in (FIRST, from_numpy(FIRST), cp.poly1d(FIRST)):
        assert len(cp.explain(cp.polyval(p, x) + 1).kernels) == 1
    with pytest.raises(TypeError, match="asarray"):
        cp.polyval(FIRST, np.arange(3.0))
