"""The array API standard: manipulation, searching, sets, sorting, statistics, utilities."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

A = np.arange(24).reshape(2, 3, 4)

# ---- manipulation


def test_broadcasting() -> None:
    found = cp.broadcast_arrays(cp.ones((3, 1), "f4"), cp.ones(2))
    assert isinstance(found, tuple)
    assert [(a.shape, str(a.dtype)) for a in found] == [((3, 2), "float32"), ((3, 2), "float64")]
    assert cp.broadcast_shapes((8, 1, 6), (7, 1), ()) == (8, 7, 6)
    assert cp.broadcast_shapes() == ()
    for call in (
        lambda: cp.broadcast_shapes((2,), (3,)),
        lambda: cp.broadcast_to(cp.ones(2), (3,)),
    ):
        with pytest.raises(ValueError, match=r"broadcast|mismatch"):
            call()


def test_joining() -> None:
    pair = [cp.ones((2, 3), "f4"), cp.zeros((2, 3))]
    assert cp.concat(pair, axis=-1).shape == (2, 6)
    assert cp.concat(pair, axis=None).shape == (12,)
    assert cp.stack(pair, axis=-1).shape == (2, 3, 2)
    assert cp.concat(pair).dtype == cp.stack(pair).dtype == "float64"
    parts = cp.unstack(from_numpy(A), axis=1)
    assert isinstance(parts, tuple)
    assert [part.shape for part in parts] == [(2, 4)] * 3
    for call in (lambda: cp.concat(pair, axis=2), lambda: cp.stack(pair, axis=3)):
        with pytest.raises(IndexError):
            call()


@pytest.mark.parametrize("axis", [0, -1, (0,), (0, 1), (-1, 0), (1, 3, -1), ()])
def test_expand_dims(axis: Any) -> None:
    found = cp.expand_dims(from_numpy(A), axis=axis)
    np.testing.assert_array_equal(to_numpy(found), np.expand_dims(A, axis))
    if axis != ():
        assert to_numpy(cp.squeeze(found, axis=axis)).shape == A.shape


@pytest.mark.parametrize("axis", [4, -5, (0, 5), (0, 0), (0, -5)])
def test_expand_dims_of_no_such_axis(axis: Any) -> None:
    with pytest.raises((IndexError, ValueError)):
        cp.expand_dims(from_numpy(A), axis=axis)


def test_moving_axes() -> None:
    a = from_numpy(A)
    assert cp.permute_dims(a, (2, 0, 1)).shape == cp.permute_dims(a, (-1, 0, -2)).shape == (4, 2, 3)
    assert cp.moveaxis(a, (0, 1), (-1, 0)).shape == (3, 4, 2)
    assert cp.squeeze(a[:, None], axis=1).shape == A.shape
    with pytest.raises(ValueError, match=r"size|axis"):
        cp.squeeze(a, axis=0)
    with pytest.raises(ValueError, match=r"axes|repeated"):
        cp.permute_dims(a, (0, 0, 1))


@pytest.mark.parametrize(
    "shift", [1, -1, 7, 2**63 - 1, -(2**63), 10**30, -(10**30), (1, -(10**20))]
)
@pytest.mark.parametrize("axis", [None, 0, (0, 2), (-1, 1)])
def test_roll_by_any_shift(shift: Any, axis: Any) -> None:
    if isinstance(shift, tuple) and not isinstance(axis, tuple):
        return
    np.testing.assert_array_equal(
        to_numpy(cp.roll(from_numpy(A), shift, axis=axis)), np.roll(A, shift, axis)
    )


def test_reshape_flip_repeat_tile() -> None:
    a = from_numpy(A)
    assert cp.reshape(a, (-1, 2)).shape == (12, 2)
    assert not cp.shares_memory(cp.reshape(a, (24,), copy=True), a)
    assert cp.shares_memory(cp.reshape(a, (24,), copy=False), a)
    with pytest.raises(ValueError, match="copy"):
        cp.reshape(a.T, (24,), copy=False)
    for axis in (None, 0, (0, -1)):
        np.testing.assert_array_equal(to_numpy(cp.flip(a, axis=axis)), np.flip(A, axis))
    for repeats, axis in ((2, None), (2, 1), ([1, 0, 2], 1)):
        count = from_numpy(np.array(repeats)) if isinstance(repeats, list) else repeats
        expected = np.repeat(A, repeats, axis=axis)
        np.testing.assert_array_equal(to_numpy(cp.repeat(a, count, axis=axis)), expected)
    for repetitions in ((2,), (1, 2, 3), (2, 1, 1, 2)):
        np.testing.assert_array_equal(to_numpy(cp.tile(a, repetitions)), np.tile(A, repetitions))


# ---- searching


def test_searching() -> None:
    a = from_numpy(A)
    assert cp.argmax(a).shape == ()
    for name in ("argmax", "argmin", "count_nonzero"):
        function = getattr(cp, name)
        assert function(a, axis=1, keepdims=True).shape == (2, 1, 4)
        assert function(a, axis=-1).dtype == "int64"
    assert int(cp.argmax(cp.asarray([1, 3, 3]))) == 1
    assert cp.count_nonzero(a, axis=(0, 2)).shape == (3,)
    assert [part.dtype for part in cp.nonzero(a)] == ["int64"] * 3
    with pytest.raises(ValueError, match="0d"):
        cp.nonzero(cp.asarray(1))
    assert to_numpy(cp.take_along_axis(a, cp.zeros((2, 3, 1), int))).tolist() == A[..., :1].tolist()
    assert cp.take(a, cp.asarray([0, 2, 2]), axis=-1).shape == (2, 3, 3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side: str) -> None:
    line, values = np.array([3, 1, 2, 2]), np.array([[0, 2], [3, 9]])
    sorter = np.argsort(line, stable=True)
    expected = np.searchsorted(line, values, side, sorter)
    found = cp.searchsorted(
        from_numpy(line), from_numpy(values), side=side, sorter=from_numpy(sorter)
    )
    np.testing.assert_array_equal(to_numpy(found), expected)
    assert int(cp.searchsorted(cp.asarray([1, 2, 3]), 2, side=side)) == (side == "right") + 1


# ---- sets


def test_unique_elements() -> None:
    a = cp.asarray([[2.0, np.nan, -0.0], [0.0, np.nan, 2.0]])
    found = cp.unique_all(a)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    assert to_numpy(found.counts).tolist() == [2, 2, 1, 1]
    assert found.inverse_indices.shape == a.shape
    assert cp.unique_counts(a)._fields == ("values", "counts")
    assert cp.unique_inverse(a)._fields == ("values", "inverse_indices")
    assert cp.unique_values(a).shape == (4,)
    assert all(part.dtype == "int64" for part in found[1:])


def test_isin() -> None:
    a = from_numpy(A)
    found = cp.isin(a, cp.asarray([3, 5, 99]))
    assert (found.dtype, found.shape, int(cp.count_nonzero(found))) == ("bool", A.shape, 2)
    assert int(cp.count_nonzero(cp.isin(a, cp.asarray([3]), invert=True))) == 23
    assert cp.isin(3, a).shape == ()
    assert bool(cp.isin(a, 3)[0, 0, 3])


# ---- sorting

VALUES = {
    "int64": [3, 1, 2, 3, 1, 0, -7],
    "uint8": [3, 255, 0, 3, 1, 255, 0],
    "float32": [0.0, -0.0, 2.0, -np.inf, 2.0, np.inf, -0.0],
    "bool": [True, False, True, False, False, True, True],
    "float64": [np.nan, 1.0, -0.0, 0.0, np.nan, -1.0, 1.0],
}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", VALUES)
def test_sorting_in_both_directions_is_stable(dtype: str, descending: bool) -> None:
    host = np.array(VALUES[dtype], dtype)
    numbers = [(np.isnan(v) if dtype[0] == "f" else False, v) for v in host]
    order = sorted(
        range(len(host)), key=lambda i: (numbers[i][0], 0 if numbers[i][0] else numbers[i][1]),
        reverse=descending,
    )  # fmt: skip
    for shape, axis in (((7,), -1), ((7,), None), ((7, 1), 0), ((1, 7), 1)):
        a = from_numpy(host.reshape(shape))
        places = to_numpy(cp.argsort(a, axis=axis, descending=descending, stable=True))
        assert (places.dtype, places.ravel().tolist()) == ("int64", order)
        values = to_numpy(cp.sort(a, axis=axis, descending=descending)).ravel()
        np.testing.assert_array_equal(values, host[order])
        assert values.dtype == dtype


# ---- statistics and utilities


def test_sums_are_wide_enough() -> None:
    for dtype, wide in (("int8", "int64"), ("uint16", "uint64"), ("float32", "float32"),
                        ("complex64", "complex64")):  # fmt: skip
        a = cp.ones((2, 3), dtype=dtype)
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
            assert getattr(cp, name)(a, axis=0).dtype == wide
            assert getattr(cp, name)(a, axis=0, dtype=cp.complex128).dtype == "complex128"
        assert cp.max(a.real).dtype == a.real.dtype
    assert cp.mean(cp.ones(2, dtype="int8")).dtype == "float64"


def test_running_sums() -> None:
    a = cp.asarray([[1, 2, 3], [4, 5, 6]])
    assert to_numpy(cp.cumulative_sum(a, axis=1, include_initial=True)).tolist() == [
        [0, 1, 3, 6], [0, 4, 9, 15]]  # fmt: skip
    assert to_numpy(cp.cumulative_prod(a[0], include_initial=True)).tolist() == [1, 1, 2, 6]
    for name in ("cumulative_sum", "cumulative_prod"):
        with pytest.raises(ValueError, match="axis"):
            getattr(cp, name)(a)


@pytest.mark.filterwarnings("ignore")
def test_special_cases_of_statistics() -> None:
    nan, none = cp.asarray([1.0, np.nan]), cp.asarray([], dtype="float32")
    for name in ("max", "min", "mean", "sum", "prod", "std", "var"):
        assert bool(cp.isnan(getattr(cp, name)(nan)))
        assert getattr(cp, name)(nan[None], axis=(0, 1), keepdims=True).shape == (1, 1)
    assert bool(cp.isnan(cp.mean(none)))
    assert (float(cp.sum(none)), float(cp.prod(none))) == (0, 1)
    assert bool(cp.isnan(cp.std(cp.ones(2), correction=2)))
    assert float(cp.var(cp.asarray([1.0, 3.0]), correction=1)) == 2
    assert bool(cp.all(none))
    assert not bool(cp.any(none))
    assert bool(cp.all(cp.asarray([np.nan, np.inf])))


def test_differences() -> None:
    a = from_numpy(A)
    np.testing.assert_array_equal(to_numpy(cp.diff(a, axis=1, n=2)), np.diff(A, 2, 1))
    edge = cp.zeros((2, 3, 1), int)
    assert cp.diff(a, prepend=edge, append=edge).shape == (2, 3, 5)
    assert cp.diff(a, n=0).shape == A.shape
    assert cp.diff(a, prepend=None, append=None).shape == (2, 3, 3)
