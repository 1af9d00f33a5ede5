"""Special cases of real floating-point operands, from the text of the array API standard.

Where it allows two answers (floor division of infinities) NumPy's is expected.
"""

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from support.special_cases import binary_cases, unary_cases

UNARY = {
    "abs": "nan -> nan; -0 -> 0; -inf -> inf; 0 -> 0",
    "acos": "nan -> nan; >1 -> nan; <-1 -> nan; 1 -> 0",
    "acosh": "nan -> nan; <1 -> nan; 1 -> 0; inf -> inf",
    "asin": "nan -> nan; >1 -> nan; <-1 -> nan; 0 -> 0; -0 -> -0",
    "asinh": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf",
    "atan": "nan -> nan; 0 -> 0; -0 -> -0; inf -> pi/2; -inf -> -pi/2",
    "atanh": "nan -> nan; <-1 -> nan; >1 -> nan; -1 -> -inf; 1 -> inf; 0 -> 0; -0 -> -0",
    "ceil": "integer -> x; inf -> inf; -inf -> -inf; 0 -> 0; -0 -> -0; nan -> nan",
    "cos": "nan -> nan; +-0 -> 1; +-inf -> nan",
    "cosh": "nan -> nan; +-0 -> 1; +-inf -> inf",
    "exp": "nan -> nan; +-0 -> 1; inf -> inf; -inf -> 0",
    "expm1": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -1",
    "floor": "integer -> x; inf -> inf; -inf -> -inf; 0 -> 0; -0 -> -0; nan -> nan",
    "isfinite": "+-inf -> 0; nan -> 0; f -> 1",
    "isinf": "+-inf -> 1; nan -> 0; f -> 0",
    "isnan": "nan -> 1; +-inf -> 0; f -> 0",
    "log": "nan -> nan; <0 -> nan; +-0 -> -inf; 1 -> 0; inf -> inf",
    "log1p": "nan -> nan; <-1 -> nan; -1 -> -inf; -0 -> -0; 0 -> 0; inf -> inf",
    "log2": "nan -> nan; <0 -> nan; +-0 -> -inf; 1 -> 0; inf -> inf",
    "log10": "nan -> nan; <0 -> nan; +-0 -> -inf; 1 -> 0; inf -> inf",
    "negative": "0 -> -0; -0 -> 0; inf -> -inf; -inf -> inf; nan -> nan",
    "positive": "any -> x",
    "reciprocal": "0 -> inf; -0 -> -inf; inf -> 0; -inf -> -0; nan -> nan; 1 -> 1",
    "round": (
        "integer -> x; inf -> inf; -inf -> -inf; 0 -> 0; -0 -> -0; nan -> nan; 0.5 -> 0; "
        "1.5 -> 2; 2.5 -> 2; -0.5 -> -0; -1.5 -> -2; -2.5 -> -2"
    ),
    "sign": "<0 -> -1; >0 -> 1; nan -> nan; 0 -> 0",
    "signbit": "0 -> 0; -0 -> 1; inf -> 0; -inf -> 1; +f -> 0; -f -> 1; nan -> 0; -nan -> 1",
    "sin": "nan -> nan; 0 -> 0; -0 -> -0; +-inf -> nan",
    "sinh": "nan -> nan; 0 -> 0; -0 -> -0; inf -> inf; -inf -> -inf",
    "square": "nan -> nan; +-0 -> 0; +-inf -> inf",
    "sqrt": "nan -> nan; <0 -> nan; 0 -> 0; -0 -> -0; inf -> inf",
    "tan": "nan -> nan; 0 -> 0; -0 -> -0; +-inf -> nan",
    "tanh": "nan -> nan; 0 -> 0; -0 -> -0; inf -> 1; -inf -> -1",
    "trunc": "integer -> x; inf -> inf; -inf -> -inf; 0 -> 0; -0 -> -0; nan -> nan",
}

_QUOTIENT = (
    "nan, any -> nan; any, nan -> nan; +-inf, +-inf -> nan; +-0, +-0 -> nan; 0, >0 -> 0; "
    "-0, >0 -> -0; 0, <0 -> -0; -0, <0 -> 0; >0, 0 -> inf; >0, -0 -> -inf; <0, 0 -> -inf; "
    "<0, -0 -> inf; +f, inf -> 0; -f, -inf -> 0"
)

