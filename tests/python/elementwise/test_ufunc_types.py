"""The dtype of every ufunc's result for every pair of operand types, weak scalars included.

Operands are empty, so that only the resolution of types runs.
"""

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from support.compare import agree, assert_same_error, outcome
from support.dtypes import NUMPY_DTYPES, bfloat16, name
from support.ufuncs import (
    BINARY_NAMES,
    NO_BFLOAT16,
    UFUNC_ALIASES,
    UFUNC_NAMES,
    UNARY_NAMES,
    result_dtypes,
)

WEAK_SCALARS = [True, 3, -1, 2.5, 1j]
TYPED_SCALARS = [np.int8(1), np.uint64(2), np.float32(1.5), np.float64(2.0), np.complex64(1j)]


def dtypes_of(result: object) -> tuple[np.dtype, ...]:
    results = result if isinstance(result, tuple) else (result,)
    return tuple(np.dtype(r.dtype) for r in results)


@pytest.mark.parametrize("alias", UFUNC_ALIASES)
def test_every_ufunc_exists_under_numpys_names(alias: str) -> None:
    ufunc, model = getattr(cp, alias), getattr(np, alias)
    assert ufunc.__name__ == model.__name__
    assert (ufunc.nin, ufunc.nout, ufunc.nargs) == (model.nin, model.nout, model.nargs)
    assert ufunc.identity == model.identity


@pytest.mark.parametrize("ufunc", UNARY_NAMES)
def test_unary(ufunc: str) -> None:
    for dtype in NUMPY_DTYPES:
        check_types(ufunc, np.empty(0, dtype))


@pytest.mark.parametrize("ufunc", BINARY_NAMES)
def test_binary(ufunc: str) -> None:
    for first in NUMPY_DTYPES:
        for second in NUMPY_DTYPES:
            check_types(ufunc, np.empty(0, first), np.empty(0, second))


@pytest.mark.parametrize("ufunc", BINARY_NAMES)
@pytest.mark.parametrize("scalars", [WEAK_SCALARS, TYPED_SCALARS], ids=["weak", "typed"])
def test_binary_with_scalar(ufunc: str, scalars: list) -> None:
    for dtype in NUMPY_DTYPES:
        for scalar in scalars:
            if ufunc == "power" and scalar == -1 and dtype.kind in "biu":
                continue  # refused whatever the number of elements
            check_types(ufunc, np.empty(0, dtype), scalar)
            check_types(ufunc, scalar, np.empty(0, dtype))


def check_types(ufunc: str, *operands: object) -> None:
    """The same result types as NumPy, or the same refusal."""
    what = f"{ufunc}({', '.join(getattr(o, 'dtype', repr(o)) and repr(o) for o in operands)})"
    expected, expected_error = outcome(lambda: getattr(np, ufunc)(*operands))
    mine = [from_numpy(o) if isinstance(o, np.ndarray) else o for o in operands]
    result, error = outcome(lambda: getattr(cp, ufunc)(*mine))
    assert_same_error(error, expected_error, what)
    if expected_error is None:
        assert dtypes_of(result) == dtypes_of(expected), what


@pytest.mark.parametrize("ufunc", UFUNC_NAMES)
def test_bfloat16(ufunc: str) -> None:
    """bfloat16 stands where float16 stands."""
    arity = getattr(np, ufunc).nin
    half = np.empty(0, np.float16)
    _, refusal = outcome(lambda: getattr(np, ufunc)(*[half] * arity))
    if ufunc in NO_BFLOAT16 or (IS_NUMPY and ufunc in ("degrees", "radians")):
        pytest.skip("float64, or float32 in NumPy")
    operands = [from_numpy(np.empty(0, bfloat16))] * arity
    result, error = outcome(lambda: getattr(cp, ufunc)(*operands))
    if IS_NUMPY and refusal is None and error is not None:
        pytest.skip("NumPy has no loop of bfloat16")
    assert (error is None) == (refusal is None), f"{error!r}, {refusal!r}"
    if refusal is None:
        expected = result_dtypes(ufunc, *[half.dtype] * arity)
        assert dtypes_of(result) == tuple(bfloat16 if t == half.dtype else t for t in expected)


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_bfloat16_promotion(dtype: np.dtype) -> None:
    """bool and 8-bit integers keep it; wider types take what holds both."""
    if dtype.itemsize == 1:
        expected = bfloat16
    elif dtype == np.float16:
        expected = np.dtype(np.float32)
    else:
        expected = np.promote_types(dtype, np.float16)
    a, b = from_numpy(np.empty(0, bfloat16)), from_numpy(np.empty(0, dtype))
    assert cp.add(a, b).dtype == expected
    assert cp.add(b, a).dtype == expected


@pytest.mark.parametrize("operator", ["add", "multiply", "less", "equal", "bitwise_and"])
@pytest.mark.parametrize("number", [255, 256, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30])
def test_python_integers_that_do_not_fit(operator: str, number: int) -> None:
    """Arithmetic refuses them; comparisons know the answer."""
    for dtype in (np.uint8, np.int32, np.int64, np.uint64):
        array = np.array([0, 1, 100], dtype)
        agree(lambda xp, a: getattr(xp, operator)(a, number), array, what=f"{operator} {number}")
        agree(lambda xp, a: getattr(xp, operator)(number, a), array, what=f"{operator} {number}")


def test_python_integers_beyond_int64_with_floats() -> None:
    for dtype in (np.float32, np.float64, np.complex128):
        agree(lambda xp, a: a + 10**30, np.array([1.0, 2.0], dtype))
        agree(lambda xp, a: a * 2**64, np.array([1.0, 2.0], dtype))
