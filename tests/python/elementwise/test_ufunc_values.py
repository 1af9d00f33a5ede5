"""Values of every loop of every ufunc: special values, their products, and random numbers."""

import itertools

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from support.compare import UNSIGNED_ZERO, assert_same, outcome
from support.dtypes import bfloat16, is_float
from support.samples import ordinary_values, special_values, wide_sweep
from support.tolerances import tolerance_of
from support.ufuncs import TRANSCENDENTAL, UFUNC_NAMES, expected, loops

LOOPS = [(name, dtypes) for name in UFUNC_NAMES for dtypes in loops(name)]
IDS = [f"{name}-{'-'.join(t.name for t in dtypes)}" for name, dtypes in LOOPS]

# ml_dtypes computes these in its own way, which differs in signs of zero or raises.
BFLOAT16_IN_NUMPY = {"ldexp", "degrees", "radians", "rad2deg", "deg2rad", "floor_divide"}
BFLOAT16_IN_NUMPY |= {"remainder", "divmod", "heaviside", "sign", "spacing", "nextafter", "frexp"}
BFLOAT16_IN_NUMPY |= {"logaddexp", "logaddexp2", "reciprocal"}


def sample_arguments(name: str, dtypes: tuple[np.dtype, ...]) -> list[np.ndarray]:
    """One array per operand: all pairs of special values, then random ones."""
    special = [special_values(t) for t in dtypes]
    crossed = [
        np.array(v, t)
        for v, t in zip(zip(*itertools.product(*special), strict=True), dtypes, strict=True)
    ]
    random = [ordinary_values(t, (700,), 11 + i) for i, t in enumerate(dtypes)]
    if name in TRANSCENDENTAL and len(dtypes) == 1 and is_float(dtypes[0]):
        random = [np.concatenate([random[0], wide_sweep(dtypes[0], 700, 5)])]
    arguments = [np.concatenate(pair) for pair in zip(crossed, random, strict=True)]
    return restrict(name, arguments)


def restrict(name: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Leaves out what NumPy refuses or what C does not define."""
    if name == "power" and arguments[1].dtype.kind in "iu":
        arguments[1] = np.where(arguments[1] < 0, 3, arguments[1]).astype(arguments[1].dtype)
    if name in ("power", "float_power") and arguments[0].dtype.kind == "c":
        keep = np.abs(arguments[0]) * np.abs(arguments[1]) < 40
        arguments = [a[keep] for a in arguments]
    if name == "lcm":
        # The multiple must fit: overflow depends on the order of the products.
        arguments = [np.clip(a, 0 if a.dtype.kind == "u" else -11, 11) for a in arguments]
    if name == "gcd" and arguments[0].dtype.kind == "i":
        lowest = np.iinfo(arguments[0].dtype).min
        arguments = [np.where(a == lowest, lowest + 1, a) for a in arguments]
    return arguments


def finite_only(name: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Complex functions at infinities and NaN have a test of their own."""
    if arguments[0].dtype.kind != "c" or name not in TRANSCENDENTAL | {
        "divide",
        "reciprocal",
        "sqrt",
        "sign",
    }:
        return arguments
    keep = np.logical_and.reduce([np.isfinite(a) for a in arguments])
    return [a[keep] for a in arguments]


@pytest.mark.parametrize(("name", "dtypes"), LOOPS, ids=IDS)
def test_values(name: str, dtypes: tuple[np.dtype, ...]) -> None:
    if IS_NUMPY and bfloat16 in dtypes and name in BFLOAT16_IN_NUMPY:
        pytest.skip("ml_dtypes computes it differently")
    arguments = finite_only(name, sample_arguments(name, dtypes))
    with np.errstate(all="ignore"):
        want = expected(name, arguments)
        tolerance = tolerance_of(name, dtypes, arguments)
        got = getattr(cp, name)(*(from_numpy(a) for a in arguments))
    if name == "nextafter":
        tolerance = UNSIGNED_ZERO  # from one zero to the other
    assert_same(got, want, tolerance, what=name)


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [loop for loop in LOOPS if loop[0] in ("power", "left_shift", "right_shift")],
)
def test_negative_exponents_and_wide_shifts(name: str, dtypes: tuple[np.dtype, ...]) -> None:
    """Integers to negative powers are refused; shifts beyond the width give 0 or the sign."""
    if any(t.kind not in "iu" for t in dtypes):
        pytest.skip("integers only")
    a, b = (special_values(t) for t in dtypes)
    a, b = (v.ravel() for v in np.meshgrid(a, b))
    if name != "power":
        # C gives negative shifts no meaning.
        a, b = a[b >= 0], b[b >= 0]
    with np.errstate(all="ignore"):
        want, want_error = outcome(lambda: getattr(np, name)(a, b))
        got, error = outcome(lambda: getattr(cp, name)(from_numpy(a), from_numpy(b)))
    if want_error is not None:
        assert isinstance(error, type(want_error)), repr(error)
    else:
        assert error is None, repr(error)
        assert_same(got, want, what=name)


MIXED_SIGNS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@pytest.mark.parametrize("name", MIXED_SIGNS)
def test_int64_beside_uint64_compares_exactly(name: str) -> None:
    a = np.repeat(special_values(np.dtype(np.int64)), 13)[:169]
    b = np.tile(special_values(np.dtype(np.uint64)), 13)[: a.size]
    a = a[: b.size]
    assert_same(getattr(cp, name)(from_numpy(a), from_numpy(b)), getattr(np, name)(a, b))
    assert_same(getattr(cp, name)(from_numpy(b), from_numpy(a)), getattr(np, name)(b, a))
