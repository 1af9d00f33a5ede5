"""Special cases of complex operands, from the text of the array API standard.

`expm1` at infinities and `sign` of an infinity beside NaN differ from it as NumPy's do
(docs/coverage.md); `tanh` of +0 and infinity or NaN the standard leaves to the C library.
"""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from support.special_cases import complex_cases, is_part

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cupola_only]

_LOGARITHM = (
    "f, inf -> inf, pi/2; f, nan -> nan, nan; -inf, +f -> inf, pi; inf, +f -> inf, 0; "
    "-inf, inf -> inf, 3pi/4; inf, inf -> inf, pi/4; +-inf, nan -> inf, nan; nan, f -> nan, nan; "
    "nan, inf -> inf, nan; nan, nan -> nan, nan"
)

CASES = {
    "acos": (
        "+-0, 0 -> pi/2, -0; +-0, nan -> pi/2, nan; f, inf -> pi/2, -inf; f!0, nan -> nan, nan; "
        "-inf, +f -> pi, -inf; inf, +f -> 0, -inf; -inf, inf -> 3pi/4, -inf; "
        "inf, inf -> pi/4, -inf; +-inf, nan -> nan, ?inf; nan, f -> nan, nan; "
        "nan, inf -> nan, -inf; nan, nan -> nan, nan"
    ),
    "acosh": (
        "+-0, 0 -> 0, pi/2; f, inf -> inf, pi/2; f!0, nan -> nan, nan; 0, nan -> nan, ?pi/2; "
        "-inf, +f -> inf, pi; inf, +f -> inf, 0; -inf, inf -> inf, 3pi/4; inf, inf -> inf, pi/4; "
        "+-inf, nan -> inf, nan; nan, f -> nan, nan; nan, inf -> inf, nan; nan, nan -> nan, nan"
    ),
    "asinh": (
        "0, 0 -> 0, 0; +f, inf -> inf, pi/2; f, nan -> nan, nan; inf, +f -> inf, 0; "
        "inf, inf -> inf, pi/4; nan, 0 -> nan, 0; nan, f!0 -> nan, nan; nan, inf -> ?inf, nan; "
        "nan, nan -> nan, nan"
    ),
    "atanh": (
        "0, 0 -> 0, 0; 0, nan -> 0, nan; 1, 0 -> inf, 0; +f, inf -> 0, pi/2; f!0, nan -> nan, nan; "
        "inf, +f -> 0, pi/2; inf, inf -> 0, pi/2; inf, nan -> 0, nan; nan, f -> nan, nan; "
        "nan, inf -> ?0, pi/2; nan, nan -> nan, nan"
    ),
    "cosh": (
        "0, 0 -> 1, 0; 0, inf -> nan, ?0; 0, nan -> nan, ?0; f!0, inf -> nan, nan; "
        "f!0, nan -> nan, nan; inf, 0 -> inf, 0; inf, f!0 -> inf*cis, inf*cis; "
        "inf, inf -> ?inf, nan; inf, nan -> inf, nan; nan, +-0 -> nan, ?0; nan, f!0 -> nan, nan; "
        "nan, nan -> nan, nan"
    ),
    "exp": (
        "+-0, 0 -> 1, 0; f, inf -> nan, nan; f, nan -> nan, nan; inf, 0 -> inf, 0; "
        "-inf, f -> 0*cis, 0*cis; inf, f!0 -> inf*cis, inf*cis; -inf, inf -> ?0, ?0; "
        "inf, inf -> ?inf, nan; -inf, nan -> ?0, ?0; inf, nan -> ?inf, nan; nan, 0 -> nan, 0; "
        "nan, f!0 -> nan, nan; nan, nan -> nan, nan"
    ),
    "expm1": (
        "+-0, 0 -> ?0, 0; f, inf -> nan, nan; f, nan -> nan, nan; -inf, +f -> 0*cis-1, 0*cis; "
        "nan, f!0 -> nan, nan; nan, nan -> nan, nan"
    ),
    "log": f"-0, 0 -> -inf, pi; 0, 0 -> -inf, 0; {_LOGARITHM}",
    "log1p": f"-1, 0 -> -inf, 0; {_LOGARITHM}",
    "sinh": (
        "0, 0 -> 0, 0; 0, inf -> ?0, nan; 0, nan -> ?0, nan; +f, inf -> nan, nan; "
        "+f, nan -> nan, nan; inf, 0 -> inf, 0; inf, +f -> inf*cis, inf*cis; "
        "inf, inf -> ?inf, nan; inf, nan -> ?inf, nan; nan, 0 -> nan, 0; nan, f!0 -> nan, nan; "
        "nan, nan -> nan, nan"
    ),
    "sqrt": (
        "+-0, 0 -> 0, 0; any, inf -> inf, inf; f, nan -> nan, nan; -inf, +f -> 0, inf; "
        "inf, +f -> inf, 0; -inf, nan -> nan, ?inf; inf, nan -> inf, nan; nan, f -> nan, nan; "
        "nan, nan -> nan, nan"
    ),
    "tanh": (
        "0, 0 -> 0, 0; f!0, inf -> nan, nan; f!0, nan -> nan, nan; inf, +f -> 1, ?0; "
        "inf, inf -> 1, ?0; "
        "inf, nan -> 1, ?0; nan, 0 -> nan, 0; nan, f!0 -> nan, nan; nan, nan -> nan, nan"
    ),
    "sign": "+-0, +-0 -> ?0, ?0; nan, f -> nan, nan; f, nan -> nan, nan; nan, nan -> nan, nan",
}


