"""Lists of few numbers become arrays with NumPy's dtypes, values and errors."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

SOME = [
    [1.0, 2.0, -0.0],
    [1, 2, 3],
    (1, 2.5),
    [True, False],
    [True, 2],
    [True, 2.5],
    [1 + 2j, 3],
    [[1, 2], [3, 4]],
    [[1, 2.5], (3, True)],
    [[[1.0]], [[2.0]]],
    [2**62, -(2**63)],
    [2**53 + 1, 0.5],
    [float("nan"), float("inf")],
    [[], []],
    [],
    [np.float64(2), 1],
    [np.int8(3), np.int8(4)],
    [np.float32(0.1), 1.0],
    [[1, 2], np.array([3, 4])],
    [2**63],
    list(range(9000)),
]


def same(ours: Any, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(to_numpy(ours), theirs)


@pytest.mark.parametrize("numbers", SOME, ids=lambda numbers: repr(numbers)[:30])
def test_as_numpy_makes_them(numbers: Any) -> None:
    same(cp.array(numbers), np.array(numbers))
    same(cp.asarray(numbers), np.asarray(numbers))
    same(cp.add(numbers, numbers), np.add(numbers, numbers))


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1", "?", "c16", "c8"])
@pytest.mark.parametrize("numbers", [[1, 2, 3], [0.1, 2.5, 3.9], [True, False], [[1], [2.5]]])
def test_of_a_dtype(numbers: Any, dtype: str) -> None:
    same(cp.array(numbers, dtype), np.array(numbers, dtype))
    same(cp.asarray(numbers, dtype), np.asarray(numbers, dtype))


@pytest.mark.parametrize(
    "numbers",
    [[1, [2, 3]], [[1, 2], [3]], [[1], 2], ["a"], [None], [[1, 2], [3, "b"]], [1, 2**70]],
    ids=repr,
)
def test_what_is_no_array_is_refused(numbers: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        cp.array(numbers)


def test_numbers_that_do_not_fit() -> None:
    with pytest.raises(OverflowError):
        cp.array([300], "i1")
    with pytest.raises((TypeError, ValueError)):
        cp.array([1 + 2j], "f8")


def test_a_list_that_contains_itself() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError)):
        cp.array(endless)


def test_arrays_without_dimensions_among_them() -> None:
    v = cp.arange(4.0)
    same(cp.array([v[1], 2.5, v.sum()]), np.array([1.0, 2.5, 6.0]))
    same(cp.array([[v[1], 1], [v.mean(), v[0] + 1]]), np.array([[1.0, 1], [1.5, 1.0]]))
    n = cp.arange(4)
    same(cp.array([n[1], n.max()]), np.array([1, 3]))
    same(cp.array([v[1].astype("f4"), v[2].astype("f4")]), np.array([1, 2], "f4"))


def test_each_call_makes_a_new_array() -> None:
    v = cp.arange(3.0)
    for source in (v, np.arange(3.0), [0.0, 1.0, 2.0]):
        made = cp.array(source)
        made[0] = 7
        assert cp.array(source)[0] == 0
    assert cp.asarray(v) is v