BINARY = {
    "add": (
        "nan, any -> nan; any, nan -> nan; inf, -inf -> nan; -inf, inf -> nan; inf, inf -> inf; "
        "-inf, -inf -> -inf; inf, f -> inf; -inf, f -> -inf; f, inf -> inf; f, -inf -> -inf; "
        "-0, -0 -> -0; -0, 0 -> 0; 0, -0 -> 0; 0, 0 -> 0; +-0, f!0 -> x2; f!0, +-0 -> x1; "
        "1.5, -1.5 -> 0; -2, 2 -> 0"
    ),
    "subtract": (
        "nan, any -> nan; any, nan -> nan; inf, inf -> nan; -inf, -inf -> nan; inf, -inf -> inf; "
        "-inf, inf -> -inf; -0, 0 -> -0; -0, -0 -> 0; 0, 0 -> 0; f!0, +-0 -> x1; 3, 3 -> 0"
    ),
    "atan2": (
        "nan, any -> nan; any, nan -> nan; +f, +-0 -> pi/2; inf, +-0 -> pi/2; 0, >0 -> 0; "
        "0, 0 -> 0; 0, -0 -> pi; 0, <0 -> pi; -0, >0 -> -0; -0, 0 -> -0; -0, -0 -> -pi; "
        "-0, <0 -> -pi; <0, +-0 -> -pi/2; +f, inf -> 0; +f, -inf -> pi; -f, inf -> -0; "
        "-f, -inf -> -pi; inf, f -> pi/2; -inf, f -> -pi/2; inf, inf -> pi/4; "
        "inf, -inf -> 3pi/4; -inf, inf -> -pi/4; -inf, -inf -> -3pi/4"
    ),
    "divide": (
        f"{_QUOTIENT}; inf, +f -> inf; inf, -f -> -inf; -inf, +f -> -inf; -inf, -f -> inf; "
        "+f, -inf -> -0; -f, inf -> -0"
    ),
    "floor_divide": (
        f"{_QUOTIENT}; +-inf, f!0 -> nan; +f, -inf -> -1; -f, inf -> -1; 3, 2 -> 1; -3, 2 -> -2"
    ),
    "remainder": (
        "nan, any -> nan; any, nan -> nan; +-inf, +-inf -> nan; +-0, +-0 -> nan; +-0, >0 -> 0; "
        "+-0, <0 -> -0; >0, +-0 -> nan; <0, +-0 -> nan; +-inf, f!0 -> nan; +f, inf -> x1; "
        "+f, -inf -> x2; -f, inf -> x2; -f, -inf -> x1; -3, 2 -> 1; 3, -2 -> -1"
    ),
    "copysign": (
        "f, <0 -> -|x1|; f, -0 -> -|x1|; f, 0 -> |x1|; f, >0 -> |x1|; f, nan -> |x1|; "
        "f, -nan -> -|x1|; +-inf, 0 -> inf; +-inf, -0 -> -inf; nan, any -> nan"
    ),
    "equal": (
        "nan, any -> 0; any, nan -> 0; inf, inf -> 1; -inf, -inf -> 1; +-0, +-0 -> 1; 2, 2 -> 1; "
        "inf, f -> 0; 1, 2 -> 0"
    ),
    "not_equal": "nan, any -> 1; any, nan -> 1; inf, -inf -> 1; 1, 2 -> 1; inf, inf -> 0",
    "greater": "nan, any -> 0; any, nan -> 0; inf, f -> 1; +-0, +-0 -> 0; f, -inf -> 1",
    "greater_equal": "nan, any -> 0; any, nan -> 0; inf, inf -> 1; +-0, +-0 -> 1",
    "less": "nan, any -> 0; any, nan -> 0; f, inf -> 1; +-0, +-0 -> 0; -inf, f -> 1",
    "less_equal": "nan, any -> 0; any, nan -> 0; inf, inf -> 1; +-0, +-0 -> 1",
    "hypot": (
        "+-inf, any -> inf; any, +-inf -> inf; +-0, f -> |x2|; f, +-0 -> |x1|; f, nan -> nan; "
        "nan, f -> nan; nan, nan -> nan"
    ),
    "logaddexp": "nan, any -> nan; any, nan -> nan; inf, !nan -> inf; !nan, inf -> inf",
    "maximum": "nan, any -> nan; any, nan -> nan; inf, !nan -> inf",
    "minimum": "nan, any -> nan; any, nan -> nan; -inf, !nan -> -inf",
    "multiply": (
        "nan, any -> nan; any, nan -> nan; +-inf, +-0 -> nan; +-0, +-inf -> nan; inf, inf -> inf; "
        "inf, -inf -> -inf; -inf, -inf -> inf; inf, +f -> inf; inf, -f -> -inf; +f, -inf -> -inf; "
        "-f, -inf -> inf; 0, +f -> 0; 0, -f -> -0; -0, -f -> 0"
    ),
    "nextafter": "nan, any -> nan; any, nan -> nan; -0, 0 -> 0; 0, -0 -> -0",
    "pow": (
        "!1, nan -> nan; any, +-0 -> 1; nan, !0 -> nan; |>1|, inf -> inf; |>1|, -inf -> 0; "
        "|1|, +-inf -> 1; 1, !nan -> 1; |<1|, inf -> 0; |<1|, -inf -> inf; inf, >0 -> inf; "
        "inf, <0 -> 0; -inf, +odd -> -inf; -inf, +even -> inf; -inf, -odd -> -0; "
        "-inf, -even -> 0; 0, >0 -> 0; 0, <0 -> inf; -0, +odd -> -0; -0, +even -> 0; "
        "-0, -odd -> -inf; -0, -even -> inf; -f, fraction -> nan"
    ),
}