def values_of(name: str, dtype: str) -> tuple[list[Any], np.ndarray]:
    cases = list(complex_cases(CASES[name]))
    arguments = cp.asarray(np.array([case[0] for case in cases], dtype))
    return cases, to_numpy(getattr(cp, name)(arguments))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", CASES)
def test_special_cases(name: str, dtype: str) -> None:
    digits = 8 * float(np.finfo(dtype).eps)
    cases, found = values_of(name, dtype)
    assert found.dtype == dtype
    wrong = [
        (z, real, imag, complex(value))
        for (z, real, imag), value in zip(cases, found, strict=True)
        if not is_part(float(value.real), real, z, True, digits)
        or not is_part(float(value.imag), imag, z, False, digits)
    ]
    assert not wrong, f"argument, expected parts, found: {wrong}"


def same(one: Any, other: Any) -> bool:
    """Equal with the signs of zeros, where they are no NaN."""
    a, b = (to_numpy(each).view(each.dtype.type(0).real.dtype) for each in (one, other))
    return bool(np.all((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))))


GRID = [
    complex(a, b)
    for a in (0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan)
    for b in (0.0, 0.5, 2.5, np.inf)
]


@pytest.mark.parametrize("name", [*CASES, "asin", "atan", "cos", "sin", "tan", "log2", "log10"])
def test_functions_of_conjugates(name: str) -> None:
    if name in ("sign", "expm1"):
        pytest.skip("says nothing about signs of zeros")
    z = cp.asarray(np.array(GRID))
    function = getattr(cp, name)
    one, other = to_numpy(function(cp.conj(z))), to_numpy(cp.conj(function(z)))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["asinh", "atanh", "sinh", "tanh"])
def test_odd_functions(name: str) -> None:
    z = cp.asarray(np.array([z for z in GRID if np.isfinite(z)]))
    function = getattr(cp, name)
    assert same(function(-z), -function(z))


TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}


@pytest.mark.parametrize("name", [*TURNED, "cos"])
def test_circular_functions_are_hyperbolic_ones_turned(name: str) -> None:
    z = np.array([z for z in GRID if not np.isnan(z.real)])
    turned = np.empty_like(z)
    turned.real, turned.imag = -z.imag, z.real
    if name == "cos":
        expected = to_numpy(cp.cosh(cp.asarray(turned)))
    else:
        value = to_numpy(getattr(cp, TURNED[name])(cp.asarray(turned)))
        expected = np.empty_like(value)
        expected.real, expected.imag = value.imag, -value.real
    found = to_numpy(getattr(cp, name)(cp.asarray(z)))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_equality_of_complex_numbers() -> None:
    z = cp.asarray(np.array([1 + 2j, complex(np.nan, 1), complex(1, np.nan), 1 + 2j, 0j]))
    other = cp.asarray(np.array([1 + 2j, complex(np.nan, 1), complex(1, np.nan), 1 - 2j, -0j]))
    assert to_numpy(cp.equal(z, other)).tolist() == [True, False, False, False, True]
    assert to_numpy(cp.not_equal(z, other)).tolist() == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("name", "condition"),
    [("isnan", np.isnan), ("isfinite", np.isfinite), ("isinf", np.isinf)],
)
def test_tests_of_the_parts(name: str, condition: Any) -> None:
    z = np.array(GRID)
    real, imag = condition(z.real), condition(z.imag)
    expected = real & imag if name == "isfinite" else real | imag
    np.testing.assert_array_equal(to_numpy(getattr(cp, name)(cp.asarray(z))), expected)


def test_abs_of_complex_numbers() -> None:
    z = np.array(
        [complex(a, b) for a in (np.inf, np.nan, 0.0, 3.0) for b in (-np.inf, np.nan, 4.0)]
    )
    found = to_numpy(cp.abs(cp.asarray(z)))
    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(found, [inf, inf, inf, inf, nan, nan, inf, nan, 4, inf, nan, 5])


@pytest.mark.parametrize("name", ["add", "subtract"])
def test_parts_are_added_each_for_itself(name: str) -> None:
    parts = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan]
    z = np.array([complex(a, b) for a in parts for b in parts])
    left, right = (
        cp.asarray(np.ascontiguousarray(each)) for each in np.broadcast_arrays(z[:, None], z)
    )
    function = getattr(cp, name)
    found = function(left, right)
    for part in (cp.real, cp.imag):
        np.testing.assert_array_equal(
            to_numpy(part(found)), to_numpy(function(part(left), part(right)))
        )


def test_round_works_on_each_part() -> None:
    z = cp.asarray(np.array([complex(0.5, 1.5), complex(np.nan, -0.5), complex(np.inf, 2.5)]))
    found = cp.round(z)
    for part in (cp.real, cp.imag):
        np.testing.assert_array_equal(to_numpy(part(found)), to_numpy(cp.round(part(z))))
