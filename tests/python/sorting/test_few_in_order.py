"""Few elements in order, which the calling thread brings there on CPU devices, beside NumPy."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.dtypes import NUMPY_DTYPES, name


def values(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """With many that are equal, zeros of both signs and NaNs."""
    random = np.random.default_rng(shape[-1])
    if dtype.kind not in "fc":
        return random.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    some = random.integers(-5, 5, shape).astype(dtype)
    some[random.random(shape) < 0.2] = -0.0
    some[random.random(shape) < 0.1] = np.nan
    return some


@pytest.mark.cupola_only
@pytest.mark.parametrize("shape", [(1,), (2,), (10,), (255,), (512,), (513,), (3000,), (20, 25)])
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_values_and_places(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    host = values(dtype, shape)
    array = from_numpy(host)
    expected = np.sort(host, kind="stable")
    ordered = to_numpy(cp.sort(array))
    np.testing.assert_array_equal(ordered, expected)
    if dtype.kind == "f":
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(
            np.signbit(ordered)[known], np.signbit(expected)[known], "equal ones stay in order"
        )
    np.testing.assert_array_equal(to_numpy(cp.argsort(array)), np.argsort(host, kind="stable"))
    np.testing.assert_array_equal(to_numpy(array), host)
    array.sort()
    np.testing.assert_array_equal(to_numpy(array), expected)


@pytest.mark.cupola_only
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_of_other_axes_and_layouts(axis: int | None) -> None:
    host = values(np.dtype("f8"), (30, 20))
    for seen in (lambda x: x, lambda x: x.T, lambda x: x[::2, ::-1]):
        view, array = seen(host), seen(from_numpy(host))
        np.testing.assert_array_equal(to_numpy(cp.sort(array, axis)), np.sort(view, axis))
        np.testing.assert_array_equal(
            to_numpy(cp.argsort(array, axis)), np.argsort(view, axis, kind="stable")
        )


def test_in_place_through_a_view() -> None:
    host = values(np.dtype("i4"), (40,))
    array = from_numpy(host)
    array[10:30].sort()
    host[10:30].sort()
    np.testing.assert_array_equal(to_numpy(array), host)
    waiting = from_numpy(host) * 2
    waiting.sort()
    np.testing.assert_array_equal(to_numpy(waiting), np.sort(host * 2))
