"""The one comparison that all tests use."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy

from .dtypes import bfloat16, epsilon, is_float, real_dtype
from .faults import INJECTED, until_not_injected

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))  # the version compared with


@dataclass(frozen=True)
class Tolerance:
    """How far a floating-point result may be from the expected one.

    ulps counts representable values for real types and relative steps of the magnitude for complex
    ones; absolute is added to it. Each is a number, or an array that broadcasts.
    """

    ulps: Any = 0
    absolute: Any = 0.0


EXACT = Tolerance()
# Exact but for the signs of zeros, which NumPy itself leaves to the order of evaluation.
UNSIGNED_ZERO = Tolerance(0, 1e-300)


def ordered_bits(values: np.ndarray) -> np.ndarray:
    """Integers that count the floating-point values in order; both zeros give 0."""
    bits = values.view(np.dtype(f"i{values.dtype.itemsize}")).astype(np.int64)
    lowest = np.int64(-(2 ** (8 * values.dtype.itemsize - 1)))
    return np.where(bits < 0, lowest - bits, bits)


def ulp_distance(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Representable values between two arrays of one floating type, as float64."""
    a, b = ordered_bits(actual), ordered_bits(expected)
    same_sign = (a >= 0) == (b >= 0)
    with np.errstate(over="ignore"):
        near = np.where(same_sign, a - b, 0)
    far = np.where(same_sign, 0.0, a.astype(np.float64) - b.astype(np.float64))
    return np.abs(near.astype(np.float64) + far)


