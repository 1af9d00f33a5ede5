"""CUDA's functions of real numbers in the bodies of kernels, against SciPy and definitions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cupola_under_test import on_cuda
from support.compare import ulp_distance
from support.compilers import skip_without_compiler
from support.scalar_functions import values_of

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


def grid(low: float, high: float, count: int = 1500) -> np.ndarray:
    """Numbers between two that are hardly round, and multiples of a quarter."""
    even = np.linspace(low, high, count) + 1e-3 / count
    quarters = np.arange(math.ceil(4 * low), math.floor(4 * high) + 1) / 4
    return np.concatenate([even, quarters[:1000]])


def check(
    calls: dict[str, Any], arguments: dict[str, np.ndarray], ulps: float, single: float
) -> None:
    """Values in both precisions; expected are those of exactly the same arguments."""
    for dtype, limit in (("float64", ulps), ("float32", single)):
        with np.errstate(over="ignore"):
            given = {name: array.astype(dtype) for name, array in arguments.items()}
        results = values_of(list(calls), given, dtype)
        wide = [array.astype("float64") for array in given.values()]
        for (call, function), actual in zip(calls.items(), results, strict=True):
            with np.errstate(all="ignore"):
                expected = np.asarray(function(*wide), "float64").astype(dtype)
            distance = ulp_distance(actual, expected)
            distance[np.isnan(actual) & np.isnan(expected)] = 0
            worst = int(np.nanargmax(distance))
            assert distance[worst] <= limit, (
                call,
                dtype,
                [array[worst] for array in wide],
                actual[worst],
                expected[worst],
            )


TAILS = np.concatenate([10.0 ** -np.arange(1.0, 38, 0.25), np.linspace(0.001, 0.999, 500)])


def test_inverses_of_the_normal_distribution() -> None:
    special = pytest.importorskip("scipy.special")
    signed = np.concatenate([grid(-0.999, 0.999), TAILS, -TAILS, [0.0, 1.0, -1.0, 1.5, np.nan]])
    check({"erfinv(a)": special.erfinv}, {"a": signed}, 8, 4)
    positive = np.concatenate([TAILS, 2 - TAILS[TAILS > 1e-10], [0.0, 1.0, 2.0, -0.5, 2.5]])
    check({"erfcinv(a)": special.erfcinv}, {"a": positive}, 10, 4)
    check({"normcdfinv(a)": special.ndtri}, {"a": np.concatenate([TAILS, [0.0, 1, 2]])}, 10, 5)


def test_inverses_are_inverses() -> None:
    """To the digits that the function itself leaves."""
    a = grid(-0.9, 0.9)
    (back,) = values_of(["erf(erfinv(a))"], {"a": a}, "float64")
    np.testing.assert_allclose(back, a, rtol=2e-15)
    tails = 10.0 ** -np.arange(1.0, 300, 2.5)
    back, other = values_of(
        ["erfc(erfcinv(a)) / a", "normcdf(normcdfinv(a)) / a"], {"a": tails}, "float64"
    )
    slope = 1e-15 * np.log(1 / tails) * 4  # of the function's logarithm, times the argument's error
    assert (abs(back - 1) <= slope).all()
    assert (abs(other - 1) <= slope).all()


def test_scaled_and_normal_tails() -> None:
    special = pytest.importorskip("scipy.special")
    far = np.concatenate([grid(-2, 60), [1e5, 1e154, 1e300, np.inf, -np.inf, np.nan]])
    check({"erfcx(a)": special.erfcx}, {"a": far}, 8, 4)
    a = grid(-26.6, -6.5)  # where erfc is 2 to more digits than double has
    (result,) = values_of(["erfcx(a)"], {"a": a}, "float64")
    expected = (2 * np.exp(a.astype("longdouble") ** 2)).astype("f8")
    np.testing.assert_allclose(result, expected, 6e-16)
    check({"normcdf(a)": special.ndtr}, {"a": np.concatenate([grid(-2, 9), [np.inf]])}, 8, 4)


def test_normal_tails_by_definition() -> None:
    """Far out by the continued fraction, with exact arithmetic but for one exponential."""
    points = [-6.5, -12.25, -25.7, -37.1]
    (results,) = values_of(["normcdf(a)"], {"a": np.array(points)}, "float64")
    for point, result in zip(points, results.tolist(), strict=True):
        x = Fraction(-point)
        fraction = x
        for k in range(400, 0, -1):
            fraction = (x + Fraction(k) / fraction).limit_denominator(10**30)
        half_square = x * x / 2
        near = float(half_square)
        scale = math.exp(-near) * (1 - float(half_square - Fraction(near)))
        expected = scale / float(fraction) / math.sqrt(2 * math.pi)
        assert result == pytest.approx(expected, rel=2e-15)


def test_modified_bessel_functions() -> None:
    special = pytest.importorskip("scipy.special")
    a = np.concatenate([grid(-40, 40), [1e-300, 1e-8, 100.3, 650.0, 714.5, -600.0, 0.0]])
    i0, i1 = (values_of([f"cyl_bessel_{name}(a)"], {"a": a}, "float64")[0] for name in ("i0", "i1"))
    np.testing.assert_allclose(i0, special.i0(a), rtol=2e-15)
    np.testing.assert_allclose(i1, special.i1(a), rtol=3e-15)
    large = np.array([711.5, 712.9, 713.9])
    (i0,) = values_of(["cyl_bessel_i0(a) / 1e300"], {"a": large}, "float64")
    scaled = special.i0e(large) * (np.exp(large.astype("longdouble")) / 1e300).astype("f8")
    np.testing.assert_allclose(i0, scaled, rtol=2e-15)
    edges = np.array([np.inf, -np.inf, np.nan])
    i0, i1 = values_of(["cyl_bessel_i0(a)", "cyl_bessel_i1(a)"], {"a": edges}, "float64")
    np.testing.assert_array_equal(i0, [np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(i1, [np.inf, -np.inf, np.nan])


def test_bessel_functions() -> None:
    special = pytest.importorskip("scipy.special")
    a = grid(0.1, 30)
    functions = {
        "j0(a)": special.j0,
        "j1(a)": special.j1,
        "jn(3, a)": lambda a: special.jv(3, a),
        "y0(a)": special.y0,
        "y1(a)": special.y1,
        "yn(2, a)": lambda a: special.yv(2, a),
    }
    # CUDA documents an error of 5e-12 beyond 8.
    for dtype, bound in (("float64", 5e-12 if on_cuda() else 4e-15), ("float32", 4e-6)):
        given = a.astype(dtype)
        results = values_of(list(functions), {"a": given}, dtype)
        for function, actual in zip(functions.values(), results, strict=True):
            expected = function(given.astype("float64"))
            assert (abs(actual - expected) <= bound * np.maximum(1, abs(expected))).all()


def test_multiples_of_pi() -> None:
    a = np.concatenate([grid(-5, 5), [1e-300, 2.0**53 + 2, -(2.0**60), 1e300, 0.0, -0.0]])

    def exactly(a: np.ndarray, quarters: int) -> list[float]:
        """By the place in the nearest eighth of a turn."""
        values = []
        for each in a.tolist():
            halves = Fraction(each) * 2
            nearest = round(halves)
            rest = float((halves - nearest) / 2) * math.pi
            quarter = (nearest + quarters) % 4
            size = math.cos(rest) if quarter % 2 else math.sin(rest)
            values.append(-size if quarter >= 2 else size)
        return values

    sine, cosine, both = values_of(
        ["sinpi(a)", "cospi(a)", "([=] { double s, c; sincospi(a, &s, &c); return s + 2 * c; })()"],
        {"a": a},
        "float64",
    )
    np.testing.assert_allclose(sine, exactly(a, 0), rtol=5e-16)
    np.testing.assert_allclose(cosine, exactly(a, 1), rtol=5e-16)
    np.testing.assert_array_equal(both, sine + 2 * cosine)
    edges = np.array([0.0, -0.0, 3.0, -3.0, 0.5, np.inf, np.nan])
    sine, cosine = values_of(["sinpi(a)", "cospi(a)"], {"a": edges}, "float64")
    np.testing.assert_array_equal(sine, [0, 0, 0, 0, 1, np.nan, np.nan])
    assert np.signbit(sine[:2]).tolist() == [False, True]
    np.testing.assert_array_equal(cosine, [1, 1, -1, -1, 0, np.nan, np.nan])


def test_norms() -> None:
    scales = 10.0 ** np.arange(-300, 301, 25.0)
    a, b, c = (np.outer(scales, [first, 1.0, 2.5]).ravel() for first in (0.3, 7.0, -4.0))
    norms = values_of(
        [
            "norm3d(a, b, c)",
            "rnorm3d(a, b, c)",
            "norm4d(a, b, c, a)",
            "rhypot(a, b)",
            "([=] { const double v[] = {a, b, c}; return norm(3, v); })()",
            "([=] { const double v[] = {a, b, c}; return rnorm(3, v); })()",
        ],
        {"a": a, "b": b, "c": c},
        "float64",
    )
    three = np.hypot(np.hypot(a, b), c)
    four, two = np.hypot(three, a), np.hypot(a, b)
    expected = [three, 1 / three, four, 1 / two, three, 1 / three]
    np.testing.assert_allclose(norms, expected, rtol=1e-15)
    edges = {"a": np.array([np.inf, 0.0, np.nan, -np.inf]), "b": np.array([np.nan, 0.0, 1.0, 2.0])}
    length, inverse = values_of(["norm3d(a, b, a)", "rhypot(a, b)"], edges, "float64")
    np.testing.assert_array_equal(length, [np.inf, 0, np.nan, np.inf])
    np.testing.assert_array_equal(inverse, [0, np.inf, np.nan, 0])


def test_roots_and_fast_functions() -> None:
    a = np.abs(grid(0.01, 9))
    functions = {
        "rsqrt(a)": lambda a: 1 / np.sqrt(a),
        "rcbrt(a)": lambda a: 1 / np.cbrt(a),
        "exp10(a)": lambda a: np.power(10.0, a),
    }
    check(functions, {"a": a}, 3, 2)
    fast: dict[str, Any] = {
        "__expf(a)": np.exp,
        "__exp10f(a)": lambda a: np.power(10.0, a),
        "__log2f(a)": np.log2,
        "__powf(a, 1.5f)": lambda a: a**1.5,
        "__fdividef(a, 3.0f)": lambda a: a / 3,
        "__tanhf(a)": np.tanh,
        "__saturatef(a - 1)": lambda a: np.clip(a - 1, 0, 1),
    }
    single = a.astype("float32")
    for call, actual in zip(fast, values_of(list(fast), {"a": single}, "float32"), strict=True):
        bound = 1e-3 if on_cuda() else 3e-7
        expected = fast[call](single.astype("float64"))
        assert (abs(actual - expected) <= bound * abs(expected) + bound).all(), call
