"""Calls at the edges of single functions: the results or the errors are NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree

NAN = float("nan")
BELOW_ONE = float(1 - np.finfo("f8").eps)  # float32 rounds it to 1
Case = Callable[[Any], Any]


def one(xp: Any) -> Any:
    return xp.asarray(np.array(BELOW_ONE, "f4"))


CASES: dict[str, Case] = {
    "pad minimum of nothing": lambda xp: xp.pad(xp.ones(2), 0, "minimum", stat_length=0),
    "pad maximum of nothing": lambda xp: xp.pad(xp.ones(2), 0, "maximum", stat_length=(1, 0)),
    "pad mean of nothing": lambda xp: xp.pad(xp.ones(2), 0, "mean", stat_length=0),
    "diff beyond the axes": lambda xp: xp.diff(xp.ones((2, 3)), axis=3, prepend=4),
    "diff of a float axis": lambda xp: xp.diff(xp.ones((2, 3)), axis=1.0),
    "unique NaN of the only axis": lambda xp: xp.unique(xp.asarray([NAN, 0, 0, NAN]), axis=0),
    "unique NaN of the last axis": lambda xp: xp.unique(
        xp.asarray([NAN, 0, 0, NAN]), axis=-1, return_counts=True
    ),
    "unique unlike NaN": lambda xp: xp.unique(xp.asarray([NAN, 0, NAN]), axis=0, equal_nan=False),
    "unique inverse of the only axis": lambda xp: xp.unique(
        xp.asarray([3, 1, 3]), True, True, True, axis=0
    ),
    "unique of axis 1": lambda xp: xp.unique(xp.asarray([3, 1, 3]), axis=1),
    "resize to int32": lambda xp: xp.resize(xp.asarray([1, 2]), np.int32(5)),
    "resize to uint64": lambda xp: xp.resize(xp.asarray([1, 2]), np.uint64(3)),
    "einsum in no order": lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), order="Z"),
    "lstsq by a complex limit": lambda xp: xp.linalg.lstsq(xp.eye(2), xp.eye(2), np.complex64(1)),
    "promote_types of None": lambda xp: xp.promote_types("?", None),
    "promote_types": lambda xp: xp.promote_types("i8", "f4").name == "float64",
    "isclose a number": lambda xp: xp.isclose(one(xp), BELOW_ONE, atol=0, rtol=0),
    "isclose a typed number": lambda xp: xp.isclose(one(xp), np.float64(BELOW_ONE), atol=0, rtol=0),
    "isclose to a number": lambda xp: xp.isclose(BELOW_ONE, one(xp), atol=0, rtol=0),
    "isclose by atol": lambda xp: xp.isclose(one(xp), np.float32(0), atol=BELOW_ONE),
    "isclose by rtol": lambda xp: xp.isclose(one(xp), 2, atol=0, rtol=BELOW_ONE / 2),
    "isclose by typed atol": lambda xp: xp.isclose(
        one(xp), np.float32(0), atol=np.float64(BELOW_ONE)
    ),
    "isclose numbers": lambda xp: xp.isclose(1, 2, atol=1),
    "isclose integers": lambda xp: xp.isclose(xp.asarray([1, 2]), 2, atol=1, rtol=0),
    "isclose booleans": lambda xp: xp.isclose(xp.asarray([True, False]), True),
    "isclose by arrays": lambda xp: xp.isclose(
        xp.ones(2), xp.asarray([1, 1.1]), rtol=xp.asarray([0.0, 0.1]), atol=xp.zeros(2)
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_call(case: str) -> None:
    agree(CASES[case])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_linspace_of_the_smallest_numbers(dtype: Any) -> None:
    """A step that vanishes does not make all samples vanish."""
    smallest = np.nextafter(dtype(0), dtype(1))
    for stop in (dtype(5 * smallest), dtype(3 * smallest)):
        for endpoint in (True, False):
            agree(lambda xp, s=stop, e=endpoint: xp.linspace(0, s, 10, e, dtype=dtype))


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_einsum_of_one_operand_is_a_view(order: str) -> None:
    """In whatever order is asked for, as NumPy's."""
    host = np.arange(9.0).reshape(3, 3)
    for text in ("ij->ji", "ii->i", "ij->ij"):
        a = from_numpy(host)
        expected = np.einsum(text, host, order=order)
        result = cp.einsum(text, a, order=order)
        np.testing.assert_array_equal(to_numpy(result), expected)
        assert result.strides == expected.strides
        result[...] = 0
        assert float(a[1, 1]) == 0


@pytest.mark.parametrize("orders", ["CC", "CF", "FF"])
def test_einsum_keeps_fortran_order(orders: str) -> None:
    hosts = [
        np.asarray(np.ones(shape), order=o)
        for shape, o in zip(((3, 4), (4, 5)), orders, strict=True)
    ]
    for order in "AaCF":
        expected = np.einsum("ij,jk->ik", *hosts, order=order)
        result = cp.einsum("ij,jk->ik", *map(from_numpy, hosts), order=order)
        assert result.strides == expected.strides


@pytest.mark.parametrize("rcond", [-1, 0, 1, None, 1e-15])
def test_least_squares_of_a_nearly_singular_matrix(rcond: Any) -> None:
    """The default limit of LAPACK is half of NumPy's epsilon; residuals do not suffer from a large
    solution."""
    a, b = np.array([[1, 0], [0, 1.5e-16], [0.0, 0]]), np.array([1.0, 1, 3])
    expected = np.linalg.lstsq(a, b, rcond=rcond)
    found = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond=rcond)
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(to_numpy(ours), theirs)
    assert found[2] == expected[2] == (2 if rcond in (-1, 0, 1) else 1)