def mismatches(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Which elements differ by more than the tolerance. Same shape and dtype are assumed.

    NaN equals NaN. A zero must have the expected sign unless an absolute error is allowed.
    """
    if expected.dtype.kind == "c":
        return complex_mismatches(actual, expected, tolerance)
    if not is_float(expected.dtype):
        return np.asarray(actual != expected)
    both_nan = np.isnan(actual) & np.isnan(expected)
    one_nan = np.isnan(actual) != np.isnan(expected)
    distance = ulp_distance(np.ascontiguousarray(actual), np.ascontiguousarray(expected))
    distance = distance.reshape(expected.shape)
    far = distance > tolerance.ulps
    if np.any(tolerance.absolute):
        wide = np.longdouble if expected.dtype == np.float64 else np.float64
        finite = np.isfinite(actual) & np.isfinite(expected)
        error = np.abs(actual.astype(wide) - expected.astype(wide))
        return ~both_nan & (one_nan | (far & ~(finite & (error <= tolerance.absolute))))
    zeros = (actual == 0) & (expected == 0)
    wrong_zero = zeros & (np.signbit(actual) != np.signbit(expected))
    return ~both_nan & (one_nan | far | wrong_zero)


def complex_mismatches(
    actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance
) -> np.ndarray:
    """As mismatches, with the error measured against the magnitude of the expected value."""
    parts = (actual.real, expected.real), (actual.imag, expected.imag)
    if not (np.any(tolerance.ulps) or np.any(tolerance.absolute)):
        return np.logical_or(*(mismatches(a.copy(), e.copy(), EXACT) for a, e in parts))
    wide = np.dtype(np.clongdouble)
    with np.errstate(all="ignore"):
        error = np.abs(actual.astype(wide) - expected.astype(wide))
        magnitude = np.abs(expected.astype(wide))
        step = np.maximum(
            magnitude * epsilon(expected.dtype), np.finfo(real_dtype(expected.dtype)).tiny
        )
        near = error <= tolerance.ulps * step + tolerance.absolute
    finite = np.isfinite(expected)
    special = np.logical_or(*(special_differs(a, e) for a, e in parts))
    return np.where(finite & np.isfinite(actual), ~near, special)


def special_differs(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Whether a part is NaN or an infinity in one of the two only."""
    infinite = np.isinf(actual) | np.isinf(expected)
    return (np.isnan(actual) != np.isnan(expected)) | (infinite & (actual != expected))


def assert_same(
    actual: Any, expected: Any, tolerance: Tolerance = EXACT, *, dtype: bool = True, what: str = ""
) -> None:
    """Fails unless the result of the module under test is NumPy's, structure included."""
    if isinstance(expected, tuple | list):
        assert isinstance(actual, tuple | list), f"{what}: {type(actual)} is no sequence"
        assert len(actual) == len(expected), f"{what}: {len(actual)} results"
        for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
            assert_same(a, e, tolerance, dtype=dtype, what=f"{what}[{i}]")
        return
    if expected is None or isinstance(expected, str):
        assert actual == expected, f"{what}: {actual!r} instead of {expected!r}"
        return
    got, want = to_numpy(actual), np.asarray(expected)
    assert got.shape == want.shape, f"{what}: shape {got.shape} instead of {want.shape}"
    if dtype:
        assert got.dtype == want.dtype, f"{what}: dtype {got.dtype} instead of {want.dtype}"
    else:
        got = got.astype(want.dtype)
    bad = mismatches(got, want, tolerance)
    if bad.any():
        pytest.fail(describe(got, want, bad, what), pytrace=False)


def describe(got: np.ndarray, want: np.ndarray, bad: np.ndarray, what: str) -> str:
    """The first differing elements, for people."""
    lines = [f"{what}: {int(bad.sum())} of {bad.size} elements of {want.dtype} differ"]
    for index in np.argwhere(bad)[:5]:
        at = tuple(int(i) for i in index)
        lines.append(f"  at {at}: {got[at]!r} instead of {want[at]!r}")
    return "\n".join(lines)


def outcome(call: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """The value of a call, or the exception that it raised; NumPy's warnings are silent."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def agree(
    function: Callable[..., Any],
    *arrays: Any,
    tolerance: Tolerance = EXACT,
    dtype: bool = True,
    what: str = "",
) -> None:
    """Calls function(module, *arrays) with NumPy and with the module under test and compares.

    NumPy arrays among `arrays` are converted; operands of support.views are made in both. Where
    NumPy raises, the module under test must raise the same type or a subclass of it.
    """
    expected, expected_error = outcome(lambda: function(np, *(in_numpy(a) for a in arrays)))
    actual, error = until_not_injected(
        lambda: outcome(lambda: settled(function(cp, *(under_test(a) for a in arrays))))
    )
    if expected_error is not None and error is None:
        _, error = outcome(observe)
    assert_same_error(error, expected_error, what or describe_arguments(arrays))
    if expected_error is None:
        what = what or describe_arguments(arrays)
        assert_same(actual, expected, tolerance, dtype=dtype, what=what)


def settled(value: Any) -> Any:
    """The same; where calls fail on purpose, on the host, so that nothing can fail any more."""
    if not INJECTED:
        return value
    if isinstance(value, tuple | list):
        return [settled(each) for each in value]
    return to_numpy(value) if isinstance(value, cp.ndarray) else value


def observe() -> None:
    """What is wrong with positions may be said only when a device has computed them."""
    if not IS_NUMPY:
        cp.synchronize()


def assert_same_error(error: Exception | None, expected: Exception | None, what: str) -> None:
    """Both raised, the first a type that NumPy's handlers would catch; or neither did."""
    if expected is None:
        if error is not None:
            raise AssertionError(f"{what}: NumPy accepts this; raised {error!r}") from error
        return
    assert error is not None, f"{what}: NumPy raises {expected!r}"
    wanted = public_type(expected)
    assert isinstance(error, wanted), f"{what}: {error!r} instead of {expected!r}"


def public_type(error: Exception) -> type[Exception]:
    """The first public class of an exception: numpy's private ones count as their base."""
    for kind in type(error).__mro__:
        if not kind.__module__.startswith("numpy._core"):
            return kind
    return Exception


def in_numpy(argument: Any) -> Any:
    """The argument as NumPy's side of the comparison gets it."""
    if hasattr(argument, "in_numpy"):
        return argument.in_numpy()
    if isinstance(argument, list | tuple) and any(is_array_like(a) for a in argument):
        return type(argument)(in_numpy(a) for a in argument)
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def under_test(argument: Any) -> Any:
    """The argument as the module under test gets it."""
    if hasattr(argument, "under_test"):
        return argument.under_test()
    if isinstance(argument, list | tuple) and any(is_array_like(a) for a in argument):
        return type(argument)(under_test(a) for a in argument)
    return from_numpy(argument) if isinstance(argument, np.ndarray) else argument


def is_array_like(argument: Any) -> bool:
    """An array or an operand, perhaps inside a list."""
    if isinstance(argument, list | tuple):
        return any(is_array_like(a) for a in argument)
    return isinstance(argument, np.ndarray) or hasattr(argument, "under_test")


def describe_arguments(arrays: tuple[Any, ...]) -> str:
    """Types and shapes of the arguments, for messages."""
    return ", ".join(
        f"{a.dtype}{a.shape}" if isinstance(a, np.ndarray) else repr(a) for a in arrays
    )


def to_bfloat16(array: np.ndarray) -> np.ndarray:
    """float32 values rounded to bfloat16."""
    return array.astype(bfloat16)