def check(found: np.ndarray, expected: np.ndarray, arguments: object) -> None:
    """Equal up to the approximation of pi, with the signs of zeros."""
    if found.dtype == bool:
        found = found.astype(expected.dtype)
    assert found.dtype == expected.dtype
    digits = 8 * np.finfo(expected.dtype).eps
    same = np.isclose(found, expected, rtol=digits, atol=0, equal_nan=True)
    same &= np.isnan(expected) | (np.signbit(found) == np.signbit(expected))
    wrong = [
        (*case, f, e)
        for case, f, e, s in zip(arguments, found, expected, same, strict=True)
        if not s
    ]
    assert not wrong, f"arguments, found, expected: {wrong}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, dtype: str) -> None:
    arguments, results = zip(*unary_cases(UNARY[name]), strict=True)
    found = getattr(cp, name)(cp.asarray(np.array(arguments, dtype)))
    check(to_numpy(found), np.array(results, dtype), [(x,) for x in arguments])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, dtype: str) -> None:
    first, second, results = zip(*binary_cases(BINARY[name]), strict=True)
    left, right = (cp.asarray(np.array(side, dtype)) for side in (first, second))
    found = to_numpy(getattr(cp, name)(left, right))
    check(found, np.array(results, dtype), list(zip(first, second, strict=True)))


SYMMETRIC = {"cosh": 1, "sinh": -1, "tanh": -1, "asinh": -1, "atanh": -1}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_functions_are_even_or_odd(name: str) -> None:
    x = cp.linspace(0, 0.99, 50)
    function = getattr(cp, name)
    assert bool(cp.all(function(-x) == SYMMETRIC[name] * function(x)))


def test_hypot_is_symmetric_and_neither_overflows_nor_underflows() -> None:
    x, y = cp.asarray([3.0, 1e300, 1e-300, 5e-324]), cp.asarray([4.0, 1e300, 1e-300, 0.0])
    expected = to_numpy(cp.hypot(x, y))
    np.testing.assert_allclose(expected, [5, 2**0.5 * 1e300, 2**0.5 * 1e-300, 5e-324], rtol=1e-15)
    for a, b in ((y, x), (x, -y), (-x, y), (-x, -y)):
        np.testing.assert_array_equal(to_numpy(cp.hypot(a, b)), expected)


@pytest.mark.parametrize("bound", [{"min": np.nan}, {"max": np.nan}, {"min": 0.0, "max": np.nan}])
def test_clip_of_nan_and_by_nan(bound: dict[str, float]) -> None:
    x = cp.asarray([np.nan, 1.0, -np.inf])
    assert to_numpy(cp.isnan(cp.clip(x, **bound))).all()
    found = to_numpy(cp.clip(x, 0.0, 0.5))
    np.testing.assert_array_equal(found, [np.nan, 0.5, 0.0])


@pytest.mark.cupola_only
def test_clip_takes_one_bound_or_none() -> None:
    x = cp.arange(5)
    for args, kwargs, expected in (
        ((), {}, [0, 1, 2, 3, 4]),
        ((2,), {}, [2, 2, 2, 3, 4]),
        ((None, 2), {}, [0, 1, 2, 2, 2]),
        ((1,), {"max": 3}, [1, 1, 2, 3, 3]),
        ((), {"max": cp.asarray([9, 0, 9, 0, 9])}, [0, 0, 2, 0, 4]),
    ):
        assert to_numpy(cp.clip(x, *args, **kwargs)).tolist() == expected
